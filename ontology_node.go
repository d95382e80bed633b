package kappa

import "slices"

// OntologyNode is an ontology without what it holds.
type OntologyNode struct {
	ID             string   `json:"ontology_id"`
	Name           string   `json:"name"`
	Description    string   `json:"description"`
	LifecycleState string   `json:"lifecycle_state"` // active, pinned or frozen
	CreationEpoch  int64    `json:"creation_epoch"`
	HasEmbedding   bool     `json:"has_embedding"`
	SearchTerms    []string `json:"search_terms"`
	CreatedBy      *string  `json:"created_by"`
}

// OntologyStatistics count what an ontology holds.
type OntologyStatistics struct {
	Sources       int `json:"source_count"`
	Files         int `json:"file_count"`
	Concepts      int `json:"concept_count"`
	Instances     int `json:"instance_count"`
	Relationships int `json:"relationship_count"`
}

// OntologyFile is a document of an ontology.
type OntologyFile struct {
	FilePath   string   `json:"file_path"` // where it was submitted from, else its name
	DocumentID string   `json:"document_id"`
	Chunks     int      `json:"chunk_count"`
	Concepts   int      `json:"concept_count"`
	SourceIDs  []string `json:"source_ids"`
	Place      Cursor   `json:"-"` // in the list
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
	var r rules
	r.add("query", "limit", checkFileLimit(q.Limit))
	r.add("query", "cursor", checkCursor(ListFiles, q.Cursor, FileKeys, 0))
	return r.err()
}

// CheckFileLimit returns a CodeInvalid Error for a number of files that cannot be asked for.
func CheckFileLimit(limit int) error {
	var r rules
	r.add("query", "limit", checkFileLimit(limit))
	return r.err()
}

func checkFileLimit(limit int) string {
	if limit == 0 {
		return ""
	}
	return checkRange(limit, 1, MaxFiles)
}

// OntologyDetails are an ontology and what it holds.
type OntologyDetails struct {
	Ontology   string             `json:"ontology"`
	Statistics OntologyStatistics `json:"statistics"`
	Files      []string           `json:"files"`
	Node       *OntologyNode      `json:"node"`
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
	var r rules
	r.add("body", "name", checkNewOntologyName(o.Name))
	r.add("body", "description", checkOptionalName(o.Description, maxOntologyDescription))
	return r.err()
}

// checkNewOntologyName returns the rule that the name of a new ontology breaks, or "".
// A few words are parts of routes.
func checkNewOntologyName(name string) string {
	if slices.Contains([]string{"tombstones", "proposals", "scores", "annealing-cycle"}, name) {
		return "must not be " + quote(name) + ", which has a meaning of its own"
	}
	return checkName(name, MaxOntologyName)
}

// CheckRename returns a CodeInvalid Error when an ontology cannot have a name.
func CheckRename(name string) error {
	var r rules
	r.add("body", "new_name", checkNewOntologyName(name))
	return r.err()
}

// CheckLifecycle returns a CodeInvalid Error for a state that there is not.
func CheckLifecycle(state string) error {
	var r rules
	r.add("body", "state", checkOneOf(state, LifecycleActive, LifecyclePinned, LifecycleFrozen))
	return r.err()
}

// OntologyTombstone is the name of a deleted ontology that stays blocked.
type OntologyTombstone struct {
	Name      string  `json:"name"`
	RemovedBy *string `json:"removed_by"`
	RemovedAt Time    `json:"removed_at"`
	Reason    *string `json:"reason"`
}
