package serve

import (
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/migrations"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// TestEarlierDatabase reads the database of a build with the earlier migrations, after it was
// taken over: what is stored is whole, is listed, is backed up, and jobs go on.
func TestEarlierDatabase(t *testing.T) {
	t.Parallel()
	dsn := pgtest.NewLoadedDSN(t, "../../../migrations/testdata/00120.sql.gz")
	check(t, migrations.Up(t.Context(), dsn, slog.New(slog.DiscardHandler)))
	s, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, JobConns: 4, GraphConns: 4, AuthConns: 2, AcquireTimeout: 30 * time.Second})
	check(t, err)
	t.Cleanup(s.Close)

	schema, err := s.Schema(t.Context())
	if want := (work.Schema{Version: migrations.Version(), Floor: 14}); err != nil || schema != want {
		t.Errorf("the schema is %+v, %v, want %+v", schema, err, want)
	}
	for _, c := range knowledge.GraphChecks() {
		if found, err := s.Checks().CheckGraph(t.Context(), c.Name); err != nil || found.Broken != 0 {
			t.Errorf("%s: %+v, %v", c.Name, found, err)
		}
	}
	for _, part := range storage.Parts() {
		if step, err := s.Integrity().CheckStored(t.Context(), part, ""); err != nil || len(step.Faults) > 0 || step.Checked == 0 {
			t.Errorf("%s: %+v, %v", part, step, err)
		}
	}
	documents, n, err := s.Library().ListDocuments(t.Context(), corpus.PageQuery{Limit: 10})
	if err != nil || n != 2 || len(documents) != 2 {
		t.Errorf("%d documents, of %d, %v, want 2", len(documents), n, err)
	}
	jobs, err := s.Jobs().Jobs(t.Context(), work.JobFilter{Statuses: []work.Status{work.StatusCompleted}, Limit: 100})
	if err != nil || len(jobs) == 0 {
		t.Errorf("%d jobs, %v", len(jobs), err)
	}
	header, rows := storage.BackupHeader{}, 0
	check(t, s.Backups().ReadBackup(t.Context(), "", func(h storage.BackupHeader) (func(storage.BackupRow) error, error) {
		header = h
		return func(r storage.BackupRow) error {
			if rows++; !json.Valid(r.Row) {
				t.Errorf("a row of %s is no JSON", r.Table)
			}
			return nil
		}, nil
	}))
	if header.Schema != migrations.Version() || rows < 500 {
		t.Errorf("the backup has %d rows, and the header %+v", rows, header)
	}
}
