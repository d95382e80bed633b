package export

import (
	"archive/zip"
	"bufio"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa"
)

// csvWriter writes a zip archive of nodes.csv, edges.csv and about.json.
type csvWriter struct {
	below   *bufio.Writer
	archive *zip.Writer
	table   *csv.Writer
	edges   bool // the table is that of the edges
	about   kappa.Completeness
}

func newCSV(w *bufio.Writer, about kappa.Completeness) (Writer, error) {
	c := &csvWriter{below: w, archive: zip.NewWriter(w), about: about}
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

func (c *csvWriter) Node(n kappa.GraphNode) error {
	properties := map[string]string{}
	for _, p := range nodeProperties(n) {
		properties[p.name] = p.value
	}
	return c.table.Write([]string{
		n.ConceptID, harmless(n.Label), harmless(properties["description"]), strconv.Itoa(n.Degree),
		properties["confidence_level"], properties["confidence_score"], properties["grounding_strength"],
	})
}

func (c *csvWriter) Edge(e kappa.SubgraphEdge) error {
	if err := c.beginEdges(); err != nil {
		return err
	}
	return c.table.Write([]string{e.FromID, e.ToID, e.Type, number(e.Confidence)})
}

func (c *csvWriter) beginEdges() error {
	if c.edges {
		return nil
	}
	c.edges = true
	return c.begin("edges.csv", "from_concept_id", "to_concept_id", "relationship_type", "confidence")
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
