package mcp

import (
	"strings"
	"testing"
)

// TestActsAreMeant refuses acts that nobody has counted, that select everything, and that there
// are not: nothing is sent.
func TestActsAreMeant(t *testing.T) {
	t.Parallel()
	for arguments, says := range map[string]string{
		`{"act":"cancel","filter":{"status":"approved"}}`:                 "expect is required with a filter",
		`{"act":"cancel","expect":3}`:                                     "selects every job",
		`{"act":"cancel","filter":{"colour":"red"},"dry_run":true}`:       "is no filter of jobs",
		`{"act":"explode","filter":{"status":"failed"},"dry_run":true}`:   "must be one of approve",
		`{"act":"priority","filter":{"status":"approved"},"expect":1}`:    "priority: is required",
		`{"act":"cancel","ids":["job_0123456789ab","x"]}`:                 "must be ids of jobs",
		`{"act":"cancel","filter":{"status":"completed"},"dry_run":true}`: "can be done to jobs that are",
	} {
		f := &fakeAPI{}
		if text, failed := call(t, connect(t, f), "act_on_jobs", arguments); !failed || !strings.Contains(text, says) || len(f.sent) != 0 {
			t.Errorf("%s: failed %t, %q does not say %q, sent %v", arguments, failed, text, says, f.sent)
		}
	}
}
