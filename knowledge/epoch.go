package knowledge

import (
	"math"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The kinds of what raises the graph's epoch. That of an ingestion or of an edit says when
// something came to be known; that of the other two only when the server got to it.
const (
	EpochIngestion = "ingestion" // a document was read
	EpochReasoning = "reasoning" // the vocabulary or the embeddings were worked on
	EpochBreathing = "breathing" // ontologies were made, merged or moved
	EpochEdit      = "edit"      // somebody changed or deleted something
)

// The acts by which quotes come into the graph.
const (
	ActIngest = "document.ingest"
	ActNote   = "graph.write"
)

// Epoch is one change of the graph: what raised its epoch.
type Epoch struct {
	Number     int64         `json:"event_id" doc:"The epoch of the graph then"`
	Kind       string        `json:"kind" doc:"ingestion, reasoning, breathing or edit"`
	At         kappa.Time    `json:"occurred_at"`
	Meaningful bool          `json:"semantic_wallclock" doc:"Whether the time says when something came to be known, as of an ingestion or an edit"`
	Actor      string        `json:"actor" doc:"A user name; empty for the server itself"`
	Counter    int64         `json:"counter_after" doc:"The same as event_id"`
	Details    EpochMetadata `json:"metadata"`
}

// EpochMetadata says what was done, and how much that changed.
type EpochMetadata struct {
	Act             string `json:"act" doc:"What was done, as the audit log names it"`
	Object          string `json:"object,omitempty" doc:"What it was done to: the id of a document or concept, or a name"`
	JobID           string `json:"job_id,omitempty" doc:"The job that did it"`
	ConceptsAdded   int    `json:"concepts_added"`
	ConceptsRemoved int    `json:"concepts_removed"`
	EdgesSet        int    `json:"edges_set" doc:"Relationships that were made or written anew"`
	EdgesRemoved    int    `json:"edges_removed"`
}

// MeaningfulTime reports whether the time of a kind of epochs says when something came to be
// known.
func MeaningfulTime(kind string) bool { return kind == EpochIngestion || kind == EpochEdit }

// EpochFilter selects epochs, newest first.
type EpochFilter struct {
	Kind   string
	Actor  string
	Since  *kappa.Time
	Until  *kappa.Time
	Before int64 // only epochs below it; 0 is the first page
	Limit  int
}

// The bounds of a page of epochs and of a concept's lifetime.
const (
	MaxEpochPage     = 500
	DefaultEpochPage = 50
)

// Validate reports every rule that f breaks.
func (f EpochFilter) Validate() error {
	var r check.Rules
	if kinds := []string{EpochIngestion, EpochReasoning, EpochBreathing, EpochEdit}; f.Kind != "" && !slices.Contains(kinds, f.Kind) {
		r.Add("query", "kind", check.OneOf(f.Kind, kinds...))
	}
	r.Add("query", "actor", check.OptionalName(f.Actor, maxActorName))
	r.Add("query", "limit", check.Range(f.Limit, 1, MaxEpochPage))
	if f.Before < 0 {
		r.Add("query", "cursor", "must be the next_cursor of a page")
	}
	for name, at := range map[string]*kappa.Time{"since": f.Since, "until": f.Until} {
		if at != nil {
			r.Add("query", name, check.Instant(*at))
		}
	}
	return r.Err()
}

const maxActorName = 200

// Below returns the epoch below which a page begins.
func (f EpochFilter) Below() int64 {
	if f.Before == 0 {
		return math.MaxInt64
	}
	return f.Before
}

// EpochPage is a page of epochs, newest first.
type EpochPage struct {
	Events []Epoch `json:"events"`
	Limit  int     `json:"limit"`
	Next   *int64  `json:"next_cursor" doc:"cursor of the next page; null after the last one"`
}
