package client

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/work"
)

func TestSubmitJobRetries(t *testing.T) {
	for _, tt := range []struct {
		retries int
		sent    string // of max_retries
	}{{0, ""}, {5, `"max_retries":5`}, {NoRetries, `"max_retries":0`}} {
		s := newFakeServer(t)
		s.HandleFunc("POST /jobs", func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if !strings.Contains(string(body), tt.sent) || strings.Contains(string(body), "max_retries") != (tt.sent != "") {
				t.Errorf("%d retries: sent %s", tt.retries, body)
			}
			writeJSON(w, api.JobReply{JobID: "job_1"})
		})
		if _, err := s.client(t).Jobs.Submit(t.Context(), work.NewJob{Type: "noop", MaxRetries: tt.retries}); err != nil {
			t.Error(err)
		}
	}
}
