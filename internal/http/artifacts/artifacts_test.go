package artifacts

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake keeps one artifact, of the number 7, and what was done.
type fake struct {
	artifact  artifacts.Artifact
	filter    artifacts.Filter // of the last list
	added     []artifacts.NewArtifact
	submitted []work.NewJob
	removed   int
	pieces    []string // of its file; nil without one
}

func newFake(owner *int) *fake {
	return &fake{artifact: artifacts.Artifact{ID: 7, OwnerID: owner, Label: artifacts.Label{
		Type: artifacts.Polarity, Representation: "cli", Parameters: json.RawMessage(`{"positive_pole_id":"a_1","create_artifact":false}`),
	}}}
}

func (f *fake) AddArtifact(_ context.Context, a artifacts.NewArtifact) (artifacts.Artifact, error) {
	f.added = append(f.added, a)
	return artifacts.Artifact{ID: 8, GraphEpoch: 3, OwnerID: &a.OwnerID, Label: a.Label}, nil
}

func (f *fake) Artifact(_ context.Context, id int) (artifacts.Artifact, error) {
	if id != f.artifact.ID {
		return artifacts.Artifact{}, kappa.NewError(kappa.CodeNotFound, fmt.Sprintf("Artifact not found: %d", id))
	}
	return f.artifact, nil
}

func (f *fake) ArtifactPayload(context.Context, int) (json.RawMessage, error) {
	return json.RawMessage(`{"a":1e400}`), nil
}

func (f *fake) ListArtifacts(_ context.Context, filter artifacts.Filter) ([]artifacts.Artifact, int, error) {
	f.filter = filter
	return nil, 4, nil
}

func (f *fake) RemoveArtifact(context.Context, int) error { f.removed++; return nil }

func (f *fake) SubmitJob(_ context.Context, j work.NewJob) (work.Job, error) {
	f.submitted = append(f.submitted, j)
	return work.Job{ID: apitest.KnownJob, Status: work.StatusApproved}, nil
}

func (f *fake) ArtifactFile(_ context.Context, id int) (artifacts.File, error) {
	if f.pieces == nil {
		return artifacts.File{}, kappa.NewError(kappa.CodeNotFound, "no file")
	}
	return artifacts.File{ID: 9, ContentType: "text/csv; charset=utf-8", Bytes: 5}, nil
}

func (f *fake) ReadArtifactPiece(_ context.Context, file int64, n int) ([]byte, error) {
	if file != 9 || n >= len(f.pieces) {
		return nil, kappa.NewError(kappa.CodeNotFound, "deleted")
	}
	return []byte(f.pieces[n]), nil
}

func (f *fake) did() int { return len(f.added) + len(f.submitted) + f.removed }

// serve serves a fake to user 1001, who has a role.
func serve(t testing.TB, f *fake, role string) *http.Server {
	t.Helper()
	accounts := apitest.NewAccounts()
	accounts.InRole(role)
	return serveAs(t, f, accounts)
}

func serveAs(t testing.TB, f *fake, accounts *apitest.Accounts) *http.Server {
	t.Helper()
	types, err := work.NewJobTypes(work.JobType{
		Name: questions.TypePolarity, Lane: "l", Handler: func(context.Context, work.Claim) (json.RawMessage, error) { return nil, nil },
		Check: func(data json.RawMessage) error {
			if !strings.Contains(string(data), "a_1") {
				return kappa.Invalid(kappa.FieldError{In: "body", Name: "data.positive_pole_id", Rule: "must not be empty"})
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Artifacts: f, Files: f, Jobs: f, Types: types}))
}

// rowRequests is every request about one artifact, with what it demands.
var rowRequests = []struct {
	method, path string
	permission   access.Permission
}{
	{"GET", "/artifacts/7", access.ArtifactsRead},
	{"GET", "/artifacts/7/payload", access.ArtifactsRead},
	{"GET", "/artifacts/7/download", access.ArtifactsRead},
	{"DELETE", "/artifacts/7", access.ArtifactsDelete},
	{"POST", "/artifacts/7/regenerate", access.ArtifactsWrite},
}

// TestRowRights sends every request about an artifact, in every built-in role, for one
// of one's own, of somebody else and of nobody.
func TestRowRights(t *testing.T) {
	for _, c := range rowRequests {
		for _, role := range access.BuiltinRoles() {
			for whose, owner := range map[string]*int{"one's own": new(1001), "a foreign one": new(1000), "nobody's": nil} {
				t.Run(fmt.Sprintf("%s %s of %s as %s", c.method, c.path, whose, role), func(t *testing.T) {
					f := newFake(owner)
					f.pieces = []string{"abc", "de"}
					p := access.Principal{User: access.User{ID: 1001, Role: role}, Scopes: []string{access.ScopeRead, access.ScopeWrite}}
					allowed, status := p.PermitRow(c.permission, f.artifact.Row()) == nil, 403
					if p.PermitSome(c.permission) == nil && p.PermitRow(access.ArtifactsRead, f.artifact.Row()) != nil {
						status = 404 // to whoever may not see it
					}
					resp, body := apitest.Call(t, serve(t, f, role), apitest.Request{Method: c.method, Path: c.path})
					if allowed != (resp.StatusCode < 300) || !allowed && (resp.StatusCode != status || f.did() > 0) {
						t.Errorf("%d %s, want it allowed: %t, else %d", resp.StatusCode, body, allowed, status)
					}
				})
			}
		}
	}
}

// TestGrantedRows sends every request about an artifact of somebody else as somebody who
// was granted that one, those of its ontology, another one, or none, with a token of each
// scope.
func TestGrantedRows(t *testing.T) {
	for name, set := range map[string]access.RowSet{
		"this one":         {IDs: []string{"7"}},
		"its ontology":     {Filters: []access.RowFilter{{"ontology": "notes"}}},
		"another one":      {IDs: []string{"8", "77", ""}},
		"another ontology": {Filters: []access.RowFilter{{"ontology": "letters"}}},
		"none":             {},
	} {
		for _, c := range rowRequests {
			for _, token := range []string{apitest.Good, apitest.ReadOnly} {
				f := newFake(new(1000))
				f.pieces, f.artifact.Ontology = []string{"abc", "de"}, new("notes")
				accounts := apitest.NewAccounts()
				accounts.GrantRows(map[access.Permission]access.Reach{access.JobsWrite: access.ReachOwn}, map[access.Permission]access.RowSet{c.permission: set})
				s := serveAs(t, f, accounts)
				inScope := token == apitest.Good || c.permission.Reads()
				allowed, status := (name == "this one" || name == "its ontology") && inScope, 403
				if inScope && name != "none" {
					status = 404 // some are granted, and this one may not be seen
				}
				resp, body := apitest.Call(t, s, apitest.Request{Method: c.method, Path: c.path, Token: token})
				if allowed != (resp.StatusCode < 300) || !allowed && (resp.StatusCode != status || f.did() > 0) {
					t.Errorf("%s %s, granted %s, %s token: %d %s, want it allowed: %t", c.method, c.path, name, token, resp.StatusCode, body, allowed)
				}
			}
		}
	}
}

func TestList(t *testing.T) {
	get := func(t *testing.T, role, query string) (*fake, string) {
		t.Helper()
		f := newFake(nil)
		resp, body := apitest.Call(t, serve(t, f, role), apitest.Request{Method: "GET", Path: "/artifacts" + query})
		if resp.StatusCode != 200 {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
		return f, body
	}
	t.Run("an administrator sees all, or those of a user", func(t *testing.T) {
		f, body := get(t, access.RoleAdmin, "?artifact_type=report&representation=cli&ontology=o&limit=3&offset=2")
		if body != `{"artifacts":[],"total":4,"limit":3,"offset":2,"next_cursor":null}`+"\n" || f.filter.OwnerID != nil || *f.filter.Type != "report" || *f.filter.Ontology != "o" {
			t.Errorf("%s for %+v", body, f.filter)
		}
		if f, _ := get(t, access.RoleAdmin, "?owner_id=5"); *f.filter.OwnerID != 5 {
			t.Errorf("got %+v", f.filter)
		}
	})
	t.Run("who was granted some sees those and their own", func(t *testing.T) {
		f := newFake(nil)
		accounts := apitest.NewAccounts()
		accounts.GrantRows(map[access.Permission]access.Reach{access.ArtifactsRead: access.ReachOwn}, map[access.Permission]access.RowSet{access.ArtifactsRead: {IDs: []string{"7"}}})
		s := serveAs(t, f, accounts)
		if resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/artifacts"}); resp.StatusCode != 200 || f.filter.Visible == nil || f.filter.Visible.Owner != 1001 || f.filter.Visible.IDs[0] != "7" {
			t.Errorf("%d %s for %+v", resp.StatusCode, body, f.filter)
		}
	})
	t.Run("others see their own, and never those of others", func(t *testing.T) {
		if f, _ := get(t, access.RoleCurator, ""); *f.filter.OwnerID != 1001 {
			t.Errorf("got %+v", f.filter)
		}
		if f, body := get(t, access.RoleCurator, "?owner_id=5"); f.filter.Limit != 0 || !strings.Contains(body, `"total":0`) {
			t.Errorf("%s for %+v", body, f.filter)
		}
	})
}

func TestCreate(t *testing.T) {
	f := newFake(nil)
	body := `{"artifact_type":"report","representation":"cli","parameters":{},"payload":{"b":1,"a":1e400},"expires_at":"2030-01-01T00:00:00Z"}`
	resp, answer := apitest.Call(t, serve(t, f, access.RoleContributor), apitest.Request{Method: "POST", Path: "/artifacts", Body: strings.ReplaceAll(body, "1e400", "2")})
	if resp.StatusCode != 201 || !strings.Contains(answer, `{"id":8,"artifact_type":"report"`) || !strings.Contains(answer, `"storage_location":"inline","garage_key":null`) {
		t.Errorf("%d %s", resp.StatusCode, answer)
	}
	if a := f.added[0]; a.OwnerID != 1001 || string(a.Payload) != `{"b":1,"a":2}` || a.ExpiresAt.Year() != 2030 {
		t.Errorf("kept %+v", a)
	}
}

func TestRegenerate(t *testing.T) {
	regenerate := apitest.Request{Method: "POST", Path: "/artifacts/7/regenerate"}
	t.Run("is a job with the same parameters, which keeps its answer", func(t *testing.T) {
		f := newFake(new(1001))
		resp, body := apitest.Call(t, serve(t, f, access.RoleContributor), regenerate)
		if resp.StatusCode != 200 || !strings.Contains(body, `"status":"approved"`) {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
		j := f.submitted[0]
		if j.Type != questions.TypePolarity || j.UserID != 1001 || !j.AutoApprove || strings.TrimSpace(string(j.Data)) != `{"create_artifact":true,"positive_pole_id":"a_1"}` {
			t.Errorf("submitted %+v with %s", j, j.Data)
		}
	})
	for name, c := range map[string]struct {
		change func(a *artifacts.Artifact)
		detail string
	}{
		"a type that nothing computes": {func(a *artifacts.Artifact) { a.Type = "report" }, "of the type report cannot be computed again"},
		"parameters that are refused":  {func(a *artifacts.Artifact) { a.Parameters = json.RawMessage(`{}`) }, "data.positive_pole_id: must not be empty"},
	} {
		t.Run(name+" cannot be regenerated", func(t *testing.T) {
			f := newFake(new(1001))
			c.change(&f.artifact)
			resp, body := apitest.Call(t, serve(t, f, access.RoleContributor), regenerate)
			if p := apitest.WantProblem(t, resp, body, 400); !strings.Contains(p.Detail, c.detail) || f.did() > 0 {
				t.Errorf("%s, %d done", p.Detail, f.did())
			}
		})
	}
}

func TestBadInput(t *testing.T) {
	f := newFake(nil)
	post := func(body string) apitest.Request {
		return apitest.Request{Method: "POST", Path: "/artifacts", Body: body}
	}
	with := func(more string) apitest.Request {
		return post(`{"artifact_type":"report","representation":"cli","parameters":{},` + more + `}`)
	}
	get := func(path string) apitest.Request { return apitest.Request{Method: "GET", Path: path} }
	large := `"payload":{"a":"` + strings.Repeat("x", artifacts.MaxPayload) + `"}`
	apitest.Refuses(t, serve(t, f, access.RoleAdmin), map[string]apitest.Refusal{
		"an unknown type":           apitest.Refused(post(`{"artifact_type":"song","representation":"cli","parameters":{},"payload":{}}`), 400, "artifact_type: must be one of polarity_analysis,", ""),
		"an unknown representation": apitest.Refused(post(`{"artifact_type":"report","representation":"tv","parameters":{},"payload":{}}`), 400, "representation: must be one of cli,", ""),
		"no payload":                apitest.Refused(with(`"name":"n"`), 422, "payload: is required", "body.payload"),
		"a payload of 768 kB":       apitest.Refused(with(large), 422, "payload: must be at most 786432 bytes of JSON", "body.payload"),
		"a list for a payload":      apitest.Refused(with(`"payload":[]`), 422, "payload: must be an object", "body.payload"),
		"text for metadata":         apitest.Refused(with(`"payload":{},"metadata":"m"`), 422, "metadata: must be an object", "body.metadata"),
		"a concept that is none":    apitest.Refused(with(`"payload":{},"concept_ids":["a b"]`), 422, "concept_ids[0]: must consist of", "body.concept_ids.0"),
		"an unknown type in a list": apitest.Refused(get("/artifacts?artifact_type=song"), 422, "artifact_type: must be one of", "query.artifact_type"),
		"501 of them":               apitest.Refused(get("/artifacts?limit=501"), 422, "limit: must be at most 500, got 501", "query.limit"),
		"an unknown artifact":       apitest.Refused(get("/artifacts/8"), 404, "Artifact not found: 8", ""),
		"a word for a number":       apitest.Refused(get("/artifacts/x_1/payload"), 404, "Artifact not found: x_1", ""),
		"a number beyond all":       apitest.Refused(get("/artifacts/99999999999999999999"), 404, "Artifact not found", ""),
	}, f.did)
}

// strict lets nothing through that breaks a rule.
type strict struct {
	*fake
	apitest.Fuzzer
}

func newStrict(t testing.TB) *strict {
	t.Helper()
	s := &strict{fake: newFake(nil)}
	types, err := work.NewJobTypes()
	if err != nil {
		t.Fatal(err)
	}
	s.Begin(t, New(Config{Artifacts: s, Files: s, Jobs: s, Types: types}))
	return s
}

func (s *strict) AddArtifact(_ context.Context, a artifacts.NewArtifact) (artifacts.Artifact, error) {
	s.Allow(json.Valid(a.Payload) && len(a.Payload) <= 768<<10 && (a.Name == nil || apitest.Sentence(*a.Name, 200)), a)
	return artifacts.Artifact{}, nil
}

func (s *strict) ListArtifacts(_ context.Context, f artifacts.Filter) ([]artifacts.Artifact, int, error) {
	s.Allow(apitest.Within(f.Limit, 1, 500) && apitest.Within(f.Offset, 0, 1_000_000) && (f.Ontology == nil || apitest.Sentence(*f.Ontology, 200)), f)
	return nil, 0, nil
}

// FuzzBodies sends any bytes as artifacts.
func FuzzBodies(f *testing.F) { newStrict(f).Bodies(f, 1) }

// FuzzQueries sends any query to the list.
func FuzzQueries(f *testing.F) { newStrict(f).Queries(f, 1, "") }

// FuzzPathsAndKeys sends any text as the number of an artifact.
func FuzzPathsAndKeys(f *testing.F) { newStrict(f).Names(f, 4) }
