package library

import (
	"cmp"
	"context"
	"mime"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var known = corpus.ContentHash([]byte("a text"))

// fake has one document with one chunk.
type fake struct {
	body        string
	filename    string // "" is an odd one
	contentType corpus.ContentType
	page        corpus.PageQuery
	quotes      corpus.QuoteQuery
	query       corpus.SourceQuery
	removal     corpus.Removal
	placement   corpus.Placement
	owner       int         // of every job
	status      work.Status // of every job; "" is a job without a document
}

func (f *fake) ListDocuments(_ context.Context, p corpus.PageQuery) ([]corpus.ListedDocument, int, error) {
	f.page = p
	return nil, 7, nil
}

func (f *fake) FindDocument(_ context.Context, id, ontology string) (corpus.DocumentRef, error) {
	if id != known {
		return corpus.DocumentRef{}, kappa.NewError(kappa.CodeNotFound, "Document not found: "+id)
	}
	return corpus.DocumentRef{DocumentID: id, Ontology: ontology, Filename: cmp.Or(f.filename, "an \"odd\" näme.md"), ContentType: f.contentType}, nil
}

func (f *fake) DocumentChunks(context.Context, string, string) ([]corpus.DocumentChunk, error) {
	return []corpus.DocumentChunk{{SourceID: "src_1", Paragraph: 1, FullText: "a text"}}, nil
}

func (f *fake) DocumentConcepts(context.Context, string, string) ([]corpus.DocumentConcept, error) {
	return []corpus.DocumentConcept{{ConceptID: "a_1", Name: "a", SourceID: "src_1", InstanceCount: 2}}, nil
}

func (f *fake) DocumentQuotes(_ context.Context, _ string, q corpus.QuoteQuery) ([]corpus.DocumentQuote, error) {
	f.quotes = q
	quotes := make([]corpus.DocumentQuote, q.Limit)
	quotes[0] = corpus.DocumentQuote{Quote: "a", Concepts: []corpus.QuotedConcept{{ConceptID: "a_1", Name: "a"}}}
	return quotes, nil
}

// Versions returns three versions, of which the first one is called sha256:old.
func (f *fake) Versions(_ context.Context, id, ontology string) (corpus.Versions, error) {
	if id != known && id != "sha256:old" {
		return corpus.Versions{}, kappa.NewError(kappa.CodeNotFound, "Document not found: "+id)
	}
	return corpus.Versions{DocumentID: known, Ontology: ontology, Filename: "a.md", Keep: 10, Total: 3, Versions: []corpus.Version{
		{Version: 3, DocumentID: known, Current: true}, {Version: 2, DocumentID: "sha256:middle"}, {Version: 1, DocumentID: "sha256:old", Filename: "a.md", ContentType: "text/plain"},
	}}, nil
}

func (f *fake) VersionText(_ context.Context, v corpus.Version) ([]corpus.DocumentChunk, error) {
	return []corpus.DocumentChunk{{Paragraph: 1, FullText: "text of " + strconv.Itoa(v.Version)}}, nil
}

func (f *fake) VersionFacts(_ context.Context, v corpus.Version) (corpus.VersionFacts, error) {
	n := strconv.Itoa(v.Version)
	return corpus.VersionFacts{Concepts: []corpus.VersionConcept{{ConceptID: "c_" + n, Label: "c" + n, Quotes: 1}}}, nil
}

func (f *fake) Body(context.Context, string) ([]byte, error) { return []byte(f.body), nil }

func (f *fake) PlaceDocument(_ context.Context, p corpus.Placement) error {
	f.placement = p
	return nil
}

func (f *fake) ListSources(_ context.Context, p corpus.PageQuery) ([]corpus.ListedSource, int, error) {
	f.page = p
	return []corpus.ListedSource{{SourceID: "src_1"}}, 1, nil
}

func (f *fake) Source(_ context.Context, id string) (corpus.Source, error) {
	if id != "src_1" {
		return corpus.Source{}, kappa.NewError(kappa.CodeNotFound, "Source not found: "+id)
	}
	return corpus.Source{SourceID: id, DocumentID: known, Filename: "a.md", ContentType: string(f.contentType), FullText: "a text"}, nil
}

func (f *fake) SearchSources(_ context.Context, q corpus.SourceQuery, _, _ bool) ([]corpus.SourceHit, error) {
	f.query = q
	return nil, nil
}

func (f *fake) SearchDocuments(_ context.Context, q corpus.SourceQuery) ([]corpus.DocumentHit, int, error) {
	f.query = q
	return nil, 3, nil
}

func serve(t testing.TB, f *fake) *http.Server {
	t.Helper()
	return serveAs(t, f, access.RoleReadOnly)
}

// serveAs serves a fake to user 1001, who has a role.
func serveAs(t testing.TB, f *fake, role string) *http.Server {
	t.Helper()
	accounts := apitest.NewAccounts()
	accounts.InRole(role)
	return apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Documents: f, Versions: f, Sources: f, Searcher: f, Asker: f, Finder: f, Remover: f, Placer: f, Jobs: f, Model: func() http.AnswerModel { return http.AnswerModel{} }}))
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
		"its quotes":                    {"/documents/" + escaped + "/quotes?limit=2", 200, `"concepts":[{"concept_id":"a_1","name":"a"}]`},
		"where its quotes go on":        {"/documents/" + escaped + "/quotes?limit=2", 200, `"next_cursor":"ey`},
		"too many quotes":               {"/documents/" + escaped + "/quotes?limit=5001", 422, "limit: must be at most 5000"},
		"quotes after another list":     {"/documents/" + escaped + "/quotes?cursor=eyJsIjoiam9icyIsImsiOlsxXX0", 422, "cursor"},
		"quotes of nothing":             {"/documents/sha256:0/quotes", 404, "Document not found: sha256:0"},
		"its versions":                  {"/documents/" + escaped + "/versions?ontology=o", 200, `"keep_versions":10}`},
		"the versions of nothing":       {"/documents/sha256:0/versions", 404, "Document not found: sha256:0"},
		"a version":                     {"/documents/" + escaped + "/versions/1", 200, `"full_text":"text of 1"`},
		"a version that is not kept":    {"/documents/" + escaped + "/versions/9", 404, "no version 9 of a.md"},
		"a version that is no number":   {"/documents/" + escaped + "/versions/x", 422, "version"},
		"two versions":                  {"/documents/" + escaped + "/compare", 200, `"gained":[{"id":"c_3","label":"c3","quotes":1}],"lost":[{"id":"c_2"`},
		"versions that are named":       {"/documents/" + escaped + "/compare?version=1&with=2", 200, `"gained":[{"id":"c_2","label":"c2","quotes":1}],"lost":[{"id":"c_1"`},
		"a version with one not kept":   {"/documents/" + escaped + "/compare?version=7", 404, "no version 7"},
		"the first version":             {"/documents/" + escaped + "/compare?with=1", 404, "no version 0"},
		"too many differences":          {"/documents/" + escaped + "/compare?limit=1001", 422, "limit: must be at most 1000"},
		"a version below 0":             {"/documents/" + escaped + "/compare?version=-1", 422, "version: must be at least 0"},
		"the bytes of a version":        {"/documents/sha256:old/download", 200, "a text"},
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
			f := &fake{body: "a text", contentType: corpus.ContentMarkdown}
			resp, body := apitest.Call(t, serve(t, f), apitest.Request{Method: "GET", Path: c.path})
			if resp.StatusCode != c.status || !strings.Contains(body, c.contains) {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
		})
	}
	t.Run("bytes are saved, and not shown by a browser", func(t *testing.T) {
		resp, _ := apitest.Call(t, serve(t, &fake{body: "<script>", contentType: corpus.ContentHTML}), apitest.Request{Method: "GET", Path: "/documents/" + escaped + "/download"})
		if !strings.HasPrefix(resp.Header.Get("Content-Disposition"), "attachment") || resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Content-Type") != "text/html" {
			t.Errorf("headers %v", resp.Header)
		}
	})
	t.Run("what is no text is in base64", func(t *testing.T) {
		_, body := apitest.Call(t, serve(t, &fake{body: "\xff\xfe", contentType: corpus.ContentPDF}), apitest.Request{Method: "GET", Path: "/documents/" + known + "/content"})
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

func (f *fake) RemoveDocument(_ context.Context, r corpus.Removal) (corpus.Removed, error) {
	f.removal = r
	return corpus.Removed{DocumentID: r.DocumentID, Deleted: true, SourcesDeleted: 2}, nil
}

func (f *fake) Job(_ context.Context, id string) (work.Job, error) {
	job := work.Job{ID: id, UserID: f.owner, Status: f.status}
	job.ContentHash, job.Ontology = &known, new("o")
	if f.status == "" {
		job.Status, job.ContentHash = work.StatusCompleted, nil
	}
	return job, nil
}

func TestRemove(t *testing.T) {
	t.Run("a document is taken out by those who may", func(t *testing.T) {
		for role, allowed := range map[string]bool{access.RoleAdmin: true, access.RoleCurator: false} {
			f := &fake{}
			resp, body := apitest.Call(t, serveAs(t, f, role), apitest.Request{Method: "DELETE", Path: "/documents/" + known + "?ontology=o"})
			if allowed != (resp.StatusCode == 200 && strings.Contains(body, `"sources_deleted":2`)) || !allowed && (resp.StatusCode != 403 || f.removal.DocumentID != "") {
				t.Errorf("as %s: %d %s", role, resp.StatusCode, body)
			}
			if allowed && f.removal != (corpus.Removal{DocumentID: known, Ontology: "o"}) {
				t.Errorf("removed %+v", f.removal)
			}
		}
		f := &fake{}
		if resp, body := apitest.Call(t, serveAs(t, f, access.RoleAdmin), apitest.Request{Method: "DELETE", Path: "/documents/" + known + "?dry_run=true"}); resp.StatusCode != 200 || !f.removal.DryRun {
			t.Errorf("a dry run: %d %s; removed %+v", resp.StatusCode, body, f.removal)
		}
	})
	for name, c := range map[string]struct {
		role   string
		owner  int
		job    work.Status
		status int
	}{
		"one's own":                    {access.RoleContributor, 1001, work.StatusCompleted, 200},
		"one's own that failed":        {access.RoleContributor, 1001, work.StatusFailed, 200},
		"a foreign one":                {access.RoleContributor, 1000, work.StatusCompleted, 404},
		"a foreign one, as a curator":  {access.RoleCurator, 1000, work.StatusCompleted, 200},
		"one's own, without the right": {access.RoleReadOnly, 1001, work.StatusCompleted, 403},
		"one that runs":                {access.RoleCurator, 1000, work.StatusProcessing, 409},
		"one that read no document":    {access.RoleCurator, 1000, "", 409},
	} {
		t.Run("undo of a job: "+name, func(t *testing.T) {
			f := &fake{owner: c.owner, status: c.job}
			resp, body := apitest.Call(t, serveAs(t, f, c.role), apitest.Request{Method: "POST", Path: "/jobs/" + apitest.KnownJob + "/undo"})
			if resp.StatusCode != c.status || (f.removal.By == apitest.KnownJob) != (c.status == 200) {
				t.Errorf("%d %s, removed %+v", resp.StatusCode, body, f.removal)
			}
			if resp, body = apitest.Call(t, serveAs(t, f, c.role), apitest.Request{Method: "POST", Path: "/jobs/" + apitest.KnownJob + "/undo?dry_run=true"}); resp.StatusCode != c.status || c.status == 200 && (!f.removal.DryRun || !strings.Contains(body, `"undone":false`)) {
				t.Errorf("a dry run: %d %s, removed %+v", resp.StatusCode, body, f.removal)
			}
		})
	}
}

// Ask answers with the question.
func (f *fake) Ask(_ context.Context, q questions.Question) (questions.AskAnswer, error) {
	return questions.AskAnswer{Question: q.Text + "/" + strings.Join(q.Ontologies, "+"), Passages: make([]questions.AskPassage, q.Limit)}, q.Validate()
}

func TestAsk(t *testing.T) {
	s := serve(t, &fake{})
	resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/query/ask", Body: `{"question":"what is a lane?","ontology":"o"}`})
	if resp.StatusCode != 200 || !strings.Contains(body, `"question":"what is a lane?/o"`) || strings.Count(body, `"source_id"`) != questions.DefaultPassages {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	resp, body = apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/query/ask", Body: `{"question":"so?","ontology":"o","ontologies":["p"],"kinds":["pdf"],"languages":["de"],"since":"2026-01-31T00:00:00Z","offset":3,"thread":["what?"],"exact":true,"explain":true}`})
	if resp.StatusCode != 200 || !strings.Contains(body, `"question":"so?/p+o"`) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	for _, bad := range []string{`{"question":"x","kinds":["scroll"]}`, `{"question":"x","offset":201}`, `{"question":"x","thread":[""]}`, `{"question":"x","since":"monday"}`, `{}`, `{"question":""}`, `{"question":"x","limit":0}`, `{"question":"x","limit":21}`, `{"question":7}`} {
		resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/query/ask", Body: bad})
		apitest.WantProblem(t, resp, body, 422)
	}
}

// saying is a model that says two sentences, or fails after one.
func saying(failure error) http.AnswerModel {
	return http.AnswerModel{
		Offer: func(string, []questions.AskPassage) questions.AnswerOffer {
			return questions.AnswerOffer{Model: "m", CostAtMost: 0.5}
		},
		Answer: func(_ context.Context, _ string, passages []questions.AskPassage, tell func(questions.AnswerSentence) error) (questions.AnswerEnd, error) {
			for i := range passages[:2] {
				if err := tell(questions.AnswerSentence{Text: "So.", Passages: []int{i + 1}}); err != nil || failure != nil {
					return questions.AnswerEnd{}, failure
				}
			}
			return questions.AnswerEnd{Answered: true, Cost: 0.25}, nil
		},
	}
}

func TestAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		role     string
		model    http.AnswerModel
		body     string
		status   int
		contains string
	}{
		"an answer":              {access.RoleContributor, saying(nil), `{"question":"so?","limit":3}`, 200, "event: offer\ndata: {\"model\":\"m\",\"input_tokens\":0,\"most_output_tokens\":0,\"cost_at_most_usd\":0.5}\n\nevent: sentence\ndata: {\"text\":\"So.\",\"passages\":[1]}\n\nevent: sentence\ndata: {\"text\":\"So.\",\"passages\":[2]}\n\nevent: end\ndata: {\"answered\":true,"},
		"a model that fails":     {access.RoleContributor, saying(kappa.NewError(kappa.CodeUpstream, "the model refused")), `{"question":"so?"}`, 200, "\"passages\":[1]}\n\nevent: error\ndata: {\"type\":\"about:blank\",\"title\":\"Bad Gateway\",\"status\":502,\"detail\":\"the model refused\""},
		"one who may only read":  {access.RoleReadOnly, saying(nil), `{"question":"so?"}`, 403, "create on ingest"},
		"a question that is bad": {access.RoleContributor, saying(nil), `{"question":""}`, 422, "question"},
		"without a model":        {access.RoleContributor, http.AnswerModel{}, `{"question":"so?"}`, 501, "KG_EXTRACTOR"},
	} {
		t.Run(name, func(t *testing.T) {
			accounts := apitest.NewAccounts()
			accounts.InRole(c.role)
			f := &fake{}
			s := apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Documents: f, Versions: f, Sources: f, Searcher: f, Asker: f, Finder: f, Remover: f, Placer: f, Jobs: f, Model: func() http.AnswerModel { return c.model }}))
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
		s := serve(t, &fake{body: "a text", filename: name, contentType: corpus.ContentPlain})
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
