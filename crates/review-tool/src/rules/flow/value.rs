//! What an expression evaluates to, as far as its parts and the assignments before it tell.

use super::bindings::{Bindings, How, is_name};
use super::names::{self, arguments, callee, parts, receiver};
use crate::syntax::Node;

/// How many expressions are looked at for one sink.
const STEPS: u32 = 2_000;
/// How deep the look goes; every level is a frame of the thread's stack.
const DEPTH: u32 = 100;

/// What is known of a value.
#[derive(Clone, Default)]
pub(super) struct Value<'t> {
    /// Nothing outside the program shapes it.
    pub(super) constant: bool,
    /// It is a text.
    pub(super) text: bool,
    /// The first part of a joined text that is not constant.
    pub(super) built: Option<Node<'t>>,
    /// The first part that a request fills.
    pub(super) input: Option<Node<'t>>,
    /// Where that part comes from, which is where a name got its value.
    pub(super) origin: Option<Node<'t>>,
}

impl<'t> Value<'t> {
    fn constant() -> Self {
        Self { constant: true, ..Self::default() }
    }

    fn text() -> Self {
        Self { constant: true, text: true, ..Self::default() }
    }

    /// Either of two values.
    fn or(self, other: Self) -> Self {
        Self {
            constant: self.constant && other.constant,
            text: self.text || other.text,
            built: self.built.or(other.built),
            input: self.input.or(other.input),
            origin: self.origin.or(other.origin),
        }
    }

    /// A text with one more part, which stands at `part`.
    fn with(self, other: Self, part: &Node<'t>) -> Self {
        let varies = (!other.constant).then(|| part.clone());
        let built = self.built.or(other.built).or(varies);
        Self {
            constant: self.constant && other.constant,
            text: true,
            built,
            input: self.input.or(other.input.map(|_| part.clone())),
            origin: self.origin.or(other.origin),
        }
    }
}

/// Evaluates the value at one sink.
pub(super) struct Tracer<'b, 't> {
    bindings: &'b Bindings<'t>,
    clean: &'b [String],
    sql: bool,
    steps: u32,
    depth: u32,
    exhausted: bool,
    /// All literal text met, in the order met.
    literals: String,
    /// Whether the last thing met was literal text, so that `literals` ends with it.
    after_literal: bool,
}

impl<'b, 't> Tracer<'b, 't> {
    pub(super) fn new(bindings: &'b Bindings<'t>, clean: &'b [String], sql: bool) -> Self {
        Self {
            bindings,
            clean,
            sql,
            steps: 0,
            depth: 0,
            exhausted: false,
            literals: String::new(),
            after_literal: false,
        }
    }

    /// Whether the search ended before it was done, so that nothing is known.
    pub(super) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Whether the literal text met holds a statement of SQL.
    pub(super) fn reads_as_sql(&self) -> bool {
        let upper = self.literals.to_ascii_uppercase();
        let words: Vec<&str> =
            upper.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        let has = |word: &str| words.contains(&word);
        (has("SELECT") || has("DELETE")) && (has("FROM") || has("WHERE"))
            || has("INSERT") && has("INTO")
            || has("UPDATE") && has("SET")
            || ["WHERE", "AND", "OR", "LIKE"].iter().any(|word| has(word))
                && self.literals.contains('=')
            || (has("ALTER") || has("DROP") || has("CREATE"))
                && ["TABLE", "USER", "DATABASE", "INDEX"].iter().any(|word| has(word))
            || ["= '", "= \"", "LIKE '"].iter().any(|quoted| upper.contains(quoted))
            || has("CALL") && self.literals.contains('(')
            || has("EXEC")
            || has("ORDER") && has("BY")
    }

    /// Whether the literal text met holds a comparison.
    pub(super) fn reads_as_condition(&self) -> bool {
        self.literals.contains(['=', '<', '>'])
            || self.literals.to_ascii_uppercase().contains(" IN ")
    }

    /// Whether the first literal text met is a host with a path, or the path behind one.
    pub(super) fn fixes_host(&self) -> bool {
        let text = self.literals.trim_start();
        let host = text.split_once("://").map_or("", |(_, rest)| rest);
        let named = host.find('/').is_some_and(|end| end > 0 && !host[..end].contains(' '));
        named || text.len() > 1 && text.starts_with('/') && !text.starts_with("//")
    }

    /// Whether the literal text met holds markup.
    pub(super) fn reads_as_html(&self) -> bool {
        self.literals.contains('<')
    }

    pub(super) fn value(&mut self, node: &Node<'t>) -> Value<'t> {
        self.steps += 1;
        if self.steps > STEPS || self.depth > DEPTH {
            self.exhausted = true;
            return Value::constant();
        }
        self.depth += 1;
        let value = self.look(node);
        self.depth -= 1;
        if !value.constant {
            self.after_literal = false;
        }
        value
    }

    fn look(&mut self, node: &Node<'t>) -> Value<'t> {
        let kind = node.kind();
        if is_name(node) {
            return self.name(node);
        }
        match kind.as_str() {
            "string"
            | "string_literal"
            | "template_string"
            | "encapsed_string"
            | "heredoc"
            | "nowdoc"
            | "subshell"
            | "interpolated_string_expression"
            | "verbatim_string_literal"
            | "raw_string_literal"
            | "chained_string"
            | "heredoc_body" => self.string(node),
            "number"
            | "true"
            | "false"
            | "null"
            | "undefined"
            | "regex"
            | "integer"
            | "float"
            | "nil"
            | "boolean"
            | "null_literal"
            | "decimal_integer_literal"
            | "decimal_floating_point_literal"
            | "character_literal"
            | "class_literal"
            | "simple_symbol"
            | "unary_expression"
            | "update_expression"
            | "unary_op_expression"
            | "instanceof_expression"
            | "function_expression"
            | "meta_property"
            | "integer_literal"
            | "real_literal"
            | "boolean_literal"
            | "typeof_expression"
            | "prefix_unary_expression"
            | "postfix_unary_expression" => Value::constant(),
            "binary_expression" | "binary" => self.binary(node),
            "ternary_expression" | "conditional_expression" | "conditional" => {
                let branches = [
                    node.field("consequence").or_else(|| node.field("body")),
                    node.field("alternative"),
                ];
                let branches = branches.into_iter().flatten();
                branches.fold(Value::constant(), |all, branch| all.or(self.value(&branch)))
            }
            "parenthesized_expression"
            | "await_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression"
            | "parenthesized_statements"
            | "template_substitution"
            | "interpolation"
            | "spread_element"
            | "argument" => {
                let parts = parts(node);
                let inner = parts.iter().find(|part| part.kind() != "interpolation_brace");
                inner.map_or_else(Value::default, |inner| self.value(inner))
            }
            "cast_expression" => match (node.field("type"), node.field("value")) {
                (Some(kind), Some(_)) if names::is_number_type(kind.text()) => Value::constant(),
                (_, Some(value)) => self.value(&value),
                _ => Value::default(),
            },
            "assignment_expression" => {
                node.field("right").map_or_else(Value::default, |right| self.value(&right))
            }
            "array" | "array_literal" | "array_creation_expression" | "array_initializer" => {
                parts(node).iter().fold(Value::constant(), |all, item| all.or(self.value(item)))
            }
            "array_element_initializer" => {
                parts(node).last().map_or_else(Value::default, |item| self.value(item))
            }
            "object" => self.object(node),
            "member_expression"
            | "field_access"
            | "member_access_expression"
            | "subscript_expression"
            | "array_access"
            | "element_access_expression"
            | "element_reference" => self.member(node),
            "class_constant_access_expression" => Value::constant(),
            "call_expression"
            | "method_invocation"
            | "call"
            | "function_call_expression"
            | "member_call_expression"
            | "scoped_call_expression"
            | "new_expression"
            | "invocation_expression"
            | "object_creation_expression" => self.call(node),
            _ => Value::default(),
        }
    }

    /// A string, with the expressions put into it.
    fn string(&mut self, node: &Node<'t>) -> Value<'t> {
        let mut value = Value::text();
        for part in parts(node) {
            match part.kind().as_str() {
                "string_fragment"
                | "string_content"
                | "escape_sequence"
                | "nowdoc_string"
                | "heredoc_start"
                | "heredoc_end"
                | "nowdoc_body"
                | "multiline_string_fragment"
                | "string_literal_content" => {
                    self.literal(part.text());
                }
                "interpolation_start" | "interpolation_quote" | "interpolation_format_clause" => {}
                "string" | "heredoc_body" | "encapsed_string" => {
                    let inner = self.value(&part);
                    value = value.with(inner, &part);
                }
                _ => value = self.joined(value, &part),
            }
        }
        if parts(node).is_empty() {
            self.literal(node.text());
        }
        value
    }

    fn literal(&mut self, text: &str) {
        const LONGEST: usize = 20_000;
        if self.literals.len() < LONGEST {
            if !self.after_literal {
                self.literals.push(' ');
            }
            self.literals.push_str(text);
        }
        self.after_literal = true;
    }

    /// `text` with `part` joined to it.
    fn joined(&mut self, text: Value<'t>, part: &Node<'t>) -> Value<'t> {
        let before = if self.after_literal { self.literals.as_str() } else { "" };
        let placeholder = before.ends_with('$') || before.ends_with(":p") || before.ends_with('@');
        let after = before.trim_end_matches(|c: char| c.is_whitespace() || "`\"[".contains(c));
        let after =
            after.get(after.len().saturating_sub(16)..).unwrap_or(after).to_ascii_uppercase();
        let names_table = ["FROM", "INTO", "UPDATE", "JOIN", "TABLE", "EXISTS", "TRUNCATE"]
            .iter()
            .any(|word| after.ends_with(word));
        let value = self.value(part);
        let inner = match part.kind().as_str() {
            "template_substitution" | "interpolation" => {
                parts(part).into_iter().find(|part| part.kind() != "interpolation_brace")
            }
            _ => None,
        };
        let inner = inner.unwrap_or_else(|| part.clone());
        let excused = value.input.is_none()
            && value.built.is_none()
            && (is_number(&inner)
                || self.sql && (placeholder || names_table || is_sql_part(&inner)));
        if excused { Value { text: true, ..text } } else { text.with(value, &inner) }
    }

    fn binary(&mut self, node: &Node<'t>) -> Value<'t> {
        let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
            return Value::default();
        };
        let operator = node.field("operator");
        match operator.as_ref().map_or("", |operator| operator.text()) {
            "+" | "." => {
                let first = self.value(&left);
                if first.text {
                    return self.joined(first, &right);
                }
                let second = self.value(&right);
                if second.text {
                    return second.with(first, &left);
                }
                first.or(second)
            }
            "||" | "??" | "?:" | "or" => {
                let first = self.value(&left);
                first.or(self.value(&right))
            }
            "&&" | "and" => self.value(&right),
            "%" if self.value(&left).text => {
                let value = self.value(&right);
                Value::text().with(value, &right)
            }
            _ => Value::constant(),
        }
    }

    /// The members of an object that database drivers read a statement from.
    fn object(&mut self, node: &Node<'t>) -> Value<'t> {
        let mut value = Value::constant();
        for pair in parts(node) {
            if let (Some(key), Some(of)) = (pair.field("key"), pair.field("value"))
                && matches!(key.text(), "text" | "sql" | "query" | "__html")
            {
                value = value.or(self.value(&of));
            }
        }
        value
    }

    fn member(&mut self, node: &Node<'t>) -> Value<'t> {
        if names::is_source(node) {
            return Value { input: Some(node.clone()), ..Value::default() };
        }
        let text = node.text();
        if ["process.env", "import.meta", "$wpdb->"].iter().any(|own| text.starts_with(own)) {
            return Value::constant();
        }
        let property = ["property", "field", "name"].iter().find_map(|name| node.field(name));
        if let Some(property) = &property
            && (names::is_constant_name(property.text())
                || matches!(property.text(), "length" | "size"))
        {
            return Value::constant();
        }
        let object = node
            .field("object")
            .or_else(|| node.field("array"))
            .or_else(|| node.field("expression"));
        let Some(object) = object.or_else(|| parts(node).into_iter().next()) else {
            return Value::default();
        };
        if names::is_constant_name(object.text())
            || property.is_none() && self.is_fixed_table(&object)
        {
            return Value::constant();
        }
        let input = self.value(&object).input.map(|_| node.clone());
        Value { input, ..Value::default() }
    }

    /// Whether an object is a literal or is bound to one, so that a lookup yields what the program says.
    fn is_fixed_table(&mut self, object: &Node<'t>) -> bool {
        if names::is_constant_name(object.text()) {
            return true;
        }
        let literal = |node: &Node<'t>| {
            matches!(
                node.kind().as_str(),
                "object" | "array" | "array_creation_expression" | "hash"
            ) && node.children().next().is_some()
                && node.text().len() > 2
        };
        literal(object)
            || is_name(object) && {
                let reaching = self.bindings.reaching(object.text(), object.range().start);
                !reaching.is_empty()
                    && reaching.iter().all(|b| b.value.as_ref().is_some_and(literal))
            }
    }

    fn name(&mut self, node: &Node<'t>) -> Value<'t> {
        if names::is_source(node) {
            return Value { input: Some(node.clone()), ..Value::default() };
        }
        let name = node.text();
        if names::is_constant_name(name) || matches!(name, "__dirname" | "__filename" | "undefined")
        {
            return Value::constant();
        }
        let bindings = self.bindings;
        let reaching = bindings.reaching(name, node.range().start);
        if reaching.iter().any(|b| b.how == How::Guard) {
            return Value::constant();
        }
        let mut known: Option<Value<'t>> = None;
        for binding in reaching {
            let value = match (binding.how, &binding.value) {
                (How::Number, _) => Value::constant(),
                (How::Request, _) => Value { input: Some(node.clone()), ..Value::default() },
                (How::Add, Some(part)) => {
                    let base = known.take().unwrap_or_default();
                    let next =
                        if base.text { self.joined(base, part) } else { base.or(self.value(part)) };
                    known = Some(next);
                    continue;
                }
                (How::Set, Some(value)) => self.value(value),
                _ => Value::default(),
            };
            known = Some(match known.take() {
                Some(before) => before.or(value),
                None => value,
            });
        }
        let mut value = known.unwrap_or_default();
        if value.input.is_some() && value.built.is_none() {
            value.origin = value.origin.or_else(|| value.input.take());
            value.input = Some(node.clone());
        }
        value
    }

    fn call(&mut self, node: &Node<'t>) -> Value<'t> {
        let Some(name) = callee(node) else { return Value::default() };
        let lower = name.to_ascii_lowercase();
        if names::makes_number(name) || self.clean.iter().any(|word| lower.contains(word.as_str()))
        {
            return Value::constant();
        }
        if names::is_source_call(node) {
            return Value { input: Some(node.clone()), ..Value::default() };
        }
        // A tagged template: the tag decides what becomes of the parts.
        if node.field("arguments").is_some_and(|of| of.kind() == "template_string") {
            return Value::constant();
        }
        match name {
            // Texts of the program itself, in another language.
            "t" | "$t" | "__" | "_" | "gettext" | "translate" => Value::text(),
            "Trim" | "ToString" | "ToLower" | "ToUpper" | "ToLowerInvariant"
            | "ToUpperInvariant" | "Substring" | "FirstOrDefault" | "First" | "GetBytes"
            | "trim" | "toString" | "toLowerCase" | "toUpperCase" | "substring" | "slice"
            | "strip" | "to_s" | "downcase" | "upcase" | "squish" | "orElse" | "toPath"
            | "normalize" | "getBytes" | "intern" | "stripIndent" | "html_safe" | "freeze"
            | "chomp" => receiver(node).map_or_else(Value::default, |of| self.value(&of)),
            "String" | "decodeURIComponent" | "decodeURI" | "strval" | "valueOf" | "resolve"
            | "get" | "of" | "URL" | "URI" | "create" | "fileURLToPath" | "urldecode"
            | "decode64" | "base64_decode" | "atob" | "stripslashes" | "strtolower" | "Path"
            | "createQuery" => self.paths(node),
            "Format" | "Concat" | "Combine" | "Join" | "Append" | "AppendFormat" | "Replace" => {
                self.formatted(node)
            }
            "UrlDecode" | "Uri" | "DecodeBase64" | "UnescapeDataString" => self.paths(node),
            "format" | "sprintf" | "formatted" | "concat" | "StringBuilder" | "StringBuffer"
            | "vsprintf" | "MessageFormat" => self.formatted(node),
            "join" => match receiver(node) {
                Some(of)
                    if !matches!(of.text(), "path" | "File" | "String" | "path.posix" | "Path") =>
                {
                    self.value(&of)
                }
                _ => self.formatted(node),
            },
            "implode" => self.formatted(node),
            "array_map" if node.text().contains("intval") || node.text().contains("absint") => {
                Value::constant()
            }
            "map" | "fill" => {
                let body = arguments(node).into_iter().next();
                let body = body.map(|of| of.field("body").unwrap_or(of));
                body.map_or_else(Value::default, |body| self.value(&body))
            }
            "filter" | "sort" | "reverse" | "keys" => {
                receiver(node).map_or_else(Value::default, |of| self.value(&of))
            }
            _ => Value::default(),
        }
    }

    /// A call whose result holds its arguments.
    fn paths(&mut self, node: &Node<'t>) -> Value<'t> {
        let arguments = arguments(node);
        if arguments.is_empty() {
            return Value::default();
        }
        let joins = arguments.len() > 1;
        arguments.iter().fold(Value::constant(), |all, part| {
            let value = self.value(part);
            if joins && value.input.is_some() { all.with(value, part) } else { all.or(value) }
        })
    }

    /// A call that joins its receiver and its arguments into a text.
    fn formatted(&mut self, node: &Node<'t>) -> Value<'t> {
        let mut value = match receiver(node) {
            Some(of) if !of.text().starts_with(char::is_uppercase) && of.text() != "path" => {
                self.value(&of)
            }
            _ => Value::text(),
        };
        value.text = true;
        for part in arguments(node) {
            value = self.joined(value, &part);
        }
        // A format that takes numbers alone.
        if self.literals.contains("%d") && !self.literals.contains("%s") {
            return Value::text();
        }
        value
    }
}

fn is_number(node: &Node<'_>) -> bool {
    last_name(node).is_some_and(names::is_number_name)
}

fn is_sql_part(node: &Node<'_>) -> bool {
    last_name(node).is_some_and(names::is_sql_name)
}

fn last_name<'t>(node: &Node<'t>) -> Option<&'t str> {
    if is_name(node) {
        return Some(node.text());
    }
    ["property", "field", "name"].iter().find_map(|name| node.field(name)).map(|name| name.text())
}
