// Package ingestion is the part of the HTTP API that takes documents in.
package ingestion

import (
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
)

const (
	formOverhead = 1 << 20  // bytes of the fields and boundaries around a document
	largePace    = 64 << 10 // bytes a second: the time for the largest document
)

// Config is what an API needs. Documents and Web are required.
type Config struct {
	Documents documents
	Web       web
	Limits    Limits
}

// Limits bound what uploads may cost. The zero value of a field takes its default.
type Limits struct {
	DocumentBytes int64 // one document; default corpus.DefaultMaxDocumentBytes

	uploadBytes int64         // all documents being uploaded at once; 0 = four of the largest
	pace        int64         // bytes a second that a document must arrive at; 0 = 16 KiB
	grace       time.Duration // a document may pause so long; 0 = 30 s
}

func (l Limits) withDefaults() Limits {
	http.Fill(&l.DocumentBytes, corpus.DefaultMaxDocumentBytes)
	http.Fill(&l.uploadBytes, 4*l.DocumentBytes)
	http.Fill(&l.pace, 16<<10)
	http.Fill(&l.grace, 30*time.Second)
	return l
}

// API takes documents in.
type API struct {
	cfg     Config
	uploads *budget
	router  *http.Router
}

// New returns the resource.
func New(cfg Config) *API {
	cfg.Limits = cfg.Limits.withDefaults()
	return &API{cfg: cfg, uploads: newBudget(cfg.Limits.uploadBytes)}
}

// Register adds the routes of ingestion.
func (a *API) Register(r *http.Router) error {
	a.router = r
	a.registerDocuments(r)
	return http.CheckConfig("http/ingestion", a.cfg)
}
