package http_test

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestMetrics(t *testing.T) {
	s := apitest.Serve(t, &sample{})
	for _, r := range []apitest.Request{
		{Method: "GET", Path: "/sample/a"},
		{Method: "GET", Path: "/api/sample/b/"},
		{Method: "POST", Path: "/sample"},
		{Method: "GET", Path: "/made/up"},
		{Method: "BREW", Path: "/sample"},
	} {
		apitest.Call(t, s, r)
	}
	want := `
# HELP kappa_http_requests_total Requests that were answered.
# TYPE kappa_http_requests_total counter
kappa_http_requests_total{method="GET",route="/sample/{name}",status="2xx"} 2
kappa_http_requests_total{method="POST",route="/sample",status="4xx"} 1
kappa_http_requests_total{method="any",route="none",status="4xx"} 2
`
	if err := testutil.GatherAndCompare(s.Metrics(), strings.NewReader(want), "kappa_http_requests_total"); err != nil {
		t.Errorf("a client may have made up names: %v", err)
	}
	if n, err := testutil.GatherAndCount(s.Metrics(), "kappa_http_request_duration_seconds"); n != 3 || err != nil {
		t.Errorf("durations of %d kinds are observed, want 3: %v", n, err)
	}
}
