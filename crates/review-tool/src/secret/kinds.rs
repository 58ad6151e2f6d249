//! The table of credential formats, as the services that hand them out publish them.
//!
//! The order decides between two kinds that match one text: the more specific stands first. A kind that
//! has no prefix of its own is looked for behind a label, since 32 hexadecimal digits may be anything.

use super::Kind;
use super::Place::{self, Block, Label, Line, Name, Prefix};
use super::Severity::{self, Critical, High, Medium};

const fn kind(
    (id, name): (&'static str, &'static str),
    severity: Severity,
    (place, keywords): (Place, &'static [&'static str]),
    entropy: f32,
    pattern: &'static str,
) -> Kind {
    Kind { id, name, severity, keywords, place, pattern, entropy }
}

#[rustfmt::skip]
pub(super) static KINDS: &[Kind] = &[
    kind(("private-key", "private key"), Critical, (Block, &["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"]), 0.0, ""),
    kind(("putty-private-key", "PuTTY private key"), Critical, (Block, &["Private-Lines:"]), 0.0, ""),
    kind(("age-secret-key", "age secret key"), Critical, (Prefix, &["AGE-SECRET-KEY-"]), 3.3, r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    kind(("wireguard-private-key", "WireGuard private key"), Critical, (Label, &["PrivateKey"]), 3.8, r"(?i:PrivateKey)\s*=\s*([A-Za-z0-9+/]{43}=)\s*$"),

    // Clouds.
    kind(("aws-access-key-id", "AWS access key"), Critical, (Prefix, &["AKIA", "ASIA", "ABIA", "ACCA"]), 2.9, r"A[KSBC][IC]A[A-Z2-7]{16}"),
    kind(("aws-secret-access-key", "AWS secret access key"), Critical, (Label, &["secret_access_key", "secret-access-key", "secretaccesskey", "aws_secret", "awssecret", "aws_sk"]), 4.0, r#"(?i:[\w.-]{0,40})["'\])]{0,3}\s*(?::\s*&?\w+\s*)?(?:=>|:=|=|:|,)\s*["'`]?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#),
    kind(("aws-session-token", "AWS session token"), High, (Label, &["aws_session_token"]), 4.0, r#"(?i:aws_session_token)["']?\s*[=:]\s*["']?([A-Za-z0-9/+=]{100,})"#),
    kind(("aws-bedrock-api-key", "Amazon Bedrock API key"), Critical, (Prefix, &["ABSK"]), 3.5, r"ABSK[A-Za-z0-9+/]{80,270}={0,2}"),
    kind(("gcp-api-key", "Google API key"), High, (Prefix, &["AIza"]), 3.5, r"AIza[0-9A-Za-z_-]{35}"),
    kind(("gcp-oauth-client-secret", "Google OAuth client secret"), Critical, (Prefix, &["GOCSPX-"]), 3.3, r"GOCSPX-[0-9A-Za-z_-]{28}"),
    kind(("gcp-oauth-token", "Google OAuth access token"), High, (Prefix, &["ya29."]), 3.5, r"ya29\.[0-9A-Za-z_-]{40,500}"),
    kind(("azure-storage-key", "Azure storage account key"), Critical, (Label, &["AccountKey"]), 4.0, r#"(?i:AccountKey)["']?\s*[=:]\s*["']?([A-Za-z0-9+/]{86}==)"#),
    kind(("azure-shared-access-key", "Azure shared access key"), Critical, (Label, &["SharedAccessKey"]), 4.0, r#"(?i:SharedAccessKey)\s*=\s*([A-Za-z0-9+/]{43}=)"#),
    kind(("azure-sas-signature", "Azure shared access signature"), High, (Label, &["sig="]), 3.8, r"sig=([A-Za-z0-9%+/]{40,100}(?:%3[Dd]|=))"),
    kind(("azure-client-secret", "Azure client secret"), Critical, (Line, &["7Q~", "8Q~"]), 3.5, r"(?:^|[^\w~.-])([A-Za-z0-9_~.]{3}[78]Q~[A-Za-z0-9_~.-]{31,34})(?:[^\w~.-]|$)"),
    kind(("azure-devops-token", "Azure DevOps token"), Critical, (Line, &["AZDO"]), 3.8, r"\b([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})\b"),
    kind(("digitalocean-token", "DigitalOcean token"), Critical, (Prefix, &["dop_v1_", "doo_v1_", "dor_v1_"]), 3.0, r"do[por]_v1_[a-f0-9]{64}"),
    kind(("heroku-token", "Heroku API token"), Critical, (Prefix, &["HRKU-"]), 3.5, r"HRKU-(?:AA[0-9A-Za-z_-]{58}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"),
    kind(("heroku-api-key", "Heroku API key"), Critical, (Label, &["heroku"]), 2.9, r#"(?i:heroku[\w.-]{0,20}(?:key|token|secret)["']?)\s*(?:=>|:=|=|:)\s*["']?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"#),
    kind(("cloudflare-token", "Cloudflare API token"), Critical, (Label, &["cloudflare", "cf_api", "cf_token"]), 3.0, r#"(?i:(?:cloudflare|cf_(?:api|token))[\w.-]{0,30})["']?\s*(?:=>|:=|=|:)\s*["']?([A-Za-z0-9_-]{40}|[a-f0-9]{37})(?:["'\s]|$)"#),
    kind(("cloudflare-origin-ca-key", "Cloudflare origin CA key"), Critical, (Prefix, &["v1.0-"]), 3.0, r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    kind(("fly-token", "Fly.io token"), Critical, (Prefix, &["fo1_", "fm1r_", "fm2_"]), 3.5, r"(?:fo1_[\w-]{43}|fm1[ar]_[A-Za-z0-9+/=]{100,}|fm2_[A-Za-z0-9+/=]{100,})"),
    kind(("netlify-token", "Netlify token"), High, (Prefix, &["nfp_"]), 3.3, r"nfp_[A-Za-z0-9]{36}"),
    kind(("render-api-key", "Render API key"), High, (Prefix, &["rnd_"]), 3.5, r"rnd_[A-Za-z0-9]{28,40}"),
    kind(("alibaba-access-key-id", "Alibaba Cloud access key"), Critical, (Prefix, &["LTAI"]), 3.3, r"LTAI[A-Za-z0-9]{17,26}"),
    kind(("tencent-secret-id", "Tencent Cloud secret id"), High, (Prefix, &["AKID"]), 3.6, r"AKID[A-Za-z0-9]{32}"),
    kind(("scaleway-access-key", "Scaleway secret key"), High, (Label, &["scw_secret", "scaleway_secret"]), 2.9, r#"(?i:sc(?:w|aleway)_secret[\w.-]{0,20})["']?\s*[=:]\s*["']?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"#),

    // Code hosts, registries, CI.
    kind(("github-fine-grained-token", "GitHub fine-grained access token"), Critical, (Prefix, &["github_pat_"]), 3.5, r"github_pat_[0-9A-Za-z]{22}_[0-9A-Za-z]{59}"),
    kind(("github-token", "GitHub personal access token"), Critical, (Prefix, &["ghp_"]), 3.5, r"ghp_[0-9A-Za-z]{36}"),
    kind(("github-oauth-token", "GitHub OAuth token"), Critical, (Prefix, &["gho_"]), 3.5, r"gho_[0-9A-Za-z]{36}"),
    kind(("github-app-token", "GitHub app token"), Critical, (Prefix, &["ghu_", "ghs_"]), 3.5, r"gh[us]_[0-9A-Za-z]{36}"),
    kind(("github-refresh-token", "GitHub refresh token"), Critical, (Prefix, &["ghr_"]), 3.5, r"ghr_[0-9A-Za-z]{36,76}"),
    kind(("gitlab-token", "GitLab personal access token"), Critical, (Prefix, &["glpat-"]), 3.2, r"glpat-[0-9A-Za-z_-]{20,300}(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?"),
    kind(("gitlab-service-token", "GitLab token"), High, (Prefix, &["glptt-", "gldt-", "glrt-", "glcbt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-", "glrtr-", "glffct-", "GR1348941"]), 3.2, r"(?:gl(?:ptt|dt|rt|rtr|cbt|ft|soat|imt|agent|oas|ffct)-|GR1348941)[0-9A-Za-z_-]{20,100}"),
    kind(("bitbucket-token", "Bitbucket app password"), High, (Prefix, &["ATBB"]), 3.5, r"ATBB[A-Za-z0-9]{28,36}"),
    kind(("atlassian-token", "Atlassian API token"), Critical, (Prefix, &["ATATT3", "ATCTT3"]), 3.8, r"AT[AC]TT3[A-Za-z0-9_=-]{60,250}"),
    kind(("npm-token", "npm access token"), Critical, (Prefix, &["npm_"]), 3.5, r"npm_[A-Za-z0-9]{36}"),
    kind(("npm-auth-token", "npm registry token"), Critical, (Label, &["_authToken"]), 2.9, r#"_authToken\s*=\s*"?([A-Za-z0-9+/=_.-]{20,})"#),
    kind(("pypi-token", "PyPI upload token"), Critical, (Prefix, &["pypi-AgE"]), 3.8, r"pypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZw)[A-Za-z0-9_-]{50,1000}"),
    kind(("crates-io-token", "crates.io token"), Critical, (Prefix, &["cio"]), 3.8, r"cio[A-Za-z0-9]{32}"),
    kind(("rubygems-token", "RubyGems API key"), Critical, (Prefix, &["rubygems_"]), 3.0, r"rubygems_[a-f0-9]{48}"),
    kind(("nuget-key", "NuGet API key"), Critical, (Prefix, &["oy2"]), 3.5, r"oy2[a-z0-9]{43}"),
    kind(("clojars-token", "Clojars token"), Critical, (Prefix, &["CLOJARS_"]), 3.5, r"CLOJARS_[a-z0-9]{60}"),
    kind(("docker-hub-token", "Docker Hub access token"), Critical, (Prefix, &["dckr_pat_", "dckr_oat_"]), 3.3, r"dckr_[po]at_[A-Za-z0-9_-]{27,40}"),
    kind(("circleci-token", "CircleCI token"), High, (Prefix, &["CCIPAT_", "CCIPRJ_"]), 3.3, r"CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}"),
    kind(("buildkite-token", "Buildkite token"), High, (Prefix, &["bkua_"]), 3.0, r"bkua_[a-f0-9]{40}"),
    kind(("sonarqube-token", "SonarQube token"), High, (Prefix, &["squ_", "sqp_", "sqa_"]), 3.0, r"sq[upa]_[a-f0-9]{40}"),
    kind(("artifactory-token", "Artifactory API key"), High, (Prefix, &["AKCp"]), 3.8, r"AKCp[A-Za-z0-9]{68,70}"),
    kind(("terraform-cloud-token", "Terraform Cloud token"), Critical, (Line, &[".atlasv1."]), 3.8, r"\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70})"),
    kind(("pulumi-token", "Pulumi access token"), Critical, (Prefix, &["pul-"]), 3.0, r"pul-[a-f0-9]{40}"),
    kind(("vault-token", "HashiCorp Vault token"), Critical, (Prefix, &["hvs.", "hvb.", "hvr."]), 3.5, r"hv[sbr]\.[A-Za-z0-9_-]{24,300}"),
    kind(("vault-legacy-token", "HashiCorp Vault token"), Critical, (Label, &["vault"]), 3.5, r#"(?i:vault[\w.-]{0,20}token)["']?\s*(?:=>|:=|=|:)\s*["']?(s\.[A-Za-z0-9]{24})\b"#),
    kind(("doppler-token", "Doppler token"), Critical, (Prefix, &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."]), 3.5, r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    kind(("onepassword-token", "1Password service account token"), Critical, (Prefix, &["ops_eyJ"]), 3.8, r"ops_eyJ[A-Za-z0-9+/=_-]{100,}"),
    kind(("tailscale-key", "Tailscale key"), Critical, (Prefix, &["tskey-"]), 3.3, r"tskey-(?:api|auth|client|scim|webhook)-[A-Za-z0-9]+-[A-Za-z0-9]{20,}"),
    kind(("prefect-token", "Prefect API key"), High, (Prefix, &["pnu_"]), 3.5, r"pnu_[A-Za-z0-9]{36}"),

    // Chat and mail.
    kind(("slack-bot-token", "Slack bot token"), Critical, (Prefix, &["xoxb-"]), 3.0, r"xoxb-[0-9]{10,13}-[0-9A-Za-z-]{18,80}"),
    kind(("slack-user-token", "Slack user token"), Critical, (Prefix, &["xoxp-", "xoxe-", "xoxe.", "xoxa-", "xoxr-", "xoxs-", "xoxo-"]), 3.0, r"xox[pearso][-.](?:xox[bp]-)?(?:[0-9]{1,13}-)+[0-9A-Za-z-]{18,200}"),
    kind(("slack-app-token", "Slack app token"), Critical, (Prefix, &["xapp-"]), 3.0, r"xapp-[0-9]-[A-Z0-9]{8,14}-[0-9]{10,14}-[a-f0-9]{40,80}"),
    kind(("slack-webhook", "Slack webhook URL"), High, (Prefix, &["hooks.slack.com/"]), 3.5, r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+]{6,}/[A-Za-z0-9+/]{20,60}"),
    kind(("discord-webhook", "Discord webhook URL"), High, (Prefix, &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"]), 3.8, r"discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{55,80}"),
    kind(("discord-bot-token", "Discord bot token"), Critical, (Line, &["discord", "bot_token", "bottoken", ".login(", "bot.run(", "client.run("]), 3.8, r"(?:^|[^\w-])([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})(?:[^\w-]|$)"),
    kind(("teams-webhook", "Microsoft Teams webhook URL"), High, (Prefix, &["webhook.office.com/webhookb2/"]), 3.3, r"webhook\.office\.com/webhookb2/[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36}"),
    kind(("telegram-bot-token", "Telegram bot token"), Critical, (Line, &[":AA"]), 3.5, r"(?:^|[^\w:])(?:bot)?([0-9]{8,10}:AA[A-Za-z0-9_-]{33})(?:[^\w-]|$)"),
    kind(("sendgrid-key", "SendGrid API key"), Critical, (Prefix, &["SG."]), 4.0, r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    kind(("mailgun-key", "Mailgun API key"), Critical, (Prefix, &["key-"]), 3.0, r"key-[a-f0-9]{32}"),
    kind(("mailgun-private-key", "Mailgun private API key"), Critical, (Label, &["mailgun"]), 3.0, r#"(?i:mailgun[\w.-]{0,20})["']?\s*(?:=>|:=|=|:)\s*["']?([a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8})\b"#),
    kind(("mailchimp-key", "Mailchimp API key"), Critical, (Line, &["-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"]), 3.0, r"\b([a-f0-9]{32}-us[0-9]{1,2})\b"),
    kind(("brevo-key", "Brevo API key"), Critical, (Prefix, &["xkeysib-", "xsmtpsib-"]), 3.0, r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    kind(("twilio-key", "Twilio API key"), Critical, (Prefix, &["SK"]), 3.0, r"SK[a-f0-9]{32}"),
    kind(("twilio-auth-token", "Twilio auth token"), Critical, (Label, &["twilio"]), 3.0, r#"(?i:twilio[\w.-]{0,20}(?:token|secret|auth)[\w.-]{0,10})["']?\s*(?:=>|:=|=|:|,)\s*["']?([a-f0-9]{32})\b"#),
    kind(("resend-key", "Resend API key"), High, (Prefix, &["re_"]), 3.5, r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),

    // Money and shops.
    kind(("stripe-live-key", "Stripe live key"), Critical, (Prefix, &["sk_live_"]), 3.3, r"sk_live_[0-9A-Za-z]{16,247}"),
    kind(("stripe-restricted-key", "Stripe restricted live key"), Critical, (Prefix, &["rk_live_"]), 3.3, r"rk_live_[0-9A-Za-z]{16,247}"),
    kind(("stripe-test-key", "Stripe test key"), Medium, (Prefix, &["sk_test_", "rk_test_"]), 3.5, r"[sr]k_test_[0-9A-Za-z]{24,247}"),
    kind(("stripe-webhook-secret", "Stripe webhook secret"), High, (Prefix, &["whsec_"]), 3.5, r"whsec_[A-Za-z0-9+/]{32,64}={0,2}"),
    kind(("square-token", "Square access token"), Critical, (Prefix, &["sq0atp-", "sq0csp-", "sq0idp-", "EAAA"]), 3.5, r"(?:sq0atp-[A-Za-z0-9_-]{22}|sq0csp-[A-Za-z0-9_-]{43}|EAAA[A-Za-z0-9_-]{60})"),
    kind(("shopify-token", "Shopify access token"), Critical, (Prefix, &["shpat_", "shpca_", "shppa_", "shpss_"]), 3.0, r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    kind(("braintree-token", "Braintree access token"), Critical, (Prefix, &["access_token$"]), 3.0, r"access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    kind(("razorpay-key", "Razorpay live key"), High, (Prefix, &["rzp_live_"]), 3.3, r"rzp_live_[A-Za-z0-9]{14}"),
    kind(("flutterwave-key", "Flutterwave secret key"), Critical, (Prefix, &["FLWSECK-"]), 3.0, r"FLWSECK-[a-f0-9]{32}-X"),
    kind(("shippo-token", "Shippo live token"), High, (Prefix, &["shippo_live_"]), 3.0, r"shippo_live_[a-f0-9]{40}"),
    kind(("duffel-token", "Duffel live token"), High, (Prefix, &["duffel_live_"]), 3.5, r"duffel_live_[A-Za-z0-9_=-]{43}"),
    kind(("easypost-key", "EasyPost API key"), High, (Prefix, &["EZAK"]), 3.8, r"EZAK[A-Za-z0-9]{54}"),

    // Models.
    kind(("anthropic-key", "Anthropic API key"), Critical, (Prefix, &["sk-ant-"]), 3.5, r"sk-ant-[a-z]{3,8}[0-9]{2}-[A-Za-z0-9_-]{40,200}"),
    kind(("openrouter-key", "OpenRouter API key"), Critical, (Prefix, &["sk-or-"]), 3.0, r"sk-or-v1-[a-f0-9]{64}"),
    kind(("openai-key", "OpenAI API key"), Critical, (Prefix, &["sk-"]), 3.8, r"sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,200}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48})"),
    kind(("hugging-face-token", "Hugging Face token"), Critical, (Prefix, &["hf_", "api_org_"]), 3.5, r"(?:hf|api_org)_[A-Za-z0-9]{34,37}"),
    kind(("groq-key", "Groq API key"), High, (Prefix, &["gsk_"]), 3.8, r"gsk_[A-Za-z0-9]{52}"),
    kind(("xai-key", "xAI API key"), High, (Prefix, &["xai-"]), 4.0, r"xai-[A-Za-z0-9]{80}"),
    kind(("replicate-token", "Replicate token"), High, (Prefix, &["r8_"]), 3.5, r"r8_[A-Za-z0-9]{37}"),
    kind(("perplexity-key", "Perplexity API key"), High, (Prefix, &["pplx-"]), 3.8, r"pplx-[A-Za-z0-9]{48}"),

    // Data, observation, work.
    kind(("databricks-token", "Databricks token"), Critical, (Prefix, &["dapi"]), 3.0, r"dapi[a-f0-9]{32}(?:-[0-9])?"),
    kind(("datadog-key", "Datadog key"), Critical, (Label, &["datadog", "dd_api", "dd_app", "dd-api", "dd-app", "ddapi"]), 3.0, r#"(?i:(?:datadog|dd[_-]?ap)[\w.-]{0,30})["'\])]{0,3}\s*(?:=>|:=|=|:|,)\s*["']?([a-f0-9]{40}|[a-f0-9]{32})\b"#),
    kind(("new-relic-key", "New Relic key"), High, (Prefix, &["NRAK-", "NRII-", "NRRA-", "NRAA-", "NRIQ-"]), 3.0, r"NR(?:AK-[A-Z0-9]{27}|II-[A-Za-z0-9_-]{32}|(?:RA|AA)-[a-f0-9]{27,42}|IQ-[A-Za-z0-9_-]{32})"),
    kind(("new-relic-license-key", "New Relic license key"), High, (Line, &["NRAL"]), 3.0, r"\b([a-f0-9]{36}NRAL)\b"),
    kind(("grafana-token", "Grafana token"), Critical, (Prefix, &["glsa_", "glc_eyJ", "eyJrIjoi"]), 3.3, r"(?:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2}|eyJrIjoi[A-Za-z0-9]{70,400}={0,2})"),
    kind(("dynatrace-token", "Dynatrace token"), Critical, (Prefix, &["dt0c01.", "dt0s01."]), 3.8, r"dt0[cs]01\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    kind(("sentry-token", "Sentry auth token"), High, (Prefix, &["sntrys_", "sntryu_"]), 3.0, r"sntry(?:s_eyJ[A-Za-z0-9+/=_]{80,500}|u_[a-f0-9]{64})"),
    kind(("linear-key", "Linear API key"), High, (Prefix, &["lin_api_", "lin_oauth_"]), 3.0, r"lin_(?:api_[A-Za-z0-9]{40}|oauth_[a-f0-9]{64})"),
    kind(("notion-token", "Notion integration token"), High, (Prefix, &["ntn_", "secret_"]), 3.8, r"(?:ntn_[0-9]{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43})"),
    kind(("figma-token", "Figma access token"), High, (Prefix, &["figd_", "figdr_", "figo_"]), 3.5, r"fig(?:dr?|o)_[A-Za-z0-9_-]{38,50}"),
    kind(("airtable-token", "Airtable access token"), High, (Prefix, &["pat"]), 3.0, r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    kind(("okta-token", "Okta API token"), Critical, (Label, &["okta", "SSWS"]), 3.5, r#"(?:(?i:okta[\w.-]{0,20}(?:token|key|secret)["']?)\s*(?:=>|:=|=|:)\s*["']?|SSWS )(00[A-Za-z0-9_-]{40})\b"#),
    kind(("planetscale-token", "PlanetScale credential"), Critical, (Prefix, &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"]), 3.3, r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32,64}"),
    kind(("supabase-token", "Supabase secret key"), Critical, (Prefix, &["sbp_", "sb_secret_"]), 3.0, r"(?:sbp_(?:v0_)?[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{31})"),
    kind(("postman-key", "Postman API key"), High, (Prefix, &["PMAK-"]), 3.0, r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    kind(("contentful-token", "Contentful management token"), High, (Prefix, &["CFPAT-"]), 3.5, r"CFPAT-[A-Za-z0-9_-]{43}"),
    kind(("typeform-token", "Typeform token"), High, (Prefix, &["tfp_"]), 3.5, r"tfp_[A-Za-z0-9_=.-]{59}"),
    kind(("mapbox-secret-token", "Mapbox secret token"), High, (Prefix, &["sk.eyJ"]), 3.5, r"sk\.eyJ[A-Za-z0-9_-]{30,200}\.[A-Za-z0-9_-]{20,30}"),
    kind(("infracost-key", "Infracost API key"), High, (Prefix, &["ico-"]), 3.5, r"ico-[A-Za-z0-9]{32}"),
    kind(("readme-key", "ReadMe API key"), High, (Prefix, &["rdme_"]), 3.3, r"rdme_[a-z0-9]{70}"),
    kind(("launchdarkly-key", "LaunchDarkly SDK key"), High, (Prefix, &["sdk-", "api-"]), 3.0, r"(?:sdk|api)-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"),
    kind(("facebook-token", "Facebook access token"), High, (Prefix, &["EAAM", "EAAC", "EAAB", "EAAG"]), 3.8, r"EAA[MCBG][A-Za-z0-9]{90,400}"),
    kind(("twitter-bearer-token", "X bearer token"), High, (Prefix, &["AAAAAAAAAAAAAAAAAAAAA"]), 3.0, r"A{21}([A-Za-z0-9%]{75,130})"),
    kind(("snyk-token", "Snyk token"), High, (Label, &["snyk"]), 2.9, r#"(?i:snyk[\w.-]{0,20}(?:token|key)["']?)\s*(?:=>|:=|=|:)\s*["']?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"#),

    // Forms of no single service.
    kind(("json-web-token", "JSON Web Token"), High, (Prefix, &["eyJ"]), 4.0, r"eyJ[A-Za-z0-9_-]{15,}\.eyJ[A-Za-z0-9_-]{15,}\.[A-Za-z0-9_-]{40,}"),
    kind(("basic-authorization", "HTTP Basic credential"), High, (Label, &["authorization"]), 3.0, r#"(?i:authorization)["']?\s*[:=,]\s*["'`]?(?i:basic) ([A-Za-z0-9+/]{12,}={0,2})"#),
    kind(("connection-string-password", "password in a connection string"), High, (Line, &["password=", "pwd="]), 2.5, r#"(?i:(?:server|data source|host|addr|address|user id|uid|user)\s*=[^;"'\n]{1,200};[^"'\n]*?(?:password|pwd)\s*=\s*)([^;"'\s]{8,100})"#),
    kind(("url-password", "password in a URL"), High, (Label, &["://"]), 2.3, r#"://(?P<user>[A-Za-z0-9_.%+~-]{0,80}):(?P<value>[^\s/:@"'`<>{}$()\[\]|\\,]{6,200})@"#),

    kind(("credential-assignment", "high-entropy credential"), High, (Name, &["secret", "password", "passwd", "pwd", "passphrase", "token", "apikey", "api_key", "api-key", "accesskey", "access_key", "access-key", "authkey", "auth_key", "auth-key", "privatekey", "private_key", "private-key", "encryptionkey", "encryption_key", "signingkey", "signing_key", "signing-key", "credential", "masterkey", "master_key", "secretkey", "licensekey", "license_key", "client_key", "service_key", "servicekey", "webhook_key", "_salt", "jwt_key"]), 0.0, ""),
];
