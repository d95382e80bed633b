package storage

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/check"
)

// TypeCheck is the job type that reads all of what is stored and checks it.
const TypeCheck = "storage_check"

// The parts of what is stored that are checked by themselves.
const (
	StoredDocuments  = "documents"  // the bytes are those of their hash
	StoredChunks     = "chunks"     // they are the document, without a gap, and offsets and hashes are right
	StoredPassages   = "passages"   // they are parts of the document
	StoredQuotes     = "quotes"     // a quote of a concept stands where it says
	StoredStatements = "statements" // and so does the sentence of a relationship
	StoredEmbeddings = "embeddings" // they are of the text and the model that they say
	StoredArtifacts  = "artifacts"  // their files are whole
)

// Parts returns the parts in the order in which they are checked.
func Parts() []string {
	return []string{StoredDocuments, StoredChunks, StoredPassages, StoredQuotes, StoredStatements, StoredEmbeddings, StoredArtifacts}
}

// Fault is something that is stored and is not as it must be.
type Fault struct {
	Part    string `json:"part"`
	Object  string `json:"object" doc:"The id of what is wrong"`
	Problem string `json:"problem"`
	Repair  string `json:"repair" doc:"What to do"`
}

// Step is what a step of a check has found: a bounded number of rows of one part.
type Step struct {
	Next    string // where the next step begins; "" when the part is done
	Checked int
	Faults  []Fault
}

// CheckParts returns a kappa.CodeInvalid Error for a part that there is not.
func CheckParts(in, name string, parts []string) error {
	var r check.Rules
	for _, part := range parts {
		r.Add(in, name, check.OneOf(part, Parts()...))
	}
	return r.Err()
}

// StoredChunk is a chunk as it is stored, and whether its text still has the hash that was
// kept beside it.
type StoredChunk struct {
	Number      int
	SourceID    string
	Text        string
	Bytes       corpus.Span
	Chars       corpus.Span
	HashIsRight bool
}

// ChunkCheck checks the chunks of one document, which are given in their order. body is the
// document where its text is its bytes, and nil where the text was read out of it.
type ChunkCheck struct {
	Document string // its id
	Filename string
	Body     []byte

	end    int // of the chunks so far
	number int // of the last chunk
	faults []Fault
}

// The chunks of a document are made anew by reading it again.
func (c *ChunkCheck) fault(chunk StoredChunk, problem string) {
	c.faults = append(c.faults, Fault{
		Part: StoredChunks, Object: chunk.SourceID, Problem: problem + fmt.Sprintf(" (chunk %d of %s, %s)", chunk.Number, check.Quote(c.Filename), c.Document),
		Repair: "ingest the document again with force: its chunks are written anew",
	})
}

// Add checks the next chunk.
func (c *ChunkCheck) Add(chunk StoredChunk) {
	switch {
	case !chunk.HashIsRight:
		c.fault(chunk, "the text has another hash than the one that is kept")
	case len(chunk.Text) != chunk.Bytes.End-chunk.Bytes.Start:
		c.fault(chunk, fmt.Sprintf("the text has %d bytes, and its offsets say %d", len(chunk.Text), chunk.Bytes.End-chunk.Bytes.Start))
	case utf8.RuneCountInString(chunk.Text) != chunk.Chars.End-chunk.Chars.Start:
		c.fault(chunk, fmt.Sprintf("the text has %d characters, and its offsets say %d", utf8.RuneCountInString(chunk.Text), chunk.Chars.End-chunk.Chars.Start))
	case chunk.Number > c.number+1:
		c.fault(chunk, "the chunk before it is not there")
	case c.Body != nil && !c.blankBefore(chunk):
		c.fault(chunk, fmt.Sprintf("text of the %d bytes before the chunk is in no chunk", chunk.Bytes.Start-c.end))
	case c.Body != nil && (chunk.Bytes.End > len(c.Body) || string(c.Body[chunk.Bytes.Start:chunk.Bytes.End]) != chunk.Text):
		c.fault(chunk, "the text is not what the document has at its offsets")
	}
	c.end, c.number = max(c.end, chunk.Bytes.End), chunk.Number
}

// blankBefore reports whether the document has only white space between a chunk and those
// before it.
func (c *ChunkCheck) blankBefore(chunk StoredChunk) bool {
	if chunk.Bytes.Start <= c.end || chunk.Bytes.Start > len(c.Body) {
		return true
	}
	return len(bytes.TrimSpace(c.Body[c.end:chunk.Bytes.Start])) == 0
}

// Faults returns what is wrong with the chunks.
func (c *ChunkCheck) Faults() []Fault { return c.faults }

// IsItsOwnText reports whether the text that is read of a document is its bytes: plain text,
// Markdown and logs in UTF-8, of which nothing is left out.
func IsItsOwnText(t corpus.ContentType, body []byte) bool {
	if t != corpus.ContentPlain && t != corpus.ContentMarkdown && t != corpus.ContentLog {
		return false
	}
	byteOrderMark := len(body) >= 3 && string(body[:3]) == "\xef\xbb\xbf"
	return !byteOrderMark && utf8.Valid(body) && !slices.Contains(body, 0)
}
