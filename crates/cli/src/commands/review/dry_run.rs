//! `foreread review --dry-run`: what would be sent, to whom, how many tokens, at what price.

use review_tool::diff::Problem;
use review_tool::model::Planned;
use review_tool::printable;
use serde_json::json;

/// The requests as a person reads them: for each a line about it, then every byte of its body.
pub(super) fn text(planned: &[Planned], problems: &[Problem]) -> String {
    let mut out = String::new();
    if planned.is_empty() {
        out.push_str("nothing would be sent\n");
    }
    let tokens: u64 = planned.iter().map(|one| one.tokens).sum();
    for (at, one) in planned.iter().enumerate() {
        let (bytes, count) = (one.preview.body.len(), planned.len());
        let destination = printable(&one.preview.destination);
        let cost = cost(one.most_usd);
        out.push_str(&format!(
            "# request {} of {count}: {destination}, {bytes} bytes, {} tokens, {cost}\n",
            at + 1,
            one.tokens
        ));
        out.push_str(&String::from_utf8_lossy(&one.preview.body));
        out.push('\n');
    }
    if planned.len() > 1 {
        let cost = cost(planned.iter().map(|one| one.most_usd).sum());
        out.push_str(&format!("# in all: {} requests, {tokens} tokens, {cost}\n", planned.len()));
    }
    for problem in problems {
        out.push_str(&format!("# problem: {}\n", printable(&problem.to_string())));
    }
    out
}

fn cost(usd: Option<f64>) -> String {
    usd.map_or_else(|| "at an unknown price".to_owned(), |usd| format!("at most {usd:.4} USD"))
}

/// The requests as data.
pub(super) fn json(planned: &[Planned], problems: &[Problem]) -> String {
    let requests: Vec<_> = planned
        .iter()
        .map(|one| {
            json!({
                "destination": one.preview.destination,
                "bytes": one.preview.body.len(),
                "tokens": one.tokens,
                "most_usd": one.most_usd,
                "body": String::from_utf8_lossy(&one.preview.body),
            })
        })
        .collect();
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    format!("{:#}\n", json!({"requests": requests, "problems": problems}))
}
