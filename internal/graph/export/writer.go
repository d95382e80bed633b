package export

import (
	"bufio"
	"fmt"
	"io"

	"github.com/kappagraph/kappa/knowledge/questions"
)

const bufferBytes = 64 << 10

// Writer writes one graph. Every node comes before the first edge. An error is that of
// the writer below; nothing can be written after it.
type Writer interface {
	Node(n questions.GraphNode) error
	Edge(e questions.SubgraphEdge) error
	// Close writes the end. It does not close what is below.
	Close() error
}

// New begins a graph on w. about says whether the graph holds all that was asked for,
// which every format can tell. Evidence says that relationships come with the sentences
// that state them, which GEXF and DOT leave out. Parquet is written by Tables and Table.
func New(w io.Writer, format questions.ExportFormat, about questions.Completeness, evidence bool) (Writer, error) {
	buffered := bufio.NewWriterSize(w, bufferBytes)
	switch format {
	case questions.ExportJSON:
		return newJSON(buffered, about)
	case questions.ExportGraphML:
		return newGraphML(buffered, about, evidence), nil
	case questions.ExportGEXF:
		return newGEXF(buffered, about), nil
	case questions.ExportDOT:
		return newDOT(buffered, about), nil
	case questions.ExportTurtle, questions.ExportNQuads:
		return newRDF(buffered, about, format == questions.ExportNQuads, evidence), nil
	case questions.ExportCSV:
		return newCSV(buffered, about, evidence)
	}
	return nil, fmt.Errorf("export: unknown format %q", format)
}

// text is a buffered writer of text. Its error stays, and is that of its flush.
type text struct{ *bufio.Writer }

func (t text) put(parts ...string) {
	for _, p := range parts {
		_, _ = t.WriteString(p) // stays in t
	}
}

// flushed writes the last of it and returns the first error.
func (t text) flushed() error { return t.Flush() }

// failed returns the error that has stayed, without writing.
func (t text) failed() error {
	_, err := t.Write(nil)
	return err
}
