package knowledge

import (
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
)

// ConceptDraft is an extracted concept with its embedding, before it is known
// whether the graph has it already.
type ConceptDraft struct {
	ExtractedConcept
	Embedding models.Embedding
}

// Candidate is a known concept that a draft might be.
type Candidate struct {
	ID        int // above 0; the older of two has the smaller one
	Label     string
	Embedding models.Embedding
	Terms     []string // its search terms
	// InDocument and InOntology say that the document of the draft, or another one of
	// its ontology, shows it. A store may leave them false when AliasOf finds no alias.
	InDocument bool
	InOntology bool
	// Elsewhere says that the concept bears the name of the draft, and is shown by other
	// ontologies alone, where nothing that stands around the draft belongs to it: a word may
	// name two things.
	Elsewhere bool
}

// Matcher decides which drafts are concepts that the graph has already. A store asks it
// inside the transaction that writes a chunk, while no other chunk makes a concept of the
// same name: what it decides by names still holds when it is stored. The answers depend on the arguments alone,
// since a transaction may be repeated, and are quick.
type Matcher interface {
	// LeastSimilarity is the cosine below which a draft is never a candidate that
	// bears another name: the store searches for nearer ones only, and for none when it
	// is above 1.
	LeastSimilarity() float64
	// Certain reports whether a draft is one of the known concepts that bear its
	// name, whatever else the graph has: the store then searches for no other.
	Certain(draft ConceptDraft, namesakes []Candidate) bool
	// Match returns what each draft is, in the order of the drafts, from the
	// candidates of each.
	Match(drafts []ConceptDraft, candidates [][]Candidate) []ConceptMatch
}

// ConceptMatch is what a draft is: a known concept, or a new one.
type ConceptMatch struct {
	Known int // the ID of a candidate; 0 for a new concept
	// Draft is, of a new concept, the place of the draft that it is made of: the
	// draft's own, or that of an earlier one that is the same concept.
	Draft int
	// By says what decided that it is a concept that was there, see MatchedByName, and
	// Score how similar the embeddings are, -1 to 1. A new concept has neither.
	By    string
	Score float64
}

// ChunkGraph is what one chunk adds to the graph. The store has the drafts matched,
// writes concepts, instances and relationships, and saves the checkpoint, in one
// transaction under the claim.
type ChunkGraph struct {
	Document corpus.Document
	Chunk    corpus.Chunk
	Places   []corpus.Place   // pages and sections within the chunk; the first may begin before it
	Passages []corpus.Passage // that end in the chunk, and in none before it; none: they are cut later

	// Meanings are the embeddings of Passages, by Model; empty: they are embedded later, or not.
	Meanings []models.Embedding

	Model         string // of the embeddings
	Drafts        []ConceptDraft
	Instances     []ExtractedInstance     // spans in the document, not the chunk
	Relationships []ExtractedRelationship // likewise

	Reader  string // who has read the chunk; "" when it could not be read
	Reading []byte // what was found, in the reader's own form, to be used again for the same text
}
