package pgtest

import (
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
)

// NewLoadedDSN returns the address of a database that was empty, and in which the statements
// of a file were carried out: a dump as SQL, compressed by gzip.
func NewLoadedDSN(t testing.TB, file string) string {
	t.Helper()
	dsn := NewEmptyDSN(t)
	if err := load(t, dsn, file); err != nil {
		t.Fatalf("load %s: %v", file, err)
	}
	return dsn
}

func load(t testing.TB, dsn, file string) error {
	t.Helper()
	dump, err := os.Open(file)
	if err != nil {
		return err
	}
	defer dump.Close()
	text, err := gzip.NewReader(dump)
	if err != nil {
		return err
	}
	statements, err := io.ReadAll(text)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		return err
	}
	defer conn.Close(t.Context())
	_, err = conn.PgConn().Exec(t.Context(), string(statements)).ReadAll()
	return err
}
