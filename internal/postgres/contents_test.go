package postgres_test

import (
	"bytes"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// A large document is stored and read in pieces, and none of these stays.
func TestLargeContent(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	body := bytes.Repeat([]byte("0123456789"), 900_000) // eight pieces and a part
	copy(body[len(body)-3:], "end")
	hash := corpus.ContentHash(body)
	for _, ontology := range []string{"o", "p"} {
		_, err := s.Ingestions().SubmitIngestion(t.Context(), work.Submission{
			Body: body, ContentType: corpus.ContentPlain, ContentHash: hash, Ontology: ontology, Filename: "large.txt", ProcessingMode: work.ModeSerial,
		}, ingestionJob(access.SystemUserID))
		must(t, err)
	}
	got, err := s.Ingestions().Content(t.Context(), hash)
	must(t, err)
	if !bytes.Equal(got, body) {
		t.Errorf("got %d bytes that end with %q, want %d", len(got), got[max(0, len(got)-10):], len(body))
	}
	if n := rowsOf(t, dsn, "content_pieces"); n != 0 {
		t.Errorf("%d pieces are left", n)
	}
	if n := rowsOf(t, dsn, "contents"); n != 1 {
		t.Errorf("%d contents are stored, want one for both", n)
	}
	if _, err := s.Ingestions().Content(t.Context(), corpus.ContentHash([]byte("x"))); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("an unknown document: %v", err)
	}
}

// rowsOf counts the rows of a table.
func rowsOf(t *testing.T, dsn, table string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	must(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM "+pgx.Identifier{"kg_api", table}.Sanitize()).Scan(&n))
	return n
}
