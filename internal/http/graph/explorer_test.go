package graph

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func (f *fake) ConnectBySearch(_ context.Context, q questions.ConnectBySearchQuery) (questions.ConnectBySearchResult, error) {
	f.phrases = q
	if q.FromQuery == "zzz" {
		return questions.ConnectBySearchResult{}, kappa.NewError(kappa.CodeNotFound, "No concepts found matching 'zzz' at 50% similarity")
	}
	return questions.ConnectBySearchResult{FromQuery: q.FromQuery, ToQuery: q.ToQuery, PathsFound: questions.PathsFound{MaxHops: q.MaxHops}}, f.err
}

func (s *strict) ConnectBySearch(_ context.Context, q questions.ConnectBySearchQuery) (questions.ConnectBySearchResult, error) {
	s.Allow(apitest.Sentence(q.FromQuery, 2000) && apitest.Sentence(q.ToQuery, 2000) && apitest.Within(q.MaxHops, 1, 10) && q.Threshold >= 0 && q.Threshold <= 1, q)
	return questions.ConnectBySearchResult{}, nil
}

func (f *fake) EnrichedPath(_ context.Context, q questions.EnrichedPathQuery) (questions.EnrichedPath, error) {
	f.enriched = q
	return questions.EnrichedPath{FromID: q.FromID}, f.err
}

func (s *strict) EnrichedPath(_ context.Context, q questions.EnrichedPathQuery) (questions.EnrichedPath, error) {
	s.Allow(knowledge.CheckConceptID("", "", q.FromID) == nil && knowledge.CheckConceptID("", "", q.ToID) == nil &&
		apitest.Within(q.MaxHops, 1, 10) && apitest.Within(q.PerNode, 1, 50), q)
	return questions.EnrichedPath{}, nil
}

func (f *fake) Neighborhood(_ context.Context, q questions.NeighborhoodQuery) (questions.Neighborhood, error) {
	f.around = q
	return questions.Neighborhood{ConceptID: q.ConceptID}, f.err
}

func (s *strict) Neighborhood(_ context.Context, q questions.NeighborhoodQuery) (questions.Neighborhood, error) {
	named := !slices.ContainsFunc(q.Types, func(t string) bool { return !apitest.Sentence(t, 100) })
	s.Allow(knowledge.CheckConceptID("", "", q.ConceptID) == nil && apitest.Within(q.MaxHops, 1, 5) && apitest.Within(q.Limit, 1, 1000) && len(q.Types) <= 100 && named, q)
	return questions.Neighborhood{}, nil
}

func (f *fake) ListEdges(_ context.Context, q questions.EdgeFilter) ([]questions.ListedEdge, int, error) {
	f.edges = q
	return []questions.ListedEdge{{SubgraphEdge: questions.SubgraphEdge{FromID: "a_1", ToID: "b_2", Type: "CAUSES", Confidence: 0.5}, FromLabel: "a", ToLabel: "b", Category: "causation", Sources: 3, Documents: 2}}, 7, f.err
}

func (s *strict) ListEdges(_ context.Context, q questions.EdgeFilter) ([]questions.ListedEdge, int, error) {
	id := func(id string) bool { return id == "" || knowledge.CheckConceptID("", "", id) == nil }
	s.Allow(id(q.FromID) && id(q.ToID) && apitest.SentenceOrNone(q.Type, 100) && apitest.SentenceOrNone(q.Ontology, 200) &&
		q.MinConfidence >= 0 && q.MinConfidence <= 1 && apitest.Within(q.Limit, 1, 500) && apitest.Within(q.Offset, 0, 1_000_000), q)
	return nil, 0, nil
}

// usualMeasures are those of a query that says nothing of them.
func usualMeasures() questions.Measures {
	return questions.Measures{DiversityHops: new(questions.DefaultDiversityHops)}
}

func TestConnectBySearch(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/query/connect-by-search", Body: `{"from_query":"a","to_query":"b"}`})
	want := questions.ConnectBySearchQuery{FromQuery: "a", ToQuery: "b", MaxHops: 5, Threshold: 0.5, PathPage: questions.PathPage{Limit: 5}, Measures: usualMeasures()}
	if resp.StatusCode != 200 || !reflect.DeepEqual(f.phrases, want) {
		t.Errorf("%d, asked for %+v, want %+v", resp.StatusCode, f.phrases, want)
	}
	for _, member := range []string{
		`"from_query":"a"`, `"to_query":"b"`, `"from_concept":null`, `"to_concept":null`, `"from_similarity":null`, `"to_similarity":null`,
		`"from_suggested_threshold":null`, `"to_suggested_threshold":null`, `"from_near_misses":null`, `"to_near_misses":null`,
		`"max_hops":5`, `"count":0`, `"paths":[]`, `"truncated":false`,
	} {
		if !strings.Contains(body, member) {
			t.Errorf("%s\nlacks %s", body, member)
		}
	}
	connect := func(body string) apitest.Request {
		return apitest.Request{Method: "POST", Path: "/query/connect-by-search", Body: body}
	}
	f = &fake{}
	apitest.Refuses(t, newServer(t, f), map[string]apitest.Refusal{
		"a phrase is missing":         apitest.Refused(connect(`{"from_query":"a"}`), 422, "to_query: is required", "body.to_query"),
		"an empty phrase":             apitest.Refused(connect(`{"from_query":" ","to_query":"b"}`), 422, "from_query: must not be empty", "body.from_query"),
		"no hops":                     apitest.Refused(connect(`{"from_query":"a","to_query":"b","max_hops":0}`), 422, "max_hops: must be at least 1, got 0", "body.max_hops"),
		"11 hops":                     apitest.Refused(connect(`{"from_query":"a","to_query":"b","max_hops":11}`), 422, "max_hops: must be at most 10, got 11", "body.max_hops"),
		"a threshold above 1":         apitest.Refused(connect(`{"from_query":"a","to_query":"b","threshold":50}`), 422, "threshold: must be between 0 and 1, got 50", "body.threshold"),
		"a filter by no status":       apitest.Refused(connect(`{"from_query":"a","to_query":"b","include_epistemic_status":["MIXED"]}`), 422, "include_epistemic_status[0]: must be one of", "body.include_epistemic_status.0"),
		"a phrase that means nothing": apitest.Refused(connect(`{"from_query":"zzz","to_query":"b"}`), 404, "No concepts found matching 'zzz' at 50% similarity", ""),
	}, func() int { return 0 })
}

func TestEnrichedPath(t *testing.T) {
	f := &fake{}
	resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "POST", Path: "/query/enriched-path", Body: `{"from_id":"a_1","to_id":"b_2","max_hops":3,"per_node":9}`})
	want := questions.EnrichedPathQuery{FromID: "a_1", ToID: "b_2", MaxHops: 3, PerNode: 9, Depth: 1, PathPage: questions.PathPage{Limit: 5}, Measures: usualMeasures()}
	if resp.StatusCode != 200 || !reflect.DeepEqual(f.enriched, want) {
		t.Errorf("%d, asked for %+v, want %+v", resp.StatusCode, f.enriched, want)
	}
	for _, member := range []string{`"paths":[]`, `"surroundings":[]`, `"complete":false`, `"truncated":false`, `"timed_out":false`, `"failed_chunks":0`, `"missing":""`} {
		if !strings.Contains(body, member) {
			t.Errorf("%s lacks %s", body, member)
		}
	}
	ask := func(body string) apitest.Request {
		return apitest.Request{Method: "POST", Path: "/query/enriched-path", Body: body}
	}
	apitest.Refuses(t, newServer(t, &fake{}), map[string]apitest.Refusal{
		"no hops":           apitest.Refused(ask(`{"from_id":"a_1","to_id":"b_1","max_hops":0}`), 422, "max_hops: must be at least 1, got 0", "body.max_hops"),
		"no neighbours":     apitest.Refused(ask(`{"from_id":"a_1","to_id":"b_1","per_node":0}`), 422, "per_node: must be at least 1, got 0", "body.per_node"),
		"51 neighbours":     apitest.Refused(ask(`{"from_id":"a_1","to_id":"b_1","per_node":51}`), 422, "per_node: must be at most 50, got 51", "body.per_node"),
		"no id of anything": apitest.Refused(ask(`{"from_id":"a b","to_id":"b_1"}`), 422, "from_id: ", "body.from_id"),
	}, func() int { return 0 })
}

func TestNeighborhood(t *testing.T) {
	f := &fake{}
	resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "POST", Path: "/query/neighborhood", Body: `{"concept_id":"a_1","relationship_types":["CAUSES"]}`})
	if want := (questions.NeighborhoodQuery{ConceptID: "a_1", MaxHops: 2, RelationshipFilter: questions.RelationshipFilter{Types: []string{"CAUSES"}}, Limit: 50, Measures: usualMeasures()}); resp.StatusCode != 200 || !reflect.DeepEqual(f.around, want) {
		t.Errorf("%d, asked for %+v, want %+v", resp.StatusCode, f.around, want)
	}
	for _, member := range []string{`"nodes":[]`, `"edges":[]`, `"node_count":0`, `"edge_count":0`, `"complete":false`} {
		if !strings.Contains(body, member) {
			t.Errorf("%s lacks %s", body, member)
		}
	}
	ask := func(body string) apitest.Request {
		return apitest.Request{Method: "POST", Path: "/query/neighborhood", Body: body}
	}
	apitest.Refuses(t, newServer(t, &fake{}), map[string]apitest.Refusal{
		"no hops":       apitest.Refused(ask(`{"concept_id":"a_1","max_hops":0}`), 422, "max_hops: must be at least 1, got 0", "body.max_hops"),
		"six hops":      apitest.Refused(ask(`{"concept_id":"a_1","max_hops":6}`), 422, "max_hops: must be at most 5, got 6", "body.max_hops"),
		"1001 concepts": apitest.Refused(ask(`{"concept_id":"a_1","limit":1001}`), 422, "limit: must be at most 1000, got 1001", "body.limit"),
		"no concept":    apitest.Refused(ask(`{}`), 422, "concept_id: is required", "body.concept_id"),
		"an empty type": apitest.Refused(ask(`{"concept_id":"a_1","relationship_types":["A",""]}`), 422, "relationship_types[1]: must not be empty", "body.relationship_types.1"),
	}, func() int { return 0 })
}

func TestEdgeList(t *testing.T) {
	f := &fake{}
	query := "?from_concept_id=a_1&to_concept_id=b_2&relationship_type=causes&ontology=energy&min_confidence=0.5&limit=500&offset=3"
	resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "GET", Path: "/edges" + query})
	want := questions.EdgeFilter{FromID: "a_1", ToID: "b_2", Type: "causes", Ontology: "energy", MinConfidence: 0.5, Limit: 500, Offset: 3}
	if resp.StatusCode != 200 || f.edges != want {
		t.Errorf("%d, asked for %+v, want %+v", resp.StatusCode, f.edges, want)
	}
	for _, member := range []string{
		`{"edges":[{"from_concept_id":"a_1","to_concept_id":"b_2","relationship_type":"CAUSES","confidence":0.5,"evidence":null,"from_label":"a","to_label":"b",`,
		`"category":"causation"`, `"source_count":3,"document_count":2}],"total":7,"offset":3,"limit":500,"next_cursor":null}`,
	} {
		if !strings.Contains(body, member) {
			t.Errorf("%s lacks %s", body, member)
		}
	}
	get := func(query string) apitest.Request { return apitest.Request{Method: "GET", Path: "/edges?" + query} }
	apitest.Refuses(t, newServer(t, &fake{}), map[string]apitest.Refusal{
		"501 edges":               apitest.Refused(get("limit=501"), 422, "limit: must be at most 500, got 501", "query.limit"),
		"none":                    apitest.Refused(get("limit=0"), 422, "limit: must be at least 1, got 0", "query.limit"),
		"a negative offset":       apitest.Refused(get("offset=-1"), 422, "offset: must be at least 0, got -1", "query.offset"),
		"more than certain":       apitest.Refused(get("min_confidence=1.5"), 422, "min_confidence: must be between 0 and 1, got 1.5", "query.min_confidence"),
		"an id that none can be":  apitest.Refused(get("to_concept_id=a%20b"), 422, "to_concept_id: ", "query.to_concept_id"),
		"a confidence of nothing": apitest.Refused(get("min_confidence=NaN"), 422, "min_confidence: ", "query.min_confidence"),
	}, func() int { return 0 })
}
