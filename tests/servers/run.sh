#!/usr/bin/env bash
# Uses real MCP servers through foreread: run.sh FOREREAD EXERCISE COUNTER PYTHON FOLDER.
#
# `cargo xtask servers` builds and installs what this needs and calls it. EXERCISE is the example client of
# mcp-stdio, COUNTER a server of rmcp, PYTHON an interpreter with the official SDK, FOLDER is where the
# sources of the SDK may be kept.
set -euo pipefail
program=$1
exercise=$2
counter=$3
python=$4
built=$5
mkdir -p "$built"
here=$(cd "$(dirname "$0")" && pwd)
modules=$here/node_modules/@modelcontextprotocol

# The examples of the Python SDK are in its sources alone.
sdk=$(sed -n 's/^mcp==//p' "$here/../clients/requirements.txt")
sources=$built/mcp-$sdk
if [[ ! -d $sources ]]; then
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary mcp \
    --dest "$built" "mcp==$sdk"
  tar -xzf "$sources.tar.gz" -C "$built"
fi

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir -p "$home/config/foreread" "$home/files"
echo "a line of text" > "$home/files/notes.txt"
cat > "$home/config/foreread/config.toml" <<TOML
[servers.everything]
command = "node"
args = ["$modules/server-everything/dist/index.js", "stdio"]
[servers.filesystem]
command = "node"
args = ["$modules/server-filesystem/dist/index.js", "$home/files"]
[servers.memory]
command = "node"
args = ["$modules/server-memory/dist/index.js"]
env = { MEMORY_FILE_PATH = "$home/memory.jsonl" }
[servers.python-echo]
command = "$python"
args = ["-c", "from echo import mcp; mcp.run()"]
cwd = "$sources/examples/mcpserver"
[servers.python-pages]
command = "$python"
args = ["-m", "mcp_simple_pagination"]
cwd = "$sources/examples/servers/simple-pagination"
[servers.rmcp]
command = "$counter"
[servers.content-length]
command = "$python"
args = ["$here/content_length.py"]
[servers.foreread]
command = "$program"
args = ["mcp"]
TOML
export HOME=$home XDG_CONFIG_HOME=$home/config XDG_STATE_HOME=$home/state
cd "$home"

passed=0
failed=0
ok() { passed=$((passed + 1)); echo "ok $1"; }
wrong() { failed=$((failed + 1)); echo "FAILED $1: $2"; }

# expect NAME CODE TEXT ARGUMENT...: runs foreread; the exit code must be CODE and the output hold TEXT.
expect() {
  local name=$1 code=$2 text=$3 out=0 got
  shift 3
  got=$("$program" "$@" 2>&1) || out=$?
  if [[ $out -ne $code ]]; then
    wrong "$name" "exit $out instead of $code: $got"
  elif [[ $got != *"$text"* ]]; then
    wrong "$name" "$text is not in: $got"
  else
    ok "$name"
  fi
}

# Twice: the second time each is spoken with as was learnt the first time.
for time in first second; do
  check=$("$program" servers check) || wrong "servers check" "exit $?"
  echo "$check" | sed "s/^/$time: /"
  for name in everything filesystem memory python-echo python-pages rmcp content-length foreread; do
    if grep -q "^$name: ok" <<< "$check"; then ok "$time check $name"; else wrong "$time check $name" "$check"; fi
  done
done
if grep -q "^content-length: .*framing content-length" <<< "$check"; then ok framing; else wrong framing "$check"; fi
if grep -q "^python-pages: .* 25 tools, 20 prompts, 30 resources" <<< "$check"; then ok pages; else wrong pages "$check"; fi

expect everything-echo 0 "Echo: hi" call everything echo '{"message": "hi"}'
expect everything-json 0 '"text": "The sum of 1 and 2 is 3."' call everything get-sum '{"a": 1, "b": 2}' --json
expect everything-invalid 1 "Input validation error" call everything get-sum '{"a": "x"}'
expect everything-unknown 2 'did you mean "echo"?' call everything ecoh
expect everything-progress 0 "operation completed" call everything trigger-long-running-operation '{"duration": 1, "steps": 2}'
expect everything-timeout 3 "no answer to tools/call" call everything trigger-long-running-operation '{"duration": 60}' --timeout 500ms
# Nothing of the caller's environment but what is harmless.
SECRET=leaked expect everything-env 0 '"PATH"' call everything get-env
if SECRET=leaked "$program" call everything get-env | grep -q leaked; then wrong environment "a variable leaked"; else ok environment; fi
expect filesystem-read 0 "a line of text" call filesystem read_text_file "{\"path\": \"$home/files/notes.txt\"}"
expect filesystem-refuses 1 "Access denied" call filesystem read_text_file '{"path": "/etc/passwd"}'
echo '{"entities": [{"name": "Ada", "entityType": "person", "observations": ["counts"]}]}' > "$home/entities.json"
expect memory-write 0 Ada call memory create_entities "@$home/entities.json"
expect memory-read 0 counts call memory search_nodes '{"query": "Ada"}'
expect python-echo 0 "grüezi" call python-echo echo_tool '{"text": "grüezi"}'
expect python-pages 0 "tool_25" tools python-pages
expect rmcp-call 0 7 call rmcp add '{"by": 7}'
expect content-length-call 0 "ÜBER" call content-length upper '{"text": "über"}'
expect foreread-review 1 "not inside a git repository" call foreread review
piped=$(echo '{"message": "from stdin"}' | "$program" call everything echo -) || true
if [[ $piped == "Echo: from stdin" ]]; then ok stdin; else wrong stdin "$piped"; fi

log=$home/exercise.log
"$exercise" "$here/everything.json" node "$modules/server-everything/dist/index.js" stdio | tee "$log" || true
passed=$((passed + $(grep -c '^ok ' "$log" || true)))
failed=$((failed + $(grep -c '^FAILED ' "$log" || true)))
grep -q '^ok open' "$log" || wrong exercise "no session"

# Whatever foreread has started has this folder in its environment.
if [[ -r /proc/self/environ ]]; then
  left=$(env -i grep -lF "$home" /proc/[0-9]*/environ 2> /dev/null || true)
  if [[ -z $left ]]; then ok "no process is left"; else wrong "processes are left" "$left"; fi
fi

echo "servers: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
