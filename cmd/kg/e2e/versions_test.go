package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus"
	waiting "github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// priceList is a version of a document: each says another price and another city.
func priceList(price int, city string) client.Document {
	return client.Document{
		Body:     fmt.Appendf(nil, "# Prices\n\nThe standard subscription costs %d euros a month.\n\nThe hotline of the standard subscription is in %s.\n", price, city),
		Filename: "prices.md", Ontology: "shop", SourceType: "file", SourcePath: "/shop/prices.md", SourceHostname: "desk", AutoApprove: true,
	}
}

// priceAnswer returns the text of the passages that answer what the subscription costs, as of a
// moment or now.
func priceAnswer(t *testing.T, c *client.Client, at corpus.AsOf) string {
	t.Helper()
	var answer questions.AskAnswer
	waiting.That(t, "the index of passages is loaded", func() (ready bool) {
		var err error
		answer, err = c.Graph.Ask(t.Context(), questions.Question{
			Text: "What does the standard subscription cost, and where is its hotline?", Limit: 5, AskFilter: questions.AskFilter{Ontologies: []string{"shop"}}, AsOf: at.String(),
		})
		check(t, err)
		return answer.Index.Ready
	})
	var all strings.Builder
	for _, p := range answer.Passages {
		all.WriteString(p.Text + "\n")
	}
	return all.String()
}

func wantPrice(t *testing.T, when, got string, want, others string) {
	t.Helper()
	if !strings.Contains(got, want) || strings.Contains(got, others) {
		t.Errorf("%s: answered\n%s\nwant %q, and nothing of %q", when, got, want, others)
	}
}

// TestVersionsOfADocument ingests a changed file again, without a flag: answers come from the new
// one, what the old one said is readable and compared, and all of it goes with the document.
func TestVersionsOfADocument(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	ctx := t.Context()
	first, err := s.client.Documents.Submit(ctx, priceList(10, "Berlin"))
	check(t, err)
	await(t, s.client, first.JobID, work.StatusCompleted)
	refused := priceList(11, "Madrid")
	refused.AutoApprove = false
	waits, err := s.client.Documents.Submit(ctx, refused)
	check(t, err)
	await(t, s.client, waits.JobID, work.StatusAwaitingApproval)
	job, err := s.client.Jobs.Get(ctx, waits.JobID)
	check(t, err)
	if v := job.Analysis.Version; v == nil || v.Version != 2 || v.Replaces == nil || v.Replaces.DocumentID != first.ContentHash || !strings.Contains(v.Note, "replaces version 1") {
		t.Errorf("the analysis says of the version %+v", v)
	}
	_, err = s.client.Jobs.Cancel(ctx, waits.JobID)
	check(t, err)
	wantPrice(t, "after a cancelled one", priceAnswer(t, s.client, corpus.AsOf{}), "10 euros", "11 euros")

	second, err := s.client.Documents.Submit(ctx, priceList(12, "Lisbon"))
	check(t, err)
	await(t, s.client, second.JobID, work.StatusCompleted)
	wantPrice(t, "after the second", priceAnswer(t, s.client, corpus.AsOf{}), "12 euros", "10 euros")
	versions, err := s.client.Documents.Versions(ctx, second.ContentHash, "")
	check(t, err)
	if versions.Total != 2 || !versions.Versions[0].Current || versions.Versions[1].Current || versions.Versions[1].DocumentID != first.ContentHash || versions.Versions[1].Version != 1 {
		t.Fatalf("versions %+v", versions)
	}
	wantPrice(t, "as of the first", priceAnswer(t, s.client, corpus.AsOf{At: versions.Versions[1].IngestedAt.Time}), "10 euros", "12 euros")
	wantPrice(t, "as of the second", priceAnswer(t, s.client, corpus.AsOf{At: versions.Versions[0].IngestedAt.Time}), "12 euros", "10 euros")
	old, err := s.client.Documents.Version(ctx, second.ContentHash, "shop", 1)
	check(t, err)
	if len(old.Text) != 1 || !strings.Contains(old.Text[0].FullText, "10 euros") {
		t.Errorf("the text of the first version is %+v", old)
	}
	diff, err := s.client.Documents.Compare(ctx, first.ContentHash, "", corpus.CompareQuery{})
	check(t, err)
	if !hasConcept(diff.Concepts.Gained, "Lisbon") || !hasConcept(diff.Concepts.Lost, "Berlin") || hasConcept(diff.Concepts.Lost, "Lisbon") || diff.Passages.Total == 0 {
		t.Errorf("compared: %+v", diff)
	}
	changes, err := s.client.Graph.Changes(ctx, knowledge.ChangesQuery{Since: first.JobID, Limit: 100})
	check(t, err)
	if d := changes.Documents.Gained; len(d) != 1 || d[0].Before == nil || *d[0].Before != 1 || changes.Concepts.LostTotal != diff.Concepts.LostTotal || changes.Concepts.GainedTotal != diff.Concepts.GainedTotal {
		t.Errorf("changed since the first: %+v", changes)
	}
	var body strings.Builder
	if _, err := s.client.Documents.Download(ctx, first.ContentHash, &body); err != nil || !strings.Contains(body.String(), "10 euros") {
		t.Errorf("the first version is downloaded as %q (%v)", body.String(), err)
	}

	removed, err := s.client.Documents.Delete(ctx, second.ContentHash, "shop")
	check(t, err)
	if removed.VersionsDeleted != 1 {
		t.Errorf("%d versions went with the document, want 1", removed.VersionsDeleted)
	}
	for _, table := range []string{"document_versions", "version_chunks", "version_passages", "documents", "sources", "passages"} {
		if n := rows(t, s.dsn, "SELECT count(*) FROM kg_api."+table); n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
	if _, err := s.client.Documents.Versions(ctx, first.ContentHash, ""); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("the versions of what was deleted: %v", err)
	}
}

func hasConcept(list []corpus.VersionConcept, label string) bool {
	for _, c := range list {
		if strings.EqualFold(c.Label, label) {
			return true
		}
	}
	return false
}

// TestServerIsKilledInAVersion kills a server with -9 when it is about to write a new version.
// The one before answers until another server has written it, and the new one alone from then on.
func TestServerIsKilledInAVersion(t *testing.T) {
	t.Parallel()
	ctx, dsn := t.Context(), newDSN(t)
	first := startChild(t, t.TempDir(), "DATABASE_URL="+dsn, "KG_TEST_TYPES=1", "KG_TEST_LEASE_SECONDS=3")
	api := login(t, first.url)
	old, err := api.Documents.Submit(ctx, priceList(10, "Berlin"))
	check(t, err)
	await(t, api, old.JobID, work.StatusCompleted)
	lock, err := pgx.Connect(ctx, dsn)
	check(t, err)
	defer lock.Close(ctx)
	_, err = lock.Exec(ctx, "SELECT pg_advisory_lock_shared(100000002)") // of the graph: chunks may be written, versions not
	check(t, err)
	changed, err := api.Documents.Submit(ctx, priceList(12, "Lisbon"))
	check(t, err)
	waits := func() bool {
		return rows(t, dsn, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 100000002 AND NOT granted") == 1
	}
	waiting.That(t, "the version waits for the graph", waits)
	wantPrice(t, "while it is read", priceAnswer(t, api, corpus.AsOf{}), "10 euros", "12 euros")
	first.kill()
	second := startServer(t, map[string]string{"DATABASE_URL": dsn, "KG_TEST_LEASE_SECONDS": "3"})
	waiting.That(t, "the version waits on another server", waits)
	wantPrice(t, "after the kill", priceAnswer(t, second.client, corpus.AsOf{}), "10 euros", "12 euros")
	_, err = lock.Exec(ctx, "SELECT pg_advisory_unlock_shared(100000002)")
	check(t, err)
	await(t, second.client, changed.JobID, work.StatusCompleted)
	wantPrice(t, "in the end", priceAnswer(t, second.client, corpus.AsOf{}), "12 euros", "10 euros")
	if n := rows(t, dsn, "SELECT count(*) FROM kg_api.documents"); n != 1 {
		t.Errorf("%d documents stand, want 1", n)
	}
	if n := rows(t, dsn, "SELECT count(*) FROM kg_api.concepts WHERE label = 'Berlin'"); n != 0 {
		t.Error("a concept of the old version stands")
	}
}

// TestVersionsAtOnce submits versions of one document at once, to two servers: the one that was
// submitted last stands alone.
func TestVersionsAtOnce(t *testing.T) {
	t.Parallel()
	dsn := newDSN(t)
	settings := map[string]string{"DATABASE_URL": dsn, "KG_LANES": "all"}
	servers := []*testServer{startServer(t, settings), startServer(t, settings)}
	var jobs []string
	for i := range 8 {
		submitted, err := servers[i%2].client.Documents.Submit(t.Context(), priceList(20+i, "Porto"))
		check(t, err)
		jobs = append(jobs, submitted.JobID)
	}
	for _, id := range jobs {
		await(t, servers[0].client, id, work.StatusCompleted)
	}
	for _, s := range servers {
		got := priceAnswer(t, s.client, corpus.AsOf{})
		if !strings.Contains(got, "27 euros") || strings.Count(got, "euros") != 1 {
			t.Errorf("answered\n%s\nwant the last version alone", got)
		}
	}
	if n := rows(t, dsn, "SELECT count(*) FROM kg_api.documents"); n != 1 {
		t.Errorf("%d documents stand, want 1", n)
	}
}

// TestNewBesideAndByKey: what is submitted as new stands beside, and a text is known by its key.
func TestNewBesideAndByKey(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	ingest := func(d client.Document) client.Submitted {
		submitted, err := s.client.Documents.Submit(t.Context(), d)
		check(t, err)
		await(t, s.client, submitted.JobID, work.StatusCompleted)
		return submitted
	}
	ingest(priceList(10, "Berlin"))
	beside := priceList(12, "Lisbon")
	beside.New = true
	ingest(beside)
	if got := priceAnswer(t, s.client, corpus.AsOf{}); !strings.Contains(got, "10 euros") || !strings.Contains(got, "12 euros") {
		t.Errorf("answered\n%s\nwant both", got)
	}
	text := func(price int) client.Document {
		d := priceList(price, "Oslo")
		d.SourceType, d.SourcePath, d.SourceHostname, d.Ontology, d.Key = "", "", "", "texts", "price list"
		return d
	}
	ingest(text(30))
	last := ingest(text(31))
	versions, err := s.client.Documents.Versions(t.Context(), last.ContentHash, "texts")
	check(t, err)
	if versions.Total != 2 || versions.Versions[0].Key == nil || *versions.Versions[0].Key != "price list" {
		t.Errorf("versions under a key: %+v", versions)
	}
	refused := text(32)
	refused.New, refused.Replace = true, true
	if _, err := s.client.Documents.Submit(t.Context(), refused); kappa.ErrorCode(err) != kappa.CodeInvalid || !strings.Contains(err.Error(), "replace: contradicts new") {
		t.Errorf("new and replace: %v", err)
	}
	if resp, err := http.Get(s.url + "/documents/" + last.ContentHash + "/versions"); err != nil || resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("versions without a token: %v (%v)", resp, err)
	} else {
		resp.Body.Close()
	}
}
