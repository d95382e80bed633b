package http_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// maker makes something with each request that gets through.
type maker struct {
	made int
	keys []string
	fail error
}

type making struct {
	Body struct {
		What string `json:"what"`
		N    int    `json:"n,omitempty"`
	}
}

func (m *maker) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "POST", Path: "/things", Permission: access.JobsWrite, ID: "jobs.make", Summary: "Make", Submits: true, Status: 201},
		func(ctx context.Context, in *making) (echo, error) {
			if m.fail != nil {
				return echo{}, m.fail
			}
			k, _ := work.SubmissionKeyOf(ctx)
			m.keys = append(m.keys, k.Key)
			m.made++
			return echo{in.Body.What + strconv.Itoa(m.made)}, nil
		})
	return nil
}

// TestOnce sends requests under keys.
func TestOnce(t *testing.T) {
	post := func(body, key string) apitest.Request {
		return apitest.Request{Method: "POST", Path: "/things", Body: body, Header: map[string]string{"Idempotency-Key": key}}
	}
	t.Run("the same request gets the first answer, and says so", func(t *testing.T) {
		m := &maker{}
		s := apitest.Serve(t, m)
		first, body := apitest.Call(t, s, post(`{"what":"x", "n": 1}`, "k"))
		again, same := apitest.Call(t, s, post(`{"n":1,"what":"x"}`, "k"))
		if first.StatusCode != 201 || again.StatusCode != 201 || body != same || m.made != 1 {
			t.Errorf("%d %s, then %d %s; made %d", first.StatusCode, body, again.StatusCode, same, m.made)
		}
		if first.Header.Get("Idempotent-Replayed") != "" || again.Header.Get("Idempotent-Replayed") != "true" || again.Header.Get("Content-Type") != http.JSONType {
			t.Errorf("headers %v, then %v", first.Header, again.Header)
		}
		if len(m.keys) != 1 || m.keys[0] != "k" {
			t.Errorf("keys %q reached what makes it", m.keys)
		}
	})
	t.Run("another request under the key is refused, another key or none is not", func(t *testing.T) {
		m := &maker{}
		s := apitest.Serve(t, m)
		apitest.Call(t, s, post(`{"what":"x"}`, "k"))
		resp, body := apitest.Call(t, s, post(`{"what":"y"}`, "k"))
		apitest.WantProblem(t, resp, body, 422)
		if !strings.Contains(body, "Idempotency-Key: was used for another request") {
			t.Error(body)
		}
		apitest.Call(t, s, post(`{"what":"x"}`, "other"))
		apitest.Call(t, s, post(`{"what":"x"}`, ""))
		apitest.Call(t, s, post(`{"what":"x"}`, ""))
		if m.made != 4 {
			t.Errorf("made %d, want 4", m.made)
		}
	})
	t.Run("a key is that of a user", func(t *testing.T) {
		m, who := &maker{}, apitest.NewAccounts()
		s := apitest.ServeWith(t, http.Config{Auth: who}, m)
		apitest.Call(t, s, post(`{"what":"x"}`, "k"))
		who.InRole(access.RoleCurator)
		if resp, _ := apitest.Call(t, s, post(`{"what":"y"}`, "k")); resp.StatusCode != 201 || m.made != 2 {
			t.Errorf("%d, made %d", resp.StatusCode, m.made)
		}
	})
	t.Run("what failed may be sent again", func(t *testing.T) {
		m := &maker{fail: kappa.NewError(kappa.CodeUnavailable, "busy")}
		s := apitest.Serve(t, m)
		resp, body := apitest.Call(t, s, post(`{"what":"x"}`, "k"))
		apitest.WantProblem(t, resp, body, 503)
		m.fail = nil
		if resp, body := apitest.Call(t, s, post(`{"what":"x"}`, "k")); resp.StatusCode != 201 || resp.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	})
	t.Run("a key that cannot be one is refused", func(t *testing.T) {
		m := &maker{}
		resp, body := apitest.Call(t, apitest.Serve(t, m), post(`{"what":"x"}`, "a b"))
		apitest.WantProblem(t, resp, body, 422)
		if m.made != 0 {
			t.Error("it was made")
		}
	})
	t.Run("the description names the header", func(t *testing.T) {
		doc, _ := apitest.ReadSpec(t, apitest.Serve(t, &maker{}))
		if op := doc.Paths["/things"]["post"]; !op.Takes("header", "Idempotency-Key") {
			t.Errorf("%+v", op.Parameters)
		}
	})
}

// TestOnceAfterACrash asks again for what was made when the server stopped before its
// answer was kept.
func TestOnceAfterACrash(t *testing.T) {
	m, kept := &maker{}, apitest.NewSubmissions()
	s := apitest.ServeWith(t, http.Config{Submissions: kept}, m)
	request := apitest.Request{Method: "POST", Path: "/things", Body: `{"what":"x"}`, Header: map[string]string{"Idempotency-Key": "k"}}
	apitest.Call(t, s, request)
	before, _, _ := kept.Submission(t.Context(), access.AdminUserID, "k")

	kept.Put(access.AdminUserID, "k", work.KeptSubmission{Fingerprint: before.Fingerprint})
	resp, body := apitest.Call(t, s, request)
	apitest.WantProblem(t, resp, body, 409)
	if m.made != 1 {
		t.Errorf("made %d, want nothing more", m.made)
	}

	kept.Put(access.AdminUserID, "k", work.KeptSubmission{Fingerprint: before.Fingerprint, JobID: apitest.KnownJob})
	if resp, body := apitest.Call(t, s, request); resp.StatusCode != 201 || m.made != 2 {
		t.Errorf("%d %s: who submits the job finds it again, and must be asked", resp.StatusCode, body)
	}
}
