package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/internal/llm/llmtest"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// TestImages has a model describe an image, which is submitted to two ontologies: it is
// paid for once, and the quotes lead to the image.
func TestImages(t *testing.T) {
	t.Parallel()
	models := newModels(t)
	var described atomic.Int32
	picture := append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{0xff, 1}, 100)...)
	models.Answer = func(c llmtest.Call) llmtest.Reply {
		if strings.Contains(fmt.Sprint(c.Body), "data:image/png;base64,"+base64.StdEncoding.EncodeToString(picture)) {
			described.Add(1)
			return llmtest.Reply{Text: "A photograph of the Aletsch near Bettmeralp."}
		}
		return llmtest.Reply{Text: llmtest.Read(c.Passage())}
	}
	s := startServer(t, withModels(models, nil))
	for _, ontology := range []string{"ice", "alps"} {
		submitted, err := s.client.Documents.Submit(t.Context(), client.Document{Body: picture, Filename: "aletsch.png", Ontology: ontology, AutoApprove: true})
		check(t, err)
		job := awaitEnd(t, s, submitted.JobID)
		if job.Status != work.StatusCompleted || job.Type != "ingest_image" || job.Analysis == nil || job.Analysis.ImageAnalysis == nil {
			t.Fatalf("the job is %+v", job)
		}
	}
	if n := described.Load(); n != 1 {
		t.Errorf("the image was described %d times", n)
	}
	found, err := s.client.Graph.Search(t.Context(), questions.SearchQuery{Query: "Bettmeralp", IncludeEvidence: true})
	check(t, err)
	if len(found.Results) == 0 || len(found.Results[0].Sample) != 2 {
		t.Fatalf("found %+v", found.Results)
	}
	e := found.Results[0].Sample[0]
	if e.ImageURI == nil || e.ContentType == nil || *e.ContentType != "image/png" || e.Quote != "Bettmeralp" {
		t.Errorf("the quote is %+v", e)
	}
	conn, err := pgx.Connect(t.Context(), s.dsn)
	check(t, err)
	defer conn.Close(t.Context())
	var text string
	check(t, conn.QueryRow(t.Context(), `SELECT full_text FROM kg_api.sources WHERE source_id = $1`, e.SourceID).Scan(&text))
	if text != "A photograph of the Aletsch near Bettmeralp." {
		t.Errorf("the chunk is %q", text)
	}
}

// TestFormatsByURL has a server fetch an e-mail with a table, and a German text: the quotes
// of the one say where they stand, of the other nothing is stored.
func TestFormatsByURL(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/old":
			http.Redirect(w, r, "/mail", http.StatusFound)
		case "/mail":
			_, _ = io.WriteString(w, "From: ada@example.org\r\nMessage-ID: <1@example.org>\r\nSubject: Glaciers of the Alps\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"+
				"--b\r\n\r\nA glacier is a river of ice. The Aletsch Glacier is the longest glacier of the Alps.\r\n"+
				"--b\r\nContent-Type: text/html\r\nContent-Disposition: attachment; filename=loss.html\r\n\r\n<html><h1>Loss</h1><p>Calving Events are losses of ice. A calving event breaks icebergs off a glacier.</p></html>\r\n--b--\r\n")
		case "/german":
			_, _ = io.WriteString(w, strings.Repeat("Ein Gletscher ist ein Strom aus Eis, der sich unter seinem eigenen Gewicht in das Tal bewegt. ", 5))
		}
	}))
	t.Cleanup(web.Close)
	s := startServer(t, map[string]string{"KG_URL_PRIVATE": "allow"})
	submit := func(path string) work.Job {
		submitted, err := s.client.Documents.SubmitURL(t.Context(), web.URL+path, client.Document{Ontology: "ice", AutoApprove: true})
		check(t, err)
		if submitted.Fetched == nil {
			t.Fatalf("submitted %+v", submitted)
		}
		return awaitEnd(t, s, submitted.JobID)
	}
	if job := submit("/old"); job.Status != work.StatusCompleted {
		t.Fatalf("the job is %+v", job)
	}
	found, err := s.client.Graph.Search(t.Context(), questions.SearchQuery{Query: "calving event", IncludeEvidence: true})
	check(t, err)
	if len(found.Results) == 0 || len(found.Results[0].Sample) == 0 {
		t.Fatalf("found %+v", found)
	}
	e := found.Results[0].Sample[0]
	if want := "Glaciers of the Alps > Attachment: loss.html > Loss"; e.Place() != want || e.SourcePath == nil || *e.SourcePath != web.URL+"/mail" {
		t.Errorf("the quote %q stands at %q of %v, want %q", e.Quote, e.Place(), e.SourcePath, want)
	}
	job := submit("/german")
	if !strings.Contains(string(job.Result), "Concepts by key terms only: no reader for German") || job.Analysis == nil || !strings.Contains(strings.Join(job.Analysis.Warnings, ";"), "looks like German") {
		t.Errorf("the job is %+v with %s", job, job.Result)
	}
	if _, err := s.client.Documents.SubmitURL(t.Context(), "http://user:x@"+strings.TrimPrefix(web.URL, "http://"), client.Document{Ontology: "ice"}); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("a URL with a password: got %v", err)
	}
}
