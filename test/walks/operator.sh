#!/bin/sh
# Somebody has to know what runs, and to sleep at night. It needs curl.
. "$(dirname "$0")/walk.sh"
says 'ok +database' kg doctor
says 'slots in use.*interactive' kg admin workers
says 'KG_DATA_DIR|KG_ADDR' kg admin settings
key=$(kg auth keys create "walk-operator-$$" --scope 'read:*' --expires-in 1h 2>/dev/null | grep -o 'kgk_[0-9a-f_]*')
url=$(address)
says 'kg_' curl -sS -H "Authorization: Bearer $key" "$url/metrics"
says 'ready' curl -sS "$url/readyz"
echo 'The gate is painted green.' >gate.md
says 'submitted' kg ingest gate.md --ontology "$o" --no-approve
says 'awaiting_approval.*until it is approved' kg jobs list --ontology "$o"
job=$(kg jobs list --ontology "$o" -o name | head -n 1)
says 'approval' kg jobs why "${job#job/}"
says '' kg jobs cancel "${job#job/}"
says 'cancelled' kg jobs list --ontology "$o"
says 'ingest|approve|cancel' kg admin audit --limit 20
