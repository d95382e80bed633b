package questions

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge"
)

// The most that an analysis of the graph as a whole answers.
const (
	MaxSurveyed     = 1000 // concepts, or communities
	MaxOfCommunity  = 100  // concepts shown of one community
	leastResolution = 0.01
	mostResolution  = 100
)

// CentralityQuery asks which concepts are in the centre of the graph, or of an ontology.
type CentralityQuery struct {
	Ontology string // "" = the whole graph
	Limit    int    // 1 to 1,000
}

// Validate reports every rule that q breaks.
func (q CentralityQuery) Validate() error {
	var r check.Rules
	r.Add("body", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	r.Add("body", "limit", check.Range(q.Limit, 1, MaxSurveyed))
	return r.Err()
}

// Centrality is the answer to a CentralityQuery: the highest rank first.
type Centrality struct {
	Surveyed
	Results []CentralConcept `json:"results"`
}

// Surveyed is what an analysis has read.
type Surveyed struct {
	Ontology      *string `json:"ontology"` // null: the whole graph
	Concepts      int     `json:"concepts"`
	Relationships int     `json:"relationships"` // pairs of concepts, each way
	Epoch         int64   `json:"epoch"`         // of the graph that was read
}

// CentralConcept is a concept and how much in the centre it is.
type CentralConcept struct {
	ConceptID string  `json:"concept_id"`
	Label     string  `json:"label"`
	Rank      float64 `json:"page_rank"` // all concepts together have 1
	In        int     `json:"in_degree"` // concepts that point to it
	Out       int     `json:"out_degree"`
	knowledge.Grounding
}

// CommunitiesQuery asks which concepts belong together.
type CommunitiesQuery struct {
	Ontology   string  // "" = the whole graph
	Resolution float64 // above 1: more and smaller communities; 0.01 to 100
	Limit      int     // communities: 1 to 1,000
	PerGroup   int     // concepts shown of each: 1 to 100
}

// Validate reports every rule that q breaks.
func (q CommunitiesQuery) Validate() error {
	var r check.Rules
	r.Add("body", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	r.Add("body", "limit", check.Range(q.Limit, 1, MaxSurveyed))
	r.Add("body", "per_community", check.Range(q.PerGroup, 1, MaxOfCommunity))
	if !(q.Resolution >= leastResolution && q.Resolution <= mostResolution) {
		r.Add("body", "resolution", "must be between 0.01 and 100")
	}
	return r.Err()
}

// Communities is the answer to a CommunitiesQuery: the largest community first.
type Communities struct {
	Surveyed
	Count       int         `json:"count"`      // with those that are not shown
	Modularity  float64     `json:"modularity"` // -0.5 to 1: how much more they are related within than chance would have it
	Communities []Community `json:"communities"`
}

// Community is some concepts that belong together, the strongest first.
type Community struct {
	Name     string           `json:"name"` // its three strongest concepts
	Size     int              `json:"size"`
	Share    float64          `json:"share"` // of all concepts
	Concepts []CentralConcept `json:"concepts"`
}
