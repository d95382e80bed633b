package vocabulary

import (
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge"
)

// Type is a relationship type with what is known of it. One that was merged into
// another one is not active.
type Type struct {
	RelationshipType
	Description *string `json:"description"` // what is embedded of a built-in type, or what was said of one that was added by hand
	AddedBy     *string `json:"added_by"`    // who added it by hand
	Active      bool    `json:"is_active"`
	EdgeCount   *int    `json:"edge_count"`

	CategorySource string   `json:"category_source"`     // builtin, given (by who brought the type) or computed
	Confidence     *float64 `json:"category_confidence"` // null: the category is the one that it came with
	Ambiguous      bool     `json:"category_ambiguous"`

	AddedAt kappa.Time `json:"added_at"`
	// What was measured of the type; null before its first measurement.
	AvgGrounding *float64 `json:"avg_grounding"`
	Status       *string  `json:"epistemic_status"`
	Projection   *float64 `json:"axis_projection"` // what an edge of it adds to the grounding of its target, -1 to 1
}

// TypeEpistemic is the epistemic status of a relationship type. Status is
// INSUFFICIENT_DATA before the first measurement, and the rest null.
type TypeEpistemic struct {
	Type       string                    `json:"relationship_type"`
	Status     string                    `json:"epistemic_status"`
	Stats      *knowledge.GroundingStats `json:"stats"`
	Rationale  *string                   `json:"rationale"`
	MeasuredAt *kappa.Time               `json:"status_measured_at"`
}

// Measurement is when all types were measured last.
type Measurement struct {
	Model      string
	Epoch      int64 // of the graph
	SampleSize int
	At         kappa.Time
	Changes    int // types that were added since then
}

// TypeVector is a relationship type with what is embedded of it.
type TypeVector struct {
	ID          int
	Name        string
	Description *string          // of a type that was added by hand
	Text        string           // what was embedded; "" when nothing was
	Embedding   models.Embedding // nil when nothing was
	Projection  *float64         // nil when nothing was projected
}

// WantedText returns what is to be embedded of t.
func (t TypeVector) WantedText() string {
	text := TextOf(t.Name)
	if t.Description != nil && *t.Description != "" {
		text += ": " + *t.Description
	}
	return text
}

// Sample is the edges that the epistemic status of types is measured by.
type Sample struct {
	Epoch      int64
	Types      []TypeSample
	Groundings map[int]float64 // of each target, by its number
}

// TypeSample is a sample of the edges of one type: up to some number of them, which
// the graph alone decides.
type TypeSample struct {
	ID      int
	Name    string
	Sampled int
	Total   int
	Targets []int // the distinct concepts that they lead to
}

// MeasuredType is a type with its new status.
type MeasuredType struct {
	ID     int
	Name   string
	Status string
	Stats  knowledge.GroundingStats
}

// Epistemic returns what is shown of t, as of when it was measured.
func (t MeasuredType) Epistemic(at kappa.Time) TypeEpistemic {
	rationale := t.Stats.Rationale(t.Status)
	e := TypeEpistemic{Type: t.Name, Status: t.Status, Rationale: &rationale, MeasuredAt: &at}
	if t.Stats.Avg != nil { // the numbers of stats are never null
		e.Stats = &t.Stats
	}
	return e
}

// Measured is what a measurement of all types found out.
type Measured struct {
	At       Measurement
	Types    []MeasuredType // by name
	Stored   int
	ByStatus map[string]int // how many types have each
}

// TypeRemeasurement is the job type that measures the epistemic statuses.
const TypeRemeasurement = "epistemic_remeasurement"

// MaxSampleSize is how many edges of a type a measurement samples at most.
const MaxSampleSize = 10_000

// DefaultSampleSize is how many it samples unless told otherwise.
const DefaultSampleSize = 100

// CheckSampleSize returns a kappa.CodeInvalid Error for a sample size out of range; name is
// where it stands in the body.
func CheckSampleSize(name string, size int) error {
	var r check.Rules
	r.Add("body", name, check.Range(size, 1, MaxSampleSize))
	return r.Err()
}

// TypeNames are the relationship types by name, those first that a reader is to know of
// first.
type TypeNames struct {
	Active []string
	Merged []string // what they stand for now is what they were merged into
}

// All returns all of them, the active ones first.
func (n TypeNames) All() []string { return append(slices.Clip(n.Active), n.Merged...) }

// BuiltinTypeNames returns the vocabulary that every installation starts with.
func BuiltinTypeNames() TypeNames {
	types := BuiltinTypes()
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.Name
	}
	return TypeNames{Active: names}
}
