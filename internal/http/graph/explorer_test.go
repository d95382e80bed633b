package graph

import (
	"context"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func (f *fake) ConnectBySearch(_ context.Context, q kappa.ConnectBySearchQuery) (kappa.ConnectBySearchResult, error) {
	f.phrases = q
	if q.FromQuery == "zzz" {
		return kappa.ConnectBySearchResult{}, kappa.NewError(kappa.CodeNotFound, "No concepts found matching 'zzz' at 50% similarity")
	}
	return kappa.ConnectBySearchResult{FromQuery: q.FromQuery, ToQuery: q.ToQuery, PathsFound: kappa.PathsFound{MaxHops: q.MaxHops}}, f.err
}

func (s *strict) ConnectBySearch(_ context.Context, q kappa.ConnectBySearchQuery) (kappa.ConnectBySearchResult, error) {
	s.Allow(apitest.Sentence(q.FromQuery, 2000) && apitest.Sentence(q.ToQuery, 2000) && apitest.Within(q.MaxHops, 1, 10) && q.Threshold >= 0 && q.Threshold <= 1, q)
	return kappa.ConnectBySearchResult{}, nil
}

func TestConnectBySearch(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/query/connect-by-search", Body: `{"from_query":"a","to_query":"b"}`})
	if want := (kappa.ConnectBySearchQuery{FromQuery: "a", ToQuery: "b", MaxHops: 5, Threshold: 0.5}); resp.StatusCode != 200 || f.phrases != want {
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
		"a filter that is not built":  apitest.Refused(connect(`{"from_query":"a","to_query":"b","include_epistemic_status":["MIXED"]}`), 501, "epistemic", ""),
		"a phrase that means nothing": apitest.Refused(connect(`{"from_query":"zzz","to_query":"b"}`), 404, "No concepts found matching 'zzz' at 50% similarity", ""),
	}, func() int { return 0 })
}
