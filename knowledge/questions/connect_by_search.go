package questions

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// DefaultPhraseSimilarity is how near a concept must be to a phrase to stand for it
// on a path, unless the caller says otherwise. It is below DefaultSimilarity, since
// one concept is enough.
const DefaultPhraseSimilarity = 0.5

// ConnectBySearchQuery asks for paths between the concepts that two phrases mean.
// The id of a concept is taken as that concept.
type ConnectBySearchQuery struct {
	FromQuery       string
	ToQuery         string
	MaxHops         int     // 1 to 10
	Threshold       float64 // 0 to 1: how near a concept must be to its phrase
	IncludeEvidence bool
	MinEpoch        *int64 // the graph as of this epoch at least; nil = as it is known
	Ontology        string // what this one says alone; "" = all

	IncludeStatistics bool
	PathPage
	EpistemicFilter
	RelationshipFilter
	Measures
}

// Validate reports every rule that q breaks.
func (q ConnectBySearchQuery) Validate() error {
	var r check.Rules
	r.Add("body", "from_query", check.Name(q.FromQuery, check.MaxQuery))
	r.Add("body", "to_query", check.Name(q.ToQuery, check.MaxQuery))
	r.Add("body", "max_hops", check.Range(q.MaxHops, 1, MaxConnectHops))
	r.Add("body", "threshold", check.Share(q.Threshold))
	r.Add("body", "min_epoch", check.MinEpoch(q.MinEpoch))
	q.EpistemicFilter.check(&r)
	q.RelationshipFilter.check(&r, "")
	q.PathPage.check(&r)
	q.Measures.check(&r, "body")
	r.Add("body", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	return r.Err()
}

// ConnectBySearchResult is the answer to a ConnectBySearchQuery: which concepts the
// phrases were taken for, and a page of the paths between them, shortest first.
type ConnectBySearchResult struct {
	FromQuery      string    `json:"from_query"`
	ToQuery        string    `json:"to_query"`
	FromConcept    *PathNode `json:"from_concept"`
	ToConcept      *PathNode `json:"to_concept"`
	FromSimilarity *float64  `json:"from_similarity"`
	ToSimilarity   *float64  `json:"to_similarity"`
	PhraseHints
	PathsFound
}

// PhraseHints says which concepts a looser threshold would find for the two phrases.
// The members of a phrase that enough concepts match are nil.
type PhraseHints struct {
	FromSuggested  *float64 `json:"from_suggested_threshold"`
	ToSuggested    *float64 `json:"to_suggested_threshold"`
	FromNearMisses *int     `json:"from_near_misses"`
	ToNearMisses   *int     `json:"to_near_misses"`
}

// PathsFound is what a search for paths has found.
type PathsFound struct {
	MaxHops int    `json:"max_hops"`
	Count   int    `json:"count"`
	Paths   []Path `json:"paths"`
	Epoch   int64  `json:"epoch"` // of the graph that was read
	ShownPaths
	Statistics   *QuestionStatistics `json:"statistics"` // null unless asked for
	Completeness                     // truncated: the search was cut at its limit of concepts
}
