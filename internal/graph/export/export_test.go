package export

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// hostile are labels that mean something to one of the formats.
var hostile = []string{
	"lane", `a "quoted" <b>&amp;</b> 'label'`, "two\nlines\r\nand\ttab", `=HYPERLINK("http://x","y")`, "+1", "-1", "@SUM(A1)",
	`\N \"]; evil [label="`, "]]> <!-- --> <?x?>", "a,b;c", "”Ünïcödé “ 漢字 🜚", "bell \a and \x00", "\xff not UTF-8", "", `"`, `\`,
}

// sample is a graph of a node for each hostile label, in a chain.
func sample() (nodes []questions.GraphNode, edges []questions.SubgraphEdge) {
	for i, label := range hostile {
		n := questions.GraphNode{ConceptID: "c_" + strconv.Itoa(i), Label: label, Degree: i, Grounding: knowledge.Support{Sources: 1}.Grounding(nil)}
		if i%2 == 1 {
			n.Description = &hostile[i]
			n.Strength = new(-0.25)
		}
		nodes = append(nodes, n)
		if i > 0 {
			edges = append(edges, questions.SubgraphEdge{FromID: "c_" + strconv.Itoa(i), ToID: "c_" + strconv.Itoa(i-1), Type: "PART_OF", Confidence: 0.35})
		}
	}
	return nodes, edges
}

func written(t *testing.T, format questions.ExportFormat, nodes []questions.GraphNode, edges []questions.SubgraphEdge) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := New(&b, format, questions.Completeness{Truncated: true, Missing: `<more> "concepts"`}, len(edges) > 0 && edges[0].Evidence != nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		if err := w.Node(n); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range edges {
		if err := w.Edge(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readable returns s as a format can hold it that has no invalid characters.
func readable(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, s)
}

func TestJSON(t *testing.T) {
	nodes, edges := sample()
	var got struct {
		questions.Completeness
		Nodes []questions.GraphNode
		Edges []questions.SubgraphEdge
	}
	if err := json.Unmarshal(written(t, questions.ExportJSON, nodes, edges), &got); err != nil {
		t.Fatal(err)
	}
	if got.Complete || !got.Truncated || got.Missing != `<more> "concepts"` || len(got.Nodes) != len(nodes) || !reflect.DeepEqual(got.Edges, edges) {
		t.Errorf("got %+v", got)
	}
	for i, n := range got.Nodes {
		if n.Label != strings.ToValidUTF8(hostile[i], "\uFFFD") || n.Degree != i || n.ConceptID != nodes[i].ConceptID {
			t.Errorf("node %d: %+v", i, n)
		}
	}
}

func TestGraphML(t *testing.T) {
	nodes, edges := sample()
	type data struct {
		Key   string `xml:"key,attr"`
		Value string `xml:",chardata"`
	}
	var got struct {
		XMLName xml.Name
		Keys    []struct {
			ID  string `xml:"id,attr"`
			For string `xml:"for,attr"`
		} `xml:"key"`
		Graph struct {
			Directed string `xml:"edgedefault,attr"`
			Data     []data `xml:"data"`
			Nodes    []struct {
				ID   string `xml:"id,attr"`
				Data []data `xml:"data"`
			} `xml:"node"`
			Edges []struct {
				From string `xml:"source,attr"`
				To   string `xml:"target,attr"`
				Data []data `xml:"data"`
			} `xml:"edge"`
		} `xml:"graph"`
	}
	if err := xml.Unmarshal(written(t, questions.ExportGraphML, nodes, edges), &got); err != nil {
		t.Fatal(err)
	}
	if got.XMLName.Space != "http://graphml.graphdrawing.org/xmlns" || got.Graph.Directed != "directed" || len(got.Graph.Nodes) != len(nodes) || len(got.Graph.Edges) != len(edges) {
		t.Fatalf("got %+v", got)
	}
	known := map[string]bool{}
	for _, k := range got.Keys {
		known[k.For+" "+k.ID] = true
	}
	value := func(of string, list []data, key string) string {
		for _, d := range list {
			if !known[of+" "+d.Key] {
				t.Errorf("the key %s of a %s is not declared", d.Key, of)
			}
			if d.Key == key {
				return d.Value
			}
		}
		return "missing"
	}
	if value("graph", got.Graph.Data, "complete") != "false" || value("graph", got.Graph.Data, "missing") != `<more> "concepts"` {
		t.Errorf("graph: %v", got.Graph.Data)
	}
	for i, n := range got.Graph.Nodes {
		if n.ID != nodes[i].ConceptID || value("node", n.Data, "label") != readable(hostile[i]) || value("node", n.Data, "degree") != strconv.Itoa(i) {
			t.Errorf("node %d: %+v", i, n)
		}
	}
	for i, e := range got.Graph.Edges {
		if e.From != edges[i].FromID || e.To != edges[i].ToID || value("edge", e.Data, "relationship_type") != "PART_OF" || value("edge", e.Data, "confidence") != "0.35" {
			t.Errorf("edge %d: %+v", i, e)
		}
	}
}

func TestGEXF(t *testing.T) {
	nodes, edges := sample()
	var got struct {
		XMLName xml.Name
		About   string `xml:"meta>description"`
		Nodes   []struct {
			ID     string `xml:"id,attr"`
			Label  string `xml:"label,attr"`
			Values []struct {
				For   string `xml:"for,attr"`
				Value string `xml:"value,attr"`
			} `xml:"attvalues>attvalue"`
		} `xml:"graph>nodes>node"`
		Edges []struct {
			ID     string  `xml:"id,attr"`
			From   string  `xml:"source,attr"`
			To     string  `xml:"target,attr"`
			Label  string  `xml:"label,attr"`
			Weight float64 `xml:"weight,attr"`
		} `xml:"graph>edges>edge"`
	}
	if err := xml.Unmarshal(written(t, questions.ExportGEXF, nodes, edges), &got); err != nil {
		t.Fatal(err)
	}
	if got.XMLName.Space != "http://www.gexf.net/1.2draft" || got.About != `incomplete: <more> "concepts"` || len(got.Nodes) != len(nodes) || len(got.Edges) != len(edges) {
		t.Fatalf("got %+v", got)
	}
	for i, n := range got.Nodes {
		if n.ID != nodes[i].ConceptID || n.Label != readable(hostile[i]) || n.Values[0].For != "degree" || n.Values[0].Value != strconv.Itoa(i) {
			t.Errorf("node %d: %+v", i, n)
		}
	}
	for i, e := range got.Edges {
		if e.ID != strconv.Itoa(i) || e.From != edges[i].FromID || e.To != edges[i].ToID || e.Label != "PART_OF" || e.Weight != 0.35 {
			t.Errorf("edge %d: %+v", i, e)
		}
	}
}

func TestDOT(t *testing.T) {
	nodes, edges := sample()
	lines := strings.Split(strings.TrimSuffix(string(written(t, questions.ExportDOT, nodes, edges)), "\n"), "\n")
	if len(lines) != len(nodes)+len(edges)+3 || lines[0] != "digraph kappa {" || lines[len(lines)-1] != "}" {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for i := range nodes {
		line := lines[2+i]
		rest, ok := strings.CutPrefix(line, `  "c_`+strconv.Itoa(i)+`" [label=`)
		if !ok {
			t.Errorf("line %q", line)
			continue
		}
		label, rest := unquoted(t, rest)
		want := strings.NewReplacer("\r\n", `\n`, "\n", `\n`, `\`, `\\`, "\x00", "\uFFFD").Replace(hostile[i])
		if label != want || !strings.HasSuffix(rest, "];") {
			t.Errorf("label %q, want %q, and then %q", label, want, rest)
		}
	}
	if want := `  "c_1" -> "c_0" [label="PART_OF", weight=0.35];`; lines[2+len(nodes)] != want {
		t.Errorf("got %q, want %q", lines[2+len(nodes)], want)
	}
}

// unquoted reads a quoted string as Graphviz does: only a quote is escaped there.
func unquoted(t *testing.T, s string) (value, rest string) {
	t.Helper()
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], `\"`):
			b.WriteByte('"')
			i++
		case strings.HasPrefix(s[i:], `\\`): // stays two: labels know escapes of their own
			b.WriteString(`\\`)
			i++
		case s[i] == '"':
			return b.String(), s[i+1:]
		default:
			b.WriteByte(s[i])
		}
	}
	t.Errorf("%q does not end", s)
	return "", ""
}

func TestCSV(t *testing.T) {
	nodes, edges := sample()
	body := written(t, questions.ExportCSV, nodes, edges)
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		f, err := archive.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	rows := func(name string) [][]string {
		list, err := csv.NewReader(bytes.NewReader(read(name))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return list[1:]
	}
	for i, row := range rows("nodes.csv") {
		label := row[1]
		if label != "" && strings.ContainsRune("=+-@\t", rune(label[0])) {
			t.Errorf("a spreadsheet takes %q for a formula", label)
		}
		want := strings.ReplaceAll(hostile[i], "\r\n", "\n") // as encoding/csv reads it
		if row[0] != nodes[i].ConceptID || strings.TrimPrefix(label, "'") != want || row[3] != strconv.Itoa(i) || i%2 == 1 && row[6] != "-0.25" {
			t.Errorf("row %d: %q", i, row)
		}
	}
	for i, row := range rows("edges.csv") {
		if want := []string{edges[i].FromID, edges[i].ToID, "PART_OF", "0.35"}; !slices.Equal(row, want) {
			t.Errorf("row %d: %q, want %q", i, row, want)
		}
	}
	var about questions.Completeness
	if err := json.Unmarshal(read("about.json"), &about); err != nil || !about.Truncated {
		t.Errorf("about %+v, %v", about, err)
	}
}

// TestEvidence wants the sentences of relationships in the formats that have a place for
// them, with hostile letters as each format wants them.
func TestEvidence(t *testing.T) {
	nodes, edges := sample()
	for i := range edges {
		edges[i].Evidence = []knowledge.EdgeEvidence{}
		for n := range 1 + i%3 {
			edges[i].Evidence = append(edges[i].Evidence, knowledge.EdgeEvidence{
				Evidence: knowledge.Evidence{Quote: hostile[i], Document: "ops", DocumentID: "sha256:1", Filename: new("a.md"), Span: corpus.Span{Start: n, End: n + 9}},
				Before:   &knowledge.SentenceBefore{Quote: "before"}, Confidence: 0.5,
			})
		}
	}
	legible := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
	t.Run("json", func(t *testing.T) {
		var got struct{ Edges []questions.SubgraphEdge }
		if err := json.Unmarshal(written(t, questions.ExportJSON, nodes, edges), &got); err != nil {
			t.Fatal(err)
		}
		for i, e := range got.Edges {
			if len(e.Evidence) != 1+i%3 || e.Evidence[0].Quote != legible(hostile[i]) {
				t.Errorf("%+v", e.Evidence)
			}
		}
	})
	t.Run("graphml", func(t *testing.T) {
		var got struct {
			Edges []struct {
				Data []struct {
					Key  string `xml:"key,attr"`
					Text string `xml:",chardata"`
				} `xml:"data"`
			} `xml:"graph>edge"`
		}
		if err := xml.Unmarshal(written(t, questions.ExportGraphML, nodes, edges), &got); err != nil {
			t.Fatal(err)
		}
		for i, e := range got.Edges {
			var list []sentence
			if d := e.Data[2]; d.Key != "evidence" || json.Unmarshal([]byte(d.Text), &list) != nil || len(list) != 1+i%3 || list[0].Quote != legible(hostile[i]) || list[0].Before != "before" || list[0].End != 9 {
				t.Errorf("%+v: %+v", e, list)
			}
		}
	})
	t.Run("csv", func(t *testing.T) {
		body := written(t, questions.ExportCSV, nodes, edges)
		archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
		if err != nil {
			t.Fatal(err)
		}
		file, err := archive.Open("edges.csv")
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(file).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if want := "quote_1,document_id_1,bytes_1,quote_2,document_id_2,bytes_2,quote_3,document_id_3,bytes_3"; strings.Join(rows[0][4:], ",") != want {
			t.Errorf("columns %q", rows[0])
		}
		for i, row := range rows[1:] {
			if want := strings.ReplaceAll(hostile[i], "\r\n", "\n"); strings.TrimPrefix(row[4], "'") != want || row[5] != "sha256:1" || row[6] != "0-9" || (row[8] != "") != (i%3 > 0) {
				t.Errorf("row %d: %q", i, row)
			}
			if row[4] != "" && strings.ContainsRune("=+-@\t", rune(row[4][0])) {
				t.Errorf("a spreadsheet takes %q for a formula", row[4])
			}
		}
	})
	for _, format := range []questions.ExportFormat{questions.ExportGEXF, questions.ExportDOT} {
		if body := written(t, format, nodes, edges); strings.Contains(string(body), "sha256:1") {
			t.Errorf("%s has quotes", format)
		}
	}
}

// broken fails after some bytes.
type broken struct{ left int }

var errFull = errors.New("full")

func (b *broken) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestEveryFormat(t *testing.T) {
	for _, format := range questions.ExportFormats() {
		if format == questions.ExportParquet {
			continue // is made of tables, see TestTables
		}
		t.Run(string(format)+": a graph of nothing is one too", func(t *testing.T) {
			body := written(t, format, nil, nil)
			switch format {
			case questions.ExportGraphML, questions.ExportGEXF:
				if err := xml.Unmarshal(body, new(struct{})); err != nil {
					t.Error(err)
				}
			case questions.ExportJSON:
				if !json.Valid(body) || !strings.Contains(string(body), `"nodes":[`) {
					t.Errorf("%s", body)
				}
			case questions.ExportTurtle, questions.ExportNQuads:
				if !strings.HasSuffix(string(body), " .\n") {
					t.Errorf("%s", body)
				}
			default:
				if len(body) == 0 {
					t.Error("nothing was written")
				}
			}
		})
		t.Run(string(format)+": what cannot be written is reported", func(t *testing.T) {
			w, err := New(&broken{left: 100_000}, format, questions.Completeness{}, false)
			long := questions.GraphNode{ConceptID: "c_1", Label: strings.Repeat("long ", 100)}
			for i := 0; err == nil && i < 100_000; i++ {
				long.Label = strconv.Itoa(i*7919) + long.Label[:200]
				err = w.Node(long)
			}
			if !errors.Is(err, errFull) {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := New(io.Discard, "xls", questions.Completeness{}, false); err == nil {
		t.Error("an unknown format is no error")
	}
}
