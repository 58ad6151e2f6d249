//! Servers that a project names: nothing runs before its exact command was shown and trusted.

use serde_json::json;

use crate::harness::program::{Ended, Program};
use crate::harness::repo::Repo;

/// A repository whose `.mcp.json` names one server, `helper`.
fn project(server: &serde_json::Value) -> Repo {
    let repo = Repo::new();
    repo.write(".mcp.json", json!({"mcpServers": {"helper": server}}).to_string());
    repo.write("tools/helper.sh", "#!/bin/sh\nexit 0\n");
    repo
}

const SHOWN: &str = r"helper of [repo]/.mcp.json would run this program, with all your rights:

  command      ./tools/helper.sh --deep 'two words' 'it'\''s'
  folder       [repo]
  environment  NODE_OPTIONS=--require ./x.js
  environment  TOKEN=${SECRET}
  it is told   your variables SECRET
  file         [repo]/tools/helper.sh (as it is now)
  WARNING      the variable NODE_OPTIONS can make it run other code

helper may run now
";

fn servers(repo: &Repo, arguments: &[&str]) -> Ended {
    Program::new(repo, ["servers"].iter().chain(arguments)).run()
}

fn standing(repo: &Repo) -> String {
    let list = servers(repo, &["list", "--json"]).exits(0).document();
    list[0]["standing"].as_str().unwrap().to_owned()
}

#[test]
fn trust_shows_the_whole_command_and_ends_with_a_change() {
    let server = json!({
        "command": "./tools/helper.sh",
        "args": ["--deep", "two words", "it's"],
        "env": {"TOKEN": "${SECRET}", "NODE_OPTIONS": "--require ./x.js"},
    });
    let repo = project(&server);
    assert_eq!(standing(&repo), "untrusted");
    let shown = servers(&repo, &["trust", "helper"]).exits(0).out();
    let shown = shown.replace(&repo.path().display().to_string(), "[repo]");
    assert_eq!(shown, SHOWN);
    assert_eq!(standing(&repo), "trusted");

    repo.write("tools/helper.sh", "#!/bin/sh\nexit 1\n");
    assert_eq!(standing(&repo), "changed", "what the command runs has changed");
    repo.write("tools/helper.sh", "#!/bin/sh\nexit 0\n");
    assert_eq!(standing(&repo), "trusted");

    let mut other = server;
    other["args"][0] = json!("--deeper");
    repo.write(".mcp.json", json!({"mcpServers": {"helper": other}}).to_string());
    assert_eq!(standing(&repo), "changed");
    servers(&repo, &["trust", "helper"]).exits(0);
    servers(&repo, &["untrust", "helper"]).exits(0);
    assert_eq!(standing(&repo), "untrusted");
}

#[test]
fn a_project_cannot_steer_the_terminal_of_who_reads_it() {
    let repo = Repo::new();
    let name = "evil\u{1b}[2Jname";
    let server = json!({"command": "a\u{1b}]0;title\u{7}", "args": ["\u{202e}txt\n\nok"]});
    repo.write(".mcp.json", json!({"mcpServers": {name: server}}).to_string());
    let list = servers(&repo, &["list"]).exits(0);
    let trust = servers(&repo, &["trust", name]).exits(0);
    let unknown = servers(&repo, &["trust", "evil\u{1b}[2Jnaem"]).exits(2);
    for text in [list.out(), trust.out(), unknown.err()] {
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
    }
    assert!(trust.out().contains(r"a\u{1b}]0;title\u{7}"), "{}", trust.out());
    assert!(trust.out().contains(r"txt\n\nok"), "{}", trust.out());
}

#[test]
fn servers_that_cannot_be_used_are_named() {
    let repo = project(&json!({"command": "true"}));
    let message = servers(&repo, &["trust", "helpr"]).exits(2).err();
    assert_eq!(message, "error: no server is called \"helpr\"; did you mean \"helper\"?\n");

    repo.write(".mcp.json", r#"{"mcpServers": {"web": {"type": "http", "url": "x"}}}"#);
    let message = servers(&repo, &["trust", "web"]).exits(2).err();
    assert_eq!(message, "error: server \"web\" is not reached over stdio (http)\n");
    assert!(servers(&repo, &["list"]).exits(0).out().starts_with("web  not over stdio (http)"));

    repo.write(".mcp.json", r#"{"mcpServers": {"helper": {"command": 3}}}"#);
    let message = servers(&repo, &["list"]).exits(2).err();
    assert!(message.contains(".mcp.json is not what hosts of MCP expect"), "{message}");
    assert!(message.contains("mcpServers.helper.command"), "{message}");
}

#[test]
fn the_own_server_goes_before_the_one_of_a_project() {
    let repo = project(&json!({"command": "theirs"}));
    let folder = repo.home().join("config/foreread");
    std::fs::create_dir_all(&folder).unwrap();
    let text = "[servers.helper]\ncommand = \"mine\"\nenv = { KEY = \"secret\" }\n";
    std::fs::write(folder.join("config.toml"), text).unwrap();
    let list = servers(&repo, &["list", "--json"]).exits(0).document();
    assert_eq!(list.as_array().unwrap().len(), 1);
    assert_eq!(list[0]["command"], "mine");
    assert_eq!(list[0]["standing"], "own");
    let shown = servers(&repo, &["list", "--json"]).out() + &servers(&repo, &["list"]).out();
    assert!(!shown.contains("secret"), "{shown}");
    servers(&repo, &["untrust", "helper"]).exits(2);

    std::fs::write(folder.join("config.toml"), "[servers.helper]\ncomand = \"x\"\n").unwrap();
    let message = servers(&repo, &["list"]).exits(2).err();
    assert!(message.contains("did you mean `servers.helper.command`?"), "{message}");
}
