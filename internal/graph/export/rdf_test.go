package export

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// quad is a line of N-Quads, by its grammar (W3C, RDF 1.1 N-Quads) without blank nodes and languages.
var quad = regexp.MustCompile(`^<([^<>"{}|^` + "`" + `\\\x00-\x20]+)> <([^<>"{}|^` + "`" + `\\\x00-\x20]+)> (?:<([^<>"{}|^` + "`" + `\\\x00-\x20]+)>|("(?:[^"\\\n\r]|\\[tbnrf"'\\]|\\u[0-9A-F]{4})*")(?:\^\^<([^<>]+)>)?)( <urn:kappa:ontology:[^<>]+>)? \.$`)

func withEvidence() ([]questions.GraphNode, []questions.SubgraphEdge) {
	nodes, edges := sample()
	for i := range edges {
		edges[i].Evidence = []knowledge.EdgeEvidence{{
			Evidence: knowledge.Evidence{Quote: hostile[i], Document: "ops & <more>", DocumentID: "sha256:1", Filename: new("a b.md"), Span: corpus.Span{Start: i, End: i + 9}}, Confidence: 0.5,
		}}
	}
	return nodes, edges
}

func TestNQuads(t *testing.T) {
	nodes, edges := withEvidence()
	body := string(written(t, questions.ExportNQuads, nodes, edges))
	labels, quotes, relationships, titles := map[string]string{}, 0, 0, 0
	for line := range strings.Lines(body) {
		m := quad.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Fatalf("%q is no quad", line)
		}
		text, err := strconv.Unquote(m[4])
		if m[4] != "" && err != nil {
			t.Errorf("%s: %v", m[4], err)
		}
		switch {
		case strings.HasSuffix(m[2], "#prefLabel"):
			labels[m[1]] = text
		case strings.HasSuffix(m[2], "prov#value"):
			quotes++
			if m[6] != " <urn:kappa:ontology:ops%20%26%20%3Cmore%3E>" {
				t.Errorf("a quote is in the graph%s", m[6])
			}
		case m[2] == "urn:kappa:type:PART_OF":
			relationships++
		case strings.HasSuffix(m[2], "terms/title"):
			titles++
		}
	}
	if len(labels) != len(nodes) || quotes != len(edges) || relationships != len(edges) || titles != 1 {
		t.Errorf("%d labels, %d quotes, %d relationships, %d titles", len(labels), quotes, relationships, titles)
	}
	for i, label := range hostile {
		want := strings.ReplaceAll(strings.ToValidUTF8(label, "\uFFFD"), "\x00", "\uFFFD")
		if got := labels["urn:kappa:concept:c_"+strconv.Itoa(i)]; got != want {
			t.Errorf("%q is %q", want, got)
		}
	}
	if !strings.Contains(body, `<urn:kappa:export> <urn:kappa:term:complete> "false"^^<http://www.w3.org/2001/XMLSchema#boolean> .`) {
		t.Error("it does not say that it is incomplete")
	}
}

func TestTurtle(t *testing.T) {
	nodes, edges := withEvidence()
	body := string(written(t, questions.ExportTurtle, nodes[:2], edges[:1]))
	for _, want := range []string{
		"@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n",
		"<urn:kappa:concept:c_0> rdf:type skos:Concept ;\n  skos:prefLabel \"lane\" ;\n",
		"<urn:kappa:concept:c_1> <urn:kappa:type:PART_OF> <urn:kappa:concept:c_0> .\n",
		"<urn:kappa:statement:c_1%20PART_OF%20c_0> rdf:type rdf:Statement ;\n",
		"  prov:wasDerivedFrom <urn:kappa:quote:sha256:1:0-9> .\n",
		"<urn:kappa:quote:sha256:1:0-9> rdf:type prov:Entity ;\n  prov:value \"lane\" ;\n  prov:wasQuotedFrom <urn:kappa:document:sha256:1> ;\n",
		"<urn:kappa:document:sha256:1> rdf:type prov:Entity ;\n  dcterms:title \"a b.md\" ;\n",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s\nlacks %s", body, want)
		}
	}
	// The same triples as N-Quads, which have no prefixes.
	lines := strings.Count(string(written(t, questions.ExportNQuads, nodes[:2], edges[:1])), "\n")
	if facts := strings.Count(body, " ;\n") + strings.Count(body, " .\n") - strings.Count(body, "@prefix"); facts != lines {
		t.Errorf("%d facts, and %d quads", facts, lines)
	}
}
