package streams

import (
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// FuzzPathsAndKeys follows any job: it is queried by what can be its id only.
func FuzzPathsAndKeys(f *testing.F) {
	var fuzzer apitest.Fuzzer
	fuzzer.Begin(f, New(testConfig(withHistory(3, work.StatusFailed))))
	fuzzer.Names(f, 2)
}

func TestBadInput(t *testing.T) {
	s := newTestServer(t, testConfig(newBackend()))
	get := func(path string) apitest.Request { return apitest.Request{Method: "GET", Path: path} }
	apitest.Refuses(t, s.web, map[string]apitest.Refusal{
		"an unknown job to follow": apitest.Refused(get("/jobs/job_ffffffffffff/stream"), 404, "Job not found: job_ffffffffffff", ""),
		"what is no id to follow":  apitest.Refused(get("/jobs/nope/stream"), 404, "Job not found: nope", ""),
	}, func() int { return s.streams.count() })
}
