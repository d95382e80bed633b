package admin

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestSearchThreshold(t *testing.T) {
	const path = "/admin/config/search-threshold"
	put := func(body string) apitest.Request {
		return apitest.Request{Method: "PUT", Path: path, Body: body}
	}
	t.Run("is shown, set, and shown again", func(t *testing.T) {
		s := newServer(t, &fake{})
		for _, step := range []struct {
			request apitest.Request
			want    string
		}{
			{apitest.Request{Method: "GET", Path: path}, `{"key":"search_similarity_threshold","threshold":null,"fallback":0.6}`},
			{put(`{"threshold":0}`), `{"key":"search_similarity_threshold","threshold":0}`},
			{put(`{"threshold":0.45}`), `{"key":"search_similarity_threshold","threshold":0.45}`},
			{apitest.Request{Method: "GET", Path: path}, `{"key":"search_similarity_threshold","threshold":0.45,"fallback":0.6}`},
		} {
			if resp, body := apitest.Call(t, s, step.request); resp.StatusCode != 200 || strings.TrimSpace(body) != step.want {
				t.Errorf("%s: %d %s, want %s", step.request.Method, resp.StatusCode, body, step.want)
			}
		}
	})
	t.Run("what breaks a rule sets nothing", func(t *testing.T) {
		f := &fake{}
		apitest.Refuses(t, newServer(t, f), map[string]apitest.Refusal{
			"above 1":  apitest.Refused(put(`{"threshold":1.01}`), 422, "threshold: must be between 0 and 1, got 1.01", "body.threshold"),
			"below 0":  apitest.Refused(put(`{"threshold":-0.1}`), 422, "threshold: must be between 0 and 1, got -0.1", "body.threshold"),
			"missing":  apitest.Refused(put(`{}`), 422, "threshold: is required", "body.threshold"),
			"null":     apitest.Refused(put(`{"threshold":null}`), 422, "threshold: must be a number", "body.threshold"),
			"text":     apitest.Refused(put(`{"threshold":"0.5"}`), 422, "threshold: must be a number", "body.threshold"),
			"no body":  apitest.Refused(put(""), 400, "A JSON body is required", ""),
			"infinite": apitest.Refused(put(`{"threshold":1e999}`), 422, "threshold: must be below 1e309 in size", "body.threshold"),
		}, func() int { return len(f.did) })
	})
	t.Run("a failure is a problem", func(t *testing.T) {
		s := newServer(t, &fake{err: kappa.NewError(kappa.CodeUnavailable, "the database is busy")})
		for _, request := range []apitest.Request{{Method: "GET", Path: path}, put(`{"threshold":0.5}`)} {
			resp, body := apitest.Call(t, s, request)
			apitest.WantProblem(t, resp, body, 503)
		}
	})
}
