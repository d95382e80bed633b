package artifacts

import (
	"encoding/json"
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/check"
)

// The limits of artifacts.
const (
	MaxPayload    = 768 << 10 // bytes of JSON
	MaxList       = 500       // artifacts in one answer
	maxParameters = 64 << 10  // bytes of JSON; likewise of the metadata
	MaxName       = 200       // characters
	maxConcepts   = 10_000
)

// The types and representations that Kappa itself makes.
const (
	Polarity                 = "polarity_analysis"
	RepresentationOfPolarity = "polarity_explorer"
)

// Types returns what an artifact may be.
func Types() []string {
	return []string{
		Polarity, Projection, "query_result", "graph_subgraph", "vocabulary_analysis", "epistemic_measurement",
		"consolidation_result", "search_result", "connection_path", "report", "stats_snapshot",
	}
}

// Representations returns what an artifact may have been made for.
func Representations() []string {
	return []string{
		"cli", "mcp_server", "api_direct", RepresentationOfPolarity, RepresentationOfProjection, "block_builder", "edge_explorer",
		"vocabulary_chord", "force_graph_2d", "force_graph_3d", "report_workspace",
	}
}

// Artifact is a kept result without its payload, as the API shows it.
type Artifact struct {
	ID         int        `json:"id"`
	OwnerID    *int       `json:"owner_id"`    // null when the account was deleted
	GraphEpoch int64      `json:"graph_epoch"` // of the graph that it was computed from
	Fresh      bool       `json:"is_fresh"`    // the graph has not changed since
	CreatedAt  kappa.Time `json:"created_at"`
	Label
	HasInline bool    `json:"has_inline_result"`
	GarageKey *string `json:"garage_key"` // null: the payload is in the database
}

// Owner returns the id of the user who owns a, 0 when there is none.
func (a Artifact) Owner() int {
	if a.OwnerID == nil {
		return 0
	}
	return *a.OwnerID
}

// Label is what a client says about an artifact.
type Label struct {
	Type              string          `json:"artifact_type"`
	Representation    string          `json:"representation"`
	Name              *string         `json:"name"`
	Parameters        json.RawMessage `json:"parameters"` // an object: what the result was computed with
	Metadata          json.RawMessage `json:"metadata"`   // an object or null
	Ontology          *string         `json:"ontology"`
	ConceptIDs        []string        `json:"concept_ids"`
	QueryDefinitionID *int            `json:"query_definition_id"`
	ExpiresAt         *kappa.Time     `json:"expires_at"` // null: never
}

// NewArtifact is what it takes to keep a result.
type NewArtifact struct {
	Label
	Payload    json.RawMessage // an object
	OwnerID    int             // ignored for the result of a job, which is its user's
	GraphEpoch int64           // of the graph that it was computed from; 0 = as it is
}

// Validate reports every rule that a breaks. An unknown type or representation is a
// kappa.CodeMalformed Error.
func (a NewArtifact) Validate() error {
	if rule := check.OneOf(a.Type, Types()...); rule != "" {
		return kappa.NewError(kappa.CodeMalformed, "artifact_type: "+rule)
	}
	if rule := check.OneOf(a.Representation, Representations()...); rule != "" {
		return kappa.NewError(kappa.CodeMalformed, "representation: "+rule)
	}
	var r check.Rules
	if a.Name != nil {
		r.Add("body", "name", check.Name(*a.Name, MaxName))
	}
	if a.Ontology != nil {
		r.Add("body", "ontology", check.Name(*a.Ontology, kappa.MaxOntologyName))
	}
	if a.ExpiresAt != nil {
		r.Add("body", "expires_at", check.Instant(*a.ExpiresAt))
	}
	r.Add("body", "parameters", check.Object(a.Parameters, maxParameters))
	if len(a.Metadata) > 0 {
		r.Add("body", "metadata", check.Object(a.Metadata, maxParameters))
	}
	r.Add("body", "payload", check.Object(a.Payload, MaxPayload))
	r.Add("body", "graph_epoch", check.MinEpoch(&a.GraphEpoch))
	r.Add("body", "concept_ids", check.Range(len(a.ConceptIDs), 0, maxConcepts))
	for i, id := range a.ConceptIDs[:min(len(a.ConceptIDs), maxConcepts)] {
		r.Add("body", "concept_ids["+strconv.Itoa(i)+"]", check.ConceptID(id))
	}
	return r.Err()
}

// Filter selects artifacts. A nil field selects any.
type Filter struct {
	Type           *string
	Representation *string
	Ontology       *string
	OwnerID        *int
	Visible        *access.VisibleRows // no others; nil = any
	Limit, Offset  int
	Cursor         string // of the page before; "" = the first one
}

// Validate reports every rule that f breaks.
func (f Filter) Validate() error {
	var r check.Rules
	if f.Type != nil {
		r.Add("query", "artifact_type", check.OneOf(*f.Type, Types()...))
	}
	if f.Representation != nil {
		r.Add("query", "representation", check.OneOf(*f.Representation, Representations()...))
	}
	if f.Ontology != nil {
		r.Add("query", "ontology", check.Name(*f.Ontology, kappa.MaxOntologyName))
	}
	r.Add("query", "limit", check.Range(f.Limit, 1, MaxList))
	r.Add("query", "offset", check.Range(f.Offset, 0, check.MaxOffset))
	r.Add("query", "cursor", check.Cursor(kappa.ListArtifacts, f.Cursor, kappa.ArtifactKeys, f.Offset))
	return r.Err()
}

// Narrow returns f narrowed to the artifacts that p may read, and false when
// those are none.
func (f Filter) Narrow(p access.Principal) (Filter, bool) {
	reach := p.Reach(access.ArtifactsRead)
	some := p.Granted(access.ArtifactsRead)
	switch {
	case reach == access.ReachAll:
		return f, true
	case !some.Empty():
		f.Visible = &access.VisibleRows{RowSet: some}
		if reach == access.ReachOwn {
			f.Visible.Owner = p.User.ID
		}
		return f, true
	case reach == access.ReachNone || f.OwnerID != nil && *f.OwnerID != p.User.ID:
		return f, false
	}
	f.OwnerID = &p.User.ID
	return f, true
}

// Projection is the type of a kept projection, and
// RepresentationOfProjection what it is made for.
const (
	Projection                 = "projection"
	RepresentationOfProjection = "embedding_landscape"
)

// Row returns what permissions ask of an artifact.
func (a Artifact) Row() access.Row {
	r := access.Row{Owner: a.Owner(), ID: strconv.Itoa(a.ID), Type: a.Type}
	if a.Ontology != nil {
		r.Ontology = *a.Ontology
	}
	return r
}
