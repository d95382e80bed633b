package corpus

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/kappagraph/kappa"
)

// MaxDocumentKey is how many characters a key has at most.
const MaxDocumentKey = 1000

// MostChunksAtOnce is how many chunks a new version of a document may have that is written in
// one transaction with the end of the one before. A larger one is written chunk by chunk, and
// stands beside the one before until it is complete.
const MostChunksAtOnce = 500

// Origin is what a document is known by in its ontology: what is ingested again under the same
// key, or else from the same place, is a new version of it.
type Origin struct {
	Key            *string
	SourceType     *string // file, sync, stdin, mcp, api or url
	SourcePath     *string
	SourceHostname *string
}

// Known reports whether there can be versions of the document at all.
func (o Origin) Known() bool { return o.Key != nil || o.SourcePath != nil }

// ErrEarlierStands says that an earlier version of a document stands, which a new one may only
// replace as a whole.
var ErrEarlierStands = errors.New("an earlier version of the document stands")

// SupersededError says that a later version of a document stands than the one that was to be written.
type SupersededError struct{ JobID string }

func (e *SupersededError) Error() string {
	return "a later version of the document stands, which job " + e.JobID + " has ingested"
}

// Standing is what stands of a document besides the version that a job brings.
type Standing struct {
	LaterJob string // that has ingested a later version; "" for none
	Earlier  bool   // there are earlier versions, which this one replaces
}

// VersionNote says what version a submitted document would be.
type VersionNote struct {
	Version  int             `json:"version" doc:"Which version of the document this one would be; 1 is the first"`
	Replaces *VersionReplace `json:"replaces" doc:"The version that leaves the graph when this one is complete; null for none"`
	Note     string          `json:"note" doc:"The same in words"`
}

// NewVersionNote says which version a document is, and which one it replaces; nil for none.
func NewVersionNote(filename string, version int, replaces *VersionReplace) *VersionNote {
	n := &VersionNote{Version: version, Replaces: replaces}
	if replaces == nil {
		n.Note = fmt.Sprintf("Version %d of %s; it replaces none", version, filename)
		return n
	}
	n.Note = fmt.Sprintf("Version %d of %s; it replaces version %d, of %s", version, replaces.Filename, replaces.Version, replaces.IngestedAt.UTC().Format("2006-01-02 15:04"))
	return n
}

// NamesakeWarning says that a document stays beside another one of the same name.
func NamesakeWarning(filename string) string {
	return "The ontology has another document called " + filename + ", which stays beside this one: what is submitted with the same document_key (--key) is a version of the same document"
}

// VersionReplace is a version that a new one replaces.
type VersionReplace struct {
	Version    int        `json:"version"`
	DocumentID string     `json:"document_id"`
	Filename   string     `json:"filename"`
	IngestedAt kappa.Time `json:"ingested_at"`
}

// Version is one of the versions of a document.
type Version struct {
	Version       int         `json:"version" doc:"From 1, in the order in which they were ingested"`
	DocumentID    string      `json:"document_id"`
	Filename      string      `json:"filename"`
	ContentType   string      `json:"content_type"`
	Key           *string     `json:"document_key" doc:"The key that its submitter gave it"`
	SourcePath    *string     `json:"source_path"`
	Current       bool        `json:"current" doc:"It stands in the graph; of the others the texts alone are kept"`
	IngestedAt    kappa.Time  `json:"ingested_at"`
	RetiredAt     *kappa.Time `json:"retired_at" doc:"When the next version took its place"`
	JobID         string      `json:"job_id" doc:"The job that ingested it, which may be gone"`
	RetiredBy     *string     `json:"retired_by" doc:"The job that brought the next version"`
	Chunks        int         `json:"chunks"`
	Words         int         `json:"words" doc:"Of its chunks, which overlap"`
	Concepts      int         `json:"concepts"`
	Relationships int         `json:"relationships"`

	Row int `json:"-"` // its number in the store
}

// Versions are the versions of a document, the newest first.
type Versions struct {
	DocumentID string    `json:"document_id" doc:"Of the version that stands; of the newest one when none does"`
	Ontology   string    `json:"ontology"`
	Filename   string    `json:"filename"`
	Versions   []Version `json:"versions"`
	Total      int       `json:"total"`
	Keep       int       `json:"keep_versions" doc:"How many earlier versions the ontology keeps"`
}

// Find returns a version by its number; CodeNotFound when it is not kept.
func (v Versions) Find(number int) (Version, error) {
	for _, one := range v.Versions {
		if one.Version == number {
			return one, nil
		}
	}
	return Version{}, &kappa.Error{Code: kappa.CodeNotFound, Message: "There is no version " + strconv.Itoa(number) + " of " + v.Filename + " that is kept"}
}

// VersionContent is the text of a version, chunk by chunk.
type VersionContent struct {
	Version
	Ontology string          `json:"ontology"`
	Text     []DocumentChunk `json:"text" doc:"Its chunks, which overlap"`
}

// VersionFacts are what a version says.
type VersionFacts struct {
	Concepts      []VersionConcept
	Relationships []VersionRelationship
	Passages      []VersionPassage
}

// VersionConcept is a concept that a version shows.
type VersionConcept struct {
	ConceptID string `json:"id"`
	Label     string `json:"label"`
	Quotes    int    `json:"quotes"`
}

// VersionRelationship is a relationship that a version states.
type VersionRelationship struct {
	From       string  `json:"from"`
	FromLabel  string  `json:"from_label"`
	Type       string  `json:"type"`
	To         string  `json:"to"`
	ToLabel    string  `json:"to_label"`
	Confidence float64 `json:"confidence"`
}

// VersionPassage is a passage of a version.
type VersionPassage struct {
	Number  int    `json:"number"`
	Section string `json:"section"`
	Body    string `json:"text"`
}
