package questions

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// MaxConceptList is how many concepts one answer lists at most.
const MaxConceptList = 500

// ConceptFilter selects concepts for a list, those with the most evidence
// first. The zero value of each word selects all.
type ConceptFilter struct {
	Ontology       string // only concepts with a source in it
	LabelContains  string // only concepts with this in their label, in whatever case
	CreationMethod string // only concepts that came about this way; see knowledge.CreatedByIngestion
	Limit          int    // 1 to 500
	Offset         int    // 0 or more
	Cursor         string // of the page before; "" = the first one
}

// Validate reports every rule that f breaks, in the names of the API's query.
func (f ConceptFilter) Validate() error {
	var r check.Rules
	r.Add("query", "ontology", check.OptionalName(f.Ontology, kappa.MaxOntologyName))
	r.Add("query", "label_contains", check.OptionalName(f.LabelContains, check.MaxQuery))
	r.Add("query", "creation_method", check.OptionalName(f.CreationMethod, check.MaxJobType))
	r.Add("query", "limit", check.Range(f.Limit, 1, MaxConceptList))
	r.Add("query", "offset", check.Range(f.Offset, 0, check.MaxOffset))
	r.Add("query", "cursor", check.Cursor(kappa.ListConcepts, f.Cursor, kappa.ConceptKeys, f.Offset))
	return r.Err()
}

// ListedConcept is a concept in a list.
type ListedConcept struct {
	ConceptHit
	SearchTerms []string `json:"search_terms"`
	// Ontology is the one that was asked for, or else the first by name; the others
	// are in Documents. It is nil without any.
	Ontology        *string      `json:"ontology"`
	CreationMethod  string       `json:"creation_method"`
	HasEmbedding    bool         `json:"has_embedding"`
	MatchedExisting bool         `json:"matched_existing"` // never in a list: of a concept that was to be made, and was there
	Place           kappa.Cursor `json:"-"`                // in the list
}
