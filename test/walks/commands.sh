#!/bin/sh
# Somebody tries the commands that they expect, and gets some of them wrong.
. "$(dirname "$0")/walk.sh"
echo 'A glacier is a mass of ice. Glaciers carve valleys.' >ice.md
says 'completed' kg ingest ice.md --ontology "$o" --wait
says '[Gg]lacier' kg search glacier
says 'mass of ice' kg ask 'What is a glacier?' --ontology "$o"
says '"question"|"passages"' kg ask 'What is a glacier?' --ontology "$o" -o json
says "ontology: $o" kg ontology list -o yaml
says "$o" kg ontology list -o csv
says "$o" kg ontology list -o name
says "$o" kg ontology list --columns ontology
refused 2 'did you mean: kg search' kg serach glacier
refused 2 'did you mean: kg auth whoami' kg whoami
refused 2 'unknown flag|--colour' kg ask 'What?' --colour
refused 1 'no such file' kg ingest nothing-here.md --ontology "$o"
refused 3 'not found|Not found' kg jobs status job_000000000000
never '\[[0-9;]*m' kg ontology list
