package questions

import (
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge"
)

// The bounds of a question.
const (
	MaxQuestion     = 2000 // characters
	MaxAskPassages  = 20
	DefaultPassages = 5
)

// Question asks for the passages of documents that answer it.
type Question struct {
	Text     string
	Ontology string // only of this ontology; "": of all
	Limit    int    // passages, 1 to MaxAskPassages

	IncludeEvidence bool // sentences that state the relationships
}

// Validate returns a kappa.CodeInvalid Error that names every broken rule.
func (q Question) Validate() error {
	var r check.Rules
	r.Add("body", "question", check.Name(q.Text, MaxQuestion))
	r.Add("body", "limit", check.Range(q.Limit, 1, MaxAskPassages))
	r.Add("body", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	return r.Err()
}

// AskPassage is a part of a document that may answer a question.
type AskPassage struct {
	Text        string   `json:"text"`
	Document    string   `json:"document"` // the ontology's name
	Filename    string   `json:"filename"`
	DocumentID  string   `json:"document_id"`
	SourceID    string   `json:"source_id"`
	Paragraph   int      `json:"paragraph"` // the chunk's number
	Page        *int     `json:"page"`      // from 1; null without pages
	Section     *string  `json:"section"`   // the path of headings; null without any
	Score       float64  `json:"score"`     // 0 to 1; 1 is the first in every ranking
	Words       int      `json:"words_found"`
	WordsAsked  int      `json:"words_asked"` // words of the question that name something
	AlsoIn      []string `json:"also_in"`     // documents that have nearly the same passage
	Columns     []string `json:"columns"`     // names of the columns, when the text is rows of a table; else null
	corpus.Span          // in bytes of the document
}

// AskConcept is a concept that a question means.
type AskConcept struct {
	ConceptID   string  `json:"concept_id"`
	Label       string  `json:"label"`
	Description *string `json:"description"`
	Score       float64 `json:"score"`
}

// AskRelationship connects two concepts of an answer.
type AskRelationship struct {
	FromID     string  `json:"from_id"`
	FromLabel  string  `json:"from_label"`
	Type       string  `json:"relationship_type"`
	ToID       string  `json:"to_id"`
	ToLabel    string  `json:"to_label"`
	Confidence float64 `json:"confidence"`

	Evidence []knowledge.EdgeEvidence `json:"evidence"` // the surest sentences that state it; null unless asked for
}

// AskAnswer is what the documents say to a question: the best passages first, and the
// concepts and relationships that connect them.
type AskAnswer struct {
	Question      string            `json:"question"`
	Found         bool              `json:"found"`  // some passage has most words of the question, and no name of it is absent
	Absent        []string          `json:"absent"` // words of the question that stand in no document, and name no concept that one shows
	Passages      []AskPassage      `json:"passages"`
	Concepts      []AskConcept      `json:"concepts"`
	Relationships []AskRelationship `json:"relationships"`
}

// Missing says which words of the question stand in no document; "" when all do.
func (a AskAnswer) Missing() string {
	if len(a.Absent) == 0 {
		return ""
	}
	words := make([]string, len(a.Absent))
	for i, w := range a.Absent {
		words[i] = "“" + w + "”"
	}
	if last := len(words) - 1; last > 0 {
		return "The documents say nothing of " + strings.Join(words[:last], ", ") + " and " + words[last] + "."
	}
	return "The documents say nothing of " + words[0] + "."
}
