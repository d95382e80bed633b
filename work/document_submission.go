package work

import (
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/check"
)

// Limits of what a submission may carry, and how a document may be processed.
const (
	DuplicateWindowDays = 30 // a completed ingestion older than this does not block another
	ModeSerial          = "serial"
	ModeParallel        = "parallel"
)

// Submission is a document on its way in.
type Submission struct {
	Body        []byte
	ContentType corpus.ContentType
	ContentHash string
	Ontology    string
	Filename    string

	Force          bool           // submit even if the document is known
	Replace        corpus.Replace // which earlier versions of the document go
	Apart          bool           // it is a version of nothing
	AutoApprove    bool
	ProcessingMode string // serial or parallel
	Chunking       corpus.ChunkOptions
	OverlapReduced bool

	OnlyImage   bool           // refuse everything else than an image
	Budget      *corpus.Budget // of the job; nil is the server's default
	VisionModel string         // that the submitter expects to describe it; "" is any

	corpus.Origin
	UserID int

	// MostWaiting is how many documents of the user may wait for their analysis, of which
	// this one is one; 0 does not count them.
	MostWaiting int
}

// WaitForAnalyses is after what time a submission is tried again that was refused because
// too many documents of its user wait for their analysis.
const WaitForAnalyses = 5 * time.Second

// Validate reports every rule that s breaks, and trims the ontology's name.
// The body is checked by its reader.
func (s *Submission) Validate() error {
	var r check.Rules
	s.Ontology = strings.TrimSpace(s.Ontology)
	r.Add("form", "ontology", check.Name(s.Ontology, kappa.MaxOntologyName))
	r.Add("form", "filename", check.Name(s.Filename, corpus.MaxFilename))
	if s.ProcessingMode != ModeSerial && s.ProcessingMode != ModeParallel {
		r.Add("form", "processing_mode", "must be serial or parallel, got "+check.Quote(s.ProcessingMode))
	}
	if s.SourceType != nil {
		r.Add("form", "source_type", check.OneOf(*s.SourceType, "file", "sync", "stdin", "mcp", "api", "url"))
	}
	if s.SourcePath != nil {
		r.Add("form", "source_path", check.Name(*s.SourcePath, corpus.MaxSourcePath))
	}
	if s.Key != nil {
		r.Add("form", "document_key", check.Name(*s.Key, corpus.MaxDocumentKey))
	}
	if s.SourceHostname != nil {
		r.Add("form", "source_hostname", check.Name(*s.SourceHostname, corpus.MaxFilename))
	}
	return r.Err()
}

// Submitted is the answer to a submission: a new job, or the work that is
// already there for the same document and ontology.
type Submitted struct {
	JobID       string
	Status      Status
	ContentHash string
	Position    *int // 1-based place in the queue; nil when not queued

	EarlierVersions int // that stay in the ontology beside this one, since they are of others
	Waiting         int // documents of the user that waited for their analysis, if they were counted

	Duplicate   bool
	Row         access.Row // what permissions ask of the existing job
	CreatedAt   kappa.Time
	CompletedAt *kappa.Time
	Result      []byte // JSON of the existing job's result; nil without
}
