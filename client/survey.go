package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// surveyTimeout is for an analysis of the graph as a whole: of a large graph the first
// after a change takes seconds.
const surveyTimeout = 5 * time.Minute

// Centrality returns the concepts that are most in the centre of the graph, or of an
// ontology. A Limit of 0 leaves the number to the server.
func (c *Client) Centrality(ctx context.Context, q questions.CentralityQuery) (questions.Centrality, error) {
	return surveyed[questions.Centrality](ctx, c, "/graph/centrality", struct {
		Ontology string `json:"ontology,omitempty"`
		Limit    int    `json:"limit,omitempty"`
	}{q.Ontology, q.Limit})
}

// Communities returns which concepts of the graph, or of an ontology, belong together.
// A number that is 0 is left to the server.
func (c *Client) Communities(ctx context.Context, q questions.CommunitiesQuery) (questions.Communities, error) {
	return surveyed[questions.Communities](ctx, c, "/graph/communities", struct {
		Ontology   string  `json:"ontology,omitempty"`
		Resolution float64 `json:"resolution,omitempty"`
		Limit      int     `json:"limit,omitempty"`
		PerGroup   int     `json:"per_community,omitempty"`
	}{q.Ontology, q.Resolution, q.Limit, q.PerGroup})
}

func surveyed[T any](ctx context.Context, c *Client, path string, q any) (T, error) {
	in, err := withJSON(http.MethodPost, path, q)
	if err != nil {
		var none T
		return none, err
	}
	in.timeout = surveyTimeout
	return fetch[T](ctx, c, in)
}

// About returns what an ontology is about: its largest communities.
func (c *Client) About(ctx context.Context, ontology string) (questions.Communities, error) {
	in := get("/ontology/"+url.PathEscape(ontology)+"/about", nil)
	in.timeout = surveyTimeout
	return fetch[questions.Communities](ctx, c, in)
}

// VocabularyStatus says how large the vocabulary of relationship types is.
func (c *Client) VocabularyStatus(ctx context.Context) (vocabulary.Status, error) {
	return fetch[vocabulary.Status](ctx, c, get("/vocabulary/status", nil))
}

// VocabularyTypes returns the relationship types by name, with or without those that
// every installation knows.
func (c *Client) VocabularyTypes(ctx context.Context, builtin bool) ([]vocabulary.Type, error) {
	out, err := fetch[struct {
		Types []vocabulary.Type `json:"types"`
	}](ctx, c, get("/vocabulary/types", url.Values{"include_builtin": {strconv.FormatBool(builtin)}}))
	return out.Types, err
}

// EpistemicStatuses are the statuses of relationship types, and when they were measured.
type EpistemicStatuses struct {
	Types   []vocabulary.TypeEpistemic `json:"types"`
	Last    *kappa.Time                `json:"last_measurement_at"`                  // nil: never
	Changes *int                       `json:"vocabulary_changes_since_measurement"` // types that were added since
	Epoch   *int64                     `json:"measured_epoch"`                       // of the graph
}

// EpistemicStatuses returns the relationship types that have a status, or all for "".
func (c *Client) EpistemicStatuses(ctx context.Context, status string) (EpistemicStatuses, error) {
	query := url.Values{}
	if status != "" {
		query.Set("status_filter", status)
	}
	return fetch[EpistemicStatuses](ctx, c, get("/vocabulary/epistemic-status", query))
}

// EpistemicStatus returns the status of one relationship type, in whatever case.
func (c *Client) EpistemicStatus(ctx context.Context, name string) (vocabulary.TypeEpistemic, error) {
	return fetch[vocabulary.TypeEpistemic](ctx, c, get("/vocabulary/epistemic-status/"+url.PathEscape(strings.ToUpper(name)), nil))
}

// Measurement asks for the epistemic statuses to be measured now.
type Measurement struct {
	SampleSize int  `json:"sample_size,omitempty"` // 1 to 10,000 edges of each type; 0 leaves it to the server
	Store      bool `json:"store"`
	Verbose    bool `json:"verbose"` // show all types, and not the ten with the most edges
}

// Measured is what a measurement found out.
type Measured struct {
	Message         string                     `json:"message"`
	TotalTypes      int                        `json:"total_types"`
	Stored          int                        `json:"stored_count"`
	Classifications map[string]int             `json:"classifications"` // how many types have each status
	Results         []vocabulary.TypeEpistemic `json:"sample_results"`
}

// MeasureVocabulary measures the epistemic status of every relationship type.
func (c *Client) MeasureVocabulary(ctx context.Context, m Measurement) (Measured, error) {
	return surveyed[Measured](ctx, c, "/vocabulary/epistemic-status/measure", m)
}
