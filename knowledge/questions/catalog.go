package questions

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The kinds of nodes in the catalogue, each below the one before.
const (
	CatalogOntology = "ontology"
	CatalogDocument = "document"
	CatalogSource   = "source" // a chunk of a document
)

// The orders of a list of the catalogue.
const (
	CatalogByName     = "name" // chunks: as they follow each other in the document
	CatalogByChildren = "child_count"
	CatalogByCreation = "created" // newest first
)

// CatalogNode is an ontology, a document or a chunk in the tree of what was ingested.
type CatalogNode struct {
	ID          string     `json:"id" doc:"Of a document and of a chunk the same as elsewhere"`
	Kind        string     `json:"kind" doc:"ontology, document or source"`
	Name        string     `json:"name"`
	ParentID    *string    `json:"parent_id" doc:"null for an ontology"`
	ChildCount  int        `json:"child_count" doc:"Documents of an ontology, chunks of a document; 0 for a chunk"`
	ContentType *string    `json:"content_type" doc:"Of a document and of its chunks"`
	CreatedAt   kappa.Time `json:"created_at"`
	GraphEpoch  int64      `json:"graph_epoch" doc:"Of the graph when this was read"`
	// Properties are what else there is to say of a kind: only texts and numbers.
	Properties map[string]any `json:"properties"`
}

// CatalogQuery asks for what is directly below a node.
type CatalogQuery struct {
	Parent   string // a node's id, or the name of an ontology; "": all ontologies
	Kind     string // of the parent, when its id could be of several kinds; "": whichever there is
	Ontology string // of a document that is in several; "": the one that took it last
	Fragment string // only those with this in their name, in whatever case; of chunks, in their text
	Sort     string // one of the orders above
	Limit    int    // 1 to 500
	Offset   int
}

// maxCatalogList is how many nodes one answer lists at most.
const maxCatalogList = 500

// Validate reports every rule that q breaks, in the names of the API's query.
func (q CatalogQuery) Validate() error {
	var r check.Rules
	r.Add("query", "parent", check.OptionalName(q.Parent, kappa.MaxOntologyName))
	r.Add("query", "parent_kind", checkCatalogKind(q.Kind))
	r.Add("query", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	r.Add("query", "q", check.OptionalName(q.Fragment, check.MaxQuery))
	r.Add("query", "sort", check.OneOf(q.Sort, CatalogByName, CatalogByChildren, CatalogByCreation))
	r.Add("query", "limit", check.Range(q.Limit, 1, maxCatalogList))
	r.Add("query", "offset", check.Range(q.Offset, 0, check.MaxOffset))
	return r.Err()
}

// CheckCatalogNode returns a kappa.CodeInvalid Error for an id that no node can have, or a kind
// that there is not.
func CheckCatalogNode(id, kind, ontology string) error {
	var r check.Rules
	r.Add("path", "id", check.Name(id, kappa.MaxOntologyName))
	r.Add("query", "kind", checkCatalogKind(kind))
	r.Add("query", "ontology", check.OptionalName(ontology, kappa.MaxOntologyName))
	return r.Err()
}

func checkCatalogKind(kind string) string {
	if kind == "" {
		return ""
	}
	return check.OneOf(kind, CatalogOntology, CatalogDocument, CatalogSource)
}

// CatalogPage is what is directly below a node.
type CatalogPage struct {
	Nodes     []CatalogNode `json:"nodes"`
	Parent    *CatalogNode  `json:"parent" doc:"null above all ontologies"`
	ChildKind string        `json:"child_kind" doc:"What the nodes are: ontology, document or source"`
	Total     int           `json:"total" doc:"How many there are in all"`
	Limit     int           `json:"limit"`
	Offset    int           `json:"offset"`
	Query     *string       `json:"query" doc:"The fragment that was asked for"`
	Stale     bool          `json:"stale" doc:"Always false: the tables are read"`
}
