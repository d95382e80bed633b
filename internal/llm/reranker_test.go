package llm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
)

// TestReranker speaks to a server as Cohere documents its API, and takes no answer that cannot
// be used.
func TestReranker(t *testing.T) {
	const key = "co-1234567890abcdef"
	for name, c := range map[string]struct {
		status int
		answer string
		after  time.Duration
		want   []int
		code   kappa.Code
		says   string
	}{
		"an order":             {answer: `{"id":"x","results":[{"index":2,"relevance_score":0.9},{"index":0,"relevance_score":0.3},{"index":1,"relevance_score":0.01}],"meta":{"billed_units":{"search_units":1}}}`, want: []int{2, 0, 1}},
		"in another order":     {answer: `{"results":[{"index":0,"relevance_score":-3},{"index":1,"relevance_score":4.5,"document":{"text":"b"}}]}`, want: []int{1, 0}},
		"an index too high":    {answer: `{"results":[{"index":3,"relevance_score":0.9}]}`, code: kappa.CodeUpstream, says: "index 3 of 3"},
		"a negative index":     {answer: `{"results":[{"index":-1,"relevance_score":0.9}]}`, code: kappa.CodeUpstream, says: "index -1"},
		"an index twice":       {answer: `{"results":[{"index":1,"relevance_score":0.9},{"index":1,"relevance_score":0.8}]}`, code: kappa.CodeUpstream, says: "twice"},
		"no index":             {answer: `{"results":[{"relevance_score":0.9}]}`, code: kappa.CodeUpstream, says: "without index"},
		"no score":             {answer: `{"results":[{"index":1,"relevance_score":null}]}`, code: kappa.CodeUpstream, says: "without index"},
		"a score of no number": {answer: `{"results":[{"index":1,"relevance_score":NaN}]}`, code: kappa.CodeUnavailable, says: "did not answer as its API does"},
		"a score too large":    {answer: `{"results":[{"index":1,"relevance_score":1e999}]}`, code: kappa.CodeUnavailable, says: "did not answer as its API does"},
		"nothing":              {answer: `{"results":[]}`, code: kappa.CodeUpstream, says: "no results"},
		"another object":       {answer: `{}`, code: kappa.CodeUpstream, says: "no results"},
		"a page of HTML":       {answer: `<html>`, code: kappa.CodeUnavailable, says: "did not answer as its API does"},
		"too many calls":       {status: 429, answer: `{"message":"trial key, co-1234567890abcdef"}`, code: kappa.CodeUnavailable, says: "limits our calls"},
		"a failure":            {status: 500, answer: `{"message":"oops"}`, code: kappa.CodeUnavailable, says: "500"},
		"a wrong key":          {status: 401, answer: `{"message":"invalid api token"}`, code: kappa.CodeUnavailable, says: "refuses the key"},
		"a slow one":           {after: time.Minute, code: kappa.CodeUnavailable, says: "took longer than 300ms"},
	} {
		t.Run(name, func(t *testing.T) {
			var got rerankRequest
			var asked string
			stop := make(chan struct{})
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = fmt.Sprint(r.Method, " ", r.URL.Path, " ", r.Header.Get("Authorization"))
				_ = json.NewDecoder(r.Body).Decode(&got)
				if c.after > 0 {
					<-stop
				}
				w.Header().Set("Content-Type", "application/json")
				if c.status != 0 {
					w.WriteHeader(c.status)
				}
				_, _ = w.Write([]byte(c.answer))
			}))
			timeout := time.Minute
			if c.after > 0 {
				timeout = 300 * time.Millisecond
			}
			r := NewReranker(RerankerConfig{URL: s.URL + "/v2/", Model: "rerank-v3.5", Key: key, Price: 0.002, Timeout: timeout})
			places, cost, err := r.Order(t.Context(), "what?", []string{"a", "b", "c"})
			close(stop)
			s.Close() // waits for what it was asked
			if !slices.Equal(places, c.want) || kappa.ErrorCode(err) != c.code && err != nil || (err == nil) != (c.code == "") {
				t.Fatalf("ordered %v, %v (%s)", places, err, kappa.ErrorCode(err))
			}
			if err != nil && (!strings.Contains(kappa.ErrorMessage(err), c.says) || strings.Contains(err.Error(), key)) {
				t.Errorf("it says %q", kappa.ErrorMessage(err))
			}
			if err == nil && cost != 0.002 {
				t.Errorf("it cost %g", cost)
			}
			want := rerankRequest{Model: "rerank-v3.5", Query: "what?", Documents: []string{"a", "b", "c"}, TopN: 3}
			if asked != "POST /v2/rerank Bearer "+key || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("asked %s: %+v", asked, got)
			}
		})
	}
}
