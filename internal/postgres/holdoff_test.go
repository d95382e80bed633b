package postgres_test

import (
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
)

// life is when a worker began and when it renewed its lease last, before now.
type life struct{ began, last string }

func alive(began, last string) *life { return &life{began, last} }

// TestQ12_RescueAfterAnOutage ends leases under leaders who can know that the
// database was there, and under leaders who cannot.
func TestQ12_RescueAfterAnOutage(t *testing.T) {
	t.Parallel()
	const holdOff = 8 * time.Second
	for name, c := range map[string]struct {
		since any // when the leader began to lead, before now
		ended string
		other *life // of another worker
		taken bool
	}{
		"nobody leads, as in tests":                  {nil, "1 ms", nil, true},
		"led since long before":                      {"1 h", "1 ms", nil, true},
		"led since before the middle of a lease":     {"5 s", "1 ms", nil, true},
		"led only since the lease was nearly over":   {"2 s", "1 ms", nil, false},
		"led only since the lease was over":          {"1 ms", "1 h", nil, false},
		"has led for a lease since then":             {"8.1 s", "1 h", nil, true},
		"another worker has lived since long before": {"1 ms", "1 ms", alive("1 h", "0"), true},
		"another worker has lived since shortly":     {"1 ms", "1 ms", alive("1 s", "0"), false},
		"another worker lived in the meantime":       {"1 ms", "1 ms", alive("5 s", "3 s"), true},
		"another worker died just as long before":    {"1 ms", "1 ms", alive("1 h", "5 s"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := pgtest.NewDSN(t)
			s, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, JobConns: 2, GraphConns: 1, AuthConns: 1, HoldOff: holdOff})
			must(t, err)
			t.Cleanup(s.Close)
			execSQL(t, dsn, "SELECT pg_sleep(greatest(0, extract(epoch FROM pg_postmaster_start_time() - clock_timestamp() + $1::interval + interval '10 ms')))", holdOff)
			register(t, s, workerA)
			job := submit(t, s, "polarity")
			claim(t, s, workerA, 1)
			execSQL(t, dsn, `WITH w AS (UPDATE kg_api.workers SET lease_until = clock_timestamp() - $2::text::interval)
				UPDATE kg_api.leader SET since = clock_timestamp() - $1::text::interval`, c.since, c.ended)
			if c.other != nil {
				register(t, s, workerB)
				execSQL(t, dsn, "UPDATE kg_api.workers SET started_at = clock_timestamp() - $2::text::interval, heartbeat_at = clock_timestamp() - $3::text::interval WHERE worker_id = $1",
					workerB, c.other.began, c.other.last)
			}
			taken, err := s.Rescue(t.Context(), 0, 10)
			must(t, err)
			if (len(taken) == 1) != c.taken || (status(t, s, job.ID) == kappa.StatusApproved) != c.taken {
				t.Errorf("%v was taken back, and the job is %s", taken, status(t, s, job.ID))
			}
		})
	}
}
