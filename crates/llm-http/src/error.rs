//! Why a provider cannot be set up.

/// Settings with which no request could be made.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The address is none.
    #[error("provider {provider}: base_url {url:?} is not an http or https address")]
    Url {
        /// The provider's name.
        provider: String,
        /// The address as given, without a login.
        url: String,
    },
    /// There is no address for this kind of provider unless the user names one.
    #[error("provider {provider}: name the endpoint by base_url")]
    NoUrl {
        /// The provider's name.
        provider: String,
    },
    /// A key would go over the network unprotected.
    #[error(
        "provider {provider}: the key would be sent unprotected to {host}; use https, or an address of \
         this machine"
    )]
    Unprotected {
        /// The provider's name.
        provider: String,
        /// The host.
        host: String,
    },
    /// The proxy's address is none.
    #[error("provider {provider}: the proxy is not an address of the form http://HOST:PORT")]
    Proxy {
        /// The provider's name.
        provider: String,
    },
    /// The certificates cannot be read.
    #[error("provider {provider}: ca_file holds no certificate in PEM form")]
    Certificates {
        /// The provider's name.
        provider: String,
    },
}
