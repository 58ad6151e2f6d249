//! Percent escapes in URIs.

/// Decodes percent escapes; every other character stands for its own bytes. What comes out need be neither
/// text nor harmless.
///
/// Returns `None` for a `%` that two hexadecimal digits do not follow.
#[must_use]
pub fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let high = char::from(rest.next()?).to_digit(16)?;
        let low = char::from(rest.next()?).to_digit(16)?;
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    Some(bytes)
}
