package kappa

// MaxConceptList is how many concepts one answer lists at most.
const MaxConceptList = 500

// How a concept came about.
const (
	CreatedByIngestion = "llm_extraction" // an ingestion found it: the word that clients know
	CreatedByHuman     = "human"
	CreatedByAgent     = "agent"
)

// ConceptFilter selects concepts for a list, those with the most evidence
// first. The zero value of each word selects all.
type ConceptFilter struct {
	Ontology       string // only concepts with a source in it
	LabelContains  string // only concepts with this in their label, in whatever case
	CreationMethod string // only concepts that came about this way; see CreatedByIngestion
	Limit          int    // 1 to 500
	Offset         int    // 0 or more
	Cursor         string // of the page before; "" = the first one
}

// Validate reports every rule that f breaks, in the names of the API's query.
func (f ConceptFilter) Validate() error {
	var r rules
	r.add("query", "ontology", checkOptionalName(f.Ontology, MaxOntologyName))
	r.add("query", "label_contains", checkOptionalName(f.LabelContains, maxQueryCharacters))
	r.add("query", "creation_method", checkOptionalName(f.CreationMethod, maxJobTypeName))
	r.add("query", "limit", checkRange(f.Limit, 1, MaxConceptList))
	r.add("query", "offset", checkRange(f.Offset, 0, maxOffset))
	r.add("query", "cursor", checkCursor(ListConcepts, f.Cursor, ConceptKeys, f.Offset))
	return r.err()
}

// ListedConcept is a concept in a list.
type ListedConcept struct {
	ConceptHit
	SearchTerms []string `json:"search_terms"`
	// Ontology is the one that was asked for, or else the first by name; the others
	// are in Documents. It is nil without any.
	Ontology        *string `json:"ontology"`
	CreationMethod  string  `json:"creation_method"`
	HasEmbedding    bool    `json:"has_embedding"`
	MatchedExisting bool    `json:"matched_existing"` // never in a list: of a concept that was to be made, and was there
	Place           Cursor  `json:"-"`                // in the list
}
