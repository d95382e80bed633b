package postgres_test

import (
	"runtime"
	"testing"

	"github.com/kappagraph/kappa/work"
)

// TestShownJobs reads jobs whose data is small where it is stored, and large when it
// is read: PostgreSQL returns 16,385 characters for the number 1e-16383.
func TestShownJobs(t *testing.T) { // alone, for it counts what is allocated
	s, dsn := newStore(t)
	var ids []string
	for range 5 {
		ids = append(ids, submit(t, s, "polarity").ID)
	}
	execSQL(t, dsn, `UPDATE kg_api.jobs SET data = (SELECT jsonb_agg('1e-16383'::jsonb) FROM generate_series(1, 200)),
		checkpoint = (SELECT jsonb_agg('1e-16383'::jsonb) FROM generate_series(1, 200))`)
	for name, read := range map[string]func() error{
		"a list": func() error {
			_, err := s.Jobs().Jobs(t.Context(), work.JobFilter{Limit: 25})
			return err
		},
		"several": func() error {
			_, err := s.Jobs().JobsByIDs(t.Context(), ids)
			return err
		},
		"one": func() error {
			_, err := s.Jobs().Job(t.Context(), ids[0])
			return err
		},
	} {
		must(t, read()) // the first use of a connection
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		must(t, read())
		runtime.ReadMemStats(&after)
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1<<20 {
			t.Errorf("%s: %d bytes were allocated to read it", name, bytes)
		}
	}
}
