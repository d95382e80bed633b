package export

import (
	"archive/zip"
	"bufio"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// csvWriter writes a zip archive of nodes.csv, edges.csv and about.json. The sentences that
// state a relationship stand in its row, in three columns for each.
type csvWriter struct {
	below   *bufio.Writer
	archive *zip.Writer
	table   *csv.Writer
	edges   bool // the table is that of the edges
	about   questions.Completeness

	sentences int // columns for them: three for each
}

func newCSV(w *bufio.Writer, about questions.Completeness, evidence bool) (Writer, error) {
	c := &csvWriter{below: w, archive: zip.NewWriter(w), about: about}
	if evidence {
		c.sentences = knowledge.SampleEdgeEvidence
	}
	return c, c.begin("nodes.csv", "concept_id", "label", "description", "degree", "confidence_level", "confidence_score", "grounding_strength")
}

// begin begins the next table of the archive.
func (c *csvWriter) begin(name string, columns ...string) error {
	if err := c.end(); err != nil {
		return err
	}
	file, err := c.archive.Create(name)
	if err != nil {
		return err
	}
	c.table = csv.NewWriter(file)
	return c.table.Write(columns)
}

func (c *csvWriter) end() error {
	if c.table == nil {
		return nil
	}
	c.table.Flush()
	return c.table.Error()
}

func (c *csvWriter) Node(n questions.GraphNode) error {
	properties := map[string]string{}
	for _, p := range nodeProperties(n) {
		properties[p.name] = p.value
	}
	return c.table.Write([]string{
		n.ConceptID, harmless(n.Label), harmless(properties["description"]), strconv.Itoa(n.Degree),
		properties["confidence_level"], properties["confidence_score"], properties["grounding_strength"],
	})
}

func (c *csvWriter) Edge(e questions.SubgraphEdge) error {
	if err := c.beginEdges(); err != nil {
		return err
	}
	cells := []string{e.FromID, e.ToID, e.Type, number(e.Confidence)}
	for i := range c.sentences {
		if i >= len(e.Evidence) {
			cells = append(cells, "", "", "")
			continue
		}
		s := sentenceOf(e.Evidence[i])
		cells = append(cells, harmless(s.Quote), s.DocumentID, strconv.Itoa(s.Start)+"-"+strconv.Itoa(s.End))
	}
	return c.table.Write(cells)
}

func (c *csvWriter) beginEdges() error {
	if c.edges {
		return nil
	}
	c.edges = true
	columns := []string{"from_concept_id", "to_concept_id", "relationship_type", "confidence"}
	for i := range c.sentences {
		n := strconv.Itoa(i + 1)
		columns = append(columns, "quote_"+n, "document_id_"+n, "bytes_"+n)
	}
	return c.begin("edges.csv", columns...)
}

func (c *csvWriter) Close() error {
	if err := c.beginEdges(); err != nil {
		return err
	}
	if err := c.end(); err != nil {
		return err
	}
	about, err := c.archive.Create("about.json")
	if err != nil {
		return err
	}
	if err := json.NewEncoder(about).Encode(c.about); err != nil {
		return err
	}
	if err := c.archive.Close(); err != nil {
		return err
	}
	return c.below.Flush()
}

// harmless returns text that no spreadsheet takes for a formula: one that begins like
// a formula gets an apostrophe, which spreadsheets do not show.
func harmless(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r\n|%", rune(s[0])) {
		return "'" + s
	}
	return s
}
