package graph

import (
	"context"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a graph that holds nothing.
type fake struct {
	err      error // what everything fails with, if set
	searches []questions.SearchQuery
	texts    []corpus.SourceQuery    // for want of a concept
	hits     []questions.ConceptHit  // of every search
	surveyed []any                   // queries about the graph as a whole
	filter   questions.ConceptFilter // of the last list
	listed   []questions.ListedConcept
	phrases  questions.ConnectBySearchQuery // the last ones
	enriched questions.EnrichedPathQuery
	around   questions.NeighborhoodQuery
	within   []questions.AroundQuery
	edges    questions.EdgeFilter
	export   questions.ExportQuery

	ontologies []ontologies.Ontology

	edge   questions.EdgeEvidenceQuery
	stated string // the concept whose relationships were to have their sentences
	near   questions.RelatedQuery
}

func newServer(t testing.TB, f *fake) *http.Server {
	t.Helper()
	return apitest.Serve(t, apiOf(f))
}

func apiOf(f *fake) *API {
	return New(Config{Questions: f, Explorer: f, Inventory: f, Surveyor: f, Texts: f})
}

func (f *fake) Search(_ context.Context, q questions.SearchQuery) (questions.SearchResult, error) {
	f.searches = append(f.searches, q)
	return questions.SearchResult{Query: q.Query, Results: f.hits, Count: len(f.hits)}, f.err
}

// SearchSources finds "frozen pipe" in a text.
func (f *fake) SearchSources(_ context.Context, q corpus.SourceQuery, _, _ bool) ([]corpus.SourceHit, error) {
	f.texts = append(f.texts, q)
	if q.Query != "frozen pipe" {
		return nil, nil
	}
	return []corpus.SourceHit{{SourceID: "src_1", Matched: corpus.MatchedChunk{Text: "a frozen pipe bursts"}}}, f.err
}

func (f *fake) Concept(_ context.Context, q questions.ConceptQuery) (questions.ConceptDetails, error) {
	if q.IncludeEvidence {
		f.stated = q.ConceptID
	}
	return questions.ConceptDetails{ConceptID: q.ConceptID}, f.err
}

func (f *fake) Edge(_ context.Context, q questions.EdgeEvidenceQuery) (questions.EdgeDetails, error) {
	f.edge = q
	e := questions.EdgeDetails{Limit: q.Limit, Offset: q.Offset, Total: 4}
	e.FromID, e.Type, e.ToID = q.FromID, q.Type, q.ToID
	return e, f.err
}

func (f *fake) Related(_ context.Context, q questions.RelatedQuery) (questions.RelatedResult, error) {
	f.near = q
	return questions.RelatedResult{}, f.err
}

func (f *fake) Connect(_ context.Context, q questions.ConnectQuery) (questions.ConnectResult, error) {
	if q.ToID == "no_such" {
		return questions.ConnectResult{}, kappa.NewError(kappa.CodeNotFound, "Concept 'no_such' not found")
	}
	return questions.ConnectResult{}, f.err
}

func (f *fake) Ontologies(context.Context) ([]ontologies.Ontology, error) {
	return slices.Clone(f.ontologies), f.err
}

func (f *fake) Stats(context.Context) (ontologies.GraphStats, error) {
	return ontologies.GraphStats{}, f.err
}

func (f *fake) SinceMeasurement(context.Context) (knowledge.GraphMetrics, error) {
	return knowledge.GraphMetrics{}, f.err
}

func (f *fake) Epoch(context.Context) (int64, error) { return 7, f.err }

func (f *fake) ListConcepts(_ context.Context, filter questions.ConceptFilter) ([]questions.ListedConcept, int, error) {
	f.filter = filter
	return f.listed, 7, f.err
}

// strict is a graph that no question reaches that breaks a rule.
type strict struct {
	*fake
	apitest.Fuzzer
}

func newStrict(t testing.TB) *strict {
	s := &strict{fake: &fake{}}
	s.Begin(t, New(Config{Questions: s, Explorer: s, Inventory: s, Surveyor: s, Texts: s}))
	return s
}

func (s *strict) ListConcepts(_ context.Context, f questions.ConceptFilter) ([]questions.ListedConcept, int, error) {
	s.Allow(apitest.Within(f.Limit, 1, 500) && apitest.Within(f.Offset, 0, 1_000_000) && apitest.SentenceOrNone(f.Ontology, 200) &&
		apitest.SentenceOrNone(f.LabelContains, 2000) && apitest.SentenceOrNone(f.CreationMethod, 100), f)
	return nil, 0, nil
}

func (s *strict) Concept(_ context.Context, q questions.ConceptQuery) (questions.ConceptDetails, error) {
	s.Allow(s.NameInPath(q.ConceptID) && apitest.SentenceOrNone(q.Ontology, kappa.MaxOntologyName), q)
	return questions.ConceptDetails{ConceptID: q.ConceptID}, nil
}

func (s *strict) Edge(_ context.Context, q questions.EdgeEvidenceQuery) (questions.EdgeDetails, error) {
	id := func(id string) bool { return knowledge.CheckConceptID("", "", id) == nil }
	s.Allow(id(q.FromID) && id(q.ToID) && apitest.Sentence(q.Type, 100) && apitest.Within(q.Limit, 1, 200) && apitest.Within(q.Offset, 0, 1_000_000), q)
	return questions.EdgeDetails{}, nil
}

func (s *strict) Search(_ context.Context, q questions.SearchQuery) (questions.SearchResult, error) {
	s.Allow(apitest.Sentence(q.Query, 2000) && apitest.Within(q.Limit, 1, 100) && apitest.Within(q.Offset, 0, 1_000_000) &&
		(q.Ontology == nil || apitest.Sentence(*q.Ontology, 200)) && (q.MinSimilarity == nil || *q.MinSimilarity >= 0 && *q.MinSimilarity <= 1), q)
	return questions.SearchResult{Query: q.Query}, nil
}

func (s *strict) Related(_ context.Context, q questions.RelatedQuery) (questions.RelatedResult, error) {
	named := !slices.ContainsFunc(q.Types, func(t string) bool { return !apitest.Sentence(t, 100) })
	s.Allow(apitest.Sentence(q.ConceptID, 200) && apitest.Within(q.MaxDepth, 1, 5) && len(q.Types) <= 100 && named, q)
	return questions.RelatedResult{}, nil
}

func (s *strict) Connect(_ context.Context, q questions.ConnectQuery) (questions.ConnectResult, error) {
	s.Allow(apitest.Sentence(q.FromID, 200) && apitest.Sentence(q.ToID, 200) && apitest.Within(q.MaxHops, 1, 10), q)
	return questions.ConnectResult{}, nil
}

func (f *fake) Centrality(_ context.Context, q questions.CentralityQuery) (questions.Centrality, error) {
	f.surveyed = append(f.surveyed, q)
	return questions.Centrality{}, f.err
}

func (f *fake) Communities(_ context.Context, q questions.CommunitiesQuery) (questions.Communities, error) {
	f.surveyed = append(f.surveyed, q)
	return questions.Communities{}, f.err
}
