//! A connection to a server process, in a repository with a staged fault.

use std::path::Path;
use std::process::Command;

use rmcp::model::*;
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, PeerRequestOptions, RequestContext,
    RequestHandle, RunningService,
};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc;

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const MODERN: &str = "2026-07-28";

pub(crate) const FILE: &str = "app/basket.py";
pub(crate) const RULE: &str = "python-mutable-default";

/// A client, its server, and what the server has reported so far.
pub(crate) struct Session {
    pub(crate) client: RunningService<RoleClient, Handler>,
    pub(crate) reports: mpsc::UnboundedReceiver<f64>,
    _folder: TempDir,
}

impl Session {
    pub(crate) async fn connect(server: &[String], era: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (repo, home) = (folder.path().join("repo"), folder.path().join("home"));
        std::fs::create_dir(&repo).unwrap();
        std::fs::create_dir(&home).unwrap();
        stage_fault(&repo, &home);
        let mut command = tokio::process::Command::new(&server[0]);
        command
            .args(&server[1..])
            .current_dir(&repo)
            .env("HOME", &home)
            .env_remove("XDG_STATE_HOME");
        let transport = TokioChildProcess::new(command).unwrap();
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        let lifecycle = match era {
            LEGACY => ClientLifecycleMode::Initialize,
            _ => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
        };
        let (report, reports) = mpsc::unbounded_channel();
        let client = Handler { report }.serve_with_lifecycle(transport, lifecycle).await.unwrap();
        assert_eq!(client.peer_info().unwrap().protocol_version.as_str(), era);
        Self { client, reports, _folder: folder }
    }

    pub(crate) async fn call(&self, name: &'static str, arguments: Value) -> CallToolResult {
        self.client.call_tool(call(name, arguments)).await.unwrap()
    }

    /// Starts a call without waiting for its answer.
    pub(crate) async fn start(
        &self,
        name: &'static str,
        arguments: Value,
    ) -> RequestHandle<RoleClient> {
        let request = ClientRequest::CallToolRequest(Request::new(call(name, arguments)));
        let options = PeerRequestOptions::no_options();
        self.client.send_cancellable_request(request, options).await.unwrap()
    }
}

pub(crate) fn call(name: &'static str, arguments: Value) -> CallToolRequestParams {
    CallToolRequestParams::new(name).with_arguments(object(arguments))
}

pub(crate) fn object(value: Value) -> JsonObject {
    let Value::Object(object) = value else { panic!("{value} is no object") };
    object
}

pub(crate) fn text(content: &ContentBlock) -> &str {
    &content.as_text().expect("a text").text
}

pub(crate) struct Handler {
    report: mpsc::UnboundedSender<f64>,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("rmcp", "1"))
    }

    async fn on_progress(
        &self,
        report: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        // A test that has ended reads no reports.
        let _ = self.report.send(report.progress);
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let content = json!({"name": "Ada"});
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(content))
    }
}

/// Makes a repository with a staged change that holds one fault, cut off from the machine's settings.
fn stage_fault(repo: &Path, home: &Path) {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(repo).env("HOME", home).env("GIT_CONFIG_NOSYSTEM", "1");
        for role in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{role}_NAME"), "A")
                .env(format!("GIT_{role}_EMAIL"), "a@example.com");
        }
        assert!(git.status().unwrap().success(), "git {arguments:?}");
    };
    git(&["init", "-q"]);
    std::fs::create_dir(repo.join("app")).unwrap();
    std::fs::write(repo.join(FILE), "import json\n").unwrap();
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "start"]);
    let fault =
        "import json\n\ndef add(name, basket=[]):\n    basket.append(name)\n    return basket\n";
    std::fs::write(repo.join(FILE), fault).unwrap();
    git(&["add", "."]);
}
