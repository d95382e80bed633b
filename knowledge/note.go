package knowledge

import (
	"regexp"
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// NoteFilename is how the names of the documents begin that notes are kept as: the name of
// the user follows.
const NoteFilename = "note by "

// How a concept that somebody makes is matched with those that are there.
const (
	MatchAuto  = "auto"         // the one that is the same, or else a new one
	MatchForce = "force_create" // a new one in any case
	MatchOnly  = "match_only"   // the one that is the same; else nothing is made
)

// The bounds of what is written by hand at once.
const (
	MaxNoteItems        = 200 // concepts, relationships and quotes
	maxConceptLabel     = 200
	maxConceptText      = 2000
	maxConceptTerms     = 20
	maxEvidenceText     = 10_000
	maxTypeCategory     = 100
	defaultHandCategory = "user_defined"
)

// NewConcept asks for a concept.
type NewConcept struct {
	Label        string   `json:"label" doc:"1 to 200 characters"`
	Description  string   `json:"description,omitempty" doc:"At most 2000 characters"`
	SearchTerms  []string `json:"search_terms,omitempty" doc:"Other names, at most 20"`
	MatchingMode string   `json:"matching_mode,omitempty" doc:"auto (the default), force_create or match_only"`
}

// NewEdge asks for a relationship. Each end is named by its id, or by its label: that of
// a concept of the same note, or else the oldest one that bears it.
type NewEdge struct {
	FromID     string   `json:"from_concept_id,omitempty"`
	FromLabel  string   `json:"from_label,omitempty"`
	ToID       string   `json:"to_concept_id,omitempty"`
	ToLabel    string   `json:"to_label,omitempty"`
	Type       string   `json:"relationship_type" doc:"For example SUPPORTS; made when it is new"`
	Category   string   `json:"category,omitempty" doc:"Of a type that is new"`
	Confidence *float64 `json:"confidence,omitempty" doc:"0 to 1; default: 1"`
}

// NewEvidence asks for a quote that shows a concept.
type NewEvidence struct {
	ConceptID string `json:"concept_id,omitempty"`
	Text      string `json:"text" doc:"1 to 10000 characters"`
}

// Note is what somebody writes into the graph at once: it is kept as a document of the
// ontology, so that what it says has a source like all else.
type Note struct {
	Ontology   string
	Provenance string // CreatedByHuman or CreatedByAgent
	UserID     int
	Username   string
	Concepts   []NewConcept
	Edges      []NewEdge
	Evidence   []NewEvidence
}

// WrittenConcept is a concept as those see it who write it.
type WrittenConcept struct {
	ConceptID       string     `json:"concept_id"`
	Label           string     `json:"label"`
	Description     *string    `json:"description"`
	SearchTerms     []string   `json:"search_terms"`
	Ontology        *string    `json:"ontology" doc:"The first by name; all are in ontologies"`
	Ontologies      []string   `json:"ontologies"`
	CreationMethod  string     `json:"creation_method" doc:"llm_extraction, human or agent"`
	HasEmbedding    bool       `json:"has_embedding"`
	MatchedExisting bool       `json:"matched_existing" doc:"It was there before"`
	CreatedAt       kappa.Time `json:"created_at"`
}

// Content returns what a person can change of a concept.
func (c WrittenConcept) Content() ExtractedConcept {
	out := ExtractedConcept{Label: c.Label, SearchTerms: c.SearchTerms}
	if c.Description != nil {
		out.Description = *c.Description
	}
	return out
}

// WrittenEdge is a relationship as those see it who write it.
type WrittenEdge struct {
	FromID     string  `json:"from_concept_id"`
	ToID       string  `json:"to_concept_id"`
	Type       string  `json:"relationship_type"`
	Confidence float64 `json:"confidence"`
}

// WrittenNote is what became of a Note.
type WrittenNote struct {
	Concepts     []WrittenConcept `json:"concepts"`
	Edges        []WrittenEdge    `json:"edges"`
	Created      int              `json:"created" doc:"Concepts that are new"`
	Matched      int              `json:"matched" doc:"Concepts that were there"`
	EdgesCreated int              `json:"edges_created" doc:"Relationships that are new"`
	DocumentID   string           `json:"document_id" doc:"The note, as a document of the ontology"`
	Errors       []string         `json:"errors" doc:"Always empty: what breaks a rule refuses the whole"`
}

// ConceptEdit changes a concept; nil leaves a member as it is.
type ConceptEdit struct {
	Label       *string   `json:"label,omitempty"`
	Description *string   `json:"description,omitempty"`
	SearchTerms *[]string `json:"search_terms,omitempty"`
}

// NoteGraph is a Note on its way into the tables.
type NoteGraph struct {
	Graph ChunkGraph
	Body  []byte // the note as a document
	Note  Note
	Known map[string]string // ids of concepts that are there, by the key of the graph
	Named map[string]string // labels of such, likewise
}

// Validate returns a kappa.CodeInvalid Error that names every member that breaks a rule, by its
// place in a batch.
func (n Note) Validate() error {
	var r check.Rules
	r.Add("body", "ontology", check.Name(n.Ontology, kappa.MaxOntologyName))
	r.Add("body", "provenance", check.OneOf(n.Provenance, CreatedByHuman, CreatedByAgent))
	if items := len(n.Concepts) + len(n.Edges) + len(n.Evidence); items < 1 || items > MaxNoteItems {
		r.Add("body", "concepts", "there must be 1 to "+strconv.Itoa(MaxNoteItems)+" concepts and edges together, got "+strconv.Itoa(items))
	}
	for i, c := range n.Concepts {
		at := "concepts[" + strconv.Itoa(i) + "]."
		checkConcept(&r, at, c.Label, c.Description, c.SearchTerms)
		if c.MatchingMode != "" {
			r.Add("body", at+"matching_mode", check.OneOf(c.MatchingMode, MatchAuto, MatchForce, MatchOnly))
		}
	}
	for i, e := range n.Edges {
		e.check(&r, "edges["+strconv.Itoa(i)+"].")
	}
	for _, e := range n.Evidence {
		r.Add("body", "text", check.LongText(e.Text, maxEvidenceText))
	}
	return r.Err()
}

func checkConcept(r *check.Rules, at, label, description string, terms []string) {
	r.Add("body", at+"label", check.Name(label, maxConceptLabel))
	if description != "" {
		r.Add("body", at+"description", check.LongText(description, maxConceptText))
	}
	if len(terms) > maxConceptTerms {
		r.Add("body", at+"search_terms", "must be at most "+strconv.Itoa(maxConceptTerms)+", got "+strconv.Itoa(len(terms)))
	}
	for _, term := range terms {
		r.Add("body", at+"search_terms", check.Name(term, maxConceptLabel))
	}
}

func (e NewEdge) check(r *check.Rules, at string) {
	for _, end := range []struct{ name, id, label string }{{"from", e.FromID, e.FromLabel}, {"to", e.ToID, e.ToLabel}} {
		switch {
		case (end.id == "") == (end.label == ""):
			r.Add("body", at+end.name+"_concept_id", "give it or "+end.name+"_label, and not both")
		case end.id != "":
			r.Add("body", at+end.name+"_concept_id", check.ConceptID(end.id))
		default:
			r.Add("body", at+end.name+"_label", check.Name(end.label, maxConceptLabel))
		}
	}
	r.Add("body", at+"relationship_type", CheckTypeName(e.Type))
	r.Add("body", at+"category", check.OptionalName(e.Category, maxTypeCategory))
	if e.Confidence != nil {
		r.Add("body", at+"confidence", check.Share(*e.Confidence))
	}
}

// CheckTypeName returns the rule that the name of a relationship type breaks, or "". Its
// case does not matter.
func CheckTypeName(name string) string {
	if typeNamePattern.MatchString(name) {
		return ""
	}
	return "must be a letter followed by at most 99 letters, digits or _, got " + check.Quote(name)
}

// Validate returns a kappa.CodeInvalid Error that names every member that breaks a rule, and one
// when there is nothing to change.
func (e ConceptEdit) Validate() error {
	if e == (ConceptEdit{}) {
		return kappa.NewError(kappa.CodeInvalid, "No fields to update")
	}
	var r check.Rules
	label, description, terms := "label", "", []string(nil)
	if e.Label != nil {
		label = *e.Label
	}
	if e.Description != nil {
		description = *e.Description
	}
	if e.SearchTerms != nil {
		terms = *e.SearchTerms
	}
	checkConcept(&r, "", label, description, terms)
	return r.Err()
}

// HandCategory returns the category of a new relationship type that is written by hand.
func (e NewEdge) HandCategory() string {
	if e.Category != "" {
		return e.Category
	}
	return defaultHandCategory
}

var typeNamePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,99}$`)
