package questions

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge"
)

// RelatedQuery asks for the neighbourhood of a concept.
type RelatedQuery struct {
	ConceptID string
	MaxDepth  int    // 1 to 5
	Limit     int    // concepts of the page, 1 to 1,000; 0 = all that are listed
	Offset    int    // concepts before the page
	MinEpoch  *int64 // the graph as of this epoch at least; nil = as it is known

	Ontology        string // what this one says alone; "" = all
	IncludeEvidence bool

	IncludeStatistics bool
	EpistemicFilter
	RelationshipFilter
	Measures
}

// Validate reports every rule that q breaks.
func (q RelatedQuery) Validate() error {
	var r check.Rules
	r.Add("body", "concept_id", check.ConceptID(q.ConceptID))
	r.Add("body", "max_depth", check.Range(q.MaxDepth, 1, MaxRelatedDepth))
	r.Add("body", "limit", check.Range(q.Size(), 1, MaxRelated))
	r.Add("body", "offset", check.Range(q.Offset, 0, check.MaxOffset))
	q.RelationshipFilter.check(&r, "")
	r.Add("body", "min_epoch", check.MinEpoch(q.MinEpoch))
	q.EpistemicFilter.check(&r)
	q.Measures.check(&r, "body")
	r.Add("body", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	return r.Err()
}

// MaxRelated is how many concepts of a neighbourhood are listed at most.
const MaxRelated = 1000

// Size is how many concepts the page has at most.
func (q RelatedQuery) Size() int {
	if q.Limit == 0 {
		return MaxRelated
	}
	return q.Limit
}

// RelatedResult is the answer to a RelatedQuery, nearest first, then by label.
type RelatedResult struct {
	ConceptID    string              `json:"concept_id"`
	MaxDepth     int                 `json:"max_depth"`
	Total        int                 `json:"total"` // concepts that were found, on all pages
	Count        int                 `json:"count"`
	Offset       int                 `json:"offset"`
	Limit        int                 `json:"limit"`
	Results      []RelatedConcept    `json:"results"`
	Epoch        int64               `json:"epoch"`      // of the graph that was read
	Statistics   *QuestionStatistics `json:"statistics"` // null unless asked for
	Completeness                     // truncated: more concepts lie within max_depth than are listed
}

// RelatedConcept is a concept near another one.
type RelatedConcept struct {
	ConceptID string   `json:"concept_id"`
	Label     string   `json:"label"`
	Distance  int      `json:"distance"`   // in relationships
	PathTypes []string `json:"path_types"` // the types along one shortest path
	// Via is the last relationship of that path. The concept that it comes from is listed
	// too, or is the one that was asked for.
	Via RelatedVia `json:"via"`
	knowledge.Grounding
}

// RelatedVia is the relationship by which a concept was reached.
type RelatedVia struct {
	ConceptID string                   `json:"concept_id"`               // that it was reached from
	Forward   bool                     `json:"forward"`                  // it points to the concept that was reached
	Evidence  []knowledge.EdgeEvidence `json:"evidence" nullable:"true"` // the surest sentences that state it; null unless asked for
}
