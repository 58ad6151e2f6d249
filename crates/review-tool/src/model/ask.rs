//! One conversation about one part of the change: the request, calls of tools, at most one repair.

use std::time::Duration;

use super::tools::Tools;
use super::{Answer, Model, ModelError, Purse, Redacted, Request, Stop, ToolResult, Turn};
use crate::control::Control;
use crate::prompt::FenceKey;
use crate::reply::{Claim, Parsed, parse};
use crate::report::{ToolCall as Record, Usage};

/// The most rounds of calls in one conversation.
const MAX_ROUNDS: usize = 8;
/// The most calls in one conversation.
const MAX_CALLS: usize = 24;
/// The most time that one call may take.
const CALL_TIME: Duration = Duration::from_secs(20);
/// The most bytes of one result that the model is shown.
const MAX_RESULT: usize = 16 << 10;
/// The most bytes of all results of one conversation.
const MAX_RESULTS: usize = 96 << 10;
/// The most bytes of a call's arguments that are recorded.
const MAX_RECORDED: usize = 400;

/// What one conversation needs.
pub(super) struct Talk<'a> {
    pub(super) model: &'a dyn Model,
    pub(super) purse: &'a dyn Purse,
    pub(super) key: &'a FenceKey,
    pub(super) control: &'a dyn Control,
}

/// What was used so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Spent {
    pub(super) usage: Usage,
    pub(super) usd: f64,
    pub(super) requests: u64,
}

impl Spent {
    pub(super) fn add(&mut self, other: &Self) {
        self.usage.input_tokens += other.usage.input_tokens;
        self.usage.output_tokens += other.usage.output_tokens;
        self.usage.cached_input_tokens += other.usage.cached_input_tokens;
        self.usd += other.usd;
        self.requests += other.requests;
    }
}

/// What came of a conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Heard {
    pub(super) claims: Vec<Claim>,
    pub(super) summary: String,
    /// What was lost, for a person; empty where the answer is whole.
    pub(super) lost: Vec<String>,
    pub(super) records: Vec<Record>,
    pub(super) spent: Spent,
    /// The text of an answer that was whole at once, without calls of tools: what may be stored.
    pub(super) text: Option<String>,
}

impl Talk<'_> {
    /// Sends one request; what it cost is added to `spent`.
    pub(super) fn send(&self, request: &Request, spent: &mut Spent) -> Result<Answer, ModelError> {
        let most = self.model.price().map_or(0.0, |price| {
            price.of(&Usage {
                input_tokens: self.count(request),
                output_tokens: request.output_tokens,
                cached_input_tokens: 0,
            })
        });
        self.purse.reserve(most).map_err(ModelError::Failed)?;
        let result = self.model.ask(request, self.control);
        let mut used = Spent { requests: 1, ..Spent::default() };
        if let Ok(answer) = &result {
            used.usage = answer.usage;
            let price = self.model.price();
            let counted = price.map(|price| price.of(&answer.usage));
            used.usd = answer.cost_usd.or(counted).unwrap_or(0.0);
        }
        self.purse.settle(most, used.usd);
        spent.add(&used);
        result
    }

    /// The tokens of a request, tools and schema included.
    pub(super) fn count(&self, request: &Request) -> u64 {
        let tokens = self.model.tokens();
        let turn = |turn: &Turn| match turn {
            Turn::Ask(parts) => parts.iter().map(|part| tokens.count(part.as_str())).sum(),
            Turn::Answer(answer) => tokens.count(&answer.text),
            Turn::Results(results) => {
                results.iter().map(|result| tokens.count(result.text.as_str())).sum::<u64>()
            }
        };
        let tools: u64 = request
            .tools
            .iter()
            .map(|tool| {
                tokens.count(tool.description.as_str()) + tokens.count(&tool.schema.to_string())
            })
            .sum();
        tokens.count(request.system.as_str())
            + request.turns.iter().map(turn).sum::<u64>()
            + tools
            + tokens.count(&request.form.schema.to_string())
    }

    /// Asks for a review of one part.
    ///
    /// # Errors
    /// Only [`ModelError::Cancelled`]; whatever else fails is in [`Heard::lost`].
    pub(super) fn review(
        &self,
        mut request: Request,
        tools: Option<&Tools<'_>>,
    ) -> Result<Heard, ModelError> {
        let mut heard = Heard::default();
        let (mut rounds, mut repaired, mut shown) = (0, false, 0);
        loop {
            let answer = match self.send(&request, &mut heard.spent) {
                Ok(answer) => answer,
                Err(ModelError::Cancelled) => return Err(ModelError::Cancelled),
                Err(ModelError::Failed(why)) => {
                    heard.lost.push(why);
                    return Ok(heard);
                }
            };
            if let (Stop::Tools, Some(tools), true) = (&answer.stop, tools, request.may_call) {
                rounds += 1;
                let results = self.call(&answer, tools, &mut heard.records, &mut shown)?;
                request.turns.push(Turn::Answer(answer));
                request.turns.push(Turn::Results(results));
                if rounds == MAX_ROUNDS || heard.records.len() >= MAX_CALLS {
                    request.may_call = false;
                    request.turns.push(Turn::Ask(vec![Redacted::new(NO_MORE_CALLS)]));
                }
                continue;
            }
            let (parsed, complaint) = judge(&answer);
            let Parsed { claims, summary, .. } = parsed;
            heard.claims.extend(claims);
            if !summary.is_empty() {
                heard.summary = summary;
            }
            let Some(complaint) = complaint else {
                // What the first answer lost, the second has made good.
                heard.lost.clear();
                if !repaired && heard.records.is_empty() {
                    heard.text = Some(answer.text);
                }
                return Ok(heard);
            };
            heard.lost = vec![complaint.clone()];
            if repaired || matches!(answer.stop, Stop::Refused | Stop::Filtered(_)) {
                return Ok(heard);
            }
            repaired = true;
            request.may_call = false;
            if !matches!(answer.stop, Stop::Broken(_)) {
                let again = format!("{complaint}. {REPAIR}");
                request.turns.push(Turn::Answer(Answer {
                    calls: Vec::new(),
                    echo: None,
                    ..answer
                }));
                request.turns.push(Turn::Ask(vec![Redacted::new(&again)]));
            }
        }
    }

    /// Runs the calls of an answer, one after the other.
    fn call(
        &self,
        answer: &Answer,
        tools: &Tools<'_>,
        records: &mut Vec<Record>,
        shown: &mut usize,
    ) -> Result<Vec<ToolResult>, ModelError> {
        let mut results = Vec::new();
        for call in &answer.calls {
            if self.control.cancelled() {
                return Err(ModelError::Cancelled);
            }
            let room = MAX_RESULT.min(MAX_RESULTS.saturating_sub(*shown));
            let outcome = if records.len() >= MAX_CALLS || room == 0 {
                super::ToolOutcome::failed("the limit of calls in this review is reached")
            } else {
                tools.call(&call.name, &call.arguments, CALL_TIME, self.control)
            };
            let whole = Redacted::new(&outcome.text);
            let text = cut(whole.as_str(), room);
            *shown += text.len();
            let arguments = Redacted::new(&call.arguments.to_string());
            records.push(Record {
                tool: cut(&call.name, 64).to_owned(),
                arguments: cut(arguments.as_str(), MAX_RECORDED).to_owned(),
                failed: outcome.failed,
                bytes: outcome.text.len() as u64,
                cut: text.len() < whole.as_str().len(),
            });
            let mut fenced = self.key.fence("output of a tool", text);
            if text.len() < whole.as_str().len() {
                fenced.push_str("(cut; ask for less)\n");
            }
            results.push(ToolResult {
                id: call.id.clone(),
                name: call.name.clone(),
                text: Redacted::new(&fenced),
                failed: outcome.failed,
            });
        }
        Ok(results)
    }
}

const NO_MORE_CALLS: &str =
    "No more tools can be called. Answer now with the findings that you are sure of.";
const REPAIR: &str = "Answer once more, with nothing but the JSON object that was described, and keep it \
    short enough to be whole.";

/// Reads an answer, and says what is wrong with it.
fn judge(answer: &Answer) -> (Parsed, Option<String>) {
    let parsed = parse(&answer.text);
    let complaint = match &answer.stop {
        Stop::Truncated => Some("the answer was cut at the limit of its length".to_owned()),
        Stop::Refused => Some("the model declined to review this".to_owned()),
        Stop::Filtered(why) => Some(format!("the provider withheld the answer ({why})")),
        Stop::Broken(why) => Some(format!("the answer broke off ({why})")),
        Stop::Done | Stop::Tools if parsed.lost.is_empty() => None,
        Stop::Tools if answer.text.trim().is_empty() => {
            Some("the model calls tools and gives no answer".to_owned())
        }
        Stop::Done | Stop::Tools => {
            let lost: Vec<String> = parsed.lost.iter().map(ToString::to_string).collect();
            Some(lost.join(", "))
        }
    };
    (parsed, complaint)
}

fn cut(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
