//! What a request brings, used as a path or as the address of an outgoing request.

use std::collections::HashSet;

use super::scans::{Code, Spot};
use super::trace::{Flow, Flows, Piece, items};
use crate::language::Language;
use crate::syntax::Node;

const PATH_GUARDS: &[&str] = &[
    "secure_filename",
    "safe_join",
    "is_relative_to",
    "relative_to(",
    "commonpath",
    "commonprefix",
    "os.path.basename",
    "normpath",
    "realpath",
    "startswith(",
    ".resolve()",
    "filepath.IsLocal",
    "filepath.Rel",
    "strings.HasPrefix",
    "filepath.Base",
    "path.Base",
    "os.OpenRoot",
    "SecureJoin",
    "os.Root",
    "..\"",
    "'..'",
    "ValidPath",
    "fs.Sub",
    "path.Clean(\"/",
];
const URL_GUARDS: &[&str] = &[
    "urlparse",
    "urlsplit",
    "hostname",
    "netloc",
    "ALLOWED",
    "allowed",
    "allowlist",
    "whitelist",
    "url.Parse(",
    ".Host",
    "startswith(",
    "is_safe",
    "validate",
    "is_private",
    "HasPrefix",
];

/// Finds files whose path a request chooses.
pub(super) fn paths(code: &Code<'_, '_>) -> Vec<Spot> {
    sinks(code, path_argument, PATH_GUARDS, false)
}

/// Finds requests to an address that a request chooses.
pub(super) fn addresses(code: &Code<'_, '_>) -> Vec<Spot> {
    sinks(code, url_argument, URL_GUARDS, true)
}

fn sinks(
    code: &Code<'_, '_>,
    argument_of: for<'t> fn(Language, &Node<'t>) -> Option<Node<'t>>,
    guards: &[&str],
    whole_head: bool,
) -> Vec<Spot> {
    let kind = if code.language == Language::Python { "call" } else { "call_expression" };
    let mut out = Vec::new();
    let mut flows = Flows::new();
    let mut seen = HashSet::new();
    for function in code.touched_functions() {
        for call in function.descendants().filter(|node| node.is(&[kind])) {
            let Some(argument) = argument_of(code.language, &call) else { continue };
            if !seen.insert(call.range()) {
                continue;
            }
            let flow = flows.around(code.language, &call);
            if flow.mentions(guards) || !flow.comes_from_request(&argument, 4) {
                continue;
            }
            if whole_head && has_fixed_host(flow, &argument) {
                continue;
            }
            if argument.text().chars().all(|c| c.is_alphanumeric() || c == '_')
                && flow.is_guarded(argument.text())
            {
                continue;
            }
            out.push(Spot::at(&call).named(argument.text()));
        }
    }
    out
}

/// Whether the address starts with a host that stands in the code.
fn has_fixed_host<'t>(flow: &Flow<'t>, argument: &Node<'t>) -> bool {
    match flow.pieces(argument).first() {
        Some(Piece::Literal(text)) => {
            text.split_once("://").is_some_and(|(_, rest)| rest.trim_matches('/').len() > 1)
        }
        Some(Piece::Value(value)) => !flow.is_requested(value),
        None => true,
    }
}

fn path_argument<'t>(language: Language, call: &Node<'t>) -> Option<Node<'t>> {
    const PYTHON: &[&str] = &[
        "open",
        "io.open",
        "send_file",
        "os.remove",
        "os.unlink",
        "os.rmdir",
        "shutil.rmtree",
        "FileResponse",
        "flask.send_file",
        "codecs.open",
        "aiofiles.open",
        "os.listdir",
        "shutil.copy",
        "shutil.move",
        "shutil.copyfile",
        "os.rename",
        "web.FileResponse",
        "os.makedirs",
    ];
    const METHODS: &[&str] =
        &["read_text", "read_bytes", "write_text", "write_bytes", "unlink", "save"];
    const GO: &[&str] = &[
        "os.Open",
        "os.ReadFile",
        "os.OpenFile",
        "os.Create",
        "os.WriteFile",
        "os.Remove",
        "os.RemoveAll",
        "ioutil.ReadFile",
        "ioutil.WriteFile",
        "os.Stat",
        "os.ReadDir",
        "os.Mkdir",
        "os.MkdirAll",
    ];
    let function = call.field("function")?;
    let arguments = items(&call.field("arguments")?);
    let name = function.text();
    if language == Language::Go {
        if name == "http.ServeFile" {
            return arguments.get(2).cloned();
        }
        if name.ends_with(".File") && matches!(name, "c.File" | "ctx.File") || GO.contains(&name) {
            return arguments.first().cloned();
        }
        return None;
    }
    if PYTHON.contains(&name) {
        return arguments.into_iter().find(|argument| !argument.is(&["keyword_argument"]));
    }
    let method = function.field("attribute")?;
    if method.text() == "save" {
        return arguments.into_iter().next();
    }
    METHODS.contains(&method.text()).then(|| function.field("object"))?
}

fn url_argument<'t>(language: Language, call: &Node<'t>) -> Option<Node<'t>> {
    let function = call.field("function")?;
    let arguments = items(&call.field("arguments")?);
    let name = function.text();
    let at = match language {
        Language::Go => match name {
            "http.Get" | "http.Head" | "http.Post" | "http.PostForm" => 0,
            "client.Get" | "httpClient.Get" | "c.client.Get" => 0,
            "http.NewRequest" => 1,
            "http.NewRequestWithContext" => 2,
            _ => return None,
        },
        _ => {
            let (of, verb) = name.rsplit_once('.')?;
            let of = of.rsplit('.').next().unwrap_or(of);
            let is_client = matches!(of, "requests" | "httpx" | "session" | "client" | "http");
            match verb {
                "get" | "post" | "put" | "delete" | "head" | "patch" if is_client => 0,
                "request" if is_client => 1,
                "urlopen" | "urlretrieve" => 0,
                _ => return None,
            }
        }
    };
    arguments.get(at).filter(|argument| !argument.is(&["keyword_argument"])).cloned()
}
