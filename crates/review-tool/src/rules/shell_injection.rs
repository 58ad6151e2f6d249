//! A command line for a shell, put together with values that the shell would read as its own.

use std::collections::HashSet;

use super::scans::{Code, Spot};
use super::trace::{Flow, Flows, Piece, Value, items};
use crate::language::Language;
use crate::syntax::Node;

/// Finds them in Python, Go and Rust.
pub(super) fn scan(code: &Code<'_, '_>) -> Vec<Spot> {
    let kind = if code.language == Language::Python { "call" } else { "call_expression" };
    let mut out = Vec::new();
    let mut flows = Flows::new();
    let mut seen = HashSet::new();
    for function in code.touched_functions() {
        for call in function.descendants().filter(|node| node.is(&[kind])) {
            let command = match code.language {
                Language::Python => python_command(&call),
                Language::Go => go_command(&call),
                _ => rust_command(&call),
            };
            let Some(command) = command else { continue };
            if !seen.insert(call.range()) {
                continue;
            }
            let flow = flows.around(code.language, &call);
            if let Some(value) = injected(flow, &command) {
                out.push(Spot::at(&value.within).named(value.text).with(&call));
            }
        }
    }
    out
}

fn injected<'t>(flow: &Flow<'t>, command: &Node<'t>) -> Option<Value<'t>> {
    const PASSED_ON: &[&str] =
        &["cmd", "command", "cmdline", "script", "commands", "line", "code", "shell_cmd", "args"];
    let pieces = flow.pieces(command);
    let is_put_together = pieces.iter().any(|piece| matches!(piece, Piece::Literal(_)));
    let mut values = pieces.into_iter().filter_map(|piece| match piece {
        Piece::Value(value) => Some(value),
        Piece::Literal(_) => None,
    });
    values.find(|value| {
        if flow.is_fixed(value) {
            return false;
        }
        let is_name = value.text.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name && flow.is_guarded(value.text) {
            return false;
        }
        // What runs a whole command for its caller is no injection by itself.
        let last = value.text.rsplit('.').next().unwrap_or(value.text);
        let passed_on = PASSED_ON.iter().any(|name| last.ends_with(name));
        flow.is_requested(value)
            || !passed_on && (is_put_together || is_name && flow.is_local(value.text))
    })
}

fn python_command<'t>(call: &Node<'t>) -> Option<Node<'t>> {
    let function = call.field("function")?;
    let arguments = items(&call.field("arguments")?);
    let first = arguments.iter().find_map(|argument| match argument.field("name") {
        Some(name) => matches!(name.text(), "args" | "cmd").then(|| argument.field("value"))?,
        None => Some(argument.clone()),
    })?;
    match function.text() {
        "os.system"
        | "os.popen"
        | "commands.getoutput"
        | "subprocess.getoutput"
        | "subprocess.getstatusoutput"
        | "asyncio.create_subprocess_shell"
        | "popen2.popen2" => Some(first),
        name => {
            let last = name.rsplit('.').next().unwrap_or(name);
            let runs = matches!(last, "run" | "call" | "Popen" | "check_call" | "check_output");
            let by_shell = arguments.iter().any(|argument| {
                argument.field("name").is_some_and(|name| name.text() == "shell")
                    && argument.field("value").is_some_and(|value| value.text() == "True")
            });
            if runs && by_shell {
                return Some(first);
            }
            // ["sh", "-c", command]
            let list = items(&first);
            (runs
                && first.is(&["list"])
                && list.len() == 3
                && is_shell(list[0].text())
                && is_command_flag(list[1].text()))
            .then(|| list[2].clone())
        }
    }
}

fn go_command<'t>(call: &Node<'t>) -> Option<Node<'t>> {
    let function = call.field("function")?;
    let arguments = items(&call.field("arguments")?);
    let arguments = match function.text() {
        "exec.Command" => &arguments[..],
        "exec.CommandContext" => arguments.get(1..)?,
        _ => return None,
    };
    let [program, flag, command, ..] = arguments else { return None };
    (is_shell(program.text()) && is_command_flag(flag.text())).then(|| command.clone())
}

fn rust_command<'t>(call: &Node<'t>) -> Option<Node<'t>> {
    let function = call.field("function")?;
    let name = function.field("field")?;
    if !matches!(name.text(), "arg" | "args") {
        return None;
    }
    let argument = items(&call.field("arguments")?).pop()?;
    let of = function.field("value")?;
    let mut chain: String = of.text().split_whitespace().collect();
    if of.is(&["identifier"]) {
        let function = call.ancestors().filter(|outer| outer.is(&["function_item"])).last()?;
        if !function.text().contains("\"-c\"") {
            return None;
        }
        let scope: String = function.text().split_whitespace().collect();
        let own = format!("{}.arg(\"-c\")", of.text());
        if !scope.contains(&own) {
            return None;
        }
        let made = format!("{}=", of.text());
        let at = scope.find(&made)?;
        chain = format!("{}.arg(\"-c\")", scope[at + made.len()..].split(';').next()?);
    }
    let starts_shell = chain
        .split("Command::new(")
        .nth(1)
        .is_some_and(|rest| is_shell(rest.split(')').next().unwrap_or_default()));
    if !starts_shell {
        return None;
    }
    if name.text() == "arg" {
        let flagged = ["\"-c\"", "\"/C\"", "\"/c\"", "\"-Command\"", "\"-lc\""];
        let is_flag = is_command_flag(argument.text());
        return (!is_flag && flagged.iter().any(|flag| chain.ends_with(&format!(".arg({flag})"))))
            .then_some(argument);
    }
    let array = argument.descendants().find(|node| node.is(&["array_expression"]))?;
    let parts = items(&array);
    (parts.len() == 2 && is_command_flag(parts[0].text())).then(|| parts[1].clone())
}

fn is_shell(text: &str) -> bool {
    let name = text.trim_matches(['"', '\'', '`']);
    let name = name.rsplit('/').next().unwrap_or(name);
    matches!(
        name,
        "sh" | "bash" | "zsh" | "dash" | "ash" | "cmd" | "cmd.exe" | "powershell" | "pwsh"
    )
}

fn is_command_flag(text: &str) -> bool {
    matches!(text.trim_matches(['"', '\'', '`']), "-c" | "/C" | "/c" | "-Command" | "-lc" | "-ec")
}
