package datasets

import (
	"encoding/json"
	"errors"
	"maps"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func post(path, body string) apitest.Request {
	return apitest.Request{Method: "POST", Path: path, Body: body}
}

func TestQuestions(t *testing.T) {
	f := &fake{}
	s, _ := serve(t, f, Limits{})
	t.Run("validate and schema, with lists that are never null", func(t *testing.T) {
		resp, body := apitest.Call(t, s, post("/datasets/validate", `{"url":"http://x/a"}`))
		if resp.StatusCode != 200 || strings.TrimSpace(body) != `{"valid":true,"error":null}` {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
		resp, body = apitest.Call(t, s, post("/datasets/schema", `{"url":"http://x/b"}`))
		if resp.StatusCode != 200 || strings.TrimSpace(body) != `{"columns":[],"row_count":7,"size_bytes":100}` || strings.Join(f.urls, " ") != "http://x/a http://x/b" {
			t.Errorf("%d %s, asked for %s", resp.StatusCode, body, f.urls)
		}
	})
	t.Run("a query, with its default and with all that is given", func(t *testing.T) {
		resp, body := apitest.Call(t, s, post("/datasets/query", `{"sql":"SELECT 1"}`))
		if resp.StatusCode != 200 || !strings.Contains(body, `"rows":[],"total_rows":7,"truncated":true`) || f.asked[0].Limit != 1000 {
			t.Errorf("%d %s, asked %+v", resp.StatusCode, body, f.asked)
		}
		apitest.Call(t, s, post("/datasets/query", `{"sql":"SELECT 2","limit":5,"datasets":[{"url":"http://x/a","table_name":"a"}]}`))
		if q := f.asked[1]; q.SQL != "SELECT 2" || q.Limit != 5 || len(q.Datasets) != 1 || q.Datasets[0] != (datasets.Dataset{URL: "http://x/a", TableName: "a"}) {
			t.Errorf("asked %+v", q)
		}
		apitest.Call(t, s, post("/datasets/query", `{"sql":"SELECT 3","limit":0}`)) // is not "none given"
		if f.asked[2].Limit != 0 {
			t.Errorf("asked %+v", f.asked[2])
		}
	})
	t.Run("an answer is closed when it was written, and one that breaks off is cut", func(t *testing.T) {
		f.breaksOff = true
		defer func() { f.breaksOff = false }()
		req, err := nethttp.NewRequestWithContext(t.Context(), "POST", "/datasets/query", strings.NewReader(`{"sql":"SELECT 1"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer good")
		req.Header.Set("Content-Type", "application/json")
		cut := func() (v any) {
			defer func() { v = recover() }()
			s.Handler().ServeHTTP(httptest.NewRecorder(), req)
			return nil
		}()
		if err, ok := cut.(error); !ok || !errors.Is(err, nethttp.ErrAbortHandler) {
			t.Errorf("got %v", cut)
		}
		apitest.Eventually(t, "the answer is closed", func() bool { return f.closed.Load() == int64(len(f.asked)) })
	})
	t.Run("the status", func(t *testing.T) {
		resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/datasets/status"})
		if resp.StatusCode != 200 || !strings.Contains(body, `"in_force":[],"not_in_force":[]`) || !strings.Contains(body, `"retired":7`) {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	})
}

func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	New(Config{Figures: (&fake{}).figures}).registerMetrics(registry)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		m := f.GetMetric()[0]
		got[strings.TrimPrefix(f.GetName(), "kappa_dataset_")] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
	}
	want := map[string]float64{
		"workers_alive": 1, "workers_busy": 2, "tasks_total": 3, "workers_started_total": 4, "workers_killed_total": 5, "workers_crashed_total": 6, "workers_retired_total": 7, "disk_bytes": 8,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEachClassHasItsStatus(t *testing.T) {
	for class, status := range map[datasets.ErrorType]int{
		datasets.ErrValidation: 422, datasets.ErrNetwork: 502, datasets.ErrSQL: 422, datasets.ErrTimeout: 504, datasets.ErrMemory: 507, datasets.ErrInternal: 500,
	} {
		f := &fake{err: &datasets.Error{Type: class, Message: "it failed", Details: new("LINE 1")}}
		s, _ := serve(t, f, Limits{})
		for _, r := range []apitest.Request{post("/datasets/query", `{"sql":"SELECT 1"}`), post("/datasets/schema", `{"url":"http://x/a"}`)} {
			resp, body := apitest.Call(t, s, r)
			apitest.WantProblem(t, resp, body, status)
			var got datasets.Error
			if err := json.Unmarshal([]byte(body), &got); err != nil || got.Type != class || (got.Message == "it failed") == (class == datasets.ErrInternal) {
				t.Errorf("%s: %s", class, body)
			}
		}
	}
	t.Run("a file that is too large", func(t *testing.T) {
		f := &fake{err: &datasets.Error{Type: datasets.ErrMemory, Code: kappa.CodeTooLarge, Message: "the file is too large"}}
		s, _ := serve(t, f, Limits{})
		resp, body := apitest.Call(t, s, post("/datasets/query", `{"sql":"SELECT 1"}`))
		apitest.WantProblem(t, resp, body, 413)
		if !strings.Contains(body, `"error_type":"memory"`) {
			t.Errorf("got %s", body)
		}
	})
	t.Run("a failure without a class says nothing of its cause", func(t *testing.T) {
		f := &fake{err: errors.New("secret cause")}
		s, _ := serve(t, f, Limits{})
		resp, body := apitest.Call(t, s, post("/datasets/query", `{"sql":"SELECT 1"}`))
		if apitest.WantProblem(t, resp, body, 500); strings.Contains(body, "secret") {
			t.Errorf("got %s", body)
		}
	})
}

func TestRights(t *testing.T) {
	f := &fake{}
	s, accounts := serve(t, f, Limits{})
	questions := []apitest.Request{
		post("/datasets/validate", `{"url":"http://x/a"}`), post("/datasets/schema", `{"url":"http://x/a"}`), post("/datasets/query", `{"sql":"SELECT 1"}`), post("/datasets/jobs", `{"sql":"SELECT 1"}`),
		post("/datasets/upload/query", "x"), post("/datasets/upload/schema", "x"), post("/datasets/upload/validate", "x"),
	}
	accounts.Grant(map[access.Permission]access.Reach{access.JobsWrite: access.ReachAll})
	for _, r := range questions {
		resp, body := apitest.Call(t, s, r)
		apitest.WantProblem(t, resp, body, 403)
		r.Token = apitest.None
		resp, body = apitest.Call(t, s, r)
		apitest.WantProblem(t, resp, body, 401)
	}
	accounts.Grant(map[access.Permission]access.Reach{access.DatasetsQuery: access.ReachAll})
	if resp, body := apitest.Call(t, s, questions[0]); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	resp, body := apitest.Call(t, s, post("/datasets/jobs", `{"sql":"SELECT 1"}`)) // a job needs both
	apitest.WantProblem(t, resp, body, 403)
	if f.calls() != 1 {
		t.Errorf("%d calls reached the service", f.calls())
	}
}

func TestSubmit(t *testing.T) {
	f := &fake{}
	s, accounts := serve(t, f, Limits{})
	accounts.InRole(access.RoleContributor)
	resp, body := apitest.Call(t, s, post("/datasets/jobs", `{"sql":"SELECT 1"}`))
	if resp.StatusCode != 200 || !strings.Contains(body, `"job_id":"job_0123456789ab"`) {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	j := f.submitted[0]
	if j.Type != datasets.TypeQuery || !j.AutoApprove || j.UserID != 1001 || j.Validate() != nil || strings.TrimSpace(string(j.Data)) != `{"sql":"SELECT 1","datasets":[],"format":"parquet"}` {
		t.Errorf("submitted %+v, %s, %v", j, j.Data, j.Validate())
	}
}

func TestBadInput(t *testing.T) {
	f := &fake{}
	s, _ := serve(t, f, Limits{})
	apitest.Refuses(t, s, map[string]apitest.Refusal{
		"no url":                 apitest.Refused(post("/datasets/validate", `{}`), 422, "", "body.url"),
		"a url that is a number": apitest.Refused(post("/datasets/schema", `{"url":7}`), 422, "", "body.url"),
		"no sql":                 apitest.Refused(post("/datasets/query", `{}`), 422, "", "body.sql"),
		"no json":                apitest.Refused(post("/datasets/query", `{`), 400, "", ""),
		"a format of a job":      apitest.Refused(post("/datasets/jobs", `{"sql":"SELECT 1","format":"xml"}`), 422, "", "body.format"),
		"sql of a job":           apitest.Refused(post("/datasets/jobs", `{"sql":""}`), 422, "must not be empty", "body.sql"),
		"no sql to the graph":    apitest.Refused(post("/datasets/graph/query", `{}`), 422, "", "body.sql"),
		"ontologies in a text":   apitest.Refused(post("/datasets/graph/query", `{"sql":"SELECT 1","ontologies":"a"}`), 422, "", "body.ontologies"),
		"a url of a job":         apitest.Refused(post("/datasets/jobs", `{"sql":"SELECT 1","datasets":[{"url":"","table_name":"t"}]}`), 422, "", ""),
	}, f.calls)
}

var _ service = (*fake)(nil)

// FuzzBodies sends any bytes as questions.
func FuzzBodies(f *testing.F) {
	f.Add(`{"sql":"SELECT 1","datasets":[{"url":"http://x/a","table_name":"t"}],"limit":5}`)
	f.Add(`{"url":"http://x/a"}`)
	f.Fuzz(func(t *testing.T, body string) {
		s, _ := serve(t, &fake{}, Limits{})
		for _, path := range []string{"/datasets/validate", "/datasets/schema", "/datasets/query", "/datasets/graph/query", "/datasets/jobs"} {
			if resp, answer := apitest.Call(t, s, post(path, body)); resp.StatusCode >= 500 {
				t.Errorf("%s: %d %s", path, resp.StatusCode, answer)
			}
		}
	})
}
