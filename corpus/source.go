package corpus

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The limits of lists and searches of documents and sources.
const (
	DefaultDocumentSimilarity = 0.7
	maxDocumentsListed        = 200
	maxDocumentIDs            = 100
)

// ListedDocument is a document as a list shows it.
type ListedDocument struct {
	DocumentID   string       `json:"document_id"`
	Filename     string       `json:"filename"`
	Name         string       `json:"name"` // the end of its path, as short as tells it apart from all others that may be read
	Version      int          `json:"version"`
	Ontology     string       `json:"ontology"`
	ContentType  string       `json:"content_type"`
	SourceCount  int          `json:"source_count"`
	ConceptCount int          `json:"concept_count"`
	JobID        string       `json:"job_id"` // the last job that wrote it
	CreatedAt    kappa.Time   `json:"created_at"`
	Place        kappa.Cursor `json:"-"` // in the list
}

// DocumentRef is a document in an ontology.
type DocumentRef struct {
	DocumentID  string
	Ontology    string
	Filename    string
	ContentType ContentType
	JobID       string // the last job that wrote it
}

// DocumentChunk is a chunk of a document. The offsets count characters, and the span bytes, of
// the text that was read: those of the document itself where it is text or Markdown.
type DocumentChunk struct {
	SourceID  string `json:"source_id"`
	Paragraph int    `json:"paragraph"` // the chunk's number
	FullText  string `json:"full_text"`
	StartChar int    `json:"char_offset_start"`
	EndChar   int    `json:"char_offset_end"`
	Span
}

// DocumentConcept is a concept that a document shows.
type DocumentConcept struct {
	ConceptID     string `json:"concept_id"`
	Name          string `json:"name"`
	SourceID      string `json:"source_id"` // the first chunk that shows it
	InstanceCount int    `json:"instance_count"`
	// Weight says how much the document is about it: the sum over its chunks; 0 when it
	// was read before weights were kept.
	Weight float64 `json:"weight"`
}

// ListedSource is a chunk as a list shows it.
type ListedSource struct {
	SourceID     string       `json:"source_id"`
	Document     string       `json:"document"` // the ontology's name
	Paragraph    int          `json:"paragraph"`
	ContentType  string       `json:"content_type"`
	DocumentID   string       `json:"document_id"`
	Filename     string       `json:"filename"`
	HasGarageKey bool         `json:"has_garage_key"` // always true: the document is kept
	Place        kappa.Cursor `json:"-"`              // in the list
}

// Source is a chunk of a document, whole.
type Source struct {
	SourceID           string  `json:"source_id"`
	Document           string  `json:"document"` // the ontology's name
	Paragraph          int     `json:"paragraph"`
	FullText           string  `json:"full_text"`
	FilePath           *string `json:"file_path"` // where it was submitted from, else its name
	Filename           string  `json:"filename"`
	ContentType        string  `json:"content_type"`
	StorageKey         *string `json:"storage_key"`
	GarageKey          string  `json:"garage_key"` // the document's content
	ContentHash        string  `json:"content_hash"`
	DocumentID         string  `json:"document_id"`
	StartChar          int     `json:"char_offset_start"`
	EndChar            int     `json:"char_offset_end"`
	ChunkIndex         int     `json:"chunk_index"`
	HasVisualEmbedding bool    `json:"has_visual_embedding"`
	HasTextEmbedding   bool    `json:"has_text_embedding"`
	Span
}

// PageQuery asks for a page of documents or sources.
type PageQuery struct {
	Ontology string // "": of all
	Limit    int    // 1 to 200
	Offset   int
	Cursor   string // of the page before; "" = the first one
}

// Validate reports every rule that q breaks. The page is one of a list with cursors of so
// many keys.
func (q PageQuery) Validate(list string, keys int) error {
	var r check.Rules
	r.Add("query", "cursor", check.Cursor(list, q.Cursor, keys, q.Offset))
	r.Add("query", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	r.Add("query", "limit", check.Range(q.Limit, 1, maxDocumentsListed))
	r.Add("query", "offset", check.Range(q.Offset, 0, check.MaxOffset))
	return r.Err()
}

// SourceQuery asks for the chunks, or the documents, that a phrase is about.
type SourceQuery struct {
	Query         string
	Limit         int      // 1 to 100
	MinSimilarity *float64 // 0 to 1; nil = DefaultDocumentSimilarity
	Ontology      string   // "": of all
	DocumentIDs   []string // only of these documents, up to 100; none: of all
}

// Validate reports every rule that q breaks.
func (q SourceQuery) Validate() error {
	var r check.Rules
	r.Add("body", "query", check.Phrase(q.Query, check.MaxQuery))
	r.Add("body", "limit", check.Range(q.Limit, 1, check.MaxSearchLimit))
	r.Add("body", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	r.Add("body", "document_ids", check.Range(len(q.DocumentIDs), 0, maxDocumentIDs))
	if q.MinSimilarity != nil {
		r.Add("body", "min_similarity", check.Share(*q.MinSimilarity))
	}
	return r.Err()
}

// Least returns the similarity from which on hits are shown.
func (q SourceQuery) Least() float64 {
	if q.MinSimilarity != nil {
		return *q.MinSimilarity
	}
	return DefaultDocumentSimilarity
}

// WordMatch says how the words of a query stand in a chunk.
type WordMatch int

// The ways in which words match, the best last.
const (
	SomeWords   WordMatch = iota // some of them, or other forms of them
	StemsMatch                   // all of them, some in other forms
	AllWords                     // all of them as they are written
	PhraseMatch                  // all of them, one after the other
)

// Similarity is how similar a chunk is to a query by its words alone, 0 to 1; rank
// orders chunks that match in the same way.
func (m WordMatch) Similarity(rank float64) float64 {
	base := [...]float64{SomeWords: 0.4, StemsMatch: 0.8, AllWords: 0.87, PhraseMatch: 0.95}[m]
	const spread = 0.05
	return base + spread*rank/(1+rank)
}

// SourceMatch is a chunk whose words match a query.
type SourceMatch struct {
	Source int
	Match  WordMatch
	Rank   float64
}

// SourceQuote is a quote by which a chunk shows a concept.
type SourceQuote struct {
	Source    int
	ConceptID string
	Quote     string
	StartByte int // in the chunk
}

// ShownSource is what a search shows of a chunk.
type ShownSource struct {
	ID          int
	SourceID    string
	Ontology    string
	Paragraph   int
	FullText    string
	Start       int // of the text, in bytes of the document
	DocumentID  string
	Filename    string
	ContentType string
}

// SourceHit is a chunk that a search found.
type SourceHit struct {
	SourceID   string          `json:"source_id"`
	Document   string          `json:"document"` // the ontology's name
	Paragraph  int             `json:"paragraph"`
	DocumentID string          `json:"document_id"`
	Filename   string          `json:"filename"`
	Similarity float64         `json:"similarity"`
	Stale      bool            `json:"is_stale"`
	Matched    MatchedChunk    `json:"matched_chunk"`
	FullText   *string         `json:"full_text"` // null unless asked for
	Concepts   []SourceConcept `json:"concepts"`
}

// MatchedChunk is the passage of a chunk that matches. Its offsets count characters of
// the chunk.
type MatchedChunk struct {
	Text       string  `json:"chunk_text"`
	Start      int     `json:"start_offset"`
	End        int     `json:"end_offset"`
	Index      int     `json:"chunk_index"`
	Similarity float64 `json:"similarity"`
}

// SourceConcept is a concept that a chunk shows.
type SourceConcept struct {
	ConceptID   string  `json:"concept_id"`
	Label       string  `json:"label"`
	Description *string `json:"description"`
	Quote       string  `json:"instance_quote"`
}

// DocumentHit is a document that a search found.
type DocumentHit struct {
	DocumentID  string             `json:"document_id"`
	Filename    string             `json:"filename"`
	Ontology    string             `json:"ontology"`
	ContentType string             `json:"content_type"`
	Best        float64            `json:"best_similarity"`
	SourceCount int                `json:"source_count"` // how many of its chunks match
	Resources   []DocumentResource `json:"resources"`
	ConceptIDs  []string           `json:"concept_ids"`
}

// DocumentResource is where the content of a document is kept.
type DocumentResource struct {
	Type      string `json:"type"`
	GarageKey string `json:"garage_key"`
}
