package ingestion

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

func ingestFile(t testing.TB, s *http.Server, fields map[string]string, file *apitest.File) (int, string) {
	t.Helper()
	body, contentType := apitest.MultipartForm(t, fields, file)
	resp, answer := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/ingest", Body: body, ContentType: contentType})
	return resp.StatusCode, answer
}

func TestIngest(t *testing.T) {
	t.Run("every field arrives", func(t *testing.T) {
		f := newFake()
		status, body := ingestFile(t, newServer(t, f), map[string]string{
			"ontology": "  Über/alles ", "force": "Yes", "replace": "true", "budget": "$2, 100 tokens", "auto_approve": "1", "processing_mode": "parallel", "target_words": "500",
			"min_words": "300", "max_words": "900", "overlap_words": "50", "source_type": "file", "source_path": "/home/a b.txt",
			"source_hostname": "host", "unknown": "ignored",
		}, &apitest.File{Part: "file", Name: "notes.md", Body: "# Title\n"})
		if status != 200 {
			t.Fatalf("%d %s", status, body)
		}
		file, path, host := "file", "/home/a b.txt", "host"
		want := work.Submission{
			Body: []byte("# Title\n"), ContentType: corpus.ContentMarkdown, Ontology: "Über/alles", Filename: "notes.md",
			Force: true, Replace: corpus.ReplaceAll, AutoApprove: true, ProcessingMode: "parallel",
			Chunking: corpus.ChunkOptions{TargetWords: 500, MinWords: 300, MaxWords: 900, OverlapWords: 50},
			Origin:   corpus.Origin{SourceType: &file, SourcePath: &path, SourceHostname: &host}, UserID: access.AdminUserID,
			Budget: &corpus.Budget{USD: new(2.0), Tokens: new(int64(100))},
		}
		if got := f.submitted[0]; !reflect.DeepEqual(got, want) {
			t.Errorf("submission %+v, want %+v", got, want)
		}
	})
	t.Run("fields have the contract's defaults", func(t *testing.T) {
		f := newFake()
		ingestFile(t, newServer(t, f), map[string]string{"ontology": "o"}, &apitest.File{Part: "file", Name: "", Body: "text"})
		got := f.submitted[0]
		if got.Filename != "uploaded_document" || got.ProcessingMode != "serial" || got.Force || got.AutoApprove || got.SourceType != nil ||
			got.ContentType != corpus.ContentPlain || got.Chunking != (corpus.ChunkOptions{TargetWords: 1000, MinWords: 800, MaxWords: 1500, OverlapWords: 200}) {
			t.Errorf("submission %+v", got)
		}
	})
	t.Run("a small target lowers the overlap, and the analysis says so", func(t *testing.T) {
		f := newFake()
		ingestFile(t, newServer(t, f), map[string]string{"ontology": "o", "target_words": "150", "overlap_words": "200"}, &apitest.File{Part: "file", Name: "", Body: "text"})
		if len(f.submitted) != 1 || f.submitted[0].Chunking.OverlapWords != 60 || !f.submitted[0].OverlapReduced {
			t.Errorf("submitted %+v", f.submitted)
		}
	})
	t.Run("a given name wins over that of the upload, whose folder is dropped", func(t *testing.T) {
		f := newFake()
		s := newServer(t, f)
		ingestFile(t, s, map[string]string{"ontology": "o", "filename": "mine.markdown"}, &apitest.File{Part: "file", Name: "theirs.txt", Body: "text"})
		ingestFile(t, s, map[string]string{"ontology": "o"}, &apitest.File{Part: "file", Name: "../../etc/passwd", Body: "text"})
		if got := f.submitted[0]; got.Filename != "mine.markdown" || got.ContentType != corpus.ContentMarkdown {
			t.Errorf("submission %+v", got)
		}
		if got := f.submitted[1].Filename; got != "passwd" {
			t.Errorf("filename %q", got)
		}
	})
	t.Run("text comes in either kind of form", func(t *testing.T) {
		multi, contentType := apitest.MultipartForm(t, map[string]string{"ontology": "o", "text": "Grüße & more"}, nil)
		urlencoded := url.Values{"ontology": {"o"}, "text": {"Grüße & more"}}.Encode()
		for _, r := range []apitest.Request{{Body: multi, ContentType: contentType}, {Body: urlencoded, ContentType: http.URLEncodedType + "; charset=UTF-8"}} {
			f := newFake()
			r.Method, r.Path = "POST", "/api/ingest/text/"
			resp, body := apitest.Call(t, newServer(t, f), r)
			if resp.StatusCode != 200 {
				t.Fatalf("%d %s", resp.StatusCode, body)
			}
			if got := f.submitted[0]; string(got.Body) != "Grüße & more" || got.Filename != "text_input" {
				t.Errorf("submission %+v", got)
			}
		}
	})
	t.Run("what the document holds is decided behind the API", func(t *testing.T) {
		f := newFake()
		f.err = kappa.NewError(kappa.CodeMalformed, "The document is empty; send one with text")
		status, body := ingestFile(t, newServer(t, f), map[string]string{"ontology": "o"}, &apitest.File{Part: "file", Name: "a.txt", Body: ""})
		if status != 400 || !strings.Contains(body, "The document is empty") || len(f.submitted) != 1 {
			t.Errorf("%d %s", status, body)
		}
	})
}

func TestIngestBadFields(t *testing.T) {
	f := newFake()
	s := newServer(t, f)
	file := &apitest.File{Part: "file", Name: "a.txt", Body: "text"}
	for name, tt := range map[string]struct {
		fields map[string]string
		file   *apitest.File
		detail []string
	}{
		"no file":                             {map[string]string{"ontology": "o"}, nil, []string{"file: is required"}},
		"no ontology":                         {nil, file, []string{"ontology: must not be empty"}},
		"an ontology of white space":          {map[string]string{"ontology": " \t "}, file, []string{"ontology: must not be empty"}},
		"an ontology with control characters": {map[string]string{"ontology": "a\x00b\n"}, file, []string{"ontology: must not contain control characters"}},
		"an ontology that turns the text":     {map[string]string{"ontology": "a\u202eb"}, file, []string{"ontology: must not contain control characters"}},
		"an ontology of 201 characters":       {map[string]string{"ontology": strings.Repeat("ü", 201)}, file, []string{"ontology: must have at most 200 characters"}},
		"an ontology that is not UTF-8":       {map[string]string{"ontology": "a\xff"}, file, []string{"ontology: must be valid UTF-8"}},
		"a target below 100":                  {map[string]string{"ontology": "o", "target_words": "99"}, file, []string{"target_words: must be at least 100, got 99"}},
		"text for a number":                   {map[string]string{"ontology": "o", "overlap_words": "few"}, file, []string{`overlap_words: must be a whole number, got "few"`}},
		"a number that does not fit":          {map[string]string{"ontology": "o", "target_words": "99999999999999999999"}, file, []string{"target_words: must be a whole number"}},
		"a flag that is none":                 {map[string]string{"ontology": "o", "force": "2"}, file, []string{`force: must be true or false, got "2"`}},
		"an unknown mode":                     {map[string]string{"ontology": "o", "processing_mode": "fast"}, file, []string{"processing_mode: must be serial or parallel"}},
		"an unknown source type":              {map[string]string{"ontology": "o", "source_type": "ftp"}, file, []string{"source_type: must be one of file, sync, stdin, mcp, api"}},
		"a field of more than 64 KiB":         {map[string]string{"ontology": "o", "source_path": strings.Repeat("a", 70_000)}, file, []string{"source_path: must have at most 65536 bytes"}},
		"a budget that is none":               {map[string]string{"ontology": "o", "budget": "much"}, file, []string{`budget: must be US dollars such as 2.50`}},
		"to replace what is from nowhere":     {map[string]string{"ontology": "o", "replace": "true"}, file, []string{"replace: needs source_path"}},
		"several at once":                     {map[string]string{"target_words": "x", "force": "?"}, nil, []string{"target_words: ", "force: ", "file: is required", "ontology: "}},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := ingestFile(t, s, tt.fields, tt.file)
			var p apitest.Problem
			if err := json.Unmarshal([]byte(body), &p); err != nil || status != 422 || len(p.Errors) == 0 {
				t.Fatalf("%d %s", status, body)
			}
			for _, want := range tt.detail {
				if !strings.Contains(p.Detail, want) {
					t.Errorf("detail %q does not say %q", p.Detail, want)
				}
			}
			if p.Errors[0].Loc[0] != "form" {
				t.Errorf("errors %+v", p.Errors)
			}
			if len(f.submitted) != 0 {
				t.Error("it was submitted")
			}
		})
	}
}

func TestIngestBadForms(t *testing.T) {
	f := newFake()
	s := newServer(t, f)
	const boundary = "multipart/form-data; boundary=b"
	part := func(name string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\no\r\n"
	}
	for name, tt := range map[string]struct {
		path, body, contentType string
		status                  int
	}{
		"JSON":                       {"/ingest", `{}`, "application/json", 415},
		"no type":                    {"/ingest", `x`, "x", 415},
		"multipart without boundary": {"/ingest", "x", "multipart/form-data", 415},
		"an empty form":              {"/ingest", "--b--\r\n", boundary, 422},
		"a form that ends early":     {"/ingest", part("ontology") + "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nhalf", boundary, 400},
		"no form at all":             {"/ingest", "just text", boundary, 400},
		"a field twice":              {"/ingest", part("ontology") + part("ontology") + "--b--\r\n", boundary, 422},
		"two documents":              {"/ingest", part("file") + part("file") + "--b--\r\n", boundary, 422},
		"65 fields":                  {"/ingest", strings.Repeat("--b\r\nContent-Disposition: form-data; name=\"\"\r\n\r\n\r\n", 70) + "--b--\r\n", boundary, 400},
		"a bad escape":               {"/ingest/text", "ontology=o&text=%zz", http.URLEncodedType, 422},
		"a text that is empty":       {"/ingest/text", "ontology=o&text=", http.URLEncodedType, 422},
		"no text":                    {"/ingest/text", "ontology=o", http.URLEncodedType, 422},
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: tt.path, Body: tt.body, ContentType: tt.contentType})
			apitest.WantProblem(t, resp, body, tt.status)
			if len(f.submitted) != 0 {
				t.Error("it was submitted")
			}
		})
	}
}

func TestIngestAnswers(t *testing.T) {
	two := 2
	done := kappa.At(apitest.Job(work.StatusCompleted).CreatedAt.Time)
	for name, tt := range map[string]struct {
		answer work.Submitted
		want   []string
	}{
		"a new job": {
			work.Submitted{JobID: apitest.KnownJob, Status: work.StatusPending, ContentHash: "sha256:ab", Position: &two},
			[]string{
				`"job_id":"` + apitest.KnownJob, `"status":"pending"`, `"content_hash":"sha256:ab"`, `"position":2`,
				`"message":"Job queued. Analysis running. Poll /jobs/` + apitest.KnownJob + ` for status and cost estimates."`,
			},
		},
		"completed": {
			work.Submitted{Duplicate: true, JobID: apitest.KnownJob, Status: work.StatusCompleted, CreatedAt: done, CompletedAt: &done, Result: []byte(`{"status":"completed"}`)},
			[]string{
				`"duplicate":true`, `"existing_job_id":"` + apitest.KnownJob, `"result":{"status":"completed"}`, `"completed_at":"2026-01-31T08:00:00.123Z"`,
				`"message":"This document was already ingested (job ` + apitest.KnownJob + `). Use force=true to re-ingest."`, `"use_force":"Use force=true to re-ingest."`,
			},
		},
		"processing": {
			work.Submitted{Duplicate: true, JobID: apitest.KnownJob, Status: work.StatusProcessing},
			[]string{`"result":null`, `"use_force":null`, `"This document is currently being processed (job ` + apitest.KnownJob + `). Check job status for progress."`},
		},
		"pending":  {work.Submitted{Duplicate: true, JobID: apitest.KnownJob, Status: work.StatusPending}, []string{`"This document is queued for ingestion (job ` + apitest.KnownJob + `). It will be processed soon."`}},
		"approved": {work.Submitted{Duplicate: true, JobID: apitest.KnownJob, Status: work.StatusApproved}, []string{`is queued for ingestion`}},
		"awaiting approval": {
			work.Submitted{Duplicate: true, JobID: apitest.KnownJob, Status: work.StatusAwaitingApproval},
			[]string{`"This document is waiting for approval (job ` + apitest.KnownJob + `). Approve it with: kg job approve ` + apitest.KnownJob + `"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			f.answer = tt.answer
			status, body := ingestFile(t, newServer(t, f), map[string]string{"ontology": "o"}, &apitest.File{Part: "file", Name: "a.txt", Body: "x"})
			for _, want := range tt.want {
				if status != 200 || !strings.Contains(body, want) {
					t.Errorf("%d %s lacks %s", status, body, want)
				}
			}
		})
	}
}

// TestIngestHidesJobs submits a document that a job of another user ingests, or has
// ingested: who may not read that job learns neither its id nor its result.
func TestIngestHidesJobs(t *testing.T) {
	const own, other = 1001, 1002
	for _, c := range []struct {
		owner int
		read  access.Reach
		seen  bool
	}{
		{other, access.ReachOwn, false}, {other, access.ReachNone, false}, {other, access.ReachAll, true}, {own, access.ReachOwn, true}, {own, access.ReachNone, true},
	} {
		for _, status := range []work.Status{work.StatusPending, work.StatusAwaitingApproval, work.StatusApproved, work.StatusProcessing, work.StatusCompleted} {
			f, accounts := newFake(), apitest.NewAccounts()
			accounts.Grant(map[access.Permission]access.Reach{access.IngestCreate: access.ReachAll, access.JobsRead: c.read})
			f.answer = work.Submitted{
				Duplicate: true, JobID: apitest.KnownJob, Row: access.Row{Owner: c.owner, ID: apitest.KnownJob, Type: "ingestion", Ontology: "o"},
				Status: status, Result: []byte(`{"status":"secret"}`),
			}
			s := apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Documents: f, Web: noWeb{}, Limits: Limits{DocumentBytes: 1 << 20}}))
			resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/ingest/text", Body: "text=a&ontology=o", ContentType: http.URLEncodedType})
			told := strings.Contains(body, apitest.KnownJob) || strings.Contains(body, "secret")
			if resp.StatusCode != 200 || told != c.seen || !strings.Contains(body, `"status":"`+string(status)) || !strings.Contains(body, `"duplicate":true`) {
				t.Errorf("the job of %d with reach %v: %d %s", c.owner, c.read, resp.StatusCode, body)
			}
			if again := status == work.StatusCompleted; again != strings.Contains(body, `"use_force":"Use`) {
				t.Errorf("%s: %s", status, body)
			}
		}
	}
}

// TestAutoApproveTakesTheRightToApprove submits documents in a role that may submit
// jobs and not approve them.
func TestAutoApproveTakesTheRightToApprove(t *testing.T) {
	for _, c := range []struct {
		approve access.Reach
		auto    string
		status  int
	}{
		{access.ReachNone, "true", 403}, {access.ReachNone, "false", 200}, {access.ReachOwn, "true", 200}, {access.ReachAll, "true", 200},
	} {
		f, accounts := newFake(), apitest.NewAccounts()
		accounts.Grant(map[access.Permission]access.Reach{access.IngestCreate: access.ReachAll, access.JobsApprove: c.approve})
		s := apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Documents: f, Web: noWeb{}, Limits: Limits{DocumentBytes: 1 << 20}}))
		resp, answer := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/ingest/text", Body: "text=a&ontology=o&auto_approve=" + c.auto, ContentType: http.URLEncodedType})
		if resp.StatusCode != c.status || (c.status == 200) != (f.taken() == 1) {
			t.Errorf("auto_approve=%s with reach %v: %d %s, want %d; %d submitted", c.auto, c.approve, resp.StatusCode, answer, c.status, f.taken())
		}
		if c.status == 403 {
			want := "Permission denied: approve on jobs; submit it without auto_approve, for somebody else to approve"
			if p := apitest.WantProblem(t, resp, answer, 403); p.Detail != want {
				t.Errorf("detail %q, want %q", p.Detail, want)
			}
		}
	}
}

// Who may not delete what others have ingested replaces their own alone.
func TestIngestReplacesOwn(t *testing.T) {
	f, accounts := newFake(), apitest.NewAccounts()
	s := apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Documents: f, Web: noWeb{}, Limits: Limits{DocumentBytes: 1 << 20}}))
	fields := map[string]string{"ontology": "o", "source_path": "/a", "replace": "true"}
	for _, role := range []string{access.RoleContributor, access.RolePlatformAdmin} {
		accounts.InRole(role)
		if status, body := ingestFile(t, s, fields, &apitest.File{Part: "file", Name: "a.md", Body: "text"}); status != 200 {
			t.Fatalf("%s: %d %s", role, status, body)
		}
	}
	if own, all := f.submitted[0].Replace, f.submitted[1].Replace; own != corpus.ReplaceOwn || all != corpus.ReplaceAll {
		t.Errorf("a contributor replaces %q, an administrator %q", own, all)
	}
}
