//! Icons that a client may show beside a name.

use serde::Deserialize;

use crate::encode::{Fields, Object, encode_fields};
use crate::json::{known, or_default};

/// One picture. The client decides which sources it trusts; only `https:` and `data:` are safe.
///
/// Since: 2025-11-25. Page: basic.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Icon {
    /// Where the picture is: a URI.
    pub src: String,
    /// The picture's media type, where the source's own may be wrong.
    pub mime_type: Option<String>,
    /// Sizes such as `48x48`, or `any` for a scalable picture.
    #[serde(default, deserialize_with = "or_default")]
    pub sizes: Vec<String>,
    /// The background the picture is made for.
    #[serde(default, deserialize_with = "known")]
    pub theme: Option<IconTheme>,
}

/// The background an icon is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IconTheme {
    /// For light backgrounds.
    Light,
    /// For dark backgrounds.
    Dark,
}

impl Icon {
    /// Creates an icon.
    #[must_use]
    pub fn new(src: impl Into<String>) -> Self {
        Self { src: src.into(), mime_type: None, sizes: Vec::new(), theme: None }
    }

    /// Sets the media type.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Adds a size.
    #[must_use]
    pub fn size(mut self, size: impl Into<String>) -> Self {
        self.sizes.push(size.into());
        self
    }

    /// Sets the background.
    #[must_use]
    pub fn theme(mut self, theme: IconTheme) -> Self {
        self.theme = Some(theme);
        self
    }
}

impl Fields for Icon {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("src", &self.src);
        object.optional("mimeType", &self.mime_type);
        object.list("sizes", &self.sizes);
        if let Some(theme) = self.theme {
            let theme = match theme {
                IconTheme::Light => "light",
                IconTheme::Dark => "dark",
            };
            object.field("theme", theme);
        }
    }
}

encode_fields!(Icon);
