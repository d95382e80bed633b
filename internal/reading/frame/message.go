// Package frame is what a server and the processes that read documents for it say to each
// other. The document is the input of the process, and its text follows the answer.
package frame

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

// The most bytes of a frame towards the process and of one from it.
const (
	MaxRequest = 64 << 10
	MaxAnswer  = 24 << 20 // the places of a text; it is far below that in documents that people write
	MaxText    = 1 << 30  // as long as a document can be

	// MaxExtracted is how long the text may be that is made of a document that is none.
	MaxExtracted = 64 << 20
)

// Op is what a process is asked to do.
type Op string

// The operations.
const (
	OpText      Op = "text"
	OpRecognise Op = "recognise"
	OpPictures  Op = "pictures" // of pages: they follow the answer, one after the other
)

// Request is a document to be read.
type Request struct {
	Op       Op                 `json:"op"`
	Bytes    int                `json:"bytes"` // of the document
	Format   corpus.ContentType `json:"format,omitempty"`
	Filename string             `json:"filename,omitempty"` // hints, to recognise a format
	Declared string             `json:"declared,omitempty"`
	Pages    []int              `json:"pages,omitempty"` // of which pictures are wanted
}

// Answer is what came of it. The text follows the frame, unless it is the document as it
// stands.
type Answer struct {
	Failure  *Failure           `json:"failure,omitempty"`
	Format   corpus.ContentType `json:"format,omitempty"`
	Same     bool               `json:"same,omitempty"` // the text is the document
	Markup   corpus.ContentType `json:"markup,omitempty"`
	Warnings []string           `json:"warnings,omitempty"`
	Places   []Place            `json:"places,omitempty"`
	Pages    int                `json:"pages,omitempty"`    // of the document, of which
	Pictures []int              `json:"pictures,omitempty"` // those are pictures
	Sizes    []int              `json:"sizes,omitempty"`    // of the pictures that follow, in bytes
}

// Place is a corpus.Place.
type Place struct {
	Start   int    `json:"s"`
	Page    int    `json:"p,omitempty"`
	Section string `json:"c,omitempty"`
}

// Failure is why a document could not be read.
type Failure struct {
	Code    kappa.Code `json:"code"`
	Message string     `json:"message"`         // for the submitter
	Cause   string     `json:"cause,omitempty"` // for the log
}
