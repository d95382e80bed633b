package graph

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func (f *fake) Around(_ context.Context, q questions.AroundQuery) (questions.Around, error) {
	f.within = append(f.within, q)
	return questions.Around{MaxHops: q.MaxHops}, f.err
}

func (s *strict) Around(_ context.Context, q questions.AroundQuery) (questions.Around, error) {
	s.Allow(q.Validate() == nil, q)
	return questions.Around{}, nil
}

func TestAround(t *testing.T) {
	f := &fake{}
	post := func(body string) apitest.Request {
		return apitest.Request{Method: "POST", Path: "/query/within", Body: body}
	}
	s := newServer(t, f)
	resp, body := apitest.Call(t, s, post(`{"seed_ids":["a_1","b_1"],"relationship_types":["CAUSES"],"min_confidence":0.5,"max_hops":3,"limit":7,"offset":2,"include_statistics":true,"include_weak":true}`))
	if resp.StatusCode != 200 || !strings.Contains(body, `"results":[]`) || !strings.Contains(body, `"statistics":null`) {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	q := f.within[0]
	if !slices.Equal(q.SeedIDs, []string{"a_1", "b_1"}) || q.MaxHops != 3 || q.Limit != 7 || q.Offset != 2 || q.MinConfidence != 0.5 || q.Types[0] != "CAUSES" || !q.IncludeWeak || !q.IncludeStatistics {
		t.Errorf("asked for %+v", q)
	}
	apitest.Call(t, s, post(`{"seed_ids":["a_1"]}`))
	if q := f.within[1]; q.MaxHops != 2 || q.Limit != 100 || q.Offset != 0 || q.MinConfidence != 0 || q.IncludeStatistics {
		t.Errorf("the defaults are %+v", q)
	}
	f.within = nil
	apitest.Refuses(t, s, map[string]apitest.Refusal{
		"no seeds":         apitest.Refused(post(`{"seed_ids":[]}`), 422, "seed_ids: must be at least 1", "body.seed_ids"),
		"a seed of spaces": apitest.Refused(post(`{"seed_ids":["a b"]}`), 422, "seed_ids[0]: must consist of", "body.seed_ids.0"),
		"six hops":         apitest.Refused(post(`{"seed_ids":["a_1"],"max_hops":6}`), 422, "max_hops: must be at most 5, got 6", "body.max_hops"),
		"too certain":      apitest.Refused(post(`{"seed_ids":["a_1"],"min_confidence":1.1}`), 422, "min_confidence: must be between 0 and 1", "body.min_confidence"),
		"a misspelt limit": apitest.Refused(post(`{"seed_ids":["a_1"],"limits":1}`), 422, "limits: is not a known field", "body.limits"),
	}, func() int { return len(f.within) })
}
