//! When to try again, and how long to wait before.

use std::time::{Duration, SystemTime};

/// A wait that a server asks for beyond this is not waited for.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Whether a status may pass by itself. 529 is Anthropic's for an overloaded service:
/// <https://docs.anthropic.com/en/api/errors>.
pub(crate) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504 | 529)
}

/// What a server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc9110#field.retry-after>.
pub(crate) fn asked(header: impl Fn(&str) -> Option<String>, now: SystemTime) -> Option<Duration> {
    if let Some(ms) = header("retry-after-ms").and_then(|text| text.trim().parse::<u64>().ok()) {
        return Some(Duration::from_millis(ms));
    }
    let text = header("retry-after")?;
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// How long to wait before trying for the `attempt`-th time again, counted from 0: half of a doubling
/// time for sure, and a random part of the other half, so that many callers do not return at once.
pub(crate) fn backoff(base: Duration, attempt: u32) -> Duration {
    let whole = base.saturating_mul(1 << attempt.min(6)).min(LONGEST_WAIT);
    let chance = f64::from(getrandom::u32().unwrap_or(u32::MAX / 2)) / f64::from(u32::MAX);
    whole.mul_f64(0.5 + chance / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_asks_for_is_read_in_every_form() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        for (name, value, want) in [
            ("retry-after", "7", Some(7_000)),
            ("retry-after", " 1.5 ", Some(1_500)),
            ("retry-after", "Sun, 06 Nov 1994 08:49:40 GMT", Some(3_000)),
            ("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("retry-after-ms", "250", Some(250)),
            ("retry-after", "-1", None),
            ("retry-after", "soon", None),
            ("retry-after", "1e300", None),
            ("other", "1", None),
        ] {
            let header = |asked: &str| (asked == name).then(|| value.to_owned());
            let want = want.map(Duration::from_millis);
            assert_eq!(asked(header, now), want, "{name}: {value}");
        }
    }

    #[test]
    fn waits_double_within_bounds() {
        let base = Duration::from_millis(100);
        for attempt in 0..40 {
            let whole = base.saturating_mul(1 << attempt.min(6));
            let wait = backoff(base, attempt);
            assert!(wait >= whole / 2 && wait <= whole, "{attempt}: {wait:?}");
        }
        assert_eq!(backoff(Duration::ZERO, 3), Duration::ZERO);
    }
}
