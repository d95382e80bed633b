#!/bin/sh
# Somebody has a folder of mixed files, and keeps it and the server the same.
. "$(dirname "$0")/walk.sh"
mkdir -p notes/trips
echo 'The standard ticket costs 14 euros.' >notes/prices.md
printf '<html><title>Hours</title><body><p>The museum opens at nine.</p></body></html>' >notes/hours.html
printf 'room,guide\nblue,Ada Lind\nred,Jonas Petri\n' >notes/rooms.csv
echo 'The ferry leaves from the northern pier.' >notes/trips/README.md
echo 'not for you' >notes/secret.md
printf 'GIF89a' >notes/logo.gif
echo 'secret.md' >notes/.kgignore

says 'new +prices.md.*4 documents to read' kg sync notes --ontology "$o" --dry-run
says 'left out: 1 .gif, 1 ignored' kg sync notes --ontology "$o" --dry-run
says 'submitted|moved' kg sync notes --ontology "$o" --wait
says '14 euros' kg ask 'What does the standard ticket cost?' --ontology "$o"
says 'opens at nine' kg ask 'When does the museum open?' --ontology "$o"
says 'Ada Lind' kg ask 'Who guides through the blue room?' --ontology "$o"
never 'not for you' kg ask 'What is not for you?' --ontology "$o"
says 'unchanged|nothing' kg sync notes --ontology "$o" --wait

echo 'The standard ticket costs 16 euros.' >notes/prices.md
mv notes/trips notes/boats
rm notes/rooms.csv
says 'changed +prices.md' kg sync notes --ontology "$o" --dry-run
says 'moved' kg sync notes --ontology "$o" --dry-run
says 'submitted|moved' kg sync notes --ontology "$o" --delete --wait
says '16 euros' kg ask 'What does the standard ticket cost?' --ontology "$o"
never '14 euros' kg ask 'What does the standard ticket cost?' --ontology "$o"
says 'boats/README.md|README.md' kg ask 'Where does the ferry leave from?' --ontology "$o"
never 'Ada Lind' kg ask 'Who guides through the blue room?' --ontology "$o"
