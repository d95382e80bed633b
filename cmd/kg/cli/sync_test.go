package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// fileList is what a server says of the files of an ontology.
type fileList struct {
	mu    sync.Mutex
	files []map[string]any
}

func (l *fileList) has(path, document, sourceType string) {
	l.files = append(l.files, map[string]any{"file_path": path, "document_id": document, "source_type": sourceType})
}

// syncAPI is a server that takes documents, and has these files.
func syncAPI(t *testing.T, l *fileList) (*fakeAPI, *[]map[string]string, *[]string) {
	t.Helper()
	f, forms := ingestAPI(t)
	acts := &[]string{}
	f.HandleFunc("GET /ontology/o/files", func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		const page = 2
		begin, answer := 0, map[string]any{"ontology": "o", "count": len(l.files), "next_cursor": nil}
		if r.FormValue("cursor") != "" {
			begin = page
		}
		answer["files"] = l.files[begin:min(begin+page, len(l.files))]
		if begin+page < len(l.files) && begin == 0 {
			answer["next_cursor"], answer["files"] = "c", l.files[:page]
		} else {
			answer["files"] = l.files[begin:]
		}
		body, _ := json.Marshal(answer)
		f.json(w, string(body))
	})
	f.HandleFunc("PUT /documents/{id}/place", func(w http.ResponseWriter, r *http.Request) {
		var to struct {
			Path string `json:"source_path"`
		}
		_ = json.NewDecoder(r.Body).Decode(&to)
		*acts = append(*acts, "move "+r.PathValue("id")[:12]+" to "+to.Path)
		w.WriteHeader(http.StatusNoContent)
	})
	f.HandleFunc("DELETE /documents/{id}", func(w http.ResponseWriter, r *http.Request) {
		*acts = append(*acts, "delete "+r.PathValue("id")+" of "+r.FormValue("ontology"))
		f.json(w, `{"deleted":true}`)
	})
	return f, forms, acts
}

// The hashes of "a", "b" and "c".
const (
	hashA = "sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
	hashB = "sha256:3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d"
	hashC = "sha256:2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6"
)

func TestSync(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lib")
	for name, body := range map[string]string{"a.md": "a", "sub/b.md": "b", "c.md": "c", "new.md": "d", "same.md": "d", "x.png": ""} {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), body)
	}
	var l fileList
	l.has("lib/a.md", hashA, "sync")
	l.has("lib/old.md", hashB, "sync")
	l.has("lib/c.md", "sha256:0", "sync")
	l.has("lib/gone.md", "sha256:1", "sync")
	l.has("lib/foreign.md", "sha256:2", "file")
	l.has("library/x.md", "sha256:3", "sync")
	f, forms, acts := syncAPI(t, &l)

	t.Run("a dry run does nothing", func(t *testing.T) {
		c := f.console(t).run(t.Context(), "sync", dir, "--ontology", "o", "--dry-run")
		want := "STATE    DOCUMENT           SIZE  WORDS\n" +
			"changed  c.md                1 B      1\nnew      new.md              1 B      1\ncopy     same.md of new.md   1 B      1\nmoved    old.md → sub/b.md   1 B      1\ngone     gone.md               –      –\n" +
			"2 documents to read with 2 words of text (2 B), 1 moved, 1 unchanged\n"
		if c.code != exit.OK || c.out != want || len(*forms)+len(*acts) > 0 {
			t.Errorf("code %d, stdout\n%s\nwant\n%s\nforms %v, acts %v", c.code, c.out, want, *forms, *acts)
		}
		if c.err != "1 gone from the folder; --delete takes out what was read of it\nleft out: 1 .png\n" {
			t.Errorf("stderr %q", c.err)
		}
	})
	t.Run("what is sent, moved and taken out", func(t *testing.T) {
		c := f.console(t).run(t.Context(), "sync", dir, "--ontology", "o", "--delete")
		var sent []string
		for _, form := range *forms {
			sent = append(sent, form["body"]+" as "+form["source_type"]+" "+form["source_path"]+" "+form["source_hostname"]+form["replace"])
		}
		if want := []string{"c as sync lib/c.md true", "d as sync lib/new.md "}; !slices.Equal(sent, want) {
			t.Errorf("sent %q, want %q; stderr %s", sent, want, c.err)
		}
		if want := []string{"move " + hashB[:12] + " to lib/sub/b.md", "delete sha256:1 of o"}; !slices.Equal(*acts, want) {
			t.Errorf("did %q, want %q", *acts, want)
		}
		if c.code != exit.OK || !strings.Contains(c.out, "moved  old.md → sub/b.md\n") || !strings.Contains(c.out, "taken out  gone.md") {
			t.Errorf("code %d, stdout %q", c.code, c.out)
		}
	})
	t.Run("an empty folder takes nothing out", func(t *testing.T) {
		empty := t.TempDir()
		*acts = nil
		c := f.console(t).run(t.Context(), "sync", empty, "--ontology", "o", "--name", "lib", "--delete")
		if c.code != exit.Failed || len(*acts) != 0 || !strings.Contains(c.err, "has no document") {
			t.Errorf("code %d, acts %v, stderr %q", c.code, *acts, c.err)
		}
	})
	t.Run("one that is refused does not keep the rest", func(t *testing.T) {
		bad := t.TempDir()
		writeFile(t, filepath.Join(bad, "a.md"), "bad")
		writeFile(t, filepath.Join(bad, "b.md"), "good")
		*forms = nil
		f.refuse("GET /ontology/p/files", http.StatusNotFound, "no such ontology")
		c := f.console(t).run(t.Context(), "sync", bad, "--ontology", "p", "--name", "n")
		if c.code == exit.OK || len(*forms) != 1 || !strings.Contains(c.err, "some documents are not up to date") {
			t.Errorf("code %d, forms %v, stderr %q", c.code, *forms, c.err)
		}
	})
	for line, says := range map[string]string{
		"sync DIR --ontology o --watch --dry-run": "--watch goes neither",
		"sync DIR":                           "the ontology is missing",
		"sync DIR/a.md --ontology o":         "is not a directory",
		"sync DIR --ontology o --exclude [a": "--exclude",
	} {
		c := f.console(t).run(t.Context(), strings.Fields(strings.ReplaceAll(line, "DIR", dir))...)
		if c.code != exit.Misused || !strings.Contains(c.err, says) {
			t.Errorf("%s: code %d, stderr %q", line, c.code, c.err)
		}
	}
}

// TestSyncWatch submits what is there, then what is written, and nothing twice; it ends when it is
// stopped.
func TestSyncWatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lib")
	writeFile(t, filepath.Join(dir, "a.md"), "a")
	f := newFakeAPI(t)
	sent := make(chan string, 10)
	f.answer("GET /ontology/o/files", `{"ontology":"o","count":0,"files":[],"next_cursor":null}`)
	f.HandleFunc("POST /ingest", func(w http.ResponseWriter, r *http.Request) {
		sent <- r.FormValue("source_path")
		f.json(w, `{"job_id":"job_1","status":"pending","content_hash":"sha256:0","position":null,"message":"Job queued."}`)
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan *console)
	go func() { ended <- f.console(t).run(ctx, "sync", dir, "--ontology", "o", "--watch") }()
	if got := <-sent; got != "lib/a.md" {
		t.Errorf("sent %s first", got)
	}
	writeFile(t, filepath.Join(dir, "sub", "b.md"), "b")
	if got := <-sent; got != "lib/sub/b.md" {
		t.Errorf("sent %s, want what was written", got)
	}
	writeFile(t, filepath.Join(dir, "sub", "c.md"), "c") // in a directory that is new
	if got := <-sent; got != "lib/sub/c.md" {
		t.Errorf("sent %s, want what was written", got)
	}
	stop()
	c := <-ended
	if c.code != exit.OK || len(sent) != 0 || !strings.HasSuffix(c.err, "stopped watching "+dir+"\n") {
		t.Errorf("code %d, %d more sent, stdout %q, stderr %q", c.code, len(sent), c.out, c.err)
	}
}
