package export

import (
	"bufio"
	"encoding/json"
	"strings"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// jsonWriter writes one object: the completeness, nodes and edges.
type jsonWriter struct {
	text
	edges bool // the list of edges has begun
	first bool // of its list
}

func newJSON(w *bufio.Writer, about questions.Completeness) (Writer, error) {
	head, err := json.Marshal(about)
	if err != nil {
		return nil, err
	}
	j := &jsonWriter{text: text{w}, first: true}
	j.put(strings.TrimSuffix(string(head), "}"), `,"nodes":[`)
	return j, nil
}

func (j *jsonWriter) Node(n questions.GraphNode) error { return j.item(n) }

func (j *jsonWriter) Edge(e questions.SubgraphEdge) error {
	j.beginEdges()
	return j.item(e)
}

func (j *jsonWriter) Close() error {
	j.beginEdges()
	j.put("\n]}\n")
	return j.flushed()
}

func (j *jsonWriter) beginEdges() {
	if !j.edges {
		j.put("\n],\"edges\":[")
		j.edges, j.first = true, true
	}
}

func (j *jsonWriter) item(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if !j.first {
		j.put(",")
	}
	j.first = false
	j.put("\n", string(line))
	return j.failed()
}
