package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/kappagraph/kappa"
)

// within writes an event of an overview about a job.
func within(kind string, seq int, data string) string {
	return fmt.Sprintf("event: %s\ndata: {\"job_id\":%q,\"seq\":%d,\"data\":%s}\n\n", kind, jobID, seq, data)
}

const ready = "event: ready\ndata: {\"truncated\":false}\n\n"

// words says news.
func words(n News) string {
	switch {
	case n.Lost != nil:
		return "lost"
	case n.Begins || n.Truncated:
		return fmt.Sprintf("begins %t, truncated %t", n.Begins, n.Truncated)
	case n.Gone != "":
		return "gone " + n.Gone
	case n.NoLane != "":
		return "no lane " + n.NoLane
	case n.Lane != nil:
		return fmt.Sprintf("lane %s %d/%d", n.Lane.Name, n.Lane.RunningJobs, n.Lane.MaxSlots)
	}
	return fmt.Sprintf("%s %d %s", n.Job.JobID, n.Job.Seq, n.Job.Kind)
}

// TestOverview has a first connection that breaks, a server that is away, and a second connection,
// which begins anew; what nobody knows yet is left out.
func TestOverview(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane := "event: lane\ndata: {\"name\":\"interactive\",\"max_slots\":4,\"running_jobs\":2}\n\n"
		s := &script{entries: []string{
			ready + within("snapshot", 1, `{"job_id":"`+jobID+`","status":"approved"}`) + lane + within("news", 2, "{}") + within("status", 2, `{"status":"processing"}`) +
				"event: ready\ndata: {\"truncated\":true}\n\nevent: keepalive\ndata: {}\n\n",
			"down", "500",
			ready + within("error", 0, `{"error":"Job disappeared"}`) + "event: lane\ndata: {\"name\":\"slow\",\"removed\":true}\n\n" + within("completed", 5, "{}"),
		}}
		want := []string{
			"begins true, truncated false", jobID + " 1 snapshot", "lane interactive 2/4", jobID + " 2 status", "begins false, truncated true", "lost", "lost", "lost",
			"begins true, truncated false", "gone " + jobID, "no lane slow", jobID + " 5 completed",
		}
		var told []string
		for n, err := range s.client(t).Jobs.Overview(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if told = append(told, words(n)); len(told) == len(want) {
				break
			}
		}
		if !slices.Equal(told, want) {
			t.Errorf("told\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestOverviewEnds has what ends an overview: a refusal, a right that is no more, an event that
// cannot be read, and its reader.
func TestOverviewEnds(t *testing.T) {
	for entries, want := range map[string]string{
		"403":                       "Permission denied",
		"down":                      "down",
		ready + revoked + "|" + "":  "Access revoked",
		"event: ready\ndata: x\n\n": `event "ready" cannot be read`,
		within("status", 1, "7"):    "cannot be read",
		"204":                       "no overview",
	} {
		synctest.Test(t, func(t *testing.T) {
			first, second, _ := strings.Cut(entries, "|")
			s := &script{entries: []string{first, second + revoked}}
			var last error
			for _, err := range s.client(t).Jobs.Overview(t.Context()) {
				last = err
			}
			if last == nil || want != "down" && !strings.Contains(last.Error(), want) {
				t.Errorf("%q ended with %v, want %q", entries, last, want)
			}
			if want == "Permission denied" && kappa.ErrorCode(last) != kappa.CodeForbidden {
				t.Errorf("a refusal is %v", kappa.ErrorCode(last))
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	var last error
	c := fakeTransport(t, func(r *http.Request) *http.Response {
		if r.URL.Path != "/events" {
			return answer(http.StatusOK, map[string]any{"access_token": "t", "expires_in": 3600})
		}
		cancel()
		return streamed(&hanging{ctx: r.Context()})
	})
	for _, err := range c.Jobs.Overview(ctx) {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("a context that ended: %v", last)
	}
}
