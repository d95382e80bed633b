#!/bin/sh
# Somebody writes a program against the HTTP API. It needs curl and Python.
. "$(dirname "$0")/walk.sh"
key=$(kg auth keys create "walk-program-$$" --expires-in 1h 2>/dev/null | grep -o 'kgk_[0-9a-f_]*')
url=$(address)
call() { curl -sS --fail-with-body -H "Authorization: Bearer $key" "$@"; }
member() { python3 -c 'import json,sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
says '"openapi": ?"3' curl -sS "$url/openapi.json"
job=$(call "$url/ingest/text" -H "Idempotency-Key: walk-$$" -F 'text=The dam of Kelso holds 3 million cubic metres.' -F "ontology=$o" -F 'filename=dam.md' -F 'auto_approve=true' | member job_id)
again=$(call "$url/ingest/text" -H "Idempotency-Key: walk-$$" -F 'text=The dam of Kelso holds 3 million cubic metres.' -F "ontology=$o" -F 'filename=dam.md' -F 'auto_approve=true' | member job_id)
[ "$job" = "$again" ] || { echo "FAILED: the same request made $job and $again" >&2 && exit 1; }
for try in $(seq 100); do
  case $(call "$url/jobs/$job" | member status) in completed) break ;; failed | cancelled) echo 'FAILED: the job' >&2 && exit 1 ;; esac
  sleep 0.3
done
says '3 million cubic metres' call "$url/query/ask" -H 'Content-Type: application/json' -d '{"question":"How much does the dam of Kelso hold?","ontology":"'"$o"'"}'
says 'event: ' call --max-time 20 "$url/jobs/$job/stream"
refused 22 'application/problem|"status": ?422.*question' call "$url/query/ask" -H 'Content-Type: application/json' -d '{"question":""}'
refused 22 '401|Not authenticated' curl -sS --fail-with-body "$url/jobs"
refused 22 'Allow|405|not allowed' call -X PUT "$url/jobs"
