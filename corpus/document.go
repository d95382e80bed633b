package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"
)

// How large a document may be, what it is called that came without a name, and how ids begin.
const (
	DefaultMaxDocumentBytes  = 64 << 20
	hashPrefix               = "sha256:"
	sourceIDPrefix           = "src_"
	sourceIDBytes            = 12 // 96 bits
	DefaultDocumentFilename  = "uploaded_document"
	DefaultTextInputFilename = "text_input"
)

// ContentHash identifies a document by its raw bytes: "sha256:" and 64
// hexadecimal digits. It is the document's id too.
func ContentHash(body []byte) string {
	sum := sha256.Sum256(body)
	return hashPrefix + hex.EncodeToString(sum[:])
}

// SourceID is the id of a new chunk of a document within an ontology, which is named by
// its key: that stays when the ontology is renamed, and no other one ever has it. The same
// document cut the same way gives the same ids. A chunk keeps its id wherever it is moved.
func SourceID(documentID, ontologyKey string, bytes Span) string {
	h := sha256.New()
	for _, part := range []string{documentID, ontologyKey, strconv.Itoa(bytes.Start), strconv.Itoa(bytes.End)} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return sourceIDPrefix + hex.EncodeToString(h.Sum(nil)[:sourceIDBytes])
}

// Document is an ingested document, and where it came from.
type Document struct {
	ID          string // the content hash
	Ontology    string
	Filename    string // "" is DefaultDocumentFilename
	ContentType ContentType

	Origin

	Apart       bool      // it is a version of nothing, although its origin is known
	Replaces    Replace   // which earlier versions go when it is complete
	SubmittedAt time.Time // of two versions the one stands that was submitted last
	// Beside has it written chunk by chunk although an earlier version stands.
	Beside bool
}

// Versioned reports whether the document is a version of one with others.
func (d Document) Versioned() bool {
	return !d.Apart && d.Known() && d.Replaces != ReplaceNone && !d.SubmittedAt.IsZero()
}
