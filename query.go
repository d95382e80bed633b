package kappa

import "strconv"

// The ranges and defaults of questions to the graph.
const (
	DefaultSimilarity    = 0.6 // threshold of a search unless the caller says otherwise
	LooseSimilarity      = 0.3 // threshold of the second look when there are few hits
	FewHits              = 3   // below this many hits the second look is taken
	MaxSearchLimit       = 100
	MaxRelatedDepth      = 5
	MaxConnectHops       = 10
	MaxPaths             = 5
	SampleEvidence       = 3 // quotes shown with a search hit
	maxQueryCharacters   = 2000
	maxConceptIDLength   = 200
	maxRelationshipTypes = 100 // in one question

	maxRelationshipTypeName = 100
)

// SearchQuery asks for the concepts nearest to a phrase.
type SearchQuery struct {
	Query           string
	Limit           int      // 1 to 100
	Offset          int      // 0 or more
	MinSimilarity   *float64 // 0 to 1; nil = DefaultSimilarity
	Ontology        *string  // only concepts with a source in it
	IncludeEvidence bool
}

// Validate reports every rule that q breaks.
func (q SearchQuery) Validate() error {
	broken := checkQuery(q.Query)
	add := adder(&broken)
	add("limit", checkRange(q.Limit, 1, MaxSearchLimit))
	add("offset", checkRange(q.Offset, 0, maxOffset))
	if q.Ontology != nil {
		add("ontology", checkName(*q.Ontology, MaxOntologyName))
	}
	if q.MinSimilarity != nil {
		add("min_similarity", checkShare(*q.MinSimilarity))
	}
	return Invalid(broken...)
}

// SearchResult is the answer to a SearchQuery, best first.
type SearchResult struct {
	Query     string       `json:"query"`
	Count     int          `json:"count"`
	Results   []ConceptHit `json:"results"`
	Offset    int          `json:"offset"`
	Threshold float64      `json:"threshold_used"`
	TopMatch  *ConceptHit  `json:"top_match"`
	// BelowThreshold is how many more concepts a looser threshold would find;
	// nil when there were enough.
	BelowThreshold *int     `json:"below_threshold_count"`
	Suggested      *float64 `json:"suggested_threshold"`
}

// ConceptHit is a concept that a search found.
type ConceptHit struct {
	ConceptID     string     `json:"concept_id"`
	Label         string     `json:"label"`
	Description   *string    `json:"description"`
	Score         float64    `json:"score"`
	Documents     []string   `json:"documents"` // ontology names
	EvidenceCount int        `json:"evidence_count"`
	Sample        []Evidence `json:"sample_evidence"` // null unless asked for
	Grounding
}

// Grounding is how well a concept is supported. The figures that are not
// computed yet are null.
type Grounding struct {
	Strength   *float64 `json:"grounding_strength"`
	Level      *string  `json:"confidence_level"` // confident, tentative or insufficient
	Confidence *float64 `json:"confidence_score"`
	Display    *string  `json:"grounding_display"`
	Diversity  *float64 `json:"diversity_score"`
	Related    *int     `json:"diversity_related_count"`
	Authentic  *float64 `json:"authenticated_diversity"`
}

// Evidence is a quote and where it stands. Span counts bytes of the document.
type Evidence struct {
	Quote          string  `json:"quote"`
	Document       string  `json:"document"`  // the ontology's name
	Paragraph      int     `json:"paragraph"` // the chunk's number
	SourceID       string  `json:"source_id"`
	DocumentID     string  `json:"document_id"`
	Filename       *string `json:"filename"`
	SourceType     *string `json:"source_type"`
	SourcePath     *string `json:"source_path"`
	SourceHostname *string `json:"source_hostname"`
	ContentType    *string `json:"content_type"`
	HasImage       *bool   `json:"has_image"`
	ImageURI       *string `json:"image_uri"`
	Span
}

// ConceptFilter selects concepts for a list, those with the most evidence
// first. The zero value of Ontology selects all.
type ConceptFilter struct {
	Ontology string // only concepts with a source in it; "" = any
	Limit    int    // 1 to 100
	Offset   int    // 0 or more
}

// Validate reports every rule that f breaks, in the names of the API's query.
func (f ConceptFilter) Validate() error {
	var broken []FieldError
	add := func(name, rule string) {
		if rule != "" {
			broken = append(broken, FieldError{In: "query", Name: name, Rule: rule})
		}
	}
	if f.Ontology != "" {
		add("ontology", checkName(f.Ontology, MaxOntologyName))
	}
	add("limit", checkRange(f.Limit, 1, MaxSearchLimit))
	add("offset", checkRange(f.Offset, 0, maxOffset))
	return Invalid(broken...)
}

// ConceptDetails is a concept with its quotes and its outgoing relationships.
type ConceptDetails struct {
	ConceptID     string                `json:"concept_id"`
	Label         string                `json:"label"`
	Description   *string               `json:"description"`
	SearchTerms   []string              `json:"search_terms"`
	Documents     []string              `json:"documents"`
	Instances     []Evidence            `json:"instances"`
	Relationships []ConceptRelationship `json:"relationships"`
	Grounding
}

// ConceptRelationship is an outgoing relationship, one for each type and
// target.
type ConceptRelationship struct {
	ToID       string   `json:"to_id"`
	ToLabel    string   `json:"to_label"`
	Type       string   `json:"rel_type"`
	Category   *string  `json:"category"`
	Confidence *float64 `json:"confidence"`
	CreatedAt  Time     `json:"created_at"`
}

// RelatedQuery asks for the neighbourhood of a concept.
type RelatedQuery struct {
	ConceptID string
	Types     []string // only these relationship types; empty = all
	MaxDepth  int      // 1 to 5
}

// Validate reports every rule that q breaks.
func (q RelatedQuery) Validate() error {
	var broken []FieldError
	add := adder(&broken)
	add("concept_id", checkName(q.ConceptID, maxConceptIDLength))
	add("max_depth", checkRange(q.MaxDepth, 1, MaxRelatedDepth))
	add("relationship_types", checkRange(len(q.Types), 0, maxRelationshipTypes))
	for i, t := range q.Types {
		add("relationship_types["+strconv.Itoa(i)+"]", checkName(t, maxRelationshipTypeName))
	}
	return Invalid(broken...)
}

// RelatedResult is the answer to a RelatedQuery, nearest first, then by label.
type RelatedResult struct {
	ConceptID string           `json:"concept_id"`
	MaxDepth  int              `json:"max_depth"`
	Count     int              `json:"count"`
	Results   []RelatedConcept `json:"results"`
	Truncated bool             `json:"truncated"` // more concepts lie within max_depth than are listed
}

// RelatedConcept is a concept near another one.
type RelatedConcept struct {
	ConceptID string   `json:"concept_id"`
	Label     string   `json:"label"`
	Distance  int      `json:"distance"`   // in relationships
	PathTypes []string `json:"path_types"` // the types along one shortest path
	Grounding
}

// ConnectQuery asks for paths between two concepts, in either direction of the
// relationships.
type ConnectQuery struct {
	FromID          string
	ToID            string
	MaxHops         int // 1 to 10
	IncludeEvidence bool
}

// Validate reports every rule that q breaks.
func (q ConnectQuery) Validate() error {
	var broken []FieldError
	add := adder(&broken)
	add("from_id", checkName(q.FromID, maxConceptIDLength))
	add("to_id", checkName(q.ToID, maxConceptIDLength))
	add("max_hops", checkRange(q.MaxHops, 1, MaxConnectHops))
	return Invalid(broken...)
}

// ConnectResult is the answer to a ConnectQuery: up to five paths, shortest
// first.
type ConnectResult struct {
	FromID    string `json:"from_id"`
	ToID      string `json:"to_id"`
	MaxHops   int    `json:"max_hops"`
	Count     int    `json:"count"`
	Paths     []Path `json:"paths"`
	Truncated bool   `json:"truncated"` // the search was cut at its limit of concepts
}

// Path is a chain of concepts. Relationships[i] joins Nodes[i] and Nodes[i+1];
// Forward[i] reports that it points that way.
type Path struct {
	Nodes         []PathNode `json:"nodes"`
	Relationships []string   `json:"relationships"`
	Forward       []bool     `json:"forward"`
	Hops          int        `json:"hops"`
}

// PathNode is a concept on a path.
type PathNode struct {
	ID          string     `json:"id"`
	Label       string     `json:"label"`
	Description *string    `json:"description"`
	Sample      []Evidence `json:"sample_evidence"`
	Grounding
}

func checkQuery(query string) []FieldError {
	var broken []FieldError
	adder(&broken)("query", checkName(query, maxQueryCharacters))
	return broken
}

func adder(broken *[]FieldError) func(name, rule string) {
	return func(name, rule string) {
		if rule != "" {
			*broken = append(*broken, FieldError{In: "body", Name: name, Rule: rule})
		}
	}
}

func checkShare(v float64) string {
	if v >= 0 && v <= 1 {
		return ""
	}
	return "must be between 0 and 1, got " + strconv.FormatFloat(v, 'g', -1, 64)
}
