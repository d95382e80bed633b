package questions

import (
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge"
)

// TypePolarity is the job type that analyses a polarity axis.
const TypePolarity = "polarity"

// The ranges and defaults of a PolarityQuery.
const (
	DefaultPolarityCandidates = 20
	MaxPolarityCandidates     = 100
	DefaultPolarityHops       = 2
	MaxPolarityHops           = 3
	DefaultRandomShare        = 0.2
	DefaultPolaritySeconds    = 120
	MaxPolaritySeconds        = 600
	DefaultGraphWorkers       = 8
	DefaultGraphChunk         = 20
	MaxGraphChunk             = 100
)

// PolarityQuery asks where concepts stand between two opposite ones, the poles.
type PolarityQuery struct {
	PositivePole string `json:"positive_pole_id"`
	NegativePole string `json:"negative_pole_id"`
	// Candidates are the concepts to be placed. Without any the graph is searched for
	// them around both poles, unless AutoDiscover is off.
	Candidates   []string `json:"candidate_ids,omitempty"`
	AutoDiscover bool     `json:"auto_discover"`
	Ontology     string   `json:"ontology,omitempty"` // what this one says alone; "" = all

	MaxCandidates int     `json:"max_candidates"`     // found by the search, 1 to 100
	MaxHops       int     `json:"max_hops"`           // of the search, 1 to 3
	RandomShare   float64 `json:"discovery_slot_pct"` // of the candidates that are drawn at random, 0 to 1; the others have the most relationships

	RelationshipFilter // that the search follows

	// How the search may read the graph where it must read tables.
	UseParallel bool `json:"use_parallel"`
	MaxWorkers  int  `json:"max_workers"` // 1 to 32
	// ChunkSize is how many candidates are placed between two checks whether the
	// analysis was cancelled, and between two reports of a job: 1 to 100.
	ChunkSize int `json:"chunk_size"`

	TimeoutSeconds int `json:"timeout_seconds"` // of the whole analysis, 1 to 600
	// Seed decides which candidates are drawn at random; 0 leaves it to the poles.
	Seed uint64 `json:"-"`
}

// NewPolarityQuery returns a query with the defaults.
func NewPolarityQuery(positive, negative string) PolarityQuery {
	return PolarityQuery{
		PositivePole: positive, NegativePole: negative, AutoDiscover: true,
		MaxCandidates: DefaultPolarityCandidates, MaxHops: DefaultPolarityHops, RandomShare: DefaultRandomShare,
		UseParallel: true, MaxWorkers: DefaultGraphWorkers, ChunkSize: DefaultGraphChunk, TimeoutSeconds: DefaultPolaritySeconds,
	}
}

// Timeout is how long the whole analysis may take.
func (q PolarityQuery) Timeout() time.Duration { return time.Duration(q.TimeoutSeconds) * time.Second }

// Validate reports every value that is out of its range, as a kappa.CodeInvalid Error. Poles
// that are the same one are a kappa.CodeMalformed Error: each of them may well be a pole.
func (q PolarityQuery) Validate() error { return q.validate("") }

// ValidateData is Validate for a query that is the data of a job.
func (q PolarityQuery) ValidateData() error { return q.validate("data.") }

func (q PolarityQuery) validate(prefix string) error {
	var r check.Rules
	r.Add("body", prefix+"positive_pole_id", check.ConceptID(q.PositivePole))
	r.Add("body", prefix+"negative_pole_id", check.ConceptID(q.NegativePole))
	r.Add("body", prefix+"candidate_ids", check.Range(len(q.Candidates), 0, MaxPolarityCandidates))
	for i, id := range q.Candidates[:min(len(q.Candidates), MaxPolarityCandidates)] {
		r.Add("body", prefix+"candidate_ids["+strconv.Itoa(i)+"]", check.ConceptID(id))
	}
	r.Add("body", prefix+"max_candidates", check.Range(q.MaxCandidates, 1, MaxPolarityCandidates))
	r.Add("body", prefix+"max_hops", check.Range(q.MaxHops, 1, MaxPolarityHops))
	r.Add("body", prefix+"discovery_slot_pct", check.Share(q.RandomShare))
	q.RelationshipFilter.check(&r, prefix)
	r.Add("body", prefix+"max_workers", check.Range(q.MaxWorkers, 1, knowledge.MaxGraphWorkers))
	r.Add("body", prefix+"chunk_size", check.Range(q.ChunkSize, 1, MaxGraphChunk))
	r.Add("body", prefix+"timeout_seconds", check.Range(q.TimeoutSeconds, 1, MaxPolaritySeconds))
	r.Add("body", prefix+"ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	if err := r.Err(); err != nil {
		return err
	}
	if q.PositivePole == q.NegativePole {
		return kappa.NewError(kappa.CodeMalformed, "The poles are the same concept, "+q.PositivePole+"; name two different ones")
	}
	return nil
}

// PolarityJob is the data of a job of TypePolarity.
type PolarityJob struct {
	PolarityQuery
	CreateArtifact bool `json:"create_artifact"` // keep the answer as an artifact of the job's user
}

// NewPolarityJob returns the defaults of such a job.
func NewPolarityJob() PolarityJob {
	j := PolarityJob{PolarityQuery: NewPolarityQuery("", ""), CreateArtifact: true}
	j.MaxHops = 1
	return j
}
