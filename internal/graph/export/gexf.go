package export

import (
	"bufio"
	"strconv"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// gexf writes GEXF 1.2draft, the format of Gephi that most programs read.
type gexf struct {
	text
	edges int
	began bool // the edges have
}

func newGEXF(w *bufio.Writer, about questions.Completeness) Writer {
	g := &gexf{text: text{w}}
	said := "complete"
	if !about.Complete {
		said = "incomplete: " + about.Missing
	}
	g.put(xmlHead, `<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">`, "\n",
		`<meta><creator>Kappa</creator><description>`, escaped(said), `</description></meta>`, "\n",
		`<graph defaultedgetype="directed">`, "\n", `<attributes class="node">`, "\n")
	for _, p := range nodeSchema() {
		kind := p.kind
		if kind == "int" {
			kind = "integer"
		}
		g.put(`<attribute id="`, p.name, `" title="`, p.name, `" type="`, kind, `"/>`, "\n")
	}
	g.put("</attributes>\n", `<attributes class="edge">`, "\n", `<attribute id="relationship_type" title="relationship_type" type="string"/>`, "\n", "</attributes>\n<nodes>\n")
	return g
}

func (g *gexf) Node(n questions.GraphNode) error {
	g.put(`<node id="`, escaped(n.ConceptID), `" label="`, escaped(n.Label), `"><attvalues>`)
	for _, p := range nodeProperties(n) {
		g.put(`<attvalue for="`, p.name, `" value="`, escaped(p.value), `"/>`)
	}
	g.put("</attvalues></node>\n")
	return g.failed()
}

func (g *gexf) Edge(e questions.SubgraphEdge) error {
	g.beginEdges()
	g.put(`<edge id="`, strconv.Itoa(g.edges), `" source="`, escaped(e.FromID), `" target="`, escaped(e.ToID),
		`" label="`, escaped(e.Type), `" weight="`, number(e.Confidence), `"><attvalues><attvalue for="relationship_type" value="`, escaped(e.Type), `"/></attvalues></edge>`, "\n")
	g.edges++
	return g.failed()
}

func (g *gexf) Close() error {
	g.beginEdges()
	g.put("</edges>\n</graph>\n</gexf>\n")
	return g.flushed()
}

func (g *gexf) beginEdges() {
	if !g.began {
		g.began = true
		g.put("</nodes>\n<edges>\n")
	}
}
