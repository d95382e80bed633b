package questions

import (
	"time"

	"github.com/kappagraph/kappa/internal/check"
)

// GraphTable names a table of the graph: what an export in Parquet is made of, and what
// questions in SQL are put to.
type GraphTable string

// The tables.
const (
	TableConcepts      GraphTable = "concepts"
	TableRelationships GraphTable = "relationships"
	TableEvidence      GraphTable = "evidence"
	TableDocuments     GraphTable = "documents"
)

// GraphTables returns all of them.
func GraphTables() []GraphTable {
	return []GraphTable{TableConcepts, TableRelationships, TableEvidence, TableDocuments}
}

// TableColumn says what a column of a table holds.
type TableColumn struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // as DuckDB writes it
	Nullable    bool   `json:"nullable"`
	Description string `json:"description"`
}

// The types of columns.
const (
	ColumnText    = "VARCHAR"
	ColumnTexts   = "VARCHAR[]"
	ColumnInteger = "BIGINT"
	ColumnNumber  = "DOUBLE"
	ColumnInstant = "TIMESTAMP WITH TIME ZONE"
)

// TableSchema is a table with its columns.
type TableSchema struct {
	Name        GraphTable    `json:"name"`
	Description string        `json:"description"`
	Columns     []TableColumn `json:"columns"`
}

// Schema returns what the table holds. A change of it is one that users see: columns are
// added behind the last one.
func (t GraphTable) Schema() TableSchema {
	s := TableSchema{Name: t}
	switch t {
	case TableConcepts:
		s.Description, s.Columns = "A row for each concept.", conceptColumns()
	case TableRelationships:
		s.Description, s.Columns = "A row for each relationship, which its ends and its type name.", relationshipColumns()
	case TableEvidence:
		s.Description, s.Columns = "A row for each quote that shows a concept, and for each sentence that states a relationship.", evidenceColumns()
	case TableDocuments:
		s.Description, s.Columns = "A row for each document in each ontology; of one with versions, the version that stands.", documentColumns()
	}
	return s
}

// checkTable returns the rule that a table and a format break together, or "".
func checkTable(t GraphTable, f ExportFormat) string {
	switch {
	case t == "":
		return ""
	case f != ExportParquet:
		return "must be given with the format parquet alone, got " + check.Quote(string(f))
	}
	return check.OneOf(t, GraphTables()...)
}

// TableSelection selects rows of the tables by numbers.
type TableSelection struct {
	Ontologies []int    // only what their documents say; empty = all
	Concepts   []int    // only these, and what is said of them; empty = all
	Types      []string // only relationships of these types; empty = all
}

// ConceptRow is a row of concepts.
type ConceptRow struct {
	ConceptID, Label, Description, CreationMethod string
	SearchTerms, Ontologies                       []string
	Evidence, Documents                           int
	CreatedAt                                     time.Time
}

// RelationshipRow is a row of relationships.
type RelationshipRow struct {
	FromID, FromLabel, Type, Category, ToID, ToLabel string
	Confidence                                       float32
	Ontologies                                       []string
	Evidence, Documents                              int
	CreatedAt                                        time.Time
}

// EvidenceRow is a row of evidence: of a concept, or of a relationship.
type EvidenceRow struct {
	ConceptID, FromID, Type, ToID, Quote string
	Confidence                           *float32
	DocumentID, Ontology, SourceID       string
	ChunkNumber, StartByte, EndByte      int
	CreatedAt                            time.Time
}

// DocumentRow is a row of documents.
type DocumentRow struct {
	DocumentID, Ontology, Filename, Key, SourceType, SourcePath, ContentType, JobID string
	Version, Chunks, Words                                                          int
	IngestedAt                                                                      time.Time
}

// TablesMark is the state of the graph that tables are of.
type TablesMark struct {
	Epoch int64
	Names string    // a hash of the names of the ontologies, which may change within an epoch
	At    time.Time // when the graph was read
}
