#!/usr/bin/env bash
# Installs the official MCP clients at the versions pinned here and runs them against foreread.
#
# Needs Node 20, Python 3.11 and the program: target/debug/foreread, or $FOREREAD_BIN.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
program=${FOREREAD_BIN:-$target/debug/foreread}
if [[ ! -x $program ]]; then
  echo "error: $program is not there; run cargo build, or set FOREREAD_BIN" >&2
  exit 2
fi
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")

npm ci --no-audit --no-fund --loglevel=error
venv=$root/target/clients/python
if ! cmp -s requirements.txt "$venv/requirements.txt"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r requirements.txt
  cp requirements.txt "$venv/requirements.txt"
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
broken=0
node typescript.mjs "$program" | tee -a "$log" || broken=1
"$venv/bin/python" python_client.py "$program" | tee -a "$log" || broken=1
passed=$(grep -c '^ok ' "$log" || true)
failed=$(grep -c '^FAILED ' "$log" || true)
# A client that broke off before it could say so has failed too.
if [[ $broken -ne 0 && $failed -eq 0 ]]; then failed=1; fi
echo "clients: $passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
