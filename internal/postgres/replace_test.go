package postgres_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
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
		after.replace = corpus.ReplaceOwn
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
	ingest := func(body, ontology string, path, host *string, replace corpus.Replace) ([]string, work.Submitted, error) {
		sub := work.Submission{
			Body: []byte(body), ContentType: corpus.ContentPlain, ContentHash: corpus.ContentHash([]byte(body)), Ontology: ontology, Filename: "a.md",
			SourcePath: path, SourceHostname: host, Replace: replace, ProcessingMode: work.ModeSerial, UserID: access.SystemUserID,
		}
		submitted, err := s.Ingestions().SubmitIngestion(t.Context(), sub, ingestionJob(access.SystemUserID))
		if err != nil || submitted.Duplicate {
			return nil, submitted, err
		}
		must(t, s.Ingestions().Analyzed(t.Context(), work.AnalysisClaim{JobID: submitted.JobID}, corpus.Analysis{Warnings: []string{}}, true))
		c := claim(t, s, workerA, 1)[0]
		g := chunkGraph(1, "lease", body)
		g.Document = corpus.Document{ID: sub.ContentHash, Ontology: ontology, Filename: "a.md", ContentType: corpus.ContentPlain, SourcePath: path, SourceHostname: host}
		_, err = s.Documents().WriteChunk(t.Context(), c, g, byLabel{}, noCheckpoint)
		must(t, err)
		if replace != corpus.ReplaceNone { // while it is under way
			other := sub
			other.Body, other.ContentHash = []byte("x"), corpus.ContentHash([]byte("x"))
			if _, err := s.Ingestions().SubmitIngestion(t.Context(), other, ingestionJob(access.SystemUserID)); kappa.ErrorCode(err) != kappa.CodeConflict {
				t.Errorf("another version while one is read: %v", err)
			}
			other.UserID = access.AdminUserID
			if _, err := s.Ingestions().SubmitIngestion(t.Context(), other, ingestionJob(access.AdminUserID)); kappa.ErrorCode(err) != kappa.CodeConflict || strings.Contains(kappa.ErrorMessage(err), submitted.JobID) {
				t.Errorf("another version while one of another user is read: %v", err)
			}
		}
		replaced, err := finish(t, s, c, corpus.Finishing{DocumentID: sub.ContentHash, Ontology: ontology, Replace: replace})
		must(t, err)
		_, err = s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(c)})
		must(t, err)
		return replaced, submitted, nil
	}
	for _, other := range []struct {
		body, ontology string
		path, host     *string
	}{{"in another ontology", "p", &path, &host}, {"of another host", "o", &path, new("there")}, {"of another path", "o", new("/notes/b.md"), &host}, {"without a path", "o", nil, nil}} {
		_, _, err := ingest(other.body, other.ontology, other.path, other.host, corpus.ReplaceNone)
		must(t, err)
	}
	_, first, err := ingest("first", "o", &path, &host, corpus.ReplaceNone)
	must(t, err)
	_, second, err := ingest("second", "o", &path, &host, corpus.ReplaceNone)
	must(t, err)
	if first.EarlierVersions != 0 || second.EarlierVersions != 1 {
		t.Errorf("%d and %d earlier versions stay, want 0 and 1", first.EarlierVersions, second.EarlierVersions)
	}
	_, err = conn.Exec(t.Context(), "UPDATE kg_api.documents SET user_id = NULL WHERE document_id = $1", first.ContentHash)
	must(t, err)
	replaced, third, err := ingest("third", "o", &path, &host, corpus.ReplaceOwn)
	if err != nil || !slices.Equal(replaced, []string{second.ContentHash}) || third.EarlierVersions != 1 {
		t.Errorf("replaced %v of one's own, %d stay (%v)", replaced, third.EarlierVersions, err)
	}
	if _, again, err := ingest("third", "o", &path, &host, corpus.ReplaceOwn); err != nil || !again.Duplicate {
		t.Errorf("the same again is %+v (%v), want a duplicate: nothing is left to replace", again, err)
	}
	replaced, again, err := ingest("third", "o", &path, &host, corpus.ReplaceAll)
	if err != nil || again.Duplicate || !slices.Equal(replaced, []string{first.ContentHash}) {
		t.Errorf("replaced %v of everybody's, a duplicate: %t (%v)", replaced, again.Duplicate, err)
	}
	if left := documentCount(t, conn); left != 5 {
		t.Errorf("%d documents are left, want the last one and 4 from elsewhere", left)
	}
}

func documentCount(t *testing.T, conn *pgx.Conn) (n int) {
	t.Helper()
	must(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM kg_api.documents").Scan(&n))
	return n
}
