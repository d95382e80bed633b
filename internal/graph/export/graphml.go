package export

import (
	"bufio"
	"encoding/json"
	"strconv"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// graphML writes GraphML 1.0.
type graphML struct {
	text
	evidence bool // relationships have their sentences, as JSON
}

func newGraphML(w *bufio.Writer, about questions.Completeness, evidence bool) Writer {
	g := graphML{text{w}, evidence}
	g.put(xmlHead, `<graphml xmlns="http://graphml.graphdrawing.org/xmlns">`, "\n")
	g.key("complete", "graph", "boolean")
	g.key("missing", "graph", "string")
	g.key("label", "node", "string")
	for _, p := range nodeSchema() {
		g.key(p.name, "node", p.kind)
	}
	g.key("relationship_type", "edge", "string")
	g.key("confidence", "edge", "double")
	if evidence {
		g.key("evidence", "edge", "string")
	}
	g.put(`<graph id="graph" edgedefault="directed">`, "\n")
	g.data("complete", strconv.FormatBool(about.Complete))
	g.data("missing", about.Missing)
	return g
}

func (g graphML) key(name, of, kind string) {
	g.put(`<key id="`, name, `" for="`, of, `" attr.name="`, name, `" attr.type="`, kind, `"/>`, "\n")
}

func (g graphML) data(key, value string) {
	g.put(`<data key="`, key, `">`, escaped(value), `</data>`)
}

func (g graphML) Node(n questions.GraphNode) error {
	g.put("\n", `<node id="`, escaped(n.ConceptID), `">`)
	g.data("label", n.Label)
	for _, p := range nodeProperties(n) {
		g.data(p.name, p.value)
	}
	g.put(`</node>`)
	return g.failed()
}

func (g graphML) Edge(e questions.SubgraphEdge) error {
	g.put("\n", `<edge source="`, escaped(e.FromID), `" target="`, escaped(e.ToID), `">`)
	g.data("relationship_type", e.Type)
	g.data("confidence", number(e.Confidence))
	if g.evidence {
		sentences, err := json.Marshal(sentencesOf(e))
		if err != nil {
			return err
		}
		g.data("evidence", string(sentences))
	}
	g.put(`</edge>`)
	return g.failed()
}

func (g graphML) Close() error {
	g.put("\n</graph>\n</graphml>\n")
	return g.flushed()
}
