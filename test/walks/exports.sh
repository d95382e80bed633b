#!/bin/sh
# Somebody opens the graph in other programs. It needs Python's networkx and rdflib.
. "$(dirname "$0")/walk.sh"
echo 'Clara Holm founded Holm Works in 1889. Holm Works is based in Varn. Clara Holm was born in Lower Moor.' >holm.md
says 'completed' kg ingest holm.md --ontology "$o" --wait
for format in gexf graphml turtle nquads csv dot; do
  says '' kg graph export --ontology "$o" --format "$format" --file "graph.$format"
  test -s "graph.$format" || { echo "FAILED: graph.$format is empty" >&2 && exit 1; }
done
says 'Clara Holm -> Holm Works' python3 -c '
import networkx
for g in networkx.read_gexf("graph.gexf"), networkx.read_graphml("graph.graphml"):
    names = {n: d.get("label", n) for n, d in g.nodes(data=True)}
    print(len(names), "nodes", [names[a] + " -> " + names[b] for a, b in g.edges()])'
says '[1-9][0-9]* triples, labels .*Clara Holm' python3 -c '
import rdflib
g = rdflib.Graph().parse("graph.turtle", format="turtle")
q = rdflib.Dataset(); q.parse("graph.nquads", format="nquads")
print(len(g), "triples, labels", sorted(str(o) for o in g.objects(None, rdflib.SKOS.prefLabel)))'
refused 2 'format' kg graph export --ontology "$o" --format word
