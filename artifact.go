package kappa

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// The limits of artifacts.
const (
	MaxArtifactPayload    = 768 << 10 // bytes of JSON
	MaxArtifactList       = 500       // artifacts in one answer
	maxArtifactParameters = 64 << 10  // bytes of JSON; likewise of the metadata
	MaxArtifactName       = 200       // characters
	maxArtifactConcepts   = 10_000
)

// The types and representations that Kappa itself makes.
const (
	ArtifactPolarity         = "polarity_analysis"
	RepresentationOfPolarity = "polarity_explorer"
)

// ArtifactTypes returns what an artifact may be.
func ArtifactTypes() []string {
	return []string{
		ArtifactPolarity, ArtifactProjection, "query_result", "graph_subgraph", "vocabulary_analysis", "epistemic_measurement",
		"consolidation_result", "search_result", "connection_path", "report", "stats_snapshot",
	}
}

// ArtifactRepresentations returns what an artifact may have been made for.
func ArtifactRepresentations() []string {
	return []string{
		"cli", "mcp_server", "api_direct", RepresentationOfPolarity, RepresentationOfProjection, "block_builder", "edge_explorer",
		"vocabulary_chord", "force_graph_2d", "force_graph_3d", "report_workspace",
	}
}

// Artifact is a kept result without its payload, as the API shows it.
type Artifact struct {
	ID         int   `json:"id"`
	OwnerID    *int  `json:"owner_id"`    // null when the account was deleted
	GraphEpoch int64 `json:"graph_epoch"` // of the graph that it was computed from
	Fresh      bool  `json:"is_fresh"`    // the graph has not changed since
	CreatedAt  Time  `json:"created_at"`
	ArtifactLabel
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

// ArtifactLabel is what a client says about an artifact.
type ArtifactLabel struct {
	Type              string          `json:"artifact_type"`
	Representation    string          `json:"representation"`
	Name              *string         `json:"name"`
	Parameters        json.RawMessage `json:"parameters"` // an object: what the result was computed with
	Metadata          json.RawMessage `json:"metadata"`   // an object or null
	Ontology          *string         `json:"ontology"`
	ConceptIDs        []string        `json:"concept_ids"`
	QueryDefinitionID *int            `json:"query_definition_id"`
	ExpiresAt         *Time           `json:"expires_at"` // null: never
}

// NewArtifact is what it takes to keep a result.
type NewArtifact struct {
	ArtifactLabel
	Payload    json.RawMessage // an object
	OwnerID    int             // ignored for the result of a job, which is its user's
	GraphEpoch int64           // of the graph that it was computed from; 0 = as it is
}

// Validate reports every rule that a breaks. An unknown type or representation is a
// CodeMalformed Error.
func (a NewArtifact) Validate() error {
	if rule := checkOneOf(a.Type, ArtifactTypes()...); rule != "" {
		return NewError(CodeMalformed, "artifact_type: "+rule)
	}
	if rule := checkOneOf(a.Representation, ArtifactRepresentations()...); rule != "" {
		return NewError(CodeMalformed, "representation: "+rule)
	}
	var r rules
	if a.Name != nil {
		r.add("body", "name", checkName(*a.Name, MaxArtifactName))
	}
	if a.Ontology != nil {
		r.add("body", "ontology", checkName(*a.Ontology, MaxOntologyName))
	}
	if a.ExpiresAt != nil {
		r.add("body", "expires_at", checkInstant(*a.ExpiresAt))
	}
	r.add("body", "parameters", checkObject(a.Parameters, maxArtifactParameters))
	if len(a.Metadata) > 0 {
		r.add("body", "metadata", checkObject(a.Metadata, maxArtifactParameters))
	}
	r.add("body", "payload", checkObject(a.Payload, MaxArtifactPayload))
	r.add("body", "graph_epoch", checkMinEpoch(&a.GraphEpoch))
	r.add("body", "concept_ids", checkRange(len(a.ConceptIDs), 0, maxArtifactConcepts))
	for i, id := range a.ConceptIDs[:min(len(a.ConceptIDs), maxArtifactConcepts)] {
		r.add("body", "concept_ids["+strconv.Itoa(i)+"]", checkConceptID(id))
	}
	return r.err()
}

// checkObject returns the rule that a JSON object of at most most bytes breaks, or "".
func checkObject(text json.RawMessage, most int) string {
	switch {
	case !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) || !json.Valid(text):
		return "must be an object"
	case len(text) > most:
		return "must be at most " + strconv.Itoa(most) + " bytes of JSON, got " + strconv.Itoa(len(text))
	case strings.ToValidUTF8(string(text), "") != string(text):
		return "must be valid UTF-8"
	}
	return ""
}

// ArtifactFilter selects artifacts. A nil field selects any.
type ArtifactFilter struct {
	Type           *string
	Representation *string
	Ontology       *string
	OwnerID        *int
	Visible        *VisibleRows // no others; nil = any
	Limit, Offset  int
	Cursor         string // of the page before; "" = the first one
}

// Validate reports every rule that f breaks.
func (f ArtifactFilter) Validate() error {
	var r rules
	if f.Type != nil {
		r.add("query", "artifact_type", checkOneOf(*f.Type, ArtifactTypes()...))
	}
	if f.Representation != nil {
		r.add("query", "representation", checkOneOf(*f.Representation, ArtifactRepresentations()...))
	}
	if f.Ontology != nil {
		r.add("query", "ontology", checkName(*f.Ontology, MaxOntologyName))
	}
	r.add("query", "limit", checkRange(f.Limit, 1, MaxArtifactList))
	r.add("query", "offset", checkRange(f.Offset, 0, maxOffset))
	r.add("query", "cursor", checkCursor(ListArtifacts, f.Cursor, ArtifactKeys, f.Offset))
	return r.err()
}

// NarrowArtifacts returns f narrowed to the artifacts that p may read, and false when
// those are none.
func (p Principal) NarrowArtifacts(f ArtifactFilter) (ArtifactFilter, bool) {
	reach := p.Reach(ArtifactsRead)
	some := p.rows(ArtifactsRead)
	switch {
	case reach == ReachAll:
		return f, true
	case !some.Empty():
		f.Visible = &VisibleRows{RowSet: some}
		if reach == ReachOwn {
			f.Visible.Owner = p.User.ID
		}
		return f, true
	case reach == ReachNone || f.OwnerID != nil && *f.OwnerID != p.User.ID:
		return f, false
	}
	f.OwnerID = &p.User.ID
	return f, true
}
