package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

// TestDataIsBounded sends data that PostgreSQL refuses, or that grows when it is
// stored, to each route that takes data. Each is refused with the place in the data,
// and nothing is stored.
func TestDataIsBounded(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	defer http.DefaultClient.CloseIdleConnections()
	check(t, func() error {
		status, p := raw(t, s, "POST", "/admin/schedules", "application/json", strings.NewReader(`{"name":"nightly","job_type":"noop","cron":"0 3 * * *","enabled":false}`))
		if status != http.StatusCreated {
			t.Errorf("the schedule was refused: %s", p.Detail)
		}
		return nil
	}())
	routes := map[string]struct{ method, path, before string }{
		"a job":               {"POST", "/jobs", `{"job_type":"noop","data":`},
		"a new schedule":      {"POST", "/admin/schedules", `{"name":"other","job_type":"noop","cron":"0 3 * * *","data":`},
		"a changed schedule":  {"PATCH", "/admin/schedules/nightly", `{"data":`},
		"a job below the API": {"POST", "/api/jobs", `{"job_type":"noop","data":`},
	}
	for data, says := range map[string]string{
		`{"a":"\u0000"}`:                `data.a: must not contain \u0000`,
		`{"a":["x","\ud800"]}`:          `data.a[1]: must not contain half of a surrogate pair`,
		`{"a":{"\udc00b":1}}`:           `data.a: must not have a member with such a name: it must not contain half of a surrogate pair`,
		"{\"a\":\"caf\xe9\"}":           `data.a: must be valid UTF-8`,
		`{"a":[1,1e131071]}`:            `data.a[1]: must be below 1e309 in size`,
		`[` + big("1e-16380", 50) + `]`: `data[0]: must be from 1e-324 to below 1e309 in size`,
		big("[", 65) + big("]", 65):     `must be nested at most 64 deep`,
	} {
		for name, r := range routes {
			t.Run(name+" with "+data[:min(len(data), 30)], func(t *testing.T) {
				status, p := raw(t, s, r.method, r.path, "application/json", strings.NewReader(r.before+data+"}"))
				if status != http.StatusUnprocessableEntity || !strings.Contains(p.Detail, says) {
					t.Errorf("got %d %q, want 422 that says %q", status, p.Detail, says)
				}
				if len(p.Errors) != 1 || len(p.Errors[0].Loc) < 2 || p.Errors[0].Loc[0] != "body" || p.Errors[0].Loc[1] != "data" {
					t.Errorf("the place is %v", p.Errors)
				}
			})
		}
	}
	if n := rows(t, s.dsn, "SELECT count(*) FROM kg_api.jobs"); n != 0 {
		t.Errorf("the refused requests left %d jobs", n)
	}
	for _, data := range []string{
		`["\ud83d\ude00","\uffff","\\u0000",{"":null}]`, `[5e-324,1.7976931348623157e308,-0.0,0e-324,9223372036854775807]`,
		`[` + big("1e308", 830) + `]`, `[` + big("1e-324", 780) + `]`, `[` + big("0", 19_999) + `]`, big("[", 64) + big("]", 64),
	} {
		if status, p := raw(t, s, "POST", "/jobs", "application/json", strings.NewReader(`{"job_type":"noop","data":`+data+`}`)); status != http.StatusOK {
			t.Errorf("%.60s: got %d %q", data, status, p.Detail)
		}
	}
	if n := rows(t, s.dsn, "SELECT max(length(data::text)) FROM kg_api.jobs"); n > 300_000 {
		t.Errorf("data is read back as %d characters", n)
	}
}

// big repeats a part of a list.
func big(part string, n int) string {
	if part == "[" || part == "]" {
		return strings.Repeat(part, n)
	}
	return strings.Repeat(part+",", n-1) + part
}

// TestYearsAreBounded submits jobs for instants that not every program can read. One
// that is stored all the same does not break the list of jobs.
func TestYearsAreBounded(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	defer http.DefaultClient.CloseIdleConnections()
	for _, at := range []string{"9999-12-31T23:59:59-14:00", "9999-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "1969-12-31T23:59:59Z"} {
		status, p := raw(t, s, "POST", "/jobs", "application/json", strings.NewReader(`{"job_type":"noop","run_at":"`+at+`"}`))
		if status != http.StatusUnprocessableEntity || !strings.Contains(p.Detail, "run_at: must be in the years 1970 to 9998, in UTC") {
			t.Errorf("run_at %s: got %d %q", at, status, p.Detail)
		}
	}
	status, p := raw(t, s, "POST", "/jobs", "application/json", strings.NewReader(`{"job_type":"noop","run_at":"9998-12-31T10:00:00-13:00"}`))
	if status != http.StatusOK && status != http.StatusCreated {
		t.Fatalf("got %d %q", status, p.Detail)
	}
	rows(t, s.dsn, "WITH later AS (UPDATE kg_api.jobs SET run_at = '294276-01-01T00:00:00Z', created_at = '0044-03-15 BC' RETURNING 1) SELECT count(*)::int FROM later")
	jobs, err := s.client.Jobs.List(t.Context(), work.JobFilter{Limit: 10})
	check(t, err)
	if len(jobs) != 1 || jobs[0].RunAt == nil || jobs[0].RunAt.Year() != 9999 {
		text, _ := json.Marshal(jobs)
		t.Errorf("the list is %s", text)
	}
	if len(jobs) == 1 && jobs[0].CreatedAt.After(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("the job was created at %s", jobs[0].CreatedAt)
	}
}

// TestMemberNamesAreExact changes settings by names that differ in case, or twice.
func TestMemberNamesAreExact(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	defer http.DefaultClient.CloseIdleConnections()
	const lane = "/admin/workers/lanes/interactive"
	before := rows(t, s.dsn, "SELECT max_slots FROM kg_api.worker_lanes WHERE name = 'interactive'")
	for _, c := range []struct{ method, path, body, says string }{
		{"PATCH", lane, `{"MAX_SLOTS": 3}`, "MAX_SLOTS: is not a known field; did you mean max_slots?"},
		{"PATCH", lane, `{"max_slots": 3, "max_slots": 4}`, "max_slots: must be given once"},
		{"PATCH", lane, `{"max_slots": 3, "max_\u0073lots": 4}`, "max_slots: must be given once"},
		{"PATCH", lane, `{"max_ſlots": 3}`, "did you mean max_slots?"},
		{"POST", "/jobs", `{"job_type":"noop","priority":1,"Priority":99}`, "Priority: is not a known field; did you mean priority?"},
		{"POST", "/jobs", `{"job_type":"noop","data":{"a":{"b":1,"b":2}}}`, "data.a.b: must be given once"},
		{"POST", "/admin/schedules", `{"name":"n","job_type":"noop","cron":"* * * * *","Enabled":false}`, "Enabled: is not a known field"},
		{"POST", "/query/search", `{"query":"a","QUERY":"b"}`, "QUERY: is not a known field; did you mean query?"},
	} {
		status, p := raw(t, s, c.method, c.path, "application/json", strings.NewReader(c.body))
		if status != http.StatusUnprocessableEntity || !strings.Contains(p.Detail, c.says) {
			t.Errorf("%s: got %d %q, want 422 that says %q", c.body, status, p.Detail, c.says)
		}
	}
	if after := rows(t, s.dsn, "SELECT max_slots FROM kg_api.worker_lanes WHERE name = 'interactive'"); after != before {
		t.Errorf("max_slots went from %d to %d", before, after)
	}
	if n := rows(t, s.dsn, "SELECT count(*) FROM kg_api.jobs"); n != 0 {
		t.Errorf("the refused requests left %d jobs", n)
	}
	status, p := raw(t, s, "POST", "/jobs", "application/json", strings.NewReader(`{"job_type":"noop","data":{"Name":1,"name":2}}`))
	if status >= 300 {
		t.Errorf("members of data that differ in case: %d %q", status, p.Detail)
	}
}

// TestTextIsRefusedByItsName puts text that PostgreSQL cannot store into one member of
// a request that is good otherwise, for each kind of route that takes text. The answer
// names the member, and does not come from the database.
func TestTextIsRefusedByItsName(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	defer http.DefaultClient.CloseIdleConnections()
	const asJSON, asForm = "application/json", "application/x-www-form-urlencoded"
	type members map[string]string
	for _, r := range []struct {
		method, path, contentType string
		good                      members
		text                      []string // the members to try
	}{
		{"POST", "/jobs", asJSON, members{"job_type": "noop", "queue": "q"}, []string{"job_type", "queue"}},
		{"POST", "/admin/schedules", asJSON, members{"name": "n", "job_type": "noop", "cron": "0 3 * * *", "time_zone": "UTC", "condition": "queue_idle"}, []string{"name", "job_type", "cron", "time_zone", "condition"}},
		{"POST", "/query/search", asJSON, members{"query": "q", "ontology": "o"}, []string{"query", "ontology"}},
		{"POST", "/query/related", asJSON, members{"concept_id": "a_1"}, []string{"concept_id"}},
		{"POST", "/query/connect", asJSON, members{"from_id": "a_1", "to_id": "b_2"}, []string{"from_id", "to_id"}},
		{"POST", "/query/connect-by-search", asJSON, members{"from_query": "a", "to_query": "b"}, []string{"from_query", "to_query"}},
		{"POST", "/query/enriched-path", asJSON, members{"from_id": "a_1", "to_id": "b_2"}, []string{"from_id", "to_id"}},
		{"POST", "/query/neighborhood", asJSON, members{"concept_id": "a_1"}, []string{"concept_id"}},
		{"GET", "/edges", "", members{"from_concept_id": "a_1", "to_concept_id": "b_2", "relationship_type": "USES", "ontology": "o"}, []string{"from_concept_id", "to_concept_id", "relationship_type", "ontology"}},
		{"POST", "/ingest/text", asForm, members{"text": "Lanes claim jobs.", "ontology": "o", "filename": "f", "source_type": "api", "source_path": "p", "source_hostname": "h"}, []string{"ontology", "filename", "source_type", "source_path", "source_hostname"}},
		{"POST", "/ingest", "multipart/form-data", members{"ontology": "o", "filename": "f", "source_path": "p"}, []string{"ontology", "filename", "source_path"}},
		{"POST", "/auth/oauth/clients/personal", asForm, members{"username": "admin", "password": testPassword, "client_name": "c"}, []string{"username", "client_name"}},
		{"POST", "/auth/oauth/clients/personal/new", asForm, members{"client_name": "c"}, []string{"client_name"}},
		{"GET", "/jobs", "", members{"ontology": "o", "job_type": "noop", "client_id": "u"}, []string{"ontology", "job_type", "client_id"}},
		{"GET", "/concepts", "", members{"ontology": "o"}, []string{"ontology"}},
	} {
		for _, name := range r.text {
			for _, odd := range []string{"a\x00b", "a\xed\xa0\x80b"} { // the second is half of a surrogate pair
				body := url.Values{}
				for member, value := range r.good {
					body.Set(member, value)
				}
				body.Set(name, odd)
				status, p := sendMembers(t, s, r.method, r.path, r.contentType, body)
				if status != http.StatusUnprocessableEntity && status != http.StatusBadRequest || !strings.Contains(p.Detail, name) || len(p.Errors) == 0 {
					t.Errorf("%s %s with %s %q: got %d %q", r.method, r.path, name, odd, status, p.Detail)
				}
			}
		}
	}
}

// sendMembers sends members in the form that the type says; "" is the query.
func sendMembers(t *testing.T, s *testServer, method, path, contentType string, members url.Values) (int, problemAnswer) {
	t.Helper()
	switch contentType {
	case "":
		return raw(t, s, method, path+"?"+members.Encode(), "", nil)
	case "application/json":
		parts := make([]string, 0, len(members))
		for name := range members {
			value, err := json.Marshal(members.Get(name))
			check(t, err)
			text := strings.ReplaceAll(string(value), `\ufffd\ufffd\ufffd`, `\ud800`) // as Marshal writes what is not UTF-8
			parts = append(parts, `"`+name+`":`+text)
		}
		return raw(t, s, method, path, contentType, strings.NewReader("{"+strings.Join(parts, ",")+"}"))
	case "multipart/form-data":
		fields := []string{}
		for name := range members {
			fields = append(fields, name, members.Get(name))
		}
		contentType, form := upload(t, []byte("Lanes claim jobs."), "a.txt", fields...)
		return raw(t, s, method, path, contentType, form)
	}
	return raw(t, s, method, path, contentType, strings.NewReader(members.Encode()))
}

// TestClientKeepsItself makes more clients than an account may have, with the one that
// was unused for the longest time.
func TestClientKeepsItself(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	defer http.DefaultClient.CloseIdleConnections()
	bearer := token(t, s)
	send := func(method, path string) int {
		req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, nil)
		check(t, err)
		req.Header.Set("Authorization", "Bearer "+bearer)
		if method == "POST" {
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		resp, err := http.DefaultClient.Do(req)
		check(t, err)
		defer resp.Body.Close()
		return resp.StatusCode
	}
	for i := range access.MaxUserClients + 2 {
		if status := send("POST", "/auth/oauth/clients/personal/new"); status != http.StatusCreated {
			t.Fatalf("client %d: %d", i, status)
		}
	}
	if status := send("GET", "/auth/me"); status != http.StatusOK {
		t.Errorf("the client that asked is answered %d", status)
	}
	if n := rows(t, s.dsn, "SELECT count(*) FROM kg_api.oauth_clients WHERE user_id = 1000"); n != access.MaxUserClients {
		t.Errorf("there are %d clients, want %d", n, access.MaxUserClients)
	}
}

// TestX16_SecretsAreNotRepeated sends a secret in every place that takes one, and in the
// places where people put one by mistake. No answer, no line of the log, no figure and no row
// of the database repeats it, nor the secrets that the server hands out.
func TestX16_SecretsAreNotRepeated(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	defer http.DefaultClient.CloseIdleConnections()
	const secret = "canary-7f3a91"
	const asJSON, asForm = "application/json", "application/x-www-form-urlencoded"
	const login, access = "/auth/oauth/clients/personal", "/auth/oauth/token"
	bearer := token(t, s)
	for _, c := range []struct{ method, path, contentType, body string }{
		{"POST", login, asForm, "username=admin&password=" + secret},
		{"POST", login, asForm, "username=" + secret + "&password=x"},
		{"POST", login, asForm, "username=" + secret + "%00&password=" + secret},
		{"POST", login, asForm, "username=" + strings.Repeat(secret, 20) + "&password=" + secret},
		{"POST", login, asForm, "username=admin&password=" + secret + "%zz"},
		{"POST", login, asForm, "username=admin&password=" + secret + "&password=" + secret},
		{"POST", login, asForm, "username=admin&password=" + secret + "&scope=" + secret},
		{"POST", login, asForm, "username=admin&password=" + secret + "&client_name=" + secret + "%00"},
		{"POST", login, asJSON, `{"username":"admin","password":"` + secret + `"}`},
		{"POST", access, asForm, "grant_type=" + secret + "&client_id=x&client_secret=" + secret},
		{"POST", access, asForm, "grant_type=client_credentials&client_id=" + secret + "&client_secret=" + secret},
		{"POST", access, asForm, "grant_type=client_credentials&client_id=" + secret + "%00&client_secret=" + secret},
		{"POST", access, asJSON, `{"client_secret":"` + secret + `"}`},
		{"POST", "/auth/oauth/revoke", asForm, "token=" + secret},
		{"POST", "/jobs", asJSON, `{"job_type":1,"password":"` + secret + `"}`},
		{"POST", "/jobs", asJSON, `{"job_type":"noop","run_at":5,"client_secret":"` + secret + `"}`},
		{"POST", "/jobs", asJSON, `{"job_type":"noop","priority":99999999999999999999,"data":{"password":"` + secret + `"}}`},
		{"POST", "/jobs", asJSON, `{"job_type":"noop","data":{"password":"` + secret + `\ud800"}}`},
		{"POST", "/jobs", asJSON, `{"job_type":"noop","data":{"password":"` + secret + `","x":1e999}}`},
		{"POST", "/jobs", asJSON, `{"job_type":"noop","data":"` + secret + `","run_at":"` + secret + `"`},
		{"PATCH", "/admin/workers/lanes/interactive", asJSON, `{"password":"` + secret + `"}`},
		{"PATCH", "/admin/workers/lanes/interactive", asJSON, `["` + secret + `"]`},
		{"PATCH", "/admin/workers/lanes/interactive", asJSON, `"` + secret + `"`},
		{"POST", "/query/search", asJSON, `{"password":"` + secret + `"}`},
		{"POST", "/query/search", asJSON, `"` + secret + `"`},
		{"GET", "/events?token=" + secret, "", ""},
		{"GET", "/events?ticket=" + secret, "", ""},
		{"GET", "/jobs?access_token=" + secret, "", ""},
	} {
		for _, header := range []string{"", "Bearer " + secret, "Basic " + base64.StdEncoding.EncodeToString([]byte(secret+":"+secret)), secret} {
			req, err := http.NewRequestWithContext(t.Context(), c.method, s.url+c.path, strings.NewReader(c.body))
			check(t, err)
			if c.contentType != "" {
				req.Header.Set("Content-Type", c.contentType)
			}
			if header == "" && !strings.HasPrefix(c.path, "/auth") && !strings.Contains(c.path, "=") {
				header = "Bearer " + bearer
			}
			if header != "" {
				req.Header.Set("Authorization", header)
			}
			resp, err := http.DefaultClient.Do(req)
			check(t, err)
			text := ""
			if resp.StatusCode >= 400 {
				all, err := io.ReadAll(resp.Body)
				check(t, err)
				text = string(all)
			}
			check(t, resp.Body.Close())
			if strings.Contains(text, secret) {
				t.Errorf("%s %s with %.120q: %d %s", c.method, c.path, c.body, resp.StatusCode, text)
			}
		}
	}
	issued := append(issueSecrets(t, s), secret, testPassword, bearer)
	for _, path := range []string{"/metrics", "/admin/audit", "/jobs", "/users", "/auth/keys", "/auth/oauth/clients/personal", "/admin/status", "/database/info", "/admin/providers"} {
		wantNoSecret(t, path, read(t, s, bearer, path), issued)
	}
	wantNoneStored(t, s, issued)
	s.stop()
	wantNoSecret(t, "the log", s.logs.String(), issued)
}

// issueSecrets has the server hand out one secret of each kind.
func issueSecrets(t *testing.T, s *testServer) []string {
	t.Helper()
	made, err := s.client.Account.NewOAuthClient(t.Context(), "canary", "")
	check(t, err)
	_, key, err := s.client.Account.NewAPIKey(t.Context(), access.NewAPIKey{Name: "canary"})
	check(t, err)
	return []string{made.Secret, key}
}

// read returns an answer as text.
func read(t *testing.T, s *testServer, bearer, path string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, http.NoBody)
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+bearer)
	resp, err := http.DefaultClient.Do(req)
	check(t, err)
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	check(t, err)
	if resp.StatusCode != http.StatusOK {
		t.Errorf("%s: %d %s", path, resp.StatusCode, all)
	}
	return string(all)
}

func wantNoSecret(t *testing.T, what, text string, secrets []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		for i, secret := range secrets {
			if strings.Contains(line, secret) {
				t.Errorf("%s has secret %d: %.300s", what, i, line)
			}
		}
	}
}

// wantNoneStored searches every row of every table for secrets, as text and as bytes. What
// users have sent as the data of jobs is theirs.
func wantNoneStored(t *testing.T, s *testServer, secrets []string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.dsn)
	check(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	rows, err := conn.Query(t.Context(), "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'kg_api' AND c.relkind = 'r'")
	check(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check(t, err)
	if len(tables) < 30 {
		t.Errorf("only %d tables were searched", len(tables))
	}
	for _, table := range tables {
		for i, secret := range secrets {
			var n int
			check(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM "+table+" t WHERE strpos(t::text, $1) > 0 OR strpos(t::text, encode(convert_to($1, 'UTF8'), 'hex')) > 0", secret).Scan(&n))
			if n > 0 {
				t.Errorf("%d rows of %s have secret %d", n, table, i)
			}
		}
	}
}
