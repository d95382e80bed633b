package pgtest

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestTemplate prepares a template once for several databases, which do not see each other.
func TestTemplate(t *testing.T) {
	prepared := 0
	template := NewTemplate(func(ctx context.Context, dsn string) error {
		prepared++
		conn, err := pgx.Connect(ctx, dsn)
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, "CREATE TABLE ready (n int); INSERT INTO ready VALUES (1)")
		return errors.Join(err, conn.Close(ctx))
	})
	for range 3 {
		conn, err := pgx.Connect(t.Context(), template.NewDSN(t))
		if err != nil {
			t.Fatal(err)
		}
		var rows, migrated int
		err = conn.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM ready), (SELECT count(*) FROM kg_api.schema_migrations WHERE version_id > 0)").Scan(&rows, &migrated)
		if err != nil || rows != 1 || migrated == 0 {
			t.Errorf("%d rows, %d migrations, err %v", rows, migrated, err)
		}
		_, err = conn.Exec(t.Context(), "INSERT INTO ready VALUES (2)")
		if err := errors.Join(err, conn.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	if prepared != 1 {
		t.Errorf("it was prepared %d times, want once", prepared)
	}
}
