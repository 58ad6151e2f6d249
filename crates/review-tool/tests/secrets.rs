//! The detector of credentials: every kind is found in a realistic place, and made-up values, other
//! random-looking text and text that merely speaks of credentials are not.
//!
//! Credentials are put together here from their prefix and a generated rest, so that this repository
//! holds none that a scanner would take for real.

#![expect(clippy::unwrap_used, reason = "a template that cannot be read is the test's own fault")]

use review_tool::secret::{MASK, find, kinds, redact};

/// Characters that follow one another as a service's generator puts them; the same at every run.
fn random(alphabet: &str, len: usize) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64 ^ (len as u64) << 7;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        alphabet[(state >> 33) as usize % alphabet.len()]
    };
    (0..len).map(|_| next()).collect()
}

const WORD: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const BECH: &str = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
const DIGIT: &str = "1234567890";

/// A text with `{}` parts: `{w36}` 36 of [`WORD`], `{h..}` hex, `{u..}` upper, `{l..}` lower, `{d..}` digits,
/// `{a..}` the alphabet of age.
fn make(template: &str) -> (String, String) {
    let (mut out, mut value) = (String::new(), String::new());
    let mut inside = false;
    let mut rest = template;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '«' => {
                inside = true;
                c.len_utf8()
            }
            '»' => {
                inside = false;
                c.len_utf8()
            }
            '{' if rest[1..].starts_with(['w', 'h', 'u', 'l', 'd', 'a']) => {
                let end = rest.find('}').unwrap();
                let alphabet = match rest.as_bytes()[1] {
                    b'w' => WORD,
                    b'h' => HEX,
                    b'u' => UPPER,
                    b'l' => LOWER,
                    b'a' => BECH,
                    _ => DIGIT,
                };
                let made = random(alphabet, rest[2..end].parse().unwrap());
                out.push_str(&made);
                if inside {
                    value.push_str(&made);
                }
                end + 1
            }
            _ => {
                out.push(c);
                if inside {
                    value.push(c);
                }
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    (out, value)
}

/// Kind, and a text with the credential between guillemets.
const FOUND: &[(&str, &str)] = &[
    ("age-secret-key", "key: «AGE-SECRET-KEY-1{a58}»"),
    ("wireguard-private-key", "PrivateKey = «{w43}=»"),
    ("aws-access-key-id", "aws_access_key_id = «AKIA{u16}»"),
    ("aws-access-key-id", "let k = \"«ASIA{u16}»\";"),
    ("aws-secret-access-key", "aws_secret_access_key = «{w40}»"),
    ("aws-secret-access-key", "  secretAccessKey: '«{w40}»',"),
    ("aws-secret-access-key", "AWS_SECRET=«{w40}»"),
    ("aws-session-token", "aws_session_token=«{w140}»"),
    ("aws-bedrock-api-key", "x = '«ABSK{w110}»'"),
    ("gcp-api-key", "key=«AIza{w35}»&q=1"),
    ("gcp-oauth-client-secret", "\"client_secret\": \"«GOCSPX-{w28}»\""),
    ("gcp-oauth-token", "Bearer «ya29.{w60}»"),
    (
        "azure-storage-key",
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=«{w86}==»;EndpointSuffix=x",
    ),
    ("azure-shared-access-key", "Endpoint=sb://a/;SharedAccessKeyName=n;SharedAccessKey=«{w43}=»"),
    ("azure-sas-signature", "https://a.blob.core.windows.net/c?sv=2022&sig=«{w43}%3D»"),
    ("azure-client-secret", "secret = \"«{w3}8Q~{w34}»\""),
    ("azure-devops-token", "pat: «{w76}AZDO{w4}»"),
    ("digitalocean-token", "«dop_v1_{h64}»"),
    ("heroku-token", "«HRKU-AA{w58}»"),
    ("heroku-api-key", "HEROKU_API_KEY=«{h8}-{h4}-4a1c-9b2d-{h12}»"),
    ("cloudflare-token", "CLOUDFLARE_API_TOKEN: «{w40}»"),
    ("cloudflare-origin-ca-key", "«v1.0-{h24}-{h146}»"),
    ("fly-token", "«fo1_{w43}»"),
    ("netlify-token", "«nfp_{w36}»"),
    ("render-api-key", "«rnd_{w28}»"),
    ("alibaba-access-key-id", "«LTAI{w20}»"),
    ("tencent-secret-id", "«AKID{w32}»"),
    ("scaleway-access-key", "SCW_SECRET_KEY=«{h8}-{h4}-4a1c-9b2d-{h12}»"),
    ("github-fine-grained-token", "token: «github_pat_{w22}_{w59}»"),
    ("github-token", "git clone https://«ghp_{w36}»@github.com/a/b"),
    ("github-oauth-token", "'«gho_{w36}»'"),
    ("github-app-token", "`«ghs_{w36}»`"),
    ("github-refresh-token", "\"«ghr_{w76}»\""),
    ("gitlab-token", "GITLAB_TOKEN=«glpat-{w20}»"),
    ("gitlab-service-token", "token = \"«glrt-{w20}»\""),
    ("bitbucket-token", "«ATBB{w32}»"),
    ("atlassian-token", "«ATATT3{w180}»"),
    ("npm-token", "//npm.example.com/:_authToken=«npm_{w36}»"),
    ("npm-auth-token", "//npm.corp.io/:_authToken=«{h8}-{h4}-{h4}-{h4}-{h12}»"),
    ("pypi-token", "password = «pypi-AgEIcHlwaS5vcmc{w120}»"),
    ("crates-io-token", "token = \"«cio{w32}»\""),
    ("rubygems-token", ":rubygems_api_key: «rubygems_{h48}»"),
    ("nuget-key", "«oy2{l43}»"),
    ("clojars-token", "«CLOJARS_{l60}»"),
    ("docker-hub-token", "docker login -p «dckr_pat_{w27}»"),
    ("circleci-token", "«CCIPAT_{w22}_{h40}»"),
    ("buildkite-token", "«bkua_{h40}»"),
    ("sonarqube-token", "sonar.login=«squ_{h40}»"),
    ("artifactory-token", "«AKCp{w69}»"),
    ("terraform-cloud-token", "token = \"«{w14}.atlasv1.{w67}»\""),
    ("pulumi-token", "«pul-{h40}»"),
    ("vault-token", "VAULT_TOKEN=«hvs.{w90}»"),
    ("vault-legacy-token", "VAULT_TOKEN=«s.{w24}»"),
    ("doppler-token", "«dp.st.dev.{w40}»"),
    ("onepassword-token", "«ops_eyJ{w250}»"),
    ("tailscale-key", "--authkey «tskey-auth-{w12}-{w32}»"),
    ("prefect-token", "«pnu_{w36}»"),
    ("slack-bot-token", "SLACK=«xoxb-{d11}-{d12}-{w24}»"),
    ("slack-user-token", "«xoxp-{d11}-{d12}-{d13}-{h32}»"),
    ("slack-app-token", "«xapp-1-A{u10}-{d13}-{h64}»"),
    ("slack-webhook", "url: https://«hooks.slack.com/services/T{u10}/B{u10}/{w24}»"),
    ("discord-webhook", "https://«discord.com/api/webhooks/{d18}/{w68}»"),
    ("discord-bot-token", "client.login('«MT{w24}.{w6}.{w38}»')"),
    (
        "teams-webhook",
        "https://acme.«webhook.office.com/webhookb2/{h8}-{h4}-{h4}-{h4}-{h12}@{h8}-{h4}-{h4}-{h4}-{h12}/IncomingWebhook/{h32}/{h8}-{h4}-{h4}-{h4}-{h12}»",
    ),
    ("telegram-bot-token", "https://api.telegram.org/bot«{d10}:AA{w33}»/getMe"),
    ("sendgrid-key", "«SG.{w22}.{w43}»"),
    ("mailgun-key", "auth=('api', '«key-{h32}»')"),
    ("mailgun-private-key", "MAILGUN_API_KEY=«{h32}-{h8}-{h8}»"),
    ("mailchimp-key", "key = '«{h32}-us14»'"),
    ("brevo-key", "«xkeysib-{h64}-{w16}»"),
    ("twilio-key", "'«SK{h32}»'"),
    ("twilio-auth-token", "TWILIO_AUTH_TOKEN=«{h32}»"),
    ("resend-key", "new Resend('«re_{w8}_{w24}»')"),
    ("stripe-live-key", "stripe.api_key = \"«sk_live_{w24}»\""),
    ("stripe-restricted-key", "«rk_live_{w99}»"),
    ("stripe-test-key", "«sk_test_{w99}»"),
    ("stripe-webhook-secret", "«whsec_{w32}»"),
    ("square-token", "«sq0csp-{w43}»"),
    ("shopify-token", "«shpat_{h32}»"),
    ("braintree-token", "«access_token$production${l16}${h32}»"),
    ("razorpay-key", "«rzp_live_{w14}»"),
    ("flutterwave-key", "«FLWSECK-{h32}-X»"),
    ("shippo-token", "«shippo_live_{h40}»"),
    ("duffel-token", "«duffel_live_{w43}»"),
    ("easypost-key", "«EZAK{w54}»"),
    ("anthropic-key", "ANTHROPIC_API_KEY=«sk-ant-api03-{w93}AA»"),
    ("openrouter-key", "«sk-or-v1-{h64}»"),
    ("openai-key", "openai.api_key = '«sk-proj-{w64}»'"),
    ("openai-key", "OPENAI_API_KEY=«sk-{w48}»"),
    ("hugging-face-token", "«hf_{w34}»"),
    ("groq-key", "«gsk_{w52}»"),
    ("xai-key", "«xai-{w80}»"),
    ("replicate-token", "«r8_{w37}»"),
    ("perplexity-key", "«pplx-{w48}»"),
    ("databricks-token", "«dapi{h32}-2»"),
    ("datadog-key", "DD_API_KEY=«{h32}»"),
    ("datadog-key", "datadog_app_key: \"«{h40}»\""),
    ("new-relic-key", "«NRAK-{u27}»"),
    ("new-relic-license-key", "license_key: «{h36}NRAL»"),
    ("grafana-token", "«glsa_{w32}_{h8}»"),
    ("dynatrace-token", "«dt0c01.{u24}.{u64}»"),
    ("sentry-token", "«sntryu_{h64}»"),
    ("linear-key", "«lin_api_{w40}»"),
    ("notion-token", "«ntn_{d11}{w35}»"),
    ("notion-token", "auth: '«secret_{w43}»'"),
    ("figma-token", "«figd_{w40}»"),
    ("airtable-token", "«pat{w14}.{h64}»"),
    ("okta-token", "Authorization: SSWS «00{w40}»"),
    ("planetscale-token", "«pscale_tkn_{w43}»"),
    ("supabase-token", "«sbp_{h40}»"),
    ("supabase-token", "«sb_secret_{w31}»"),
    ("postman-key", "«PMAK-{h24}-{h34}»"),
    ("contentful-token", "«CFPAT-{w43}»"),
    ("typeform-token", "«tfp_{w59}»"),
    ("mapbox-secret-token", "«sk.eyJ{w60}.{w22}»"),
    ("infracost-key", "«ico-{w32}»"),
    ("readme-key", "«rdme_{l70}»"),
    ("launchdarkly-key", "«sdk-{h8}-{h4}-4a1c-9b2d-{h12}»"),
    ("facebook-token", "«EAAC{w160}»"),
    ("twitter-bearer-token", "AAAAAAAAAAAAAAAAAAAAA«B{w88}»"),
    ("snyk-token", "SNYK_TOKEN=«{h8}-{h4}-4a1c-9b2d-{h12}»"),
    ("json-web-token", "token = '«eyJhbGciOiJIUzI1NiJ9.eyJ{w60}.{w43}»'"),
    ("basic-authorization", "-H 'Authorization: Basic «{w24}==»'"),
    ("connection-string-password", "Server=db.corp.io;Database=a;User Id=sa;Password=«{w14}»;"),
    ("url-password", "postgres://svc:«{w14}»@db.corp.io:5432/app"),
    ("url-password", "redis://:«{w20}»@cache.corp.io:6379"),
    ("url-password", "mongodb+srv://app:«{w16}»@c0.ab1cd.mongodb.net/x"),
    ("credential-assignment", "const apiSecret = \"«{w32}»\";"),
    ("credential-assignment", "api_key: str = '«{w24}»'"),
    ("credential-assignment", "config['auth_token'] = \"«{h40}»\""),
    ("credential-assignment", "  \"clientSecret\": \"«{w28}»\","),
    ("credential-assignment", "SECRET_KEY_BASE=«{w64}»"),
    ("credential-assignment", "DB_PASSWORD = '«Wint3r!Moss»'"),
    ("credential-assignment", "db_password = \"«SuperSecret99!»\""),
    ("url-password", "postgres://app:«supersecret99»@db.prod.corp.io/x"),
    ("credential-assignment", "private static final String API_KEY = \"«{l32}»\";"),
    ("credential-assignment", "jwtSecret := \"«{w40}»\""),
];

#[test]
fn every_kind_is_found_whole_and_under_its_name() {
    let mut faults = Vec::new();
    for (id, template) in FOUND {
        let (text, value) = make(template);
        let found: Vec<_> = find(&text).into_iter().map(|s| (s.kind.id, &text[s.range])).collect();
        if found != [(*id, value.as_str())] {
            faults.push(format!("{id}: {text}\n   found {found:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let block = ["private-key", "putty-private-key"];
    for kind in kinds().iter().filter(|kind| !block.contains(&kind.id)) {
        assert!(FOUND.iter().any(|(id, _)| *id == kind.id), "no text for {}", kind.id);
    }
}

#[test]
fn text_that_only_looks_like_a_credential_is_left_alone() {
    let mut faults = Vec::new();
    for template in [
        "AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = ${AWS_SECRET_ACCESS_KEY}",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "token = \"<your-token-here>\"",
        "password = os.environ[\"DB_PASSWORD\"]",
        "const token = process.env.API_TOKEN;",
        "api_key = config.get('api_key')",
        "password: changeme123456",
        "sha256 = \"{h64}\"",
        "\"integrity\": \"sha512-{w86}==\"",
        "checksum = \"{h64}\"",
        "image = \"data:image/png;base64,iVBORw0KGgo{w80}\"",
        "token_id = \"{h8}-{h4}-4a1c-9b2d-{h12}\"",
        "secret_name = \"prod/app/db-credentials-v2\"",
        "public_key = \"{w44}\"",
        "postgres://postgres:postgres@localhost:5432/app",
        "postgres://user:password@db.example.com/app",
        "https://user:${TOKEN}@github.com/a/b",
        "redis://:{w16}@localhost:6379",
        "see http://host:8080/path/@scope/name",
        "git@github.com:a/b.git",
        "def reset_password(token: str) -> None:",
        "if token == other_token:",
        "task-{w48}",
        "disk-{w48}",
        "const accessTokenExpiresIn = 'accessTokenExpiresIn30Days';",
        "PASSWORD_RESET_PATH = '/accounts/password/reset2/Confirm'",
        "tokens = ['abc123DEF456ghi789JKL']",
        "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE{w60}\n-----END PUBLIC KEY-----",
        "if line.contains(\"-----BEGIN PRIVATE KEY-----\") {",
        "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.{w43}",
        "next_page_token = '{w32}'",
        "SK = partition_key",
        "key-value pairs, sk-learn, pat.match, api-gateway",
        "let secretariat = \"{w32}\";",
    ] {
        let (text, _) = make(template);
        let found: Vec<_> = find(&text).into_iter().map(|s| (s.kind.id, &text[s.range])).collect();
        if !found.is_empty() {
            faults.push(format!("{text}\n   found {found:?}"));
        }
        // What holds a prefix inside a word is no finding, but might be a credential glued to a word,
        // so it is not shown either.
        let glued = ["task-", "disk-"].iter().any(|word| template.starts_with(word));
        assert_eq!(redact(&text).contains(MASK), glued, "{text}");
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A key in armour, of `lines` lines.
fn key(label: &str, lines: usize) -> String {
    let mut text = format!("-----BEGIN {label}PRIVATE KEY-----\n");
    for _ in 0..lines {
        text.push_str(&random(WORD, 64));
        text.push('\n');
    }
    text + &format!("-----END {label}PRIVATE KEY-----\n")
}

#[test]
fn private_keys_are_masked_line_by_line_in_whatever_they_are_wrapped() {
    let putty = format!(
        "Private-Lines: 2\n{}\n{}\nPrivate-MAC: {}\n",
        random(WORD, 64),
        random(WORD, 64),
        random(HEX, 40)
    );
    let masked = redact(&putty);
    assert!(masked.starts_with("Private-Lines: 2\n***\n***\nPrivate-MAC"), "{masked}");
    for label in ["", "RSA ", "EC ", "OPENSSH ", "DSA ", "ENCRYPTED "] {
        let plain = key(label, 5);
        let body = random(WORD, 64);
        for text in [
            plain.clone(),
            plain.replace('\n', "\r\n"),
            plain.lines().map(|line| format!("+{line}\n")).collect(),
            plain.lines().map(|line| format!("    \"{line}\\n\"\n")).collect(),
            format!("{{\"private_key\": \"{}\"}}", plain.replace('\n', "\\n")),
            plain.lines().skip(1).map(|line| format!("{line}\n")).collect(),
            plain.lines().take(4).map(|line| format!("{line}\n")).collect(),
        ] {
            let masked = redact(&text);
            assert!(!masked.contains(&body), "{label}: {masked}");
            assert!(masked.contains(MASK));
            assert_eq!(masked.lines().count(), text.lines().count());
            assert_eq!(find(&text).len(), 1, "{text}");
        }
    }
}

#[test]
fn several_credentials_in_one_text_are_all_masked_and_the_rest_stays() {
    let (text, _) = make("a «AKIA{u16}» b\nüber «ghp_{w36}» — «sk_live_{w24}»\n");
    assert_eq!(redact(&text), "a *** b\nüber *** — ***\n");
}

#[test]
fn no_text_makes_the_detector_fail_or_dawdle() {
    for piece in [
        "://",
        "secret=",
        "-----BEGIN PRIVATE KEY-----\n",
        "eyJ",
        "AKIA",
        "é\"token: \u{1F600}",
        "password=;server=a;",
    ] {
        let text = piece.repeat(20_000);
        assert_eq!(redact(&text).lines().count(), text.lines().count());
    }
}
