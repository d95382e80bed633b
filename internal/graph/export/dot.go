package export

import (
	"bufio"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// dot writes the language of Graphviz.
type dot struct{ text }

func newDOT(w *bufio.Writer, about questions.Completeness) Writer {
	d := dot{text{w}}
	d.put("digraph kappa {\n  graph [complete=", strconv.FormatBool(about.Complete), ", missing=", quoted(about.Missing), "];\n")
	return d
}

func (d dot) Node(n questions.GraphNode) error {
	d.put("  ", quoted(n.ConceptID), " [label=", quoted(n.Label))
	if n.Description != nil {
		d.put(", tooltip=", quoted(*n.Description))
	}
	d.put(", degree=", strconv.Itoa(n.Degree), "];\n")
	return d.failed()
}

func (d dot) Edge(e questions.SubgraphEdge) error {
	d.put("  ", quoted(e.FromID), " -> ", quoted(e.ToID), " [label=", quoted(e.Type), ", weight=", number(e.Confidence), "];\n")
	return d.failed()
}

func (d dot) Close() error {
	d.put("}\n")
	return d.flushed()
}

// quoted returns s as a string of DOT. A backslash is doubled, since labels know
// escapes such as \N, and every line end is one of theirs.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`, "\x00", "\uFFFD").Replace(s) + `"`
}
