package questions

import (
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// ExportFormat is a form in which a graph can be exported.
type ExportFormat string

// The formats. CSV is a zip archive of nodes.csv, edges.csv and about.json, and Parquet one of
// a file for each of the GraphTables and about.json, or the file of one of them.
const (
	ExportJSON    ExportFormat = "json"
	ExportGraphML ExportFormat = "graphml"
	ExportGEXF    ExportFormat = "gexf"
	ExportDOT     ExportFormat = "dot"
	ExportCSV     ExportFormat = "csv"
	ExportTurtle  ExportFormat = "turtle"
	ExportNQuads  ExportFormat = "nquads"
	ExportParquet ExportFormat = "parquet"
)

// ExportFormats returns all of them.
func ExportFormats() []ExportFormat {
	return []ExportFormat{ExportJSON, ExportGraphML, ExportGEXF, ExportDOT, ExportCSV, ExportTurtle, ExportNQuads, ExportParquet}
}

// MediaType returns the type of a document in the format.
func (f ExportFormat) MediaType() string {
	switch f {
	case ExportGraphML:
		return "application/graphml+xml"
	case ExportGEXF:
		return "application/gexf+xml"
	case ExportDOT:
		return "text/vnd.graphviz; charset=utf-8"
	case ExportCSV, ExportParquet:
		return "application/zip"
	case ExportTurtle:
		return "text/turtle; charset=utf-8"
	case ExportNQuads:
		return "application/n-quads"
	case ExportJSON:
	}
	return "application/json; charset=utf-8"
}

// HoldsEvidence reports whether a document in the format has the sentences that state
// relationships.
func (f ExportFormat) HoldsEvidence() bool { return f != ExportGEXF && f != ExportDOT }

// FileName returns a name for a file in the format.
func (f ExportFormat) FileName() string {
	switch f {
	case ExportCSV:
		return "graph.csv.zip"
	case ExportParquet:
		return "graph.parquet.zip"
	case ExportTurtle:
		return "graph.ttl"
	case ExportNQuads:
		return "graph.nq"
	case ExportJSON, ExportGraphML, ExportGEXF, ExportDOT:
	}
	return "graph." + string(f)
}

// The ranges and defaults of an export.
const (
	MaxExportSeeds   = 100
	MaxExportLimit   = 50_000
	DefaultSeedLimit = 1_000 // concepts around seeds, unless the caller says otherwise
)

// ExportQuery asks for a part of the graph: what is around some concepts, or an
// ontology, or without either the whole graph.
type ExportQuery struct {
	Format   ExportFormat
	Seeds    []string // concepts; up to 100
	MaxHops  int      // from the nearest seed: 1 to 5
	Ontology string   // not together with seeds
	Types    []string // only these relationship types; empty = all
	// Limit is the number of concepts: 1 to 50,000, or 0 for all of an ontology or
	// graph, and 1,000 around seeds. The nearest to the seeds are kept, otherwise those
	// with the most relationships.
	Limit int
	// IncludeEvidence has the sentences that state each relationship written too, in the
	// formats that can hold them: not in GEXF and DOT. Parquet always has them.
	IncludeEvidence bool
	// Table has that table alone written in Parquet, as a file of its own.
	Table GraphTable
}

// mediaParquet is the type of a single table.
const mediaParquet = "application/vnd.apache.parquet"

// MediaType returns the type of what q asks for.
func (q ExportQuery) MediaType() string {
	if q.Table != "" {
		return mediaParquet
	}
	return q.Format.MediaType()
}

// FileName returns a name for a file of what q asks for.
func (q ExportQuery) FileName() string {
	if q.Table != "" {
		return string(q.Table) + ".parquet"
	}
	return q.Format.FileName()
}

// Validate reports every rule that q breaks, in the names of the API's query.
func (q ExportQuery) Validate() error {
	var r check.Rules
	r.Add("query", "format", check.OneOf(q.Format, ExportFormats()...))
	r.Add("query", "concept_id", check.Range(len(q.Seeds), 0, MaxExportSeeds))
	for i, id := range q.Seeds {
		r.Add("query", "concept_id["+strconv.Itoa(i)+"]", check.ConceptID(id))
	}
	r.Add("query", "max_hops", check.Range(q.MaxHops, 1, MaxRelatedDepth))
	r.Add("query", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	if q.Ontology != "" && len(q.Seeds) > 0 {
		r.Add("query", "ontology", "must not be given together with concept_id")
	}
	addTypes(&r, "query", "relationship_type", q.Types)
	r.Add("query", "table", checkTable(q.Table, q.Format))
	r.Add("query", "limit", check.Range(q.Limit, 0, MaxExportLimit))
	if q.IncludeEvidence && !q.Format.HoldsEvidence() {
		r.Add("query", "include_evidence", "must not be given for "+string(q.Format)+", which has no place for quotes; take json, graphml, csv, turtle, nquads or parquet")
	}
	return r.Err()
}

// EdgeSelection selects the relationships that point away from some concepts.
type EdgeSelection struct {
	From     []int    // the concepts' numbers
	To       []int    // only those that point to these; empty = any
	Ontology int      // only those that were read in it; 0 = all
	Types    []string // only these; empty = all
}
