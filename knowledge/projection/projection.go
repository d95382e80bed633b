package projection

import (
	"encoding/json"
	"math"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/check"
)

// TypeProjection is the job type that lays the items of an ontology out in a picture.
const TypeProjection = "projection"

// AllOntologies stands for all of them where the name of one is expected.
const AllOntologies = "__all__"

// The algorithms of a projection, and what it may place.
const (
	AlgorithmTSNE = "tsne"
	AlgorithmPCA  = "pca"

	ProjectConcepts   = "concepts"
	ProjectSources    = "sources"
	ProjectVocabulary = "vocabulary"
	ProjectCombined   = "combined" // concepts and sources
)

// The limits of a projection.
const (
	MinItems      = 3
	MaxItems      = 100_000
	MaxComponents = 3
)

// Algorithms returns the algorithms that this server knows, the default first.
func Algorithms() []string { return []string{AlgorithmTSNE, AlgorithmPCA} }

// Sources returns what a projection may place.
func Sources() []string {
	return []string{ProjectConcepts, ProjectSources, ProjectVocabulary, ProjectCombined}
}

// Parameters say how items are laid out.
type Parameters struct {
	Algorithm   string  `json:"algorithm"`
	Components  int     `json:"n_components"` // 2 or 3
	Perplexity  float64 `json:"perplexity"`   // 2 to 100; how many neighbours count
	Neighbors   int     `json:"n_neighbors"`  // of UMAP, which this server does not know
	MinDist     float64 `json:"min_dist"`     // likewise
	Spread      float64 `json:"spread"`       // likewise
	Metric      string  `json:"metric"`       // cosine or euclidean
	NormalizeL2 bool    `json:"normalize_l2"`
	Center      bool    `json:"center"`
}

// Query says what is to be projected, and what is shown of each item.
type Query struct {
	Ontology string `json:"ontology"` // or AllOntologies
	Source   string `json:"embedding_source"`
	Parameters
	IncludeGrounding bool `json:"include_grounding"`
	RefreshGrounding bool `json:"refresh_grounding"` // accepted: groundings are always those of the graph as it is
	IncludeDiversity bool `json:"include_diversity"`
	IncludeDegree    bool `json:"include_degree"`
	CreateArtifact   bool `json:"create_artifact"`
	Force            bool `json:"force"` // also when the last one is of the same input
}

// NewQuery returns a query with the defaults.
func NewQuery(ontology string) Query {
	return Query{
		Ontology: ontology, Source: ProjectConcepts,
		Parameters: Parameters{
			Algorithm: AlgorithmTSNE, Components: 3, Perplexity: 30, Neighbors: 15, MinDist: 0.1, Spread: 1, Metric: "cosine", NormalizeL2: true, Center: true,
		},
		IncludeGrounding: true, IncludeDegree: true,
	}
}

// Validate reports every rule that q breaks; in is where its members stand, and prefix
// what is before their names.
func (q Query) Validate(in, prefix string) error {
	var r check.Rules
	add := func(name, rule string) { r.Add(in, prefix+name, rule) }
	add("ontology", check.Name(q.Ontology, kappa.MaxOntologyName))
	add("embedding_source", check.OneOf(q.Source, Sources()...))
	add("algorithm", check.OneOf(q.Algorithm, Algorithms()...))
	add("n_components", check.Range(q.Components, 2, MaxComponents))
	add("perplexity", check.Between(q.Perplexity, 2, 100))
	add("n_neighbors", check.Range(q.Neighbors, 2, 200))
	add("min_dist", check.Between(q.MinDist, 0, 1))
	add("spread", check.Between(q.Spread, 0.5, 5))
	add("metric", check.OneOf(q.Metric, "cosine", "euclidean"))
	if q.IncludeDiversity {
		add("include_diversity", "must be false: a projection does not measure diversity, a search does")
	}
	return r.Err()
}

// EffectivePerplexity returns the perplexity that so many items allow, at least 1.
func EffectivePerplexity(wanted float64, items int) float64 {
	return max(1, min(wanted, math.Floor(float64(items-1)/3)))
}

// Item is what a projection places.
type Item struct {
	ID        string // of a concept or a source, or the name of a relationship type
	Label     string
	Kind      string // concept, source or relationship_type
	Ontology  *string
	Grounding *float64
	Degree    *int
	Vector    models.Embedding
}

// Input identifies what a projection is made of.
type Input struct {
	Ontology    string
	Items       int
	Fingerprint string // of the items and their embeddings
	Epoch       int64  // of the graph
}

// Projection is a picture of the items of an ontology.
type Projection struct {
	Ontology     string     `json:"ontology"`
	ChangelistID string     `json:"changelist_id"` // of the input: epoch, items and parameters
	Algorithm    string     `json:"algorithm"`
	Source       string     `json:"embedding_source"`
	Parameters   Parameters `json:"parameters"`
	ComputedAt   kappa.Time `json:"computed_at"`
	GraphEpoch   int64      `json:"graph_epoch"`
	Places       []Place    `json:"concepts"`
	Statistics   Statistics `json:"statistics"`
}

// Place is where an item is.
type Place struct {
	ID        string   `json:"concept_id"`
	Label     string   `json:"label"`
	X         float64  `json:"x"`
	Y         float64  `json:"y"`
	Z         float64  `json:"z"` // 0 in two dimensions
	Grounding *float64 `json:"grounding_strength"`
	Ontology  *string  `json:"ontology"`
	Kind      string   `json:"item_type"`
	Cluster   *int     `json:"cluster_id"` // null: it belongs to none
	Degree    *int     `json:"degree"`
}

// Statistics sum up a projection.
type Statistics struct {
	Concepts        int               `json:"concept_count"`
	Milliseconds    int64             `json:"computation_time_ms"`
	Dimensions      int               `json:"embedding_dims"`
	GroundingRange  []float64         `json:"grounding_range" nullable:"true"` // null without groundings
	Clusters        int               `json:"cluster_count"`
	ClusterSizes    map[string]int    `json:"cluster_sizes"`
	ClusterNames    map[string]string `json:"cluster_names"` // what is in the middle of each
	Noise           int               `json:"cluster_noise_count"`
	Trustworthiness float64           `json:"trustworthiness"` // of 12 neighbours, of up to 500 items
	Perplexity      *float64          `json:"effective_perplexity"`
}

// Kept is the last projection of an ontology.
type Kept struct {
	Query      Query // what it was made with, without the ontology and the source
	Changelist string
	Stale      bool            // its input has changed since
	Body       json.RawMessage // a Projection
}
