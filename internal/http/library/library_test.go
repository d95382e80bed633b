package library

import (
	"cmp"
	"context"
	"mime"
	"net/url"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var known = kappa.ContentHash([]byte("a text"))

// fake has one document with one chunk.
type fake struct {
	body        string
	filename    string // "" is an odd one
	contentType kappa.ContentType
	page        kappa.PageQuery
	query       kappa.SourceQuery
	removal     kappa.Removal
	owner       int          // of every job
	status      kappa.Status // of every job; "" is a job without a document
}

func (f *fake) ListDocuments(_ context.Context, p kappa.PageQuery) ([]kappa.ListedDocument, int, error) {
	f.page = p
	return nil, 7, nil
}

func (f *fake) FindDocument(_ context.Context, id, ontology string) (kappa.DocumentRef, error) {
	if id != known {
		return kappa.DocumentRef{}, kappa.NewError(kappa.CodeNotFound, "Document not found: "+id)
	}
	return kappa.DocumentRef{DocumentID: id, Ontology: ontology, Filename: cmp.Or(f.filename, "an \"odd\" näme.md"), ContentType: f.contentType}, nil
}

func (f *fake) DocumentChunks(context.Context, string, string) ([]kappa.DocumentChunk, error) {
	return []kappa.DocumentChunk{{SourceID: "src_1", Paragraph: 1, FullText: "a text"}}, nil
}

func (f *fake) DocumentConcepts(context.Context, string, string) ([]kappa.DocumentConcept, error) {
	return []kappa.DocumentConcept{{ConceptID: "a_1", Name: "a", SourceID: "src_1", InstanceCount: 2}}, nil
}

func (f *fake) Body(context.Context, string) ([]byte, error) { return []byte(f.body), nil }

func (f *fake) ListSources(_ context.Context, p kappa.PageQuery) ([]kappa.ListedSource, int, error) {
	f.page = p
	return []kappa.ListedSource{{SourceID: "src_1"}}, 1, nil
}

func (f *fake) Source(_ context.Context, id string) (kappa.Source, error) {
	if id != "src_1" {
		return kappa.Source{}, kappa.NewError(kappa.CodeNotFound, "Source not found: "+id)
	}
	return kappa.Source{SourceID: id, DocumentID: known, Filename: "a.md", ContentType: string(f.contentType), FullText: "a text"}, nil
}

func (f *fake) SearchSources(_ context.Context, q kappa.SourceQuery, _, _ bool) ([]kappa.SourceHit, error) {
	f.query = q
	return nil, nil
}

func (f *fake) SearchDocuments(_ context.Context, q kappa.SourceQuery) ([]kappa.DocumentHit, int, error) {
	f.query = q
	return nil, 3, nil
}

func serve(t testing.TB, f *fake) *http.Server {
	t.Helper()
	return serveAs(t, f, kappa.RoleReadOnly)
}

// serveAs serves a fake to user 1001, who has a role.
func serveAs(t testing.TB, f *fake, role string) *http.Server {
	t.Helper()
	accounts := apitest.NewAccounts()
	accounts.InRole(role)
	return apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Documents: f, Sources: f, Searcher: f, Asker: f, Remover: f, Jobs: f, Model: func() Model { return Model{} }}))
}

func TestShow(t *testing.T) {
	escaped := url.PathEscape(known)
	escaped = strings.ReplaceAll(escaped, ":", "%3A")
	for name, c := range map[string]struct {
		path     string
		status   int
		contains string
	}{
		"documents":                     {"/documents?limit=3&offset=2&ontology=o", 200, `"documents":[],"total":7,"limit":3,"offset":2`},
		"too many documents":            {"/documents?limit=201", 422, "limit: must be at most 200"},
		"a document":                    {"/documents/" + known + "/content?ontology=o", 200, `"document":"a text"`},
		"a document, escaped":           {"/documents/" + escaped + "/content", 200, `"full_text":"a text"`},
		"its concepts":                  {"/documents/" + escaped + "/concepts", 200, `"concept_id":"a_1","name":"a","source_id":"src_1","instance_count":2,"weight":0}],"total":1`},
		"its bytes":                     {"/documents/" + escaped + "/download", 200, "a text"},
		"a document that is not there":  {"/documents/sha256:0/content", 404, "Document not found: sha256:0"},
		"bytes that are not there":      {"/documents/sha256:0/download", 404, "Document not found: sha256:0"},
		"sources":                       {"/sources", 200, `"total":1,"limit":50`},
		"a source":                      {"/sources/src_1", 200, `"full_text":"a text"`},
		"a source that is not there":    {"/sources/src_2", 404, "Source not found: src_2"},
		"the document of a source":      {"/sources/src_1/document", 200, "a text"},
		"the image of a source without": {"/sources/src_1/image", 400, "is not an image"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{body: "a text", contentType: kappa.ContentMarkdown}
			resp, body := apitest.Call(t, serve(t, f), apitest.Request{Method: "GET", Path: c.path})
			if resp.StatusCode != c.status || !strings.Contains(body, c.contains) {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
		})
	}
	t.Run("bytes are saved, and not shown by a browser", func(t *testing.T) {
		resp, _ := apitest.Call(t, serve(t, &fake{body: "<script>", contentType: kappa.ContentHTML}), apitest.Request{Method: "GET", Path: "/documents/" + escaped + "/download"})
		if !strings.HasPrefix(resp.Header.Get("Content-Disposition"), "attachment") || resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Content-Type") != "text/html" {
			t.Errorf("headers %v", resp.Header)
		}
	})
	t.Run("what is no text is in base64", func(t *testing.T) {
		_, body := apitest.Call(t, serve(t, &fake{body: "\xff\xfe", contentType: kappa.ContentPDF}), apitest.Request{Method: "GET", Path: "/documents/" + known + "/content"})
		if !strings.Contains(body, `"document":"//4="`) || !strings.Contains(body, `"encoding":"base64"`) {
			t.Errorf("got %s", body)
		}
		_, body = apitest.Call(t, serve(t, &fake{body: "PNG", contentType: "image/png"}), apitest.Request{Method: "GET", Path: "/documents/" + known + "/content"})
		if !strings.Contains(body, `"document":null,"image":"UE5H"`) || !strings.Contains(body, `"content_type":"image"`) {
			t.Errorf("got %s", body)
		}
	})
}

func TestSearch(t *testing.T) {
	for name, c := range map[string]struct {
		path, body string
		status     int
		contains   string
	}{
		"sources":                    {"/query/sources/search", `{"query":"a b"}`, 200, `{"query":"a b","count":0,"results":[],"threshold_used":0.7}`},
		"documents":                  {"/query/documents/search", `{"query":"a b","min_similarity":0.5}`, 200, `{"documents":[],"returned":0,"total_matches":3}`},
		"no words":                   {"/query/sources/search", `{"query":" "}`, 422, "query: must not be empty"},
		"a similarity above 1":       {"/query/documents/search", `{"query":"a","min_similarity":2}`, 422, "min_similarity"},
		"more documents than can be": {"/query/sources/search", `{"query":"a","document_ids":[` + strings.Repeat(`"a",`, 100) + `"a"]}`, 422, "document_ids: must be at most 100"},
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := apitest.Call(t, serve(t, &fake{}), apitest.Request{Method: "POST", Path: c.path, ContentType: "application/json", Body: c.body})
			if resp.StatusCode != c.status || !strings.Contains(body, c.contains) {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
		})
	}
}

func (f *fake) RemoveDocument(_ context.Context, r kappa.Removal) (kappa.Removed, error) {
	f.removal = r
	return kappa.Removed{DocumentID: r.DocumentID, Deleted: true, SourcesDeleted: 2}, nil
}

func (f *fake) Job(_ context.Context, id string) (kappa.Job, error) {
	job := kappa.Job{ID: id, UserID: f.owner, Status: f.status}
	job.ContentHash, job.Ontology = &known, new("o")
	if f.status == "" {
		job.Status, job.ContentHash = kappa.StatusCompleted, nil
	}
	return job, nil
}

func TestRemove(t *testing.T) {
	t.Run("a document is taken out by those who may", func(t *testing.T) {
		for role, allowed := range map[string]bool{kappa.RoleAdmin: true, kappa.RoleCurator: false} {
			f := &fake{}
			resp, body := apitest.Call(t, serveAs(t, f, role), apitest.Request{Method: "DELETE", Path: "/documents/" + known + "?ontology=o"})
			if allowed != (resp.StatusCode == 200 && strings.Contains(body, `"sources_deleted":2`)) || !allowed && (resp.StatusCode != 403 || f.removal.DocumentID != "") {
				t.Errorf("as %s: %d %s", role, resp.StatusCode, body)
			}
			if allowed && f.removal != (kappa.Removal{DocumentID: known, Ontology: "o"}) {
				t.Errorf("removed %+v", f.removal)
			}
		}
		f := &fake{}
		if resp, body := apitest.Call(t, serveAs(t, f, kappa.RoleAdmin), apitest.Request{Method: "DELETE", Path: "/documents/" + known + "?dry_run=true"}); resp.StatusCode != 200 || !f.removal.DryRun {
			t.Errorf("a dry run: %d %s; removed %+v", resp.StatusCode, body, f.removal)
		}
	})
	for name, c := range map[string]struct {
		role   string
		owner  int
		job    kappa.Status
		status int
	}{
		"one's own":                    {kappa.RoleContributor, 1001, kappa.StatusCompleted, 200},
		"one's own that failed":        {kappa.RoleContributor, 1001, kappa.StatusFailed, 200},
		"a foreign one":                {kappa.RoleContributor, 1000, kappa.StatusCompleted, 404},
		"a foreign one, as a curator":  {kappa.RoleCurator, 1000, kappa.StatusCompleted, 200},
		"one's own, without the right": {kappa.RoleReadOnly, 1001, kappa.StatusCompleted, 403},
		"one that runs":                {kappa.RoleCurator, 1000, kappa.StatusProcessing, 409},
		"one that read no document":    {kappa.RoleCurator, 1000, "", 409},
	} {
		t.Run("undo of a job: "+name, func(t *testing.T) {
			f := &fake{owner: c.owner, status: c.job}
			resp, body := apitest.Call(t, serveAs(t, f, c.role), apitest.Request{Method: "POST", Path: "/jobs/" + apitest.KnownJob + "/undo"})
			if resp.StatusCode != c.status || (f.removal.By == apitest.KnownJob) != (c.status == 200) {
				t.Errorf("%d %s, removed %+v", resp.StatusCode, body, f.removal)
			}
		})
	}
}

// Ask answers with the question.
func (f *fake) Ask(_ context.Context, q kappa.Question) (kappa.AskAnswer, error) {
	return kappa.AskAnswer{Question: q.Text + "/" + q.Ontology, Passages: make([]kappa.AskPassage, q.Limit)}, q.Validate()
}

func TestAsk(t *testing.T) {
	s := serve(t, &fake{})
	resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/query/ask", Body: `{"question":"what is a lane?","ontology":"o"}`})
	if resp.StatusCode != 200 || !strings.Contains(body, `"question":"what is a lane?/o"`) || strings.Count(body, `"source_id"`) != kappa.DefaultPassages {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	for _, bad := range []string{`{}`, `{"question":""}`, `{"question":"x","limit":0}`, `{"question":"x","limit":21}`, `{"question":7}`} {
		resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/query/ask", Body: bad})
		apitest.WantProblem(t, resp, body, 422)
	}
}

// saying is a model that says two sentences, or fails after one.
func saying(failure error) Model {
	return Model{
		Offer: func(string, []kappa.AskPassage) kappa.AnswerOffer {
			return kappa.AnswerOffer{Model: "m", CostAtMost: 0.5}
		},
		Answer: func(_ context.Context, _ string, passages []kappa.AskPassage, tell func(kappa.AnswerSentence) error) (kappa.AnswerEnd, error) {
			for i := range passages[:2] {
				if err := tell(kappa.AnswerSentence{Text: "So.", Passages: []int{i + 1}}); err != nil || failure != nil {
					return kappa.AnswerEnd{}, failure
				}
			}
			return kappa.AnswerEnd{Answered: true, Cost: 0.25}, nil
		},
	}
}

func TestAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		role     string
		model    Model
		body     string
		status   int
		contains string
	}{
		"an answer":              {kappa.RoleContributor, saying(nil), `{"question":"so?","limit":3}`, 200, "event: offer\ndata: {\"model\":\"m\",\"input_tokens\":0,\"most_output_tokens\":0,\"cost_at_most_usd\":0.5}\n\nevent: sentence\ndata: {\"text\":\"So.\",\"passages\":[1]}\n\nevent: sentence\ndata: {\"text\":\"So.\",\"passages\":[2]}\n\nevent: end\ndata: {\"answered\":true,"},
		"a model that fails":     {kappa.RoleContributor, saying(kappa.NewError(kappa.CodeUpstream, "the model refused")), `{"question":"so?"}`, 200, "\"passages\":[1]}\n\nevent: error\ndata: {\"type\":\"about:blank\",\"title\":\"Bad Gateway\",\"status\":502,\"detail\":\"the model refused\""},
		"one who may only read":  {kappa.RoleReadOnly, saying(nil), `{"question":"so?"}`, 403, "create on ingest"},
		"a question that is bad": {kappa.RoleContributor, saying(nil), `{"question":""}`, 422, "question"},
		"without a model":        {kappa.RoleContributor, Model{}, `{"question":"so?"}`, 501, "KG_EXTRACTOR"},
	} {
		t.Run(name, func(t *testing.T) {
			accounts := apitest.NewAccounts()
			accounts.InRole(c.role)
			f := &fake{}
			s := apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Documents: f, Sources: f, Searcher: f, Asker: f, Remover: f, Jobs: f, Model: func() Model { return c.model }}))
			resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/query/ask/answer", Body: c.body})
			if resp.StatusCode != c.status || !strings.Contains(body, c.contains) {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
			if c.status == 200 && (!strings.HasPrefix(resp.Header.Get("Content-Type"), http.EventStreamType) || !strings.HasPrefix(body, "event: passages\ndata: {\"question\":\"so?/\"")) {
				t.Errorf("%v %s", resp.Header, body)
			}
		})
	}
}

// TestX08_NamesOpenNothing downloads documents whose names are paths or forge headers: the
// bytes are those of the id, and the name is a name in one header.
func TestX08_NamesOpenNothing(t *testing.T) {
	for _, name := range []string{
		"../../etc/passwd", "/etc/passwd", `..\..\windows\win.ini`, "a\r\nX-Forged: yes\r\n\r\n<script>", "a\x00b", `a"; filename="evil.exe`, "\u202etxt.exe", "%2e%2e%2fx",
		strings.Repeat("x", 5000),
	} {
		s := serve(t, &fake{body: "a text", filename: name, contentType: kappa.ContentPlain})
		resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/documents/" + url.PathEscape(known) + "/download"})
		if resp.StatusCode != 200 || body != "a text" {
			t.Errorf("%q: %d %s", name, resp.StatusCode, body)
		}
		disposition := resp.Header.Get("Content-Disposition")
		kind, params, err := mime.ParseMediaType(disposition)
		if err != nil || kind != "attachment" || params["filename"] != name || len(params) != 1 || strings.ContainsAny(disposition, "\r\n\x00") || resp.Header.Get("X-Forged") != "" {
			t.Errorf("%q: %q, %v", name, disposition, err)
		}
	}
}
