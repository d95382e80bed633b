package client

import (
	"net/http"
	"sync"
	"testing"

	"github.com/kappagraph/kappa/work"
)

// TestSubmissionsAreSentAgain loses answers, and counts what is sent under which keys.
func TestSubmissionsAreSentAgain(t *testing.T) {
	for name, c := range map[string]struct {
		first  http.HandlerFunc // the first answer
		key    string           // of the caller
		tries  int
		failed bool
	}{
		"the connection breaks":       {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "", 2, false},
		"and the key is the caller's": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "mine", 2, false},
		"the server is busy": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "1")
			writeProblem(w, http.StatusServiceUnavailable, "busy")
		}, "", 2, false},
		"the job is refused": {func(w http.ResponseWriter, _ *http.Request) { writeProblem(w, http.StatusUnprocessableEntity, "no") }, "", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFakeServer(t)
			var mu sync.Mutex // each try may have a connection of its own
			var keys []string
			s.HandleFunc("POST /jobs", s.authorized(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				keys = append(keys, r.Header.Get("Idempotency-Key"))
				first := len(keys) == 1
				mu.Unlock()
				if first {
					c.first(w, r)
					return
				}
				writeJSON(w, map[string]any{"job_id": "job_1"})
			}))
			reply, err := s.client(t).Jobs.Submit(t.Context(), work.NewJob{Type: "noop", Key: c.key})
			if (err != nil) != c.failed || !c.failed && reply.JobID != "job_1" {
				t.Errorf("%+v, %v", reply, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(keys) != c.tries || keys[0] == "" || keys[len(keys)-1] != keys[0] || c.key != "" && keys[0] != c.key {
				t.Errorf("keys %q, want one key, %d times", keys, c.tries)
			}
		})
	}
}
