package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// problemAnswer is what every refused request gets.
type problemAnswer struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Errors []struct {
		Loc []any  `json:"loc"`
		Msg string `json:"msg"`
	} `json:"errors"`
}

// raw sends a request as it is, with a valid token, and returns the answer.
func raw(t *testing.T, s *testServer, method, path, contentType string, body io.Reader) (int, problemAnswer) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, body)
	check(t, err)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	req.Header.Set("Authorization", "Bearer "+s.token(t))
	resp, err := http.DefaultClient.Do(req)
	check(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	check(t, err)
	var p problemAnswer
	if resp.StatusCode >= 400 {
		if got := resp.Header.Get("Content-Type"); !strings.HasPrefix(got, "application/problem+json") {
			t.Errorf("%s %s: the content type of the problem is %q", method, path, got)
		}
		if err := json.Unmarshal(text, &p); err != nil {
			t.Errorf("%s %s: the problem is %q", method, path, text)
		}
		if p.Status != resp.StatusCode || p.Detail == "" {
			t.Errorf("%s %s: the problem is %q", method, path, text)
		}
	}
	return resp.StatusCode, p
}

// token logs in and returns an access token.
func token(t *testing.T, s *testServer) string {
	t.Helper()
	post := func(path string, form url.Values, v any) {
		t.Helper()
		resp, err := http.PostForm(s.url+path, form)
		check(t, err)
		defer resp.Body.Close()
		check(t, json.NewDecoder(resp.Body).Decode(v))
	}
	var c struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	post("/auth/oauth/clients/personal", url.Values{"username": {"admin"}, "password": {testPassword}}, &c)
	var access struct {
		Token string `json:"access_token"`
	}
	post("/auth/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {c.ID}, "client_secret": {c.Secret}}, &access)
	return access.Token
}

// upload is a multipart form with one file.
func upload(t *testing.T, body []byte, filename string, fields ...string) (contentType string, form *bytes.Buffer) {
	t.Helper()
	form = &bytes.Buffer{}
	w := multipart.NewWriter(form)
	part, err := w.CreateFormFile("file", filename)
	check(t, err)
	_, err = part.Write(body)
	check(t, err)
	for i := 0; i < len(fields); i += 2 {
		check(t, w.WriteField(fields[i], fields[i+1]))
	}
	check(t, w.Close())
	return w.FormDataContentType(), form
}

// TestBadDocuments submits what cannot be ingested. Each is refused with what
// is wrong and how to mend it, and leaves nothing behind.
func TestBadDocuments(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	defer http.DefaultClient.CloseIdleConnections()
	good := []byte("A worker lane claims approved jobs for its free slots.")
	onto := []string{"ontology", "o"}
	for name, c := range map[string]struct {
		body   []byte
		file   string
		fields []string
		status int
		says   string
	}{
		"an empty document":                 {nil, "a.txt", onto, 400, "empty"},
		"only white space":                  {[]byte(" \n\t\u00a0\u2003\r\n"), "a.txt", onto, 400, "white space"},
		"invalid UTF-8":                     {[]byte("caf\xe9 au lait"), "a.txt", onto, 400, "UTF-8"},
		"a NUL byte":                        {[]byte("abc\x00def"), "a.txt", onto, 400, "NUL"},
		"a binary file with a text name":    {append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 100)...), "a.txt", onto, 415, "png"},
		"a name with control characters":    {good, "a.txt", []string{"ontology", "a\x07b"}, 422, "ontology: must not contain control characters"},
		"no ontology":                       {good, "a.txt", nil, 422, "ontology"},
		"a target that is no number":        {good, "a.txt", append(onto, "target_words", "many"), 422, "target_words"},
		"a target out of range":             {good, "a.txt", append(onto, "target_words", "99999"), 422, "target_words: must be at most 5000"},
		"a flag that is neither yes nor no": {good, "a.txt", append(onto, "auto_approve", "perhaps"), 422, "auto_approve"},
		"an unknown mode":                   {good, "a.txt", append(onto, "processing_mode", "both"), 422, "processing_mode"},
	} {
		t.Run(name, func(t *testing.T) {
			contentType, form := upload(t, c.body, c.file, c.fields...)
			status, p := raw(t, s, http.MethodPost, "/ingest", contentType, form)
			if status != c.status || !strings.Contains(strings.ToLower(p.Detail), strings.ToLower(c.says)) {
				t.Errorf("got %d %q, want %d that says %q", status, p.Detail, c.status, c.says)
			}
		})
	}
	t.Run("200 MB are refused before they are read", func(t *testing.T) {
		began := time.Now()
		head := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
		status, p := raw(t, s, http.MethodPost, "/ingest", "multipart/form-data; boundary=x",
			io.MultiReader(strings.NewReader(head), io.LimitReader(endless{}, 200<<20)))
		if status != http.StatusRequestEntityTooLarge || p.Detail == "" {
			t.Errorf("got %d %q", status, p.Detail)
		}
		t.Logf("answered after %s", time.Since(began))
	})
	if n := rows(t, s.dsn, "SELECT (SELECT count(*) FROM kg_api.jobs) + (SELECT count(*) FROM kg_api.contents) + (SELECT count(*) FROM kg_api.ontologies)"); n != 0 {
		t.Errorf("the refused documents left %d rows", n)
	}
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestBadRequests asks for what does not exist or makes no sense.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	defer http.DefaultClient.CloseIdleConnections()
	const lane = "/admin/workers/lanes/interactive"
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		says               string
	}{
		"an unknown job":                   {"GET", "/jobs/job_0123456789ab", "", 404, "Job not found: job_0123456789ab"},
		"a malformed job id":               {"GET", "/jobs/nonsense", "", 404, "Job not found"},
		"approving an unknown job":         {"POST", "/jobs/job_0123456789ab/approve", "", 404, "Job not found"},
		"cancelling an unknown job":        {"DELETE", "/jobs/job_0123456789ab", "", 404, "Job not found"},
		"a stream of an unknown job":       {"GET", "/jobs/job_0123456789ab/stream", "", 404, "Job not found"},
		"an unknown field of a lane":       {"PATCH", lane, `{"slots": 3}`, 422, "slots"},
		"a lane setting of a wrong type":   {"PATCH", lane, `{"max_slots": "three"}`, 422, "max_slots"},
		"a lane setting out of range":      {"PATCH", lane, `{"max_slots": 17}`, 422, "max_slots: must be at most 16, got 17"},
		"no lane setting":                  {"PATCH", lane, `{}`, 422, "No fields to update"},
		"an unknown lane":                  {"PATCH", "/admin/workers/lanes/fast", `{"max_slots": 3}`, 404, "Lane not found: fast"},
		"a search without a query":         {"POST", "/query/search", `{}`, 422, "query"},
		"a search with a limit of text":    {"POST", "/query/search", `{"query":"x","limit":"ten"}`, 422, "limit"},
		"JSON that is none":                {"POST", "/query/search", `{"query":`, 400, ""},
		"an unknown concept":               {"GET", "/query/concept/no-such_1", "", 404, "Concept 'no-such_1' not found"},
		"an id that no concept can have":   {"GET", "/query/concept/a%27b", "", 422, "id: must consist of letters"},
		"a path between unknown concepts":  {"POST", "/query/connect", `{"from_id":"a_1","to_id":"b_2"}`, 404, "not found"},
		"an unknown job type":              {"POST", "/jobs", `{"job_type":"dance"}`, 422, "job_type"},
		"an unknown status in a filter":    {"GET", "/jobs?status=done", "", 422, "status"},
		"an unknown route":                 {"GET", "/nowhere", "", 404, ""},
		"a route of the contract to come":  {"PATCH", "/concepts", "{}", 501, "PATCH /concepts is not built yet"},
		"a method that a route has not":    {"PUT", "/jobs", "", 405, ""},
		"a NUL character in a query":       {"POST", "/query/search", `{"query":"a\u0000b"}`, 422, "query"},
		"a job whose data is out of range": {"POST", "/jobs", `{"job_type":"noop","priority":1000}`, 422, "priority"},
	} {
		t.Run(name, func(t *testing.T) {
			var body io.Reader
			contentType := ""
			if c.body != "" {
				body, contentType = strings.NewReader(c.body), "application/json"
			}
			status, p := raw(t, s, c.method, c.path, contentType, body)
			if status != c.status || !strings.Contains(p.Detail, c.says) {
				t.Errorf("got %d %q, want %d that says %q", status, p.Detail, c.status, c.says)
			}
		})
	}
	if n := rows(t, s.dsn, "SELECT count(*) FROM kg_api.jobs"); n != 0 {
		t.Errorf("the refused requests left %d jobs", n)
	}
}

// TestStrangeDocuments submits what is legal and hard; each ends, completed or
// failed with a reason.
func TestStrangeDocuments(t *testing.T) {
	t.Parallel()
	code := "func main() {\n\tfor i := range 10 {\n\t\tfmt.Println(i, x[i] == nil && y != 0x1F)\n\t}\n}\n"
	strangeDocuments(t, startServer(t, nil), map[string]string{
		"one 100 kB line":      longLine(100_000),
		"one 1 MB word":        strings.Repeat("x", 1<<20),
		"no punctuation":       strings.Repeat("worker lanes claim approved jobs and the heartbeat renews the lease ", 300),
		"only code":            strings.Repeat(code, 30),
		"only punctuation":     strings.Repeat("?! ... ", 2000),
		"only emoji":           strings.Repeat("🙂🙃 ", 2000),
		"Chinese":              strings.Repeat("数据库将数据存储在表中。工作者领取已批准的任务。", 150),
		"deep Markdown":        strings.Repeat("> ", 500) + "deep\n" + strings.Repeat("[", 5000),
		"one character":        "a",
		"text with a BOM":      "\ufeffA worker lane claims jobs.",
		"Windows line endings": "A worker lane claims jobs.\r\n\r\nA heartbeat renews the lease.\r\n",
	})
}

// TestStrangeDocuments_Slow submits what takes the program as it is shipped a minute, and one with the
// detector of races ten.
func TestStrangeDocuments_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	server := startShipped(t, t.TempDir(), "DATABASE_URL="+newDSN(t))
	strangeDocuments(t, &testServer{client: login(t, server.url)}, map[string]string{
		"one 10 MB line": longLine(10 << 20),
		"no punctuation": strings.Repeat("worker lanes claim approved jobs and the heartbeat renews the lease ", 3000),
	})
}

// longLine is a line of so many bytes at most.
func longLine(bytes int) string {
	const sentence = "Lanes claim approved jobs and PostgreSQL stores events. "
	return strings.Repeat(sentence, bytes/len(sentence))
}

func strangeDocuments(t *testing.T, s *testServer, documents map[string]string) {
	t.Helper()
	for name, body := range documents {
		t.Run(name, func(t *testing.T) {
			filename := "strange.txt"
			if strings.Contains(name, "Markdown") {
				filename = "strange.md"
			}
			submitted, err := s.client.Documents.Submit(t.Context(), client.Document{Body: []byte(body), Filename: filename, Ontology: name, AutoApprove: true})
			check(t, err)
			job := awaitEnd(t, s, submitted.JobID)
			if job.Status == work.StatusFailed && deref(job.Error) == "" {
				t.Error("failed without a reason")
			}
			t.Logf("%s %s", job.Status, deref(job.Error))
		})
	}
}
