#!/bin/sh
# Somebody connects an agent over a pipe: what it sees, and what it is told of wrong calls.
. "$(dirname "$0")/walk.sh"
echo 'The mill of Arden was built in 1780.' >mill.md
says 'completed' kg ingest mill.md --ontology "$o" --wait

# session sends lines of JSON-RPC to kg mcp, and prints what it answers.
session() {
  {
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"walk","version":"1"}}}'
    printf '%s\n' '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    printf '%s\n' "$1"
    sleep 2
  } | timeout 60 kg mcp
}
says '"name":"ask".*"outputSchema"' session '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
says 'built in 1780.*mill.md' session '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"question":"When was the mill of Arden built?"}}}'
says 'limit: must be 1 to 20, got 99' session '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"question":"When?","limit":99}}}'
says 'built in 1780' session '{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"kappa://document/mill.md"}}'
says 'mill.md' session '{"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"kappa://document/{+document}"},"argument":{"name":"document","value":"mil"}}}'
