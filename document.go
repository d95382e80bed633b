package kappa

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// Limits of what a submission may carry.
const (
	MaxOntologyName          = 200 // characters
	maxFilename              = 500 // characters
	maxSourcePath            = 4096
	DefaultMaxDocumentBytes  = 64 << 20
	DuplicateWindowDays      = 30 // a completed ingestion older than this does not block another
	ModeSerial               = "serial"
	ModeParallel             = "parallel"
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

// Submission is a document on its way in.
type Submission struct {
	Body        []byte
	ContentType ContentType
	ContentHash string
	Ontology    string
	Filename    string

	Force          bool    // submit even if the document is known
	Replace        Replace // what is known from the same place
	AutoApprove    bool
	ProcessingMode string // serial or parallel
	Chunking       ChunkOptions
	OverlapReduced bool

	OnlyImage   bool    // refuse everything else than an image
	Budget      *Budget // of the job; nil is the server's default
	VisionModel string  // that the submitter expects to describe it; "" is any

	SourceType     *string // file, stdin, mcp, api or url
	SourcePath     *string
	SourceHostname *string
	UserID         int

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
	var r rules
	s.Ontology = strings.TrimSpace(s.Ontology)
	r.add("form", "ontology", checkName(s.Ontology, MaxOntologyName))
	r.add("form", "filename", checkName(s.Filename, maxFilename))
	if s.ProcessingMode != ModeSerial && s.ProcessingMode != ModeParallel {
		r.add("form", "processing_mode", "must be serial or parallel, got "+quote(s.ProcessingMode))
	}
	if s.SourceType != nil {
		r.add("form", "source_type", checkOneOf(*s.SourceType, "file", "stdin", "mcp", "api", "url"))
	}
	if s.SourcePath != nil {
		r.add("form", "source_path", checkName(*s.SourcePath, maxSourcePath))
	}
	if s.SourceHostname != nil {
		r.add("form", "source_hostname", checkName(*s.SourceHostname, maxFilename))
	}
	return r.err()
}

// Submitted is the answer to a submission: a new job, or the work that is
// already there for the same document and ontology.
type Submitted struct {
	JobID       string
	Status      Status
	ContentHash string
	Position    *int // 1-based place in the queue; nil when not queued

	EarlierVersions int // that stay in the ontology beside this one, from the same place
	Waiting         int // documents of the user that waited for their analysis, if they were counted

	Duplicate   bool
	Row         Row // what permissions ask of the existing job
	CreatedAt   Time
	CompletedAt *Time
	Result      []byte // JSON of the existing job's result; nil without
}

// Document is an ingested document, and where it came from.
type Document struct {
	ID          string // the content hash
	Ontology    string
	Filename    string // "" is DefaultDocumentFilename
	ContentType ContentType

	SourceType     *string // file, stdin, mcp, api or url
	SourcePath     *string
	SourceHostname *string
}
