package cli

import (
	"context"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// ingestAPI is a server that takes documents as job_1, job_2 … and records their
// forms. A document that says "bad" is refused.
func ingestAPI(t *testing.T) (f *fakeAPI, forms *[]map[string]string) {
	f = newFakeAPI(t)
	forms = &[]map[string]string{}
	f.HandleFunc("POST /ingest", func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			t.Error(err)
			return
		}
		file, header, err := r.FormFile("file")
		if err != nil {
			t.Error(err)
			return
		}
		body := make([]byte, header.Size)
		_, _ = file.Read(body)
		if string(body) == "bad" {
			f.problem(w, http.StatusBadRequest, "the document is bad")
			return
		}
		if string(body) == "later" && len(*forms) == 0 {
			*forms = append(*forms, nil)
			w.Header().Set("Retry-After", "1")
			f.problem(w, http.StatusTooManyRequests, "100 of your documents wait for their analysis")
			return
		}
		form := map[string]string{"body": string(body), "upload": header.Filename}
		for name, values := range r.MultipartForm.Value {
			form[name] = values[0]
		}
		*forms = append(*forms, form)
		f.json(w, `{"job_id":"job_`+strconv.Itoa(len(*forms))+`","status":"pending","content_hash":"sha256:0","position":null,"message":"Job queued."}`)
	})
	return f, forms
}

func TestIngestFile(t *testing.T) {
	dir := t.TempDir()
	one, two, bad := filepath.Join(dir, "one.md"), filepath.Join(dir, "two.txt"), filepath.Join(dir, "bad.md")
	writeFile(t, one, "# One")
	writeFile(t, two, "Two")
	writeFile(t, bad, "bad")

	t.Run("it waits when too many of its documents wait for their analysis", func(t *testing.T) {
		later := filepath.Join(dir, "later.md")
		writeFile(t, later, "later")
		f, _ := ingestAPI(t)
		c := f.console(t).run(t.Context(), "ingest", "file", later, one, "--ontology", "demo")
		if c.code != exit.OK || c.out != "job_2  submitted  later.md\njob_3  submitted  one.md\n" || !strings.Contains(c.err, "later.md waits: 100 of your documents") {
			t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
		}
	})
	t.Run("what is sent", func(t *testing.T) {
		f, forms := ingestAPI(t)
		c := f.console(t).run(t.Context(), "ingest", "file", one, "--ontology", "demo", "--target-words", "500", "--overlap-words", "0", "--mode", "parallel")
		if c.code != exit.OK || c.out != "job_1  submitted  one.md\n" || c.err != "Watch with: kg jobs watch job_1\n" {
			t.Fatalf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
		}
		form := (*forms)[0]
		host, _ := os.Hostname()
		for name, want := range map[string]string{
			"body": "# One", "upload": "one.md", "ontology": "demo", "auto_approve": "true", "target_words": "500", "overlap_words": "0",
			"processing_mode": "parallel", "source_type": "file", "source_path": one, "source_hostname": host, "force": "",
		} {
			if form[name] != want {
				t.Errorf("%s is %q, want %q", name, form[name], want)
			}
		}
	})
	t.Run("without approval, by force, to the ontology of the environment", func(t *testing.T) {
		f, forms := ingestAPI(t)
		c := f.console(t)
		c.env["KG_ONTOLOGY"] = "notes"
		c.run(t.Context(), "ingest", "file", one, "--no-approve", "--force")
		form := (*forms)[0]
		if form["ontology"] != "notes" || form["auto_approve"] != "" || form["force"] != "true" || c.err != "Approve with: kg jobs approve job_1\n" {
			t.Errorf("form %v, stderr %q", form, c.err)
		}
	})
	t.Run("one bad file does not keep the others", func(t *testing.T) {
		f, forms := ingestAPI(t)
		c := f.console(t).run(t.Context(), "ingest", "file", "--ontology", "demo", one, bad, filepath.Join(dir, "missing"), dir, two)
		if len(*forms) != 2 || c.code != exit.Failed {
			t.Errorf("%d documents, code %d", len(*forms), c.code)
		}
		for _, says := range []string{"submit bad.md: the document is bad", "missing: no such file", "use kg ingest directory", "kg: some documents were not submitted"} {
			if !strings.Contains(c.err, says) {
				t.Errorf("stderr %q does not say %q", c.err, says)
			}
		}
	})
	t.Run("json of one file is the answer, of more an array", func(t *testing.T) {
		f, _ := ingestAPI(t)
		c := f.console(t)
		if c.run(t.Context(), "ingest", "file", "--ontology", "demo", one, "-o", "json"); !strings.HasPrefix(c.out, "{\n  \"job_id\": \"job_1\"") {
			t.Errorf("one: %s", c.out)
		}
		if c.run(t.Context(), "ingest", "file", "--ontology", "demo", one, two, "-o", "jsonl"); strings.Count(c.out, "\n") != 2 || !strings.HasPrefix(c.out, `{"job_id":"job_2"`) {
			t.Errorf("two: %s", c.out)
		}
	})
}

func TestIngestURL(t *testing.T) {
	f := newFakeAPI(t)
	var asked []string
	f.HandleFunc("POST /ingest/url", func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.FormValue("url")+" "+r.FormValue("ontology")+" "+r.FormValue("auto_approve")+r.FormValue("source_hostname"))
		if strings.HasSuffix(r.FormValue("url"), "/gone") {
			f.problem(w, http.StatusBadGateway, "The server answered 404 Not Found")
			return
		}
		f.json(w, `{"job_id":"job_1","status":"pending","content_hash":"sha256:0","position":null,"message":"Job queued.",
			"fetched":{"url":"https://a.example/ice.html","redirects":["https://a.example/"],"content_type":"text/html","bytes":5}}`)
	})
	c := f.console(t).run(t.Context(), "ingest", "url", "https://a.example/", "https://a.example/gone", "--ontology", "web")
	if want := "job_1  submitted  https://a.example/ice.html\n"; c.out != want || c.code != exit.Failed {
		t.Errorf("code %d, stdout %q, want %q", c.code, c.out, want)
	}
	for _, says := range []string{"redirected to https://a.example/ice.html", "submit https://a.example/gone: The server answered 404 Not Found", "some documents were not submitted"} {
		if !strings.Contains(c.err, says) {
			t.Errorf("stderr %q does not say %q", c.err, says)
		}
	}
	if want := []string{"https://a.example/ web true", "https://a.example/gone web true"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

func TestIngestText(t *testing.T) {
	f, forms := ingestAPI(t)
	c := f.console(t)
	c.in = "from a pipe"
	c.run(t.Context(), "ingest", "text", "hello", "--ontology", "demo")
	c.run(t.Context(), "ingest", "text", "-", "--ontology", "demo")
	if len(*forms) != 2 || (*forms)[0]["body"] != "hello" || (*forms)[0]["filename"] != "text_input" || (*forms)[1]["body"] != "from a pipe" || (*forms)[1]["source_type"] != "stdin" {
		t.Errorf("got %v, stderr %q", *forms, c.err)
	}
}

// TestIngestAny submits what each argument is.
func TestIngestAny(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one.md", "sub/two.txt", "sub/three.png"} {
		writeFile(t, filepath.Join(dir, name), name)
	}
	f, forms := ingestAPI(t)
	f.HandleFunc("POST /ingest/url", func(w http.ResponseWriter, r *http.Request) {
		f.json(w, `{"job_id":"job_9","status":"pending","content_hash":"sha256:0","position":null,"message":"Job queued."}`)
	})
	c := f.console(t)
	c.in = "typed"
	c.run(t.Context(), "ingest", filepath.Join(dir, "one.md"), filepath.Join(dir, "sub"), filepath.Join(dir, "gone.md"), "https://a.example/ice", "-", "--ontology", "demo")
	var got []string
	for _, form := range *forms {
		got = append(got, form["body"]+" in "+form["ontology"])
	}
	if want := []string{"one.md in demo", "sub/two.txt in demo", "typed in demo"}; !slices.Equal(got, want) {
		t.Errorf("submitted %q, want %q", got, want)
	}
	if !strings.Contains(c.out, "job_9  submitted  https://a.example/ice") || c.code == exit.OK {
		t.Errorf("code %d, stdout %q", c.code, c.out)
	}
	for _, says := range []string{"left out in " + filepath.Join(dir, "sub") + ": 1 .png", "gone.md: no such file", "some documents were not submitted"} {
		if !strings.Contains(c.err, says) {
			t.Errorf("stderr %q, want %q", c.err, says)
		}
	}
	if c := f.console(t).run(t.Context(), "ingest", "fiel", "--ontology", "demo"); c.code == exit.OK || !strings.Contains(c.err, "did you mean the command: kg ingest file") {
		t.Errorf("code %d, stderr %q", c.code, c.err)
	}
	if c := newConsole(t).run(t.Context(), "ingest", t.TempDir(), "--ontology", "demo"); c.code != exit.Failed || !strings.Contains(c.err, "no file in") {
		t.Errorf("code %d, stderr %q", c.code, c.err)
	}
	if c := newConsole(t).run(t.Context(), "ingest"); c.code != exit.OK || !strings.Contains(c.out, "kg ingest [PATH") {
		t.Errorf("code %d, stdout %q", c.code, c.out)
	}
}

func TestIngestDuplicate(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("POST /ingest", `{"duplicate":true,"existing_job_id":"job_9","status":"completed","created_at":"2026-01-31T08:00:00Z","message":"known"}`)
	c := f.console(t).run(t.Context(), "ingest", "text", "hello", "--ontology", "demo", "--wait")
	if c.code != exit.OK || c.out != "job_9  known already  text_input\n" || c.err != "" {
		t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
	f = newFakeAPI(t)
	f.answer("POST /ingest", `{"duplicate":true,"existing_job_id":"job_1","status":"awaiting_approval","created_at":"2026-01-31T08:00:00Z","message":"known"}`)
	f.stream("job_1", toldWaiting)
	f.answer("GET /jobs/job_1", `{"job_id":"job_1","status":"awaiting_approval"}`)
	c = f.console(t).run(t.Context(), "ingest", "text", "hello", "--ontology", "demo", "--wait")
	if c.code != exit.OK || !strings.Contains(c.out, "Approve with: kg jobs approve job_1") {
		t.Errorf("one that awaits approval: code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
	if c = f.console(t).run(t.Context(), "ingest", "text", "hello", "--ontology", "demo"); !strings.Contains(c.err, "text_input awaits approval: kg jobs approve job_1") {
		t.Errorf("one that awaits approval, without --wait: code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
	f = newFakeAPI(t)
	f.answer("POST /ingest", `{"duplicate":true,"existing_job_id":"","status":"processing","created_at":"2026-01-31T08:00:00Z","message":"It is another user's."}`)
	c = f.console(t).run(t.Context(), "ingest", "text", "hello", "--ontology", "demo", "--wait")
	if c.code != exit.OK || c.out != "-  known already  text_input\n" || c.err != "It is another user's.\n" {
		t.Errorf("another user's: code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
}

func TestIngestDirectory(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.md", "a.txt", "sub/c.md", "image.png", ".hidden.md", ".git/d.md"} {
		writeFile(t, filepath.Join(dir, name), "some words of "+name)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	t.Run("the texts, in the order of their names", func(t *testing.T) {
		f, forms := ingestAPI(t)
		f.console(t).run(t.Context(), "ingest", "directory", dir, "--ontology", "demo")
		var names []string
		for _, form := range *forms {
			names = append(names, form["upload"])
		}
		if want := []string{"a.txt", "b.md", "c.md"}; !slices.Equal(names, want) {
			t.Errorf("submitted %q, want %q", names, want)
		}
	})
	t.Run("only this directory and this pattern", func(t *testing.T) {
		f, forms := ingestAPI(t)
		f.console(t).run(t.Context(), "ingest", "directory", dir, "--ontology", "demo", "--recursive=false", "--include", "*.md")
		if len(*forms) != 1 || (*forms)[0]["upload"] != "b.md" {
			t.Errorf("submitted %v", *forms)
		}
	})
	t.Run("depth, names in capitals, and what is left out", func(t *testing.T) {
		deep := t.TempDir()
		for _, name := range []string{"A.PDF", "one/b.md", "one/two/c.md", "one/draft.md", "drafts/d.md"} {
			writeFile(t, filepath.Join(deep, name), name)
		}
		for flags, want := range map[string]string{
			"":                     "A.PDF drafts/d.md one/b.md one/draft.md one/two/c.md",
			"--depth 1":            "A.PDF drafts/d.md one/b.md one/draft.md",
			"--depth 0":            "A.PDF",
			"--exclude DRAFT*,two": "A.PDF one/b.md",
		} {
			f, forms := ingestAPI(t)
			f.console(t).run(t.Context(), append([]string{"ingest", "directory", deep, "--ontology", "demo"}, strings.Fields(flags)...)...)
			var names []string
			for _, form := range *forms {
				names = append(names, form["body"])
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("%s: submitted %q, want %q", flags, got, want)
			}
		}
		f, forms := ingestAPI(t)
		f.console(t).run(t.Context(), "ingest", "directory", deep, "--directories-as-ontologies")
		got := map[string]string{}
		for _, form := range *forms {
			got[form["body"]] = form["ontology"]
		}
		want := map[string]string{"A.PDF": filepath.Base(deep), "one/b.md": "one", "one/two/c.md": "one", "one/draft.md": "one", "drafts/d.md": "drafts"}
		if !maps.Equal(got, want) {
			t.Errorf("ontologies %v, want %v", got, want)
		}
		if c := newConsole(t).run(t.Context(), "ingest", "directory", deep, "--ontology", "demo", "--depth", "-2"); c.code != exit.Misused {
			t.Errorf("code %d, stderr %q", c.code, c.err)
		}
	})
	t.Run("a dry run sends nothing at all", func(t *testing.T) {
		f, _ := ingestAPI(t)
		c := f.console(t).run(t.Context(), "ingest", "directory", dir, "--ontology", "demo", "--dry-run")
		if len(f.requests) != 0 || c.code != exit.OK || !strings.Contains(c.out, "would submit 3 files with 12 words of text") {
			t.Errorf("requests %v, code %d, stdout\n%s", f.requests, c.code, c.out)
		}
		c.run(t.Context(), "ingest", "directory", dir, "--ontology", "demo", "--dry-run", "-o", "jsonl")
		if want := `{"path":"` + filepath.Join(dir, "a.txt") + `","ontology":"demo","bytes":19,"words":4}`; !strings.HasPrefix(c.out, want) {
			t.Errorf("got %s, want %s", c.out, want)
		}
	})
	t.Run("what is left out is said", func(t *testing.T) {
		f, _ := ingestAPI(t)
		c := f.console(t).run(t.Context(), "ingest", "directory", dir, "--ontology", "demo", "--exclude", "sub")
		if want := "left out in " + dir + ": 2 hidden, 1 .png, 1 excluded, 1 no regular file ("; !strings.HasPrefix(c.err, want) {
			t.Errorf("stderr %q, want %q", c.err, want)
		}
		c.run(t.Context(), "ingest", "directory", dir, "--ontology", "demo", "--dry-run", "-o", "jsonl", "--depth", "0")
		for name, reason := range map[string]string{".git": "hidden", ".hidden.md": "hidden", "image.png": "not included", "loop": "no regular file", "sub": "deeper than --depth"} {
			if want := `{"path":"` + filepath.Join(dir, name) + `","ontology":"","bytes":0,"words":null,"left_out":"` + reason + `"}`; !strings.Contains(c.out, want) {
				t.Errorf("got %s, want %s", c.out, want)
			}
		}
	})
	t.Run("nothing to send", func(t *testing.T) {
		c := newConsole(t).run(t.Context(), "ingest", "directory", t.TempDir(), "--ontology", "demo")
		if c.code != exit.Failed || !strings.Contains(c.err, "no file in") {
			t.Errorf("code %d, stderr %q", c.code, c.err)
		}
	})
	t.Run("a pattern that is none", func(t *testing.T) {
		if c := newConsole(t).run(t.Context(), "ingest", "directory", dir, "--ontology", "demo", "--include", "[a"); c.code != exit.Misused {
			t.Errorf("code %d, stderr %q", c.code, c.err)
		}
	})
}

// The events of a job that a test tells.
const (
	told1Snapshot = `snapshot {"job_id":"job_1","status":"approved"}`
	toldWaiting   = `status {"job_id":"job_1","status":"awaiting_approval"}`
	toldStart     = `status {"job_id":"job_1","status":"processing"}`
	toldHalf      = `progress {"percent":50,"chunks_total":4,"chunks_processed":2,"concepts_created":7}`
	toldCompleted = `completed {"status":"completed"}`
	toldFailed    = `failed {"error":"the extractor broke"}`
	toldCancelled = `cancelled {"message":"Job was cancelled"}`
)

func TestIngestWait(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []string
		flags  string
		job    string
		code   int
		stdout string
		stderr string
	}{
		{
			name: "completed", events: []string{told1Snapshot, toldStart, toldHalf, toldCompleted}, job: `{"job_id":"job_1","status":"completed"}`,
			code: exit.OK, stdout: "completed", stderr: "text_input: approved\ntext_input: processing\ntext_input: 50 %, 2/4 chunks, 7 concepts\ntext_input: completed, 2/4 chunks, 7 concepts\n",
		},
		{
			name: "failed", events: []string{told1Snapshot, toldFailed}, job: `{"job_id":"job_1","status":"failed","error":"the extractor broke"}`,
			code: exit.JobFailed, stdout: "the extractor broke", stderr: "text_input: failed, the extractor broke\nkg: job job_1 failed: the extractor broke\n    see: kg jobs status job_1\n",
		},
		{
			name: "cancelled", events: []string{told1Snapshot, toldCancelled}, job: `{"job_id":"job_1","status":"cancelled"}`,
			code: exit.JobCancelled, stdout: "cancelled", stderr: "kg: job job_1 was cancelled\n",
		},
		{
			name: "without approval it ends with the analysis", flags: "--no-approve", events: []string{toldWaiting}, job: `{"job_id":"job_1","status":"awaiting_approval"}`,
			code: exit.OK, stdout: "Approve with: kg jobs approve job_1", stderr: "text_input: awaiting_approval\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, _ := ingestAPI(t)
			f.stream("job_1", tt.events...)
			f.answer("GET /jobs/job_1", tt.job)
			c := f.console(t).run(t.Context(), append([]string{"ingest", "text", "hello", "--ontology", "demo", "--wait"}, strings.Fields(tt.flags)...)...)
			if c.code != tt.code || !strings.Contains(c.out, tt.stdout) || !strings.HasSuffix(c.err, tt.stderr) {
				t.Errorf("code %d, want %d\nstdout %s\nstderr %s", c.code, tt.code, c.out, c.err)
			}
		})
	}
}

func TestInterruptedWatch(t *testing.T) {
	for _, line := range []string{"jobs watch job_1", "ingest text hello --ontology demo --wait"} {
		t.Run(line, func(t *testing.T) {
			f, _ := ingestAPI(t)
			f.stream("job_1", told1Snapshot, toldStart)
			f.answer("GET /jobs/job_1", `{"job_id":"job_1","status":"processing"}`)
			ctx, interrupt := context.WithCancel(t.Context())
			time.AfterFunc(200*time.Millisecond, interrupt)
			c := f.console(t).run(ctx, strings.Fields(line)...)
			want := "\nStopped watching; job job_1 goes on.\n  watch again:  kg jobs watch job_1\n  cancel it:    kg jobs cancel job_1\n"
			if c.code != exit.Interrupted || !strings.HasSuffix(c.err, want) {
				t.Errorf("code %d, stderr %q", c.code, c.err)
			}
			for _, r := range f.requests {
				if strings.HasPrefix(r, "DELETE") {
					t.Errorf("the job was cancelled: %s", r)
				}
			}
		})
	}
}
