//! The tools that a review offers its model: the embedded ones and those of servers, as one list.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use super::ToolSpec;
use crate::control::Control;
use crate::prompt::Tokens;

/// The longest name of a tool that every provider takes.
const MAX_NAME: usize = 64;

/// What a call of a tool gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutcome {
    /// The text, or what went wrong. Data, whatever it says.
    pub text: String,
    /// Whether the call failed.
    pub failed: bool,
}

impl ToolOutcome {
    /// A result.
    #[must_use]
    pub fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), failed: false }
    }

    /// A call that failed.
    #[must_use]
    pub fn failed(why: impl Into<String>) -> Self {
        Self { text: why.into(), failed: true }
    }
}

/// Tools that read, and change nothing. Called from several threads at once.
pub trait Toolbox: Sync {
    /// The tools; the same for the length of a review.
    fn specs(&self) -> Vec<ToolSpec>;

    /// Calls one of them and waits at most `time`. Polls `control`.
    fn call(
        &self,
        name: &str,
        arguments: &Value,
        time: Duration,
        control: &dyn Control,
    ) -> ToolOutcome;
}

/// The tools of one review, frozen.
pub(super) struct Tools<'a> {
    boxes: Vec<&'a dyn Toolbox>,
    /// Ordered by name, each with the box that holds it.
    specs: Vec<(ToolSpec, usize)>,
    /// Tools that were not offered.
    pub(super) left_out: Vec<String>,
}

impl<'a> Tools<'a> {
    /// Takes the tools of `boxes` that fit into `budget` tokens, ordered by name. Of two with one name
    /// that of the earlier box stays; a name that providers refuse is left out.
    pub(super) fn new(boxes: Vec<&'a dyn Toolbox>, tokens: &dyn Tokens, budget: u64) -> Self {
        let mut specs: Vec<(ToolSpec, usize)> = boxes
            .iter()
            .enumerate()
            .flat_map(|(at, tools)| tools.specs().into_iter().map(move |spec| (spec, at)))
            .collect();
        // The embedded tools come first, so that no server's can crowd them out.
        specs.sort_by(|(a, at), (b, bt)| (at, &a.name).cmp(&(bt, &b.name)));
        let (mut names, mut left_out, mut used) = (BTreeSet::new(), Vec::new(), 0);
        specs.retain(|(spec, _)| {
            let cost = tokens.count(&spec.name)
                + tokens.count(spec.description.as_str())
                + tokens.count(&spec.schema.to_string());
            let fits =
                is_name(&spec.name) && used + cost <= budget && names.insert(spec.name.clone());
            if fits {
                used += cost;
            } else {
                left_out.push(spec.name.clone());
            }
            fits
        });
        specs.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        Self { boxes, specs, left_out }
    }

    pub(super) fn specs(&self) -> Vec<ToolSpec> {
        self.specs.iter().map(|(spec, _)| spec.clone()).collect()
    }

    pub(super) fn call(
        &self,
        name: &str,
        arguments: &Value,
        time: Duration,
        control: &dyn Control,
    ) -> ToolOutcome {
        match self.specs.binary_search_by(|(spec, _)| spec.name.as_str().cmp(name)) {
            Ok(at) => self.boxes[self.specs[at].1].call(name, arguments, time, control),
            Err(_) => ToolOutcome::failed("there is no such tool"),
        }
    }
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Uncontrolled;
    use crate::model::Redacted;
    use crate::prompt::Estimate;

    struct Named(&'static [&'static str], &'static str);

    impl Toolbox for Named {
        fn specs(&self) -> Vec<ToolSpec> {
            let spec = |name: &&str| ToolSpec {
                name: (*name).to_owned(),
                description: Redacted::new("what it does"),
                schema: serde_json::json!({"type": "object"}),
            };
            self.0.iter().map(spec).collect()
        }

        fn call(&self, name: &str, _: &Value, _: Duration, _: &dyn Control) -> ToolOutcome {
            ToolOutcome::of(format!("{} of {}", name, self.1))
        }
    }

    #[test]
    fn tools_are_ordered_bounded_and_told_apart() {
        let long = "a".repeat(65);
        let long: &'static str = Box::leak(long.into_boxed_str());
        let names: &'static [&'static str] =
            Box::leak(Box::new(["zed", "read_file", "a b", long, "beta"]));
        let (own, server) = (Named(&["search", "read_file"], "own"), Named(names, "server"));
        let tools = Tools::new(vec![&own, &server], &Estimate, 1000);
        let given: Vec<String> = tools.specs().into_iter().map(|spec| spec.name).collect();
        assert_eq!(given, ["beta", "read_file", "search", "zed"]);
        assert_eq!(tools.left_out.len(), 3);
        let call = |name: &str| tools.call(name, &Value::Null, Duration::ZERO, &Uncontrolled);
        assert_eq!(call("read_file"), ToolOutcome::of("read_file of own"));
        assert_eq!(call("zed"), ToolOutcome::of("zed of server"));
        assert!(call("a b").failed && call("none").failed);
        let few = Tools::new(vec![&own, &server], &Estimate, 30);
        let given: Vec<String> = few.specs().into_iter().map(|spec| spec.name).collect();
        assert_eq!(given, ["read_file", "search"]);
    }
}
