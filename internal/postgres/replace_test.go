package postgres_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// TestReplaceLaw checks the law of replacement: to ingest A, B and then C, which replaces A,
// leaves what ingesting B and C leaves.
func TestReplaceLaw(t *testing.T) {
	t.Parallel()
	checkReplaceLaw(t, 3)
}

func TestReplaceLaw_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkReplaceLaw(t, 100)
}

func checkReplaceLaw(t *testing.T, rounds int) {
	t.Helper()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	for range rounds {
		seed := rand.IntN(1 << 30)
		var before, beside, after drawnDocument
		drawn := rapid.Custom(func(r *rapid.T) int {
			sizes := rapid.IntRange(1, 3)
			before, beside, after = drawDocument(r, "a", sizes), drawDocument(r, "b", sizes), drawDocument(r, "c", sizes)
			return 0
		})
		_ = drawn.Example(seed)
		before.path, after.path = "/notes/a.md", "/notes/a.md"
		before.move(after.ontology)
		emptyGraph(t, s, conn)
		ingestDrawn(t, s, conn, beside)
		ingestDrawn(t, s, conn, after)
		want := content(t, conn)
		emptyGraph(t, s, conn)
		ingestDrawn(t, s, conn, before)
		ingestDrawn(t, s, conn, beside)
		after.replace, after.whole = corpus.ReplaceOwn, seed%2 == 0
		ingestDrawn(t, s, conn, after)
		if got := content(t, conn); got != want {
			t.Fatalf("seed %d; after a was replaced:\n%s\nwant, as without it:\n%s", seed, differing(got, want), differing(want, got))
		}
	}
}

// move puts a document into another ontology.
func (d *drawnDocument) move(ontology string) {
	d.ontology = ontology
	for i := range d.chunks {
		g := &d.chunks[i]
		g.Document.Ontology = ontology
	}
}

// TestReplaceSpares checks what a document does not replace, and when the same document is
// ingested again so that others go.
func TestReplaceSpares(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	path, host := "/notes/a.md", "here"
	ingest := func(body, ontology string, origin corpus.Origin, replace corpus.Replace) ([]string, work.Submitted, error) {
		v := versionOf(body, ontology, origin)
		v.sub.Replace = replace
		v.sub.Apart = replace == corpus.ReplaceNone
		return ingestVersion(t, s, v)
	}
	at := corpus.Origin{SourcePath: &path, SourceHostname: &host}
	for _, other := range []struct {
		body, ontology string
		origin         corpus.Origin
	}{
		{"in another ontology", "p", at},
		{"of another host", "o", corpus.Origin{SourcePath: &path, SourceHostname: new("there")}},
		{"of another path", "o", corpus.Origin{SourcePath: new("/notes/b.md"), SourceHostname: &host}},
		{"without a path", "o", corpus.Origin{}},
		{"under a key", "o", corpus.Origin{Key: &path}},
		{"of a URL", "o", corpus.Origin{SourceType: new("url"), SourcePath: &path}},
	} {
		_, _, err := ingest(other.body, other.ontology, other.origin, corpus.ReplaceOwn)
		must(t, err)
	}
	_, apart, err := ingest("apart", "o", at, corpus.ReplaceNone)
	must(t, err)
	_, first, err := ingest("first", "o", at, corpus.ReplaceOwn)
	must(t, err)
	replaced, second, err := ingest("second", "o", at, corpus.ReplaceOwn)
	if err != nil || first.EarlierVersions != 0 || second.EarlierVersions != 0 || !slices.Equal(replaced, []string{first.ContentHash}) {
		t.Errorf("%d and %d earlier versions stay beside %s, and %v went (%v)", first.EarlierVersions, second.EarlierVersions, apart.ContentHash, replaced, err)
	}
	_, err = conn.Exec(t.Context(), "UPDATE kg_api.documents SET user_id = NULL WHERE document_id = $1", second.ContentHash)
	must(t, err)
	replaced, third, err := ingest("third", "o", at, corpus.ReplaceOwn)
	if err != nil || len(replaced) > 0 || third.EarlierVersions != 1 {
		t.Errorf("replaced %v of one's own, %d stay (%v)", replaced, third.EarlierVersions, err)
	}
	if _, again, err := ingest("third", "o", at, corpus.ReplaceOwn); err != nil || !again.Duplicate {
		t.Errorf("the same again is %+v (%v), want a duplicate: nothing is left to replace", again, err)
	}
	replaced, again, err := ingest("third", "o", at, corpus.ReplaceAll)
	if err != nil || again.Duplicate || !slices.Equal(replaced, []string{second.ContentHash}) {
		t.Errorf("replaced %v of everybody's, a duplicate: %t (%v)", replaced, again.Duplicate, err)
	}
	if left := documentCount(t, conn); left != 8 {
		t.Errorf("%d documents are left, want the last one, that apart and 6 from elsewhere", left)
	}
}

func documentCount(t *testing.T, conn *pgx.Conn) (n int) {
	t.Helper()
	must(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM kg_api.documents").Scan(&n))
	return n
}
