#!/bin/sh
# Somebody's chat client speaks OpenAI's API or Ollama's. It needs curl.
. "$(dirname "$0")/walk.sh"
echo 'The canal of Varn is 12 kilometres long.' >canal.md
says 'completed' kg ingest canal.md --ontology "$o" --wait
key=$(kg auth keys create "walk-chat-$$" --scope 'read:*' --expires-in 1h 2>/dev/null | grep -o 'kgk_[0-9a-f_]*')
url=$(address)
get() { curl -sS --fail-with-body -H "Authorization: Bearer $key" "$@"; }
question='[{"role":"user","content":"How long is the canal of Varn?"}]'
says '"id":"'"$o"'"' get "$url/v1/models"
says '12 kilometres.*canal.md' get "$url/v1/chat/completions" -H 'Content-Type: application/json' -d '{"model":"'"$o"'","messages":'"$question"'}'
says 'data: .*12 kilometres.*data: \[DONE\]' get "$url/v1/chat/completions" -H 'Content-Type: application/json' -d '{"model":"'"$o"'","stream":true,"messages":'"$question"'}'
says "$o" get "$url/api/tags"
says '12 kilometres' get "$url/api/chat" -H 'Content-Type: application/json' -d '{"model":"'"$o"'","stream":false,"messages":'"$question"'}'
refused 22 'There is no model .*nobody' get "$url/v1/chat/completions" -H 'Content-Type: application/json' -d '{"model":"nobody","messages":'"$question"'}'
