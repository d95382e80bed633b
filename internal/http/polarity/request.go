package polarity

import (
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Poles are what both routes take. The type is exported because the description of a
// body leaves embedded types out that are not.
type Poles struct {
	PositivePole   string   `json:"positive_pole_id" doc:"The id of a concept"`
	NegativePole   string   `json:"negative_pole_id" doc:"The id of another concept"`
	Candidates     []string `json:"candidate_ids,omitempty" doc:"The concepts to place, at most 100; without any, they are searched for around the poles"`
	AutoDiscover   *bool    `json:"auto_discover,omitempty" default:"true" doc:"Search for candidates when none are named"`
	Ontology       *string  `json:"ontology,omitempty" doc:"Only what this one says: its concepts, and the relationships that were read in it"`
	MaxCandidates  *int     `json:"max_candidates,omitempty" default:"20" doc:"That the search may find, 1 to 100"`
	RandomShare    *float64 `json:"discovery_slot_pct,omitempty" default:"0.2" doc:"The share of them that is drawn at random, 0 to 1; the others have the most relationships"`
	Types          []string `json:"relationship_types,omitempty" doc:"That the search follows; default: all"`
	MinConfidence  *float64 `json:"min_confidence,omitempty" default:"0" doc:"The search follows only relationships that are as certain, 0 to 1"`
	Direction      *string  `json:"direction,omitempty" doc:"Which way the search follows relationships from the poles: out as they point, in against that, or both, which is the default. RELATED_TO has no direction"`
	PerHop         *int     `json:"limit_per_hop,omitempty" doc:"Concepts that the search takes of those that a hop leads to, 1 to 1000: the ones with the paths that say most; 0, the default, takes all"`
	UseParallel    *bool    `json:"use_parallel,omitempty" default:"true" doc:"Let the search read a wide level over several connections where it reads tables"`
	MaxWorkers     *int     `json:"max_workers,omitempty" default:"8" doc:"So many of them at most, 1 to 32; the server's own limit holds besides"`
	ChunkSize      *int     `json:"chunk_size,omitempty" default:"20" doc:"How many candidates are placed between two checks whether the analysis was cancelled, 1 to 100"`
	TimeoutSeconds *int     `json:"timeout_seconds,omitempty" default:"120" doc:"After which the search ends and what it has found is used, 1 to 600"`
}

// query returns what is asked for.
func (r Poles) query(maxHops int) questions.PolarityQuery {
	return questions.PolarityQuery{
		PositivePole: r.PositivePole, NegativePole: r.NegativePole, Candidates: r.Candidates, AutoDiscover: *r.AutoDiscover, Ontology: http.Or(r.Ontology, ""),
		MaxCandidates: *r.MaxCandidates, MaxHops: maxHops, RandomShare: *r.RandomShare,
		RelationshipFilter: questions.RelationshipFilter{Types: r.Types, MinConfidence: *r.MinConfidence, Direction: questions.Heading(http.Or(r.Direction, "")), PerHop: http.Or(r.PerHop, 0)},
		UseParallel:        *r.UseParallel, MaxWorkers: *r.MaxWorkers, ChunkSize: *r.ChunkSize, TimeoutSeconds: *r.TimeoutSeconds,
	}
}
