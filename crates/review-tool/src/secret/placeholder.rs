//! Tells a value that somebody made up for an example from one that a service handed out.

use regex::bytes::Captures;

/// Words that stand in made-up values. Each is long enough not to turn up by chance in a random one.
const WORDS: &[&str] = &[
    "example",
    "xxxx",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "your",
    "dummy",
    "fake",
    "sample",
    "redacted",
    "insert",
    "replace",
    "foobar",
    "notreal",
    "mock",
    "invalid",
    "testing",
    "secret",
    "password",
    "passwd",
    "hunter2",
    "goes-here",
    "goes_here",
    "goeshere",
    "my-",
    "my_",
    "undefined",
    "test_",
    "test-",
    "-test",
    "_test",
    "0000000",
    "deadbeef",
    "lorem",
    "todo",
    "1q2w",
    "qwerty",
    "asdf",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "default",
    "masked",
    "censored",
];

/// Marks of a value that is filled in later, or not shown.
const MARKS: &[&str] = &["${", "$(", "{{", "#{", "%{", "<", ">", "...", "***", "…", "%s", "%v"];

/// Values that vendors print in their documentation, in whole or a part that tells them.
const DOCUMENTED: &[&str] = &[
    // The token that jwt.io shows: the subject 1234567890.
    "eyJzdWIiOiIxMjM0NTY3ODkw",
    "4eC39HqLyjWDarjtT1zdp7dc",
    "wJalrXUtnFEMI/K7MDENG",
];

/// Whether `value` is made up: a word of examples, a variable, a run of the alphabet, a repeated block.
#[must_use]
pub fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let body = lower.trim_start_matches("secret_").trim_start_matches("test_");
    WORDS.iter().any(|word| body.contains(word) && !is_vendor_prefix(body, word))
        || MARKS.iter().any(|mark| value.contains(mark))
        || value.starts_with(['$', '%', '{'])
        || DOCUMENTED.iter().any(|part| value.contains(part))
        || longest_run(lower.as_bytes()) >= 6
        || is_periodic(lower.as_bytes())
}

/// Whether a password, which people choose from words, is made up for an example. `secret` and
/// `password` alone are; as a part of something longer they are what people choose.
#[must_use]
pub fn is_example_password(value: &str) -> bool {
    const PARTS: &[&str] = &[
        "example",
        "xxxx",
        "changeme",
        "change_me",
        "change-me",
        "placeholder",
        "your",
        "dummy",
        "redacted",
        "insert",
        "replace",
        "notreal",
        "goes-here",
        "goes_here",
        "todo",
        "masked",
    ];
    const WHOLE: &[&str] = &[
        "secret",
        "password",
        "passwd",
        "passw0rd",
        "mysecretpassword",
        "testing",
        "default",
        "mypassword",
        "password1",
        "password123",
        "secret123",
        "test1234",
        "postgres",
        "rootroot",
        "testpass",
        "testpassword",
        "foobar",
        "development",
        "docker",
        "undefined",
    ];
    let lower = value.to_ascii_lowercase();
    PARTS.iter().any(|part| lower.contains(part))
        || WHOLE.contains(&lower.as_str())
        || MARKS.iter().any(|mark| value.contains(mark))
        || value.starts_with(['$', '%', '{'])
        || longest_run(lower.as_bytes()) >= 6
        || longest_run(lower.as_bytes()) == lower.len()
}

/// Whether `word` stands in the prefix that the vendor itself puts before a value.
fn is_vendor_prefix(value: &str, word: &str) -> bool {
    const PREFIXES: &[&str] =
        &["sb_secret_", "agesecretkey", "age-secret-key-", "sk_test_", "rk_test_", "access_token$"];
    PREFIXES.iter().any(|prefix| {
        value.strip_prefix(prefix).is_some_and(|rest| prefix.contains(word) && !rest.contains(word))
            || prefix.ends_with(word) && value.starts_with(prefix)
    })
}

/// Shannon entropy of the characters, in bits for each.
#[must_use]
pub(super) fn entropy(value: &str) -> f32 {
    let mut counts = [0_u16; 256];
    let mut total = 0_u16;
    for byte in value.bytes().take(4096) {
        counts[usize::from(byte)] += 1;
        total += 1;
    }
    let total = f32::from(total);
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| f32::from(count) / total)
        .map(|share| -share * share.log2())
        .sum()
}

/// The longest stretch in which each character is the one before, or the next or previous of it.
fn longest_run(value: &[u8]) -> usize {
    let mut longest = 0;
    for step in [0_i16, 1, -1] {
        let mut run = 1;
        for pair in value.windows(2) {
            let (a, b) = (i16::from(pair[0]), i16::from(pair[1]));
            let wraps = step == 1 && pair == b"90";
            run = if b - a == step || wraps { run + 1 } else { 1 };
            longest = longest.max(run);
        }
    }
    longest
}

/// Whether the value repeats a block of at most 10 characters nearly all the way.
fn is_periodic(value: &[u8]) -> bool {
    // A prefix of the vendor does not repeat.
    let value = &value[value.len().min(8)..];
    value.len() >= 12
        && (1..=10).any(|period| {
            let same = (period..value.len()).filter(|&at| value[at] == value[at - period]).count();
            same * 10 >= (value.len() - period) * 8
        })
}

/// Whether the login in a URL opens something: neither a machine's own development service nor a
/// password that says nothing.
pub(super) fn is_foreign_login(window: &str, captures: &Captures<'_>) -> bool {
    const WEAK: &[&str] = &[
        "pass",
        "pwd",
        "user",
        "username",
        "admin",
        "root",
        "guest",
        "test",
        "postgres",
        "mysql",
        "redis",
        "mongo",
        "rabbitmq",
        "p",
        "pw",
        "x",
        "foo",
        "bar",
        "baz",
        "abc",
        "xyz",
        "123",
        "1234",
        "12345",
        "key",
        "dev",
        "development",
        "local",
        "x-oauth-basic",
        "minioadmin",
        "pass1",
        "word",
        "demo",
        "app",
        "db",
        "me",
        "us",
        "b",
        "a",
    ];
    let (Some(whole), Some(value)) = (captures.get(0), captures.name("value")) else {
        return false;
    };
    let password = window.get(value.range()).unwrap_or_default().to_ascii_lowercase();
    let user = captures.name("user").and_then(|user| window.get(user.range())).unwrap_or_default();
    let host = window.get(whole.end()..).unwrap_or_default();
    let host =
        host.split(['/', ':', '?', '"', '\'', ' ', ',', '`', ')']).next().unwrap_or_default();
    let host = host.to_ascii_lowercase();
    let own = host.is_empty()
        || host == "localhost"
        || host.starts_with("127.")
        || host.starts_with("0.0.0.0")
        || host.starts_with("[::1]")
        || host == "host.docker.internal"
        || ["example", "example.com", "example.org", "example.net", "test", "invalid", "localhost"]
            .iter()
            .any(|end| host == *end || host.ends_with(&format!(".{end}")))
        || host == "host"
        || host == "hostname"
        || host == "foo"
        || host.starts_with(['$', '{', '<', '%']);
    // A service of one name is one of the same compose file; its password is a default as a rule.
    let neighbour = !host.contains('.') && password.bytes().all(|byte| byte.is_ascii_lowercase());
    !own && !neighbour && !WEAK.contains(&password.as_str()) && !password.eq_ignore_ascii_case(user)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_values_are_told() {
        for value in [
            "AKIAIOSFODNN7EXAMPLE",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "ghp_0123456789abcdefghijABCDEFGHIJ012345",
            "${TOKEN}",
            "<your-token>",
            "changeme",
            "aaaaaaaaaaaaaaaaaaaa",
            "hf_abcdabcdabcdabcdabcdabcdabcdabcd",
            "your_api_key_here",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
    }

    #[test]
    fn random_values_are_not() {
        for value in ["q7Zk2Wd9XcV4bN8mT1rP", "9f86d081884c7d659a2feaa0c55ad015"] {
            assert!(!is_placeholder(value), "{value}");
            assert!(entropy(value) > 3.0);
        }
        assert!(entropy("aaaaaaab") < 1.0);
    }
}
