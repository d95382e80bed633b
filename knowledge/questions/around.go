package questions

import (
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// MaxAround is how many concepts one page of an AroundQuery has at most.
const MaxAround = 1000

// AroundQuery asks for the concepts within some relationships of any of several seeds.
type AroundQuery struct {
	SeedIDs  []string // 1 to 100; the same one may come twice
	MaxHops  int      // 1 to 5
	Limit    int      // concepts of the page, 1 to 1,000
	Offset   int      // concepts before the page
	Ontology string   // what this one says alone; "" = all
	MinEpoch *int64   // the graph as of this epoch at least; nil = as it is known

	IncludeStatistics bool
	EpistemicFilter
	RelationshipFilter
	Measures
}

// Validate reports every rule that q breaks.
func (q AroundQuery) Validate() error {
	var r check.Rules
	r.Add("body", "seed_ids", check.Range(len(q.SeedIDs), 1, MaxSeeds))
	for i, id := range q.SeedIDs[:min(len(q.SeedIDs), MaxSeeds)] {
		r.Add("body", "seed_ids["+strconv.Itoa(i)+"]", check.ConceptID(id))
	}
	r.Add("body", "max_hops", check.Range(q.MaxHops, 1, MaxRelatedDepth))
	r.Add("body", "limit", check.Range(q.Limit, 1, MaxAround))
	r.Add("body", "offset", check.Range(q.Offset, 0, check.MaxOffset))
	r.Add("body", "min_epoch", check.MinEpoch(q.MinEpoch))
	r.Add("body", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	q.EpistemicFilter.check(&r)
	q.RelationshipFilter.check(&r, "")
	q.Measures.check(&r, "body")
	return r.Err()
}

// Around is the answer to an AroundQuery: a page of the concepts that were found, without the
// seeds, the nearest first, and of those that are equally far the oldest. The order is that of
// one epoch; pages of different epochs may overlap.
type Around struct {
	SeedIDs []string        `json:"seed_ids"`
	MaxHops int             `json:"max_hops"`
	Total   int             `json:"total"`   // concepts that were found, on all pages
	PerHop  []int           `json:"per_hop"` // of them, those at each distance, from 1 on
	Count   int             `json:"count"`
	Offset  int             `json:"offset"`
	Limit   int             `json:"limit"`
	Results []AroundConcept `json:"results"`
	Epoch   int64           `json:"epoch"` // of the graph that was read

	Statistics *QuestionStatistics `json:"statistics"` // null unless asked for
	Completeness
}

// AroundConcept is a concept near some seeds.
type AroundConcept struct {
	GraphNode
	Distance int `json:"distance"` // in relationships, from the nearest seed
}

// QuestionStatistics say what a question has read of the graph. Of a graph in memory there are
// neither chunks nor workers, and rows are not counted.
type QuestionStatistics struct {
	InMemory bool `json:"in_memory"` // otherwise the tables were read
	// Frontier are the concepts that were asked about for each hop: first the seeds. A search
	// for paths grows from both ends, and tells the hops in the order in which it took them.
	Frontier     []int `json:"frontier"`
	Rows         int64 `json:"rows"`         // relationships that the database returned
	Chunks       int   `json:"chunks"`       // queries of them
	Workers      int   `json:"workers"`      // that helped with a level, at most
	Microseconds int64 `json:"microseconds"` // for the hops, without what is shown of the concepts
}
