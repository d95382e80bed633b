#!/bin/sh
# Somebody's document has changed: what it says now, what it said before, and what is gone.
. "$(dirname "$0")/walk.sh"
echo 'The lighthouse is 40 metres high. Ada Lind keeps the lighthouse.' >tower.md
says 'completed' kg ingest tower.md --ontology "$o" --wait
sleep 1 # a moment at which it stood
before=$(date -u +%Y-%m-%dT%H:%M:%SZ)
sleep 1
echo 'The lighthouse is 42 metres high. Jonas Petri keeps the lighthouse.' >tower.md
says 'completed' kg ingest tower.md --ontology "$o" --wait
says '42 metres' kg ask 'How high is the lighthouse?' --ontology "$o"
never '40 metres' kg ask 'How high is the lighthouse?' --ontology "$o"
says '40 metres' kg ask 'How high is the lighthouse?' --ontology "$o" --as-of "$before"
says ' 2 .* 1 ' kg document versions tower.md --ontology "$o"
says '40 metres' kg document show tower.md --version 1 --ontology "$o"
says 'Jonas Petri' kg document compare tower.md --ontology "$o"
says 'tower.md' kg changes --since "$before" --ontology "$o"
says 'would go' kg document delete tower.md --ontology "$o" --dry-run
says "$o" kg document delete tower.md --ontology "$o" --yes
never '42 metres' kg ask 'How high is the lighthouse?' --ontology "$o"
