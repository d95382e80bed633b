package questions

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge"
)

// The bounds of a FindQuery.
const (
	MaxFound     = 100
	DefaultFound = 20
)

// What a FindQuery finds.
const (
	FoundConcept  = "concept"
	FoundDocument = "document"
	FoundPassage  = "passage"
)

// FoundKinds returns what a FindQuery finds, in the order in which equal hits come.
func FoundKinds() []string { return []string{FoundConcept, FoundDocument, FoundPassage} }

// FindQuery asks for the concepts, documents and passages that have some words.
type FindQuery struct {
	Text   string
	Typing bool     // the last word may be the beginning of one
	Exact  bool     // words are meant as they are written: none is taken for a slip
	Find   []string // FoundKinds; none is all
	Limit  int      // 1 to MaxFound
	Cursor string   // of the page before; "" is the first page
	AskFilter
}

// Validate returns a kappa.CodeInvalid Error that names every broken rule.
func (q FindQuery) Validate() error {
	var r check.Rules
	r.Add("body", "query", check.Phrase(q.Text, MaxQuestion))
	r.Add("body", "limit", check.Range(q.Limit, 1, MaxFound))
	for _, f := range q.Find {
		r.Add("body", "find", check.OneOf(f, FoundKinds()...))
	}
	if _, ok := q.offset(); !ok {
		r.Add("body", "cursor", "must be the next_cursor of a page of this search")
	}
	q.AskFilter.check(&r)
	return r.Err()
}

// Offset returns how many hits are before the page.
func (q FindQuery) Offset() int {
	offset, _ := q.offset()
	return offset
}

func (q FindQuery) offset() (int, bool) {
	c, ok := kappa.ParseCursor(kappa.ListFound, q.Cursor, kappa.FoundKeys)
	if !ok || !c.IsZero() && (c.Keys[1] != q.fingerprint() || c.Keys[0] > mostFoundBefore) {
		return 0, false
	}
	return int(c.Key(0, 0)), true
}

// mostFoundBefore is more than a search ranks.
const mostFoundBefore = 10_000

// After returns the cursor of the page behind so many hits.
func (q FindQuery) After(hits int) string {
	return kappa.Cursor{List: kappa.ListFound, Keys: []int64{int64(hits), q.fingerprint()}}.String()
}

// fingerprint is of what decides which hits there are, and in which order.
func (q FindQuery) fingerprint() int64 {
	f := q.AskFilter
	f.Ontologies = nil // those that are not asked for are narrowed to what may be read
	h := fnv.New32a()
	fmt.Fprintf(h, "%q %t %t %q %+v", q.Text, q.Typing, q.Exact, q.Find, f)
	return int64(h.Sum32())
}

// Finds reports whether hits of a kind are asked for.
func (q FindQuery) Finds(kind string) bool { return len(q.Find) == 0 || slices.Contains(q.Find, kind) }

// FindAnswer is a page of what has the words of a FindQuery, best first.
type FindAnswer struct {
	Query       string      `json:"query"`
	Looked      string      `json:"looked_for"` // the query as it was looked for, without slips
	Mended      []AskMended `json:"mended"`
	Completions []string    `json:"completions"` // what the last word may become, the most frequent first; empty unless typing
	Count       int         `json:"count"`
	Hits        []FoundHit  `json:"hits"`
	Total       int         `json:"total"`             // hits on all pages
	AtLeast     bool        `json:"total_is_at_least"` // there are more passages than a search ranks: totals and facets count those that it ranks
	Facets      FoundFacets `json:"facets"`
	Next        *string     `json:"next_cursor"` // null after the last page

	Epoch int64                       `json:"epoch"` // of the graph that was read
	Index knowledge.PassageIndexState `json:"index"`
}

// FoundHit is a concept, a document or a passage.
type FoundHit struct {
	Kind       string         `json:"kind"`
	Score      float64        `json:"score"`      // 1 for a concept of that very name, 0.95 and more for the phrase, less for words in other places or forms; never more than of the hit before
	Text       string         `json:"text"`       // the label of a concept, the name of a document, the whole passage
	Highlights []TextSpan     `json:"highlights"` // the words of the query in the text
	Concept    *ConceptFound  `json:"concept"`
	Document   *DocumentFound `json:"document"` // the document, or that of the passage; null of a concept
	Passage    *PassageFound  `json:"passage"`
}

// TextSpan is a part of a text, in bytes and in characters.
type TextSpan struct {
	corpus.Span
	StartChar int `json:"start_char"`
	EndChar   int `json:"end_char"`
}

// ConceptFound is a concept that was found.
type ConceptFound struct {
	ConceptID   string  `json:"concept_id"`
	Description *string `json:"description"`
}

// DocumentFound is a document that was found, or that of a passage.
type DocumentFound struct {
	DocumentID  string             `json:"document_id"`
	Ontology    string             `json:"ontology"`
	Filename    string             `json:"filename"`
	Title       *string            `json:"title"` // its first heading; null without any, and of passages
	ContentType corpus.ContentType `json:"content_type"`
	Passages    int                `json:"passages"` // of it that were found
}

// PassageFound is a passage that was found.
type PassageFound struct {
	SourceID  string  `json:"source_id"`
	Paragraph int     `json:"paragraph"` // the chunk's number
	Page      *int    `json:"page"`
	Section   *string `json:"section"`
	Class     string  `json:"class"`
	Language  string  `json:"language"`
	Link      string  `json:"link"` // the document at that place, below the address of the API
	TextSpan          // of the document
}

// FoundFacets count what was found, by each filter that would narrow it down. All but Find count
// passages.
type FoundFacets struct {
	Find       []FacetCount `json:"find"` // hits of each kind, those that are not asked for too
	Ontologies []FacetCount `json:"ontologies"`
	Kinds      []FacetCount `json:"kinds"`
	Languages  []FacetCount `json:"languages"`
	Classes    []FacetCount `json:"classes"`
}

// FacetCount is how many have a value. The most frequent comes first.
type FacetCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// FindReading is what a search reads of the tables, at once.
type FindReading struct {
	Passages   []int32  // whose concepts are wanted, by number
	Phrases    []string // that may name concepts
	Restricted bool     // only what documents of Ontologies say
	Ontologies []int32
	Documents  []int32 // by number
	Titled     int     // of how many of these the title is wanted
	Shown      []int32 // passages, by number, that are read whole
	// Since and OneOntology are as in AskReading.
	Since       *knowledge.PassagesMark
	OneOntology bool
}

// FindRead is what was read. What has gone meanwhile is left out.
type FindRead struct {
	Concepts  []AskReadConcept
	Documents map[int32]FoundDocumentRow
	Passages  []corpus.ShownPassage
	// Changed and Epoch are as in AskRead.
	Changed bool
	Epoch   int64
}

// FoundDocumentRow is a document as a search reads it.
type FoundDocumentRow struct {
	DocumentFound
	Number, OntologyNumber int32
	Path                   string
}
