//! Reviews with a model of the user's, as its user meets them.

use serde_json::json;

use super::{review, staged_clean, staged_fault};
use crate::harness::program::{Program, collect, ended};
use crate::harness::provider::{Provider, Reply, stated};
use crate::harness::repo::Repo;

const KEY: &str = "a-key-of-the-users-0123456789";

fn set(repo: &Repo, text: &str) {
    let folder = repo.home().join("config/foreread");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), text).unwrap();
}

/// A run with the key in the environment.
fn with_key(repo: &Repo, arguments: &str) -> Program {
    review(repo, arguments).env("MY_KEY", KEY)
}

#[test]
fn a_model_adds_its_findings_once_and_is_remembered() {
    let repo = staged_clean();
    let provider = Provider::finding(&[
        // Off by one, moved by its quoted code; and a file that the change does not have.
        stated("app/list.py", 1, "high", "into.append(item)"),
        stated("app/other.py", 1, "critical", ""),
    ]);
    set(
        &repo,
        &provider.settings("api_key_env = \"MY_KEY\"\ninput_price_usd = 1\noutput_price_usd = 10"),
    );
    let document = with_key(&repo, "--json").run().exits(1).document();
    let finding = &document["findings"][0];
    assert_eq!((&finding["source"], &finding["rule"]), (&json!("model"), &json!(null)));
    assert_eq!((&finding["file"], &finding["line"]), (&json!("app/list.py"), &json!(2)));
    assert_eq!(document["findings"].as_array().unwrap().len(), 1);
    let meta = &document["meta"];
    assert_eq!(
        (&meta["provider"], &meta["model"], &meta["cached"]),
        (&json!("mine"), &json!("m1"), &json!(false))
    );
    assert_eq!((&meta["usage"]["input_tokens"], &meta["cost_usd"]), (&json!(1000), &json!(0.002)));
    assert_eq!((&meta["claims"]["moved"], &meta["claims"]["dropped"]), (&json!(1), &json!(1)));
    assert_eq!(document["content"], json!("Seen."));
    let received = provider.received();
    assert!(received[0].head.contains(&format!("authorization: Bearer {KEY}\r\n")));
    assert!(received[0].body.contains("+    2|    into.append(item)"));

    let again = with_key(&repo, "--json").run().exits(1).document();
    assert_eq!((&again["meta"]["cached"], &again["meta"]["cost_usd"]), (&json!(true), &json!(0.0)));
    assert_eq!(again["findings"], document["findings"]);
    assert_eq!(provider.received().len(), 1);
    with_key(&repo, "--json --no-cache").run().exits(1);
    assert_eq!(provider.received().len(), 2);
    with_key(&repo, "--json --model m2").run().exits(1);
    assert_eq!(provider.received().len(), 3, "another model has its own answers");
}

#[test]
fn an_answer_that_is_lost_never_passes() {
    let repo = staged_clean();
    for reply in [Reply::Text("I see nothing.".to_owned()), Reply::Status(400), Reply::Status(503)]
    {
        let provider = Provider::with(vec![reply]);
        set(&repo, &provider.settings("attempts = 1"));
        let document = review(&repo, "--json").run().exits(3).document();
        assert_eq!(document["summary"]["status"], json!("partial"));
        assert_eq!(document["summary"]["gate"]["passed"], json!(false));
    }
}

#[test]
fn a_dry_run_shows_every_byte_and_sends_none() {
    let repo = staged_fault();
    let provider = Provider::finding(&[]);
    // A key is neither needed nor fetched.
    set(
        &repo,
        &provider.settings("api_key_env = \"MY_KEY\"\ninput_price_usd = 1\noutput_price_usd = 10"),
    );
    let shown = review(&repo, "--dry-run").run().exits(0).out();
    assert!(shown.contains(&format!("POST {}/chat/completions", provider.url)), "{shown}");
    assert!(shown.contains("tokens") && shown.contains("USD"), "{shown}");
    let document = review(&repo, "--dry-run --json").run().exits(0).document();
    assert!(provider.received().is_empty());
    let body = document["requests"][0]["body"].as_str().unwrap().to_owned();
    assert!(shown.contains(&body));
    review(&repo, "--json").env("MY_KEY", KEY).run().exits(0);
    assert_eq!(provider.received()[0].body, body);
    set(&repo, "");
    assert!(review(&repo, "--dry-run").run().exits(0).out().contains("nothing would be sent"));
}

#[test]
fn settings_with_which_no_model_can_be_asked_are_wrong_usage() {
    let repo = staged_clean();
    let provider = Provider::finding(&[]);
    for (settings, arguments, want) in [
        (
            "provider = \"mime\"\n[providers.mine]\nkind = \"ollama\"\n".to_owned(),
            "",
            "did you mean mine?",
        ),
        ("[providers.mine]\nkind = \"olama\"\n".to_owned(), "", "providers.mine.kind"),
        ("[providers.mine]\nkind = \"ollama\"\napi_key = \"x\"\n".to_owned(), "", "did you mean"),
        (String::new(), "--provider ollama", "name a model"),
        (String::new(), "--provider anthropic --model m", "set ANTHROPIC_API_KEY"),
        (String::new(), "--model m", "needs a provider"),
        (String::new(), "--no-rules", "nothing is left to review with"),
        (provider.settings("api_key_env = \"UNSET\""), "", "the variable UNSET"),
        (provider.settings("api_key_file = \"/no/such/file\""), "", "cannot read api_key_file"),
        (provider.settings("api_key_command = [\"./key\"]"), "", "names no program"),
        (provider.settings("api_key_command = [\"false\"]"), "", "failed"),
        (provider.settings("api_key_env = \"A\"\napi_key_file = \"b\""), "", "name one of"),
        (provider.settings("budget_usd_per_day = 1"), "", "costs is not known"),
        (provider.settings("parallel = 0"), "", "parallel must be at least 1"),
        (
            "[providers.c]\nkind = \"claude-cli\"\ncommand = \"./claude\"\n".to_owned(),
            "--provider c",
            "there is no program",
        ),
    ] {
        set(&repo, &settings);
        let message = review(&repo, arguments).run().exits(2).err();
        assert!(message.contains(want), "{settings}{arguments}: {message}");
    }
    assert!(provider.received().is_empty());
}

#[test]
fn a_key_comes_from_a_file_or_a_program_too() {
    let repo = staged_clean();
    let provider = Provider::finding(&[]);
    let file = repo.home().join("key");
    std::fs::write(&file, format!("{KEY}\n")).unwrap();
    for source in [
        format!("api_key_file = {:?}", file.to_str().unwrap()),
        format!("api_key_command = [\"cat\", {:?}]", file.to_str().unwrap()),
    ] {
        set(&repo, &provider.settings(&source));
        review(&repo, "--json --no-cache").run().exits(0);
        let last = provider.received().pop().unwrap();
        assert!(last.head.contains(&format!("authorization: Bearer {KEY}\r\n")), "{source}");
    }
}

#[test]
fn a_budget_stops_before_anything_is_sent() {
    let repo = staged_clean();
    let provider = Provider::finding(&[]);
    let price = "input_price_usd = 1\noutput_price_usd = 1\n";
    set(&repo, &provider.settings(&format!("{price}budget_usd_per_review = 0.0001")));
    let document = review(&repo, "--json --no-cache").run().exits(3).document();
    assert!(
        document["summary"]["problems"][0]["message"]
            .as_str()
            .unwrap()
            .contains("0.0001 USD for a review")
    );
    assert!(provider.received().is_empty());
    // One request may cost more than half of this, and costs far less: what was spent counts.
    set(&repo, &provider.settings(&format!("{price}budget_usd_per_day = 0.0085")));
    for _ in 0..2 {
        review(&repo, "--json --no-cache").run().exits(0);
    }
    set(&repo, &provider.settings(&format!("{price}budget_usd_per_day = 0.002")));
    let document = review(&repo, "--json --no-cache").run().exits(3).document();
    assert!(
        document["summary"]["problems"][0]["message"]
            .as_str()
            .unwrap()
            .contains("0.002 USD for a day")
    );
    assert_eq!(provider.received().len(), 2);
}

#[test]
fn a_model_looks_at_the_reviewed_state_and_nowhere_else() {
    let repo = staged_clean();
    repo.write("helper.py", "def helper():\n    return 'staged'\n").stage();
    // Neither what was written since nor what lies outside is what was staged.
    repo.write("helper.py", "def helper():\n    return 'written since'\n");
    let answer = Reply::Text(json!({"summary": "", "findings": []}).to_string());
    for (tool, arguments, want, not) in [
        ("read_file", json!({"path": "helper.py"}), "return 'staged'", "written since"),
        ("search", json!({"text": "return 'sta"}), "helper.py:2:", "written since"),
        ("list_files", json!({"path": "app"}), "app/list.py", "helper.py"),
        ("read_file", json!({"path": "../../etc/passwd"}), "has no file", "root:"),
        ("read_file", json!({"path": ".git/config"}), "has no file", "[core]"),
        ("shell", json!({"command": "id"}), "there is no such tool", "uid="),
    ] {
        let provider = Provider::with(vec![Reply::Call(tool, arguments), answer.clone()]);
        set(&repo, &provider.settings("tools = true"));
        let document = review(&repo, "--json --no-cache").run().exits(0).document();
        assert_eq!(document["meta"]["tool_calls"][0]["tool"], json!(tool));
        let second: serde_json::Value = serde_json::from_str(&provider.received()[1].body).unwrap();
        let result = second["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
        assert!(result.contains(want) && !result.contains(not), "{tool}: {result}");
    }
}

#[test]
fn a_credential_leaves_from_nowhere_a_commit_message_included() {
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let repo = Repo::new();
    let name = format!("conf/{secret}.py");
    repo.write(&name, format!("a = \"{secret}\"\nb = \"{secret}\"\n")).commit("start");
    repo.write("other.txt", format!("token {secret}\n"));
    repo.write(&name, format!("a = \"{secret}\"\nc = \"{secret}\"\n"));
    repo.commit(&format!("Rotate {secret} for the new service"));
    let answer = Reply::Text(json!({"summary": "", "findings": []}).to_string());
    let provider =
        Provider::with(vec![Reply::Call("read_file", json!({"path": "other.txt"})), answer]);
    set(&repo, &provider.settings("tools = true"));
    let document =
        review(&repo, "--json --no-cache --fail-on none --commit HEAD").run().exits(0).document();
    assert_eq!(document["meta"]["tool_calls"].as_array().unwrap().len(), 1);
    let received = provider.received();
    assert_eq!(received.len(), 2);
    let all: String = received.iter().map(|one| format!("{}{}", one.head, one.body)).collect();
    assert!(!all.contains(&secret), "{all}");
    for shown in ["Rotate *** for the new service", "token ***", "conf/***.py"] {
        assert!(all.contains(shown), "{shown}: {all}");
    }
}

#[test]
fn a_trusted_server_grounds_the_review_and_an_untrusted_one_does_not_run() {
    let repo = staged_clean();
    let program = env!("CARGO_BIN_EXE_foreread");
    let mark = repo.root().join("ran");
    let touch =
        json!({"mcpServers": {"theirs": {"command": "touch", "args": [mark.to_str().unwrap()]}}});
    repo.write(".mcp.json", touch.to_string());
    let answer = Reply::Text(json!({"summary": "", "findings": []}).to_string());
    let call = Reply::Call("docs__explain_rule", json!({"rule": "python-mutable-default"}));
    let provider = Provider::with(vec![call, answer]);
    let server = format!(
        "[servers.docs]\ncommand = {program:?}\nargs = [\"mcp\"]\n[servers.none]\ncommand = \"/no/such\"\n"
    );
    set(&repo, &provider.settings(&format!("tools = true\n{server}")));
    let run = review(&repo, "--json --no-cache").run().exits(0);
    assert!(run.err().contains("a server is left out of the review"), "{}", run.err());
    let document = run.document();
    assert_eq!(document["meta"]["tool_calls"][0]["tool"], json!("docs__explain_rule"));
    assert_eq!(document["meta"]["tool_calls"][0]["failed"], json!(false));
    let first: serde_json::Value = serde_json::from_str(&provider.received()[0].body).unwrap();
    let names: Vec<&str> = first["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(names, sorted);
    assert!(names.contains(&"docs__list_reviews") && names.contains(&"read_file"), "{names:?}");
    let second: serde_json::Value = serde_json::from_str(&provider.received()[1].body).unwrap();
    let result = second["messages"].as_array().unwrap().last().unwrap()["content"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(result.starts_with("<data-") && result.contains("default"), "{result}");
    assert!(!mark.exists());
}

#[test]
fn the_tool_review_asks_the_model_that_a_call_names() {
    let repo = staged_clean();
    let provider = Provider::finding(&[stated("app/list.py", 2, "high", "")]);
    set(&repo, &provider.settings("").replace("provider = \"mine\"\n", ""));
    let call = |id: u32, arguments: serde_json::Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "review", "arguments": arguments}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
            "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(2, json!({"provider": "mine", "model": "m9"})),
        call(3, json!({})),
        call(4, json!({"provider": "none"})),
    ];
    let stdin: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let out = Program::new(&repo, ["mcp"]).stdin(stdin).run().exits(0).out();
    let answer = |id: u32| -> serde_json::Value {
        let all = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        all.into_iter().find(|message| message["id"] == id).unwrap()["result"].clone()
    };
    assert_eq!(answer(2)["structuredContent"]["meta"]["model"], json!("m9"));
    assert_eq!(answer(2)["structuredContent"]["findings"][0]["source"], json!("model"));
    assert_eq!(answer(3)["structuredContent"]["meta"]["provider"], json!("embedded"));
    assert_eq!(answer(4)["isError"], json!(true));
    assert!(answer(4)["content"][0]["text"].as_str().unwrap().contains("no provider \"none\""));
    assert_eq!(provider.received().len(), 1);
}

#[cfg(unix)]
#[test]
fn an_interrupt_closes_the_connection_and_ends_the_review() {
    let repo = staged_clean();
    let provider = Provider::with(vec![Reply::Never]);
    set(&repo, &provider.settings(""));
    let mut child = review(&repo, "--json").spawn();
    let stderr = collect(child.stderr.take().unwrap());
    provider.wait_for_request();
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    provider.wait_for_close();
    assert_eq!(ended(child).code(), Some(3));
    let said = String::from_utf8(stderr.recv().unwrap()).unwrap();
    assert!(said.contains("cancelled"), "{said}");
}
