package ontologies

import (
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/check"
)

// Node is an ontology without what it holds.
type Node struct {
	ID             string   `json:"ontology_id"`
	Name           string   `json:"name"`
	Description    string   `json:"description"`
	LifecycleState string   `json:"lifecycle_state"` // active, pinned or frozen
	CreationEpoch  int64    `json:"creation_epoch"`
	HasEmbedding   bool     `json:"has_embedding"`
	SearchTerms    []string `json:"search_terms"`
	CreatedBy      *string  `json:"created_by"`
	KeepVersions   int      `json:"keep_versions"` // how many earlier versions of its documents stay readable
}

// Statistics count what an ontology holds.
type Statistics struct {
	Sources       int `json:"source_count"`
	Files         int `json:"file_count"`
	Concepts      int `json:"concept_count"`
	Instances     int `json:"instance_count"`
	Relationships int `json:"relationship_count"`
}

// File is a document of an ontology.
type File struct {
	FilePath   string       `json:"file_path"` // where it was submitted from, else its name
	DocumentID string       `json:"document_id"`
	SourceType *string      `json:"source_type"` // how it was submitted: file, sync, url, …
	Chunks     int          `json:"chunk_count"`
	Concepts   int          `json:"concept_count"`
	SourceIDs  []string     `json:"source_ids"`
	Place      kappa.Cursor `json:"-"` // in the list
}

// FilesQuery asks for the documents of an ontology by their paths.
type FilesQuery struct {
	Ontology string
	Limit    int    // 0 = all of them
	Cursor   string // of the page before; "" = from the begin
}

// MaxFiles is how many documents of an ontology a page has at most.
const MaxFiles = 1000

// Validate reports every rule that q breaks.
func (q FilesQuery) Validate() error {
	var r check.Rules
	r.Add("query", "limit", checkFileLimit(q.Limit))
	r.Add("query", "cursor", check.Cursor(kappa.ListFiles, q.Cursor, kappa.FileKeys, 0))
	return r.Err()
}

// CheckFileLimit returns a kappa.CodeInvalid Error for a number of files that cannot be asked for.
func CheckFileLimit(limit int) error {
	var r check.Rules
	r.Add("query", "limit", checkFileLimit(limit))
	return r.Err()
}

func checkFileLimit(limit int) string {
	if limit == 0 {
		return ""
	}
	return check.Range(limit, 1, MaxFiles)
}

// Details are an ontology and what it holds.
type Details struct {
	Ontology   string     `json:"ontology"`
	Statistics Statistics `json:"statistics"`
	Files      []string   `json:"files"`
	Node       *Node      `json:"node"`
}

// NewOntology is what it takes to create an ontology.
type NewOntology struct {
	Name        string
	Description string
	UserID      int
}

// maxOntologyDescription is in characters.
const maxOntologyDescription = 2000

// Validate reports every rule that o breaks.
func (o NewOntology) Validate() error {
	var r check.Rules
	r.Add("body", "name", CheckName(o.Name))
	r.Add("body", "description", check.OptionalName(o.Description, maxOntologyDescription))
	return r.Err()
}

// CheckName returns the rule that the name of a new ontology breaks, or "".
// A few words are parts of routes.
func CheckName(name string) string {
	if slices.Contains([]string{"tombstones", "proposals", "scores", "annealing-cycle"}, name) {
		return "must not be " + check.Quote(name) + ", which has a meaning of its own"
	}
	return check.Name(name, kappa.MaxOntologyName)
}

// CheckRename returns a kappa.CodeInvalid Error when an ontology cannot have a name.
func CheckRename(name string) error {
	var r check.Rules
	r.Add("body", "new_name", CheckName(name))
	return r.Err()
}

// CheckLifecycle returns a kappa.CodeInvalid Error for a state that there is not.
func CheckLifecycle(state string) error {
	var r check.Rules
	r.Add("body", "state", check.OneOf(state, LifecycleActive, LifecyclePinned, LifecycleFrozen))
	return r.Err()
}

// MaxKeepVersions is how many earlier versions of a document an ontology may keep.
const MaxKeepVersions = 1000

// CheckKeepVersions returns a kappa.CodeInvalid Error for a number of versions that cannot be kept;
// nil is none given.
func CheckKeepVersions(keep *int) error {
	var r check.Rules
	if keep == nil {
		r.Add("body", "keep_versions", "is required")
	} else {
		r.Add("body", "keep_versions", check.Range(*keep, 0, MaxKeepVersions))
	}
	return r.Err()
}

// Tombstone is the name of a deleted ontology that stays blocked.
type Tombstone struct {
	Name      string     `json:"name"`
	RemovedBy *string    `json:"removed_by"`
	RemovedAt kappa.Time `json:"removed_at"`
	Reason    *string    `json:"reason"`
}

// Row returns what permissions ask of an ontology.
func (n Node) Row() access.Row { return access.Row{ID: n.ID, Ontology: n.Name} }
