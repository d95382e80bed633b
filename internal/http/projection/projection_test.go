package projection

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/projection"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake keeps one projection, and what was done.
type fake struct {
	items     int
	kept      string // its changelist; "" for none
	stale     bool
	asked     []projection.Query
	submitted []work.NewJob
	removed   []string
}

func (f *fake) State(_ context.Context, q projection.Query) (string, int, error) {
	f.asked = append(f.asked, q)
	if q.Ontology == "nowhere" {
		return "", 0, kappa.NewError(kappa.CodeNotFound, "Ontology 'nowhere' does not exist")
	}
	return "cl_1", f.items, nil
}

func (f *fake) Kept(_ context.Context, ontology, source string) (projection.Kept, error) {
	if f.kept == "" {
		return projection.Kept{}, kappa.NewError(kappa.CodeNotFound, "No projection of "+source+" of "+ontology)
	}
	return projection.Kept{Changelist: f.kept, Stale: f.stale, Body: json.RawMessage(`{"ontology":"a/b"}`)}, nil
}

func (f *fake) Remove(_ context.Context, ontology, source string, dry bool) (int64, error) {
	f.removed = append(f.removed, ontology+" "+source)
	if dry {
		f.removed = nil
	}
	return 3, nil
}

func TestRemove(t *testing.T) {
	f := &fake{}
	for path, want := range map[string]string{
		"/projection/o?dry_run=true": `{"message":"Projection of 'o' would be deleted","deleted":false,"projections_deleted":3}`,
		"/projection/o":              `{"message":"Projection of 'o' deleted","deleted":true,"projections_deleted":3}`,
	} {
		f.removed = nil
		_, body := apitest.Call(t, serve(t, f, access.RoleAdmin), apitest.Request{Method: "DELETE", Path: path})
		if dry := strings.Contains(path, "dry"); body != want+"\n" || dry != (len(f.removed) == 0) {
			t.Errorf("%s: %s, removed %v", path, body, f.removed)
		}
	}
}

func (f *fake) SubmitJob(_ context.Context, j work.NewJob) (work.Job, error) {
	f.submitted = append(f.submitted, j)
	return work.Job{ID: apitest.KnownJob, Status: work.StatusApproved}, nil
}

func serve(t testing.TB, f *fake, role string) *http.Server {
	t.Helper()
	accounts := apitest.NewAccounts()
	accounts.InRole(role)
	return apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Projections: f, Jobs: f}))
}

func post(path, body string) apitest.Request {
	return apitest.Request{Method: "POST", Path: path, Body: body}
}

func TestShow(t *testing.T) {
	f := &fake{kept: "cl_1", stale: true}
	s := serve(t, f, access.RoleReadOnly)
	show := apitest.Request{Method: "GET", Path: "/projection/a%2Fb"}
	resp, body := apitest.Call(t, s, show)
	if resp.StatusCode != 200 || !strings.Contains(body, `"ontology":"a/b"`) || resp.Header.Get("ETag") != `"cl_1"` || resp.Header.Get("Kappa-Stale") != "true" {
		t.Errorf("%d %s with %v", resp.StatusCode, body, resp.Header)
	}
	show.Header = map[string]string{"If-None-Match": `"cl_1"`}
	if resp, body := apitest.Call(t, s, show); resp.StatusCode != 304 || body != "" {
		t.Errorf("what one has: %d %s", resp.StatusCode, body)
	}
	f.kept = "cl_2"
	if resp, _ := apitest.Call(t, s, show); resp.StatusCode != 200 {
		t.Errorf("another one: %d", resp.StatusCode)
	}
	if _, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/projection/algorithms"}); body != `{"available":["tsne","pca"],"default":"tsne"}`+"\n" {
		t.Errorf("got %s", body)
	}
}

func TestRegenerate(t *testing.T) {
	regenerate := func(t *testing.T, f *fake, body string) string {
		t.Helper()
		resp, answer := apitest.Call(t, serve(t, f, access.RoleContributor), post("/projection/__all__/regenerate", body))
		if resp.StatusCode != 200 {
			t.Fatalf("%d %s", resp.StatusCode, answer)
		}
		return answer
	}
	t.Run("is a job with the defaults", func(t *testing.T) {
		f := &fake{items: 500}
		answer := regenerate(t, f, "{}")
		if !strings.Contains(answer, `"status":"queued","job_id":"`+apitest.KnownJob+`"`) || !strings.Contains(answer, `"changelist_id":"cl_1","artifact_id":null`) {
			t.Errorf("got %s", answer)
		}
		var q projection.Query
		if err := json.Unmarshal(f.submitted[0].Data, &q); err != nil || q != projection.NewQuery("__all__") || f.submitted[0].UserID != 1001 || !f.submitted[0].AutoApprove {
			t.Errorf("submitted %+v with %s", f.submitted[0], f.submitted[0].Data)
		}
	})
	t.Run("is skipped while the input is the same", func(t *testing.T) {
		for body, jobs := range map[string]int{"{}": 0, `{"force":true}`: 1, `{"create_artifact":true}`: 1} {
			f := &fake{items: 500, kept: "cl_1"}
			if answer := regenerate(t, f, body); len(f.submitted) != jobs || jobs == 0 && !strings.Contains(answer, `"status":"skipped","job_id":null`) {
				t.Errorf("%s: %s, %d jobs", body, answer, len(f.submitted))
			}
		}
		f := &fake{items: 500, kept: "cl_0"}
		if regenerate(t, f, "{}"); len(f.submitted) != 1 {
			t.Error("of another input it is skipped")
		}
	})
}

func TestRights(t *testing.T) {
	for _, c := range []struct {
		method, path, role string
		status             int
	}{
		{"POST", "/projection/o/regenerate", access.RoleReadOnly, 403},
		{"POST", "/projection/o/regenerate", access.RoleContributor, 200},
		{"DELETE", "/projection/o?embedding_source=sources", access.RoleCurator, 403},
		{"DELETE", "/projection/o?embedding_source=sources", access.RoleAdmin, 200},
	} {
		f := &fake{items: 9}
		resp, body := apitest.Call(t, serve(t, f, c.role), apitest.Request{Method: c.method, Path: c.path, Body: "{}"})
		if resp.StatusCode != c.status {
			t.Errorf("%s %s as %s: %d %s", c.method, c.path, c.role, resp.StatusCode, body)
		}
		if c.status == 200 && c.method == "DELETE" && f.removed[0] != "o sources" {
			t.Errorf("removed %v", f.removed)
		}
	}
}

func TestBadInput(t *testing.T) {
	const path = "/projection/o/regenerate"
	f := &fake{items: 2}
	apitest.Refuses(t, serve(t, f, access.RoleAdmin), map[string]apitest.Refusal{
		"an unknown algorithm":  apitest.Refused(post(path, `{"algorithm":"umap"}`), 422, "algorithm: must be one of tsne, pca", "body.algorithm"),
		"four dimensions":       apitest.Refused(post(path, `{"n_components":4}`), 422, "n_components: must be at most 3, got 4", "body.n_components"),
		"no perplexity":         apitest.Refused(post(path, `{"perplexity":1}`), 422, "perplexity: must be between 2 and 100, got 1", "body.perplexity"),
		"an unknown source":     apitest.Refused(post(path, `{"embedding_source":"all"}`), 422, "embedding_source: must be one of concepts,", "body.embedding_source"),
		"diversity":             apitest.Refused(post(path, `{"include_diversity":true}`), 422, "include_diversity: must be false", "body.include_diversity"),
		"text for a number":     apitest.Refused(post(path, `{"perplexity":"x"}`), 422, "perplexity: must be", "body.perplexity"),
		"two items":             apitest.Refused(post(path, `{}`), 422, "must have at least 3 items to project, got 2", "body.embedding_source"),
		"an unknown ontology":   apitest.Refused(post("/projection/nowhere/regenerate", `{}`), 404, "does not exist", ""),
		"an ontology with NUL":  apitest.Refused(post("/projection/a%00/regenerate", `{}`), 404, "does not exist", ""),
		"nothing kept":          apitest.Refused(apitest.Request{Method: "GET", Path: "/projection/o"}, 404, "No projection", ""),
		"a source nobody knows": apitest.Refused(apitest.Request{Method: "GET", Path: "/projection/o?embedding_source=x"}, 422, "embedding_source", "query.embedding_source"),
		"deleting one of NUL":   apitest.Refused(apitest.Request{Method: "DELETE", Path: "/projection/a%00"}, 404, "does not exist", ""),
	}, func() int { return len(f.submitted) + len(f.removed) })
}
