package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const jobID = "job_0123456789ab"

// event writes one event as the server does.
func event(kind string, seq int64, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("event: %s\nid: %d\ndata: %s\n\n", kind, seq, data)
}

// revoked is the event that ends a stream whose token is no longer good.
const revoked = "event: error\ndata: {\"error\":\"Access revoked\"}\n\n"

func snapshot(seq int64, status work.Status) string {
	return event("snapshot", seq, map[string]any{"job_id": jobID, "status": status})
}

func change(seq int64, status work.Status) string {
	return event("status", seq, map[string]any{"job_id": jobID, "status": status})
}

func progress(seq int64, percent float64) string {
	return event("progress", seq, map[string]any{"percent": percent})
}

// script answers the n-th connection to the stream with the n-th of its
// entries, and records the Last-Event-ID of each. Each entry is a stream; "204"
// is that answer and "down" a broken connection.
type script struct {
	entries []string
	lastIDs []string
	at      []time.Time
	job     work.Job // answers GET /jobs/{id}
}

func (s *script) client(t *testing.T) *Client {
	return fakeTransport(t, func(r *http.Request) *http.Response {
		switch r.URL.Path {
		case "/auth/oauth/token":
			return answer(http.StatusOK, map[string]any{"access_token": "t", "expires_in": 3600})
		case "/jobs/" + jobID:
			return answer(http.StatusOK, s.job)
		}
		n := len(s.lastIDs)
		s.lastIDs = append(s.lastIDs, r.Header.Get("Last-Event-ID"))
		s.at = append(s.at, time.Now())
		entry := s.entries[min(n, len(s.entries)-1)]
		switch entry {
		case "down":
			return nil
		case "204":
			return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}
		case "404":
			return answer(http.StatusNotFound, map[string]string{"detail": "Job not found: " + jobID})
		case "403":
			return answer(http.StatusForbidden, map[string]string{"detail": "Permission denied: read on jobs"})
		case "500":
			return answer(http.StatusInternalServerError, map[string]string{"detail": "Internal error (request 7)"})
		case "silent":
			return streamed(&hanging{ctx: r.Context()})
		}
		return streamed(strings.NewReader("retry: 2000\n\n" + entry))
	})
}

// hanging is a stream that says nothing until its connection is given up.
type hanging struct{ ctx context.Context }

func (h *hanging) Read([]byte) (int, error) {
	<-h.ctx.Done()
	return 0, h.ctx.Err()
}

// collect watches to the end and returns what was reported, in words.
func collect(ctx context.Context, c *Client) (told []string, err error) {
	for u, err := range c.Jobs.Watch(ctx, jobID) {
		if err != nil {
			return told, err
		}
		word := fmt.Sprintf("%d %s", u.Seq, u.Kind)
		switch {
		case u.Progress != nil:
			word += fmt.Sprintf(" %d%%", u.Progress.Percent)
		case u.Kind == work.EventStatus || u.Kind == UpdateSnapshot:
			word += " " + string(u.Status())
		}
		told = append(told, word)
	}
	return told, nil
}

func TestWatch(t *testing.T) {
	completed := work.Job{ID: jobID, Status: work.StatusCompleted, Result: json.RawMessage(`{"status":"completed"}`)}
	completed.EventSeq = 5
	for _, tt := range []struct {
		name    string
		entries []string
		job     work.Job
		want    []string
		lastIDs []string
	}{
		{
			name:    "from the snapshot to the end",
			entries: []string{snapshot(2, "approved") + change(3, "processing") + progress(4, 50) + change(5, "completed") + event("completed", 6, struct{}{})},
			want:    []string{"2 snapshot approved", "3 status processing", "4 progress 50%", "5 status completed", "6 completed"},
			lastIDs: []string{""},
		},
		{
			name: "a broken stream goes on after the last event",
			entries: []string{
				snapshot(2, "approved") + change(3, "processing") + "event: progress\nid: 4\ndata: {\"per",
				progress(4, 50) + event("failed", 5, map[string]string{"error": "boom"}),
			},
			want:    []string{"2 snapshot approved", "3 status processing", "4 progress 50%", "5 failed"},
			lastIDs: []string{"", "3"},
		},
		{
			name:    "what was seen is not told again",
			entries: []string{snapshot(3, "processing") + progress(3, 10), change(2, "approved") + change(3, "processing") + progress(2, 5) + event("cancelled", 4, struct{}{})},
			want:    []string{"3 snapshot processing", "3 progress 10%", "4 cancelled"},
			lastIDs: []string{"", "3"},
		},
		{
			name:    "a new snapshot is taken, even an older one",
			entries: []string{snapshot(9, "processing"), snapshot(4, "approved") + change(5, "processing") + event("completed", 6, struct{}{})},
			want:    []string{"9 snapshot processing", "4 snapshot approved", "5 status processing", "6 completed"},
			lastIDs: []string{"", "9"},
		},
		{
			name:    "a job that has ended already",
			entries: []string{snapshot(5, "completed") + event("completed", 5, struct{}{})},
			want:    []string{"5 snapshot completed", "5 completed"},
			lastIDs: []string{""},
		},
		{
			name:    "204 after the snapshot of an ended job still tells the end",
			entries: []string{snapshot(5, "completed"), "204"}, job: completed,
			want:    []string{"5 snapshot completed", "5 completed"},
			lastIDs: []string{"", "5"},
		},
		{
			name:    "unknown events and keepalives",
			entries: []string{snapshot(1, "pending") + "event: keepalive\ndata: {}\n\nevent: news\ndata: x\n\n" + event("cancelled", 2, struct{}{})},
			want:    []string{"1 snapshot pending", "2 cancelled"},
			lastIDs: []string{""},
		},
		{
			name:    "the server is away for a while",
			entries: []string{snapshot(1, "approved"), "down", "500", "down", event("cancelled", 2, struct{}{})},
			want:    []string{"1 snapshot approved", "2 cancelled"},
			lastIDs: []string{"", "1", "1", "1", "1"},
		},
		{
			name: "each absence counts for itself",
			entries: []string{
				snapshot(1, "approved"), "down", "down", "down", "down", "down", progress(2, 5),
				"down", "down", "down", "down", "down", event("cancelled", 3, struct{}{}),
			},
			want:    []string{"1 snapshot approved", "2 progress 5%", "3 cancelled"},
			lastIDs: []string{"", "1", "1", "1", "1", "1", "1", "2", "2", "2", "2", "2", "2"},
		},
		{
			name: "a token that expires is replaced, each time",
			entries: []string{
				snapshot(1, "approved") + revoked, change(2, "processing") + revoked, "event: keepalive\ndata: {}\n\n" + revoked, event("cancelled", 3, struct{}{}),
			},
			want:    []string{"1 snapshot approved", "2 status processing", "3 cancelled"},
			lastIDs: []string{"", "1", "2", "2"},
		},
		{
			name:    "a connection that fell silent is made anew",
			entries: []string{snapshot(1, "approved"), "silent", event("cancelled", 2, struct{}{})},
			want:    []string{"1 snapshot approved", "2 cancelled"},
			lastIDs: []string{"", "1", "1"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{entries: tt.entries, job: tt.job}
				got, err := collect(t.Context(), s.client(t))
				if err != nil || !slices.Equal(got, tt.want) {
					t.Errorf("got %q, error %v\nwant %q", got, err, tt.want)
				}
				if !slices.Equal(s.lastIDs, tt.lastIDs) {
					t.Errorf("Last-Event-ID %q, want %q", s.lastIDs, tt.lastIDs)
				}
			})
		})
	}
}

func TestWatchErrors(t *testing.T) {
	for _, tt := range []struct {
		name    string
		entries []string
		job     work.Job
		check   func(error) bool
		tries   int
	}{
		{"an unknown job", []string{"404"}, work.Job{}, hasCode(kappa.CodeNotFound), 1},
		{"nobody there at first", []string{"down"}, work.Job{}, func(err error) bool { return errors.Is(err, ErrUnreachable) }, 1},
		{"an internal error at first", []string{"500"}, work.Job{}, hasCode(kappa.CodeInternal), 1},
		{"the job is deleted meanwhile", []string{snapshot(1, "approved") + "event: error\ndata: {\"error\":\"Job disappeared\"}\n\n"}, work.Job{}, hasCode(kappa.CodeNotFound), 1},
		{"access is revoked, and again with the next token", []string{revoked}, work.Job{}, hasCode(kappa.CodeUnauthenticated), 2},
		{"the job is deleted between two connections", []string{snapshot(1, "approved"), "404"}, work.Job{}, hasCode(kappa.CodeNotFound), 2},
		{"204 for a job that goes on", []string{snapshot(1, "approved"), "204"}, work.Job{ID: jobID, Status: work.StatusApproved}, hasCode(kappa.CodeInternal), 2},
		{"an event that cannot be read", []string{"event: status\nid: 1\ndata: {\n\n"}, work.Job{}, hasCode(kappa.CodeInternal), 1},
		{"an event without a number", []string{"event: status\ndata: {}\n\n"}, work.Job{}, hasCode(kappa.CodeInternal), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{entries: tt.entries, job: tt.job}
				_, err := collect(t.Context(), s.client(t))
				if !tt.check(err) || len(s.lastIDs) != tt.tries {
					t.Errorf("%d connections and error %v, want %d", len(s.lastIDs), err, tt.tries)
				}
			})
		})
	}
}

func hasCode(code kappa.Code) func(error) bool {
	return func(err error) bool { return kappa.ErrorCode(err) == code }
}

func TestWatchWaits(t *testing.T) {
	t.Run("as long as the server asks, longer with each failure, and gives up in the end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &script{entries: []string{snapshot(1, "approved"), "down"}}
			_, err := collect(t.Context(), s.client(t))
			if !errors.Is(err, ErrUnreachable) {
				t.Errorf("got %v", err)
			}
			for i, want := range []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second} {
				wait := s.at[i+1].Sub(s.at[i])
				if wait < want*8/10 || wait > want*12/10 {
					t.Errorf("wait %d is %s, want %s ±20 %%", i+1, wait, want)
				}
			}
			if lost := time.Since(s.at[0]); lost > DefaultRetryFor {
				t.Errorf("gave up after %s, want at most %s", lost, DefaultRetryFor)
			}
		})
	})
	t.Run("a stream that always ends at once is given up too", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &script{entries: []string{snapshot(1, "approved"), ""}}
			if _, err := collect(t.Context(), s.client(t)); !errors.Is(err, ErrUnreachable) {
				t.Errorf("got %v", err)
			}
		})
	})
	t.Run("no longer than its context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			began := time.Now()
			s := &script{entries: []string{snapshot(1, "approved"), "down"}}
			if _, err := collect(ctx, s.client(t)); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
				t.Errorf("ended after %s with %v", time.Since(began), err)
			}
		})
	})
}

func TestWatchStopsWithItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := &script{entries: []string{snapshot(1, "approved") + change(2, "processing")}}
		for range s.client(t).Jobs.Watch(ctx, jobID) {
			cancel() // the iteration must not be called again after the break
			break
		}
		if len(s.lastIDs) != 1 {
			t.Errorf("%d connections, want 1", len(s.lastIDs))
		}
	})
}

// TestWatchSurvivesCuts cuts a stream after every byte: what is reported must
// be the same as without the cut.
func TestWatchSurvivesCuts(t *testing.T) {
	events := []string{
		change(2, "approved"), change(3, "processing"), progress(4, 50), progress(5, 100), change(6, "completed"),
		event("completed", 7, map[string]string{"status": "completed"}),
	}
	whole := snapshot(1, "awaiting_approval") + strings.Join(events, "")
	job := work.Job{ID: jobID, Status: work.StatusCompleted}
	job.EventSeq = 7
	for cut := range len(whole) {
		synctest.Test(t, func(t *testing.T) {
			s := &script{job: job}
			c := fakeTransport(t, func(r *http.Request) *http.Response {
				switch {
				case r.URL.Path == "/auth/oauth/token":
					return answer(http.StatusOK, map[string]any{"access_token": "t", "expires_in": 3600})
				case len(s.lastIDs) == 0:
					s.lastIDs = append(s.lastIDs, "")
					return streamed(io.MultiReader(strings.NewReader(whole[:cut]), reset{}))
				case r.Header.Get("Last-Event-ID") == "":
					return streamed(strings.NewReader(whole))
				}
				var last int
				fmt.Sscan(r.Header.Get("Last-Event-ID"), &last)
				var rest bytes.Buffer
				for _, e := range events[last-1:] {
					rest.WriteString(e)
				}
				return streamed(&rest)
			})
			got, err := collect(t.Context(), c)
			want := []string{"1 snapshot awaiting_approval", "2 status approved", "3 status processing", "4 progress 50%", "5 progress 100%", "6 status completed", "7 completed"}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("cut after %d bytes: got %q, error %v", cut, got, err)
			}
		})
	}
}

// reset is the end of a connection that was reset.
type reset struct{}

func (reset) Read([]byte) (int, error) { return 0, errors.New("connection reset by peer") }

func TestWatchTakesANewToken(t *testing.T) {
	// watch runs several watches at once whose streams are refused after a while,
	// and returns with which tokens the streams were opened.
	watch := func(t *testing.T, watches int) (opened map[string]int) {
		fetched := 0
		opened = map[string]int{}
		var mu sync.Mutex
		c := fakeTransport(t, func(r *http.Request) *http.Response {
			mu.Lock()
			defer mu.Unlock()
			if r.URL.Path == "/auth/oauth/token" {
				fetched++
				// Valid for so long that only the server's refusal makes it old.
				return answer(http.StatusOK, map[string]any{"access_token": fmt.Sprint("t", fetched), "expires_in": 86400})
			}
			token := r.Header.Get("Authorization")
			opened[token]++
			if token == "Bearer t1" {
				return streamed(io.MultiReader(strings.NewReader(snapshot(1, "approved")), after{30 * time.Second, strings.NewReader(revoked)}))
			}
			return streamed(strings.NewReader(event("cancelled", 2, struct{}{})))
		})
		var all sync.WaitGroup
		for range watches {
			all.Go(func() {
				if got, err := collect(t.Context(), c); err != nil || !slices.Equal(got, []string{"1 snapshot approved", "2 cancelled"}) {
					t.Errorf("got %q, error %v", got, err)
				}
			})
		}
		all.Wait()
		return opened
	}
	t.Run("many watches share the new one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			if got := watch(t, 5); got["Bearer t1"] != 5 || got["Bearer t2"] != 5 {
				t.Errorf("opened %v", got)
			}
		})
	})
	t.Run("when the account may not, the refusal is the error", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &script{entries: []string{snapshot(1, "approved") + revoked, "403"}}
			if _, err := collect(t.Context(), s.client(t)); kappa.ErrorCode(err) != kappa.CodeForbidden || len(s.lastIDs) != 2 {
				t.Errorf("%d connections and error %v", len(s.lastIDs), err)
			}
		})
	})
}

// after is a reader that takes its time.
type after struct {
	wait time.Duration
	r    io.Reader
}

func (a after) Read(p []byte) (int, error) {
	time.Sleep(a.wait) // fake time
	return a.r.Read(p)
}
