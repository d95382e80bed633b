package polarity

import (
	"context"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake answers with nothing, and keeps what it was asked.
type fake struct {
	err       error
	asked     []questions.PolarityQuery
	submitted []work.NewJob
}

func (f *fake) Polarity(_ context.Context, q questions.PolarityQuery, _ func(work.Progress) error) (questions.PolarityResult, error) {
	if err := q.Validate(); err != nil {
		return questions.PolarityResult{}, err
	}
	f.asked = append(f.asked, q)
	return questions.PolarityResult{Success: true}, f.err
}

func (f *fake) SubmitJob(_ context.Context, j work.NewJob) (work.Job, error) {
	f.submitted = append(f.submitted, j)
	return work.Job{ID: "job_0123456789ab", Status: work.StatusProcessing}, f.err
}

func (f *fake) calls() int { return len(f.asked) + len(f.submitted) }

const (
	route    = "/query/polarity-axis"
	jobRoute = route + "/jobs"
	poles    = `{"positive_pole_id":"a_1","negative_pole_id":"b_1"}`
)

func serve(t testing.TB, f *fake) *http.Server {
	t.Helper()
	return apitest.Serve(t, New(Config{Analyst: f, Jobs: f}))
}

func TestAnalyse(t *testing.T) {
	t.Run("the defaults, and lists that are never null", func(t *testing.T) {
		f := &fake{}
		resp, body := apitest.Call(t, serve(t, f), apitest.Request{Method: "POST", Path: route, Body: poles})
		want := questions.NewPolarityQuery("a_1", "b_1")
		if resp.StatusCode != 200 || f.asked[0].MaxHops != want.MaxHops || f.asked[0].TimeoutSeconds != 120 || f.asked[0].RandomShare != 0.2 || !f.asked[0].AutoDiscover {
			t.Errorf("%d, asked for %+v", resp.StatusCode, f.asked)
		}
		for _, part := range []string{`"success":true`, `"projections":[]`, `"position_range":[0,0]`, `"pearson_r":0`, `"grounding":0`, `"complete":false`} {
			if !strings.Contains(body, part) {
				t.Errorf("%s\nlacks %s", body, part)
			}
		}
	})
	t.Run("all that is given", func(t *testing.T) {
		f := &fake{}
		body := `{"positive_pole_id":"a_1","negative_pole_id":"b_1","candidate_ids":["c_1"],"auto_discover":false,"max_candidates":7,"max_hops":3,
			"use_parallel":false,"discovery_slot_pct":1,"max_workers":2,"chunk_size":3,"timeout_seconds":600}`
		if resp, text := apitest.Call(t, serve(t, f), apitest.Request{Method: "POST", Path: route, Body: body}); resp.StatusCode != 200 {
			t.Fatalf("%d %s", resp.StatusCode, text)
		}
		q := f.asked[0]
		if !slices.Equal(q.Candidates, []string{"c_1"}) || q.AutoDiscover || q.MaxCandidates != 7 || q.MaxHops != 3 || q.UseParallel || q.RandomShare != 1 ||
			q.MaxWorkers != 2 || q.ChunkSize != 3 || q.TimeoutSeconds != 600 {
			t.Errorf("asked for %+v", q)
		}
	})
}

func TestSubmit(t *testing.T) {
	f := &fake{}
	accounts := apitest.NewAccounts()
	s := apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Analyst: f, Jobs: f}))
	accounts.InRole(access.RoleContributor)
	resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: jobRoute, Body: poles})
	if resp.StatusCode != 200 || !strings.Contains(body, `{"job_id":"job_0123456789ab","status":"approved"`) {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	j := f.submitted[0]
	if j.Type != questions.TypePolarity || !j.AutoApprove || j.UserID != 1001 || j.Validate() != nil ||
		!strings.Contains(string(j.Data), `"max_hops":1`) || !strings.Contains(string(j.Data), `"create_artifact":true`) {
		t.Errorf("submitted %+v with %s", j, j.Data)
	}
	accounts.InRole(access.RoleReadOnly)
	resp, body = apitest.Call(t, s, apitest.Request{Method: "POST", Path: jobRoute, Body: poles})
	apitest.WantProblem(t, resp, body, 403)
}

func TestBadInput(t *testing.T) {
	f := &fake{}
	requests := map[string]apitest.Refusal{}
	for _, path := range []string{route, jobRoute} {
		post := func(body string) apitest.Request { return apitest.Request{Method: "POST", Path: path, Body: body} }
		pole := func(more string) apitest.Request { return post(strings.TrimSuffix(poles, "}") + "," + more + "}") }
		for name, r := range map[string]apitest.Refusal{
			"no pole":             apitest.Refused(post(`{"positive_pole_id":"a_1"}`), 422, "negative_pole_id: is required", "body.negative_pole_id"),
			"the same pole":       apitest.Refused(post(`{"positive_pole_id":"a_1","negative_pole_id":"a_1"}`), 400, "The poles are the same concept, a_1", ""),
			"another alphabet":    apitest.Refused(post(`{"positive_pole_id":"a 1","negative_pole_id":"a_1"}`), 422, "positive_pole_id: must consist of", "body.positive_pole_id"),
			"no hops":             apitest.Refused(pole(`"max_hops":0`), 422, "max_hops: must be at least 1, got 0", "body.max_hops"),
			"six hops":            apitest.Refused(pole(`"max_hops":6`), 422, "max_hops: must be at most 3, got 6", "body.max_hops"),
			"a share of 2":        apitest.Refused(pole(`"discovery_slot_pct":2`), 422, "discovery_slot_pct: must be between 0 and 1, got 2", "body.discovery_slot_pct"),
			"no time":             apitest.Refused(pole(`"timeout_seconds":0`), 422, "timeout_seconds: must be at least 1, got 0", "body.timeout_seconds"),
			"a bad candidate":     apitest.Refused(pole(`"candidate_ids":["c_1","c 2"]`), 422, "candidate_ids[1]: must consist of", "body.candidate_ids.1"),
			"a number for a list": apitest.Refused(pole(`"candidate_ids":[1]`), 422, "candidate_ids[0]: must be text", "body.candidate_ids.0"),
		} {
			requests[path+": "+name] = r
		}
	}
	apitest.Refuses(t, serve(t, f), requests, f.calls)
}

func TestFailuresAreProblems(t *testing.T) {
	for status, code := range map[int]kappa.Code{400: kappa.CodeMalformed, 503: kappa.CodeUnavailable} {
		s := serve(t, &fake{err: kappa.NewError(code, "it went wrong")})
		for _, path := range []string{route, jobRoute} {
			resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: path, Body: poles})
			apitest.WantProblem(t, resp, body, status)
		}
	}
}

// strict lets no question through that breaks a rule.
type strict struct {
	fake
	apitest.Fuzzer
}

func (s *strict) Polarity(ctx context.Context, q questions.PolarityQuery, yield func(work.Progress) error) (questions.PolarityResult, error) {
	if _, err := s.fake.Polarity(ctx, q, yield); err != nil {
		return questions.PolarityResult{}, err
	}
	s.Allow(apitest.Sentence(q.PositivePole, 200) && q.PositivePole != q.NegativePole && apitest.Within(q.MaxHops, 1, 3) &&
		apitest.Within(q.TimeoutSeconds, 1, 600) && len(q.Candidates) <= 100, q)
	return questions.PolarityResult{}, nil
}

// FuzzBodies sends any bytes as questions.
func FuzzBodies(f *testing.F) {
	s := &strict{}
	s.Begin(f, New(Config{Analyst: s, Jobs: s}))
	s.Bodies(f, 2)
}
