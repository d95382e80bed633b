package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// life is when a worker began and when it renewed its lease last, before now.
type life struct{ began, last string }

func alive(began, last string) []life { return []life{{began, last}} }

// TestQ12_RescueAfterAnOutage ends leases under leaders who can know that the
// database was there, and under leaders who cannot.
func TestQ12_RescueAfterAnOutage(t *testing.T) {
	t.Parallel()
	const holdOff = 8 * time.Second
	for name, c := range map[string]struct {
		since any // when the leader began to lead, before now
		ended string
		other []life // of other workers
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
		"another worker has lived for a lease since": {"1 ms", "10 s", alive("9 s", "0"), true},
		"one has lived since, and another one later": {"1 ms", "10 s", []life{{"9 s", "9 s"}, {"5 s", "5 s"}}, true},
		"one has lived since, and another one now":   {"1 ms", "10 s", []life{{"9 s", "9 s"}, {"3 s", "0"}}, false},
		"one has lived since, and none lately":       {"1 ms", "1 h", alive("30 min", "9 s"), false},
		"another one has lived for half a lease":     {"1 ms", "10 s", alive("7 s", "0"), false},
		"others lived before it and live lately":     {"1 ms", "10 s", []life{{"1 h", "20 s"}, {"5 s", "0"}}, false},
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
			for i, other := range c.other {
				execSQL(t, dsn, `INSERT INTO kg_api.workers (worker_id, hostname, pid, version, started_at, heartbeat_at, lease_until)
					VALUES ($1, 'other', 1, 'test', clock_timestamp() - $2::text::interval, clock_timestamp() - $3::text::interval, clock_timestamp() + interval '1 h')`,
					fmt.Sprintf("00000000-0000-4000-8000-0000000000%02d", 90+i), other.began, other.last)
			}
			taken, err := s.Queue().Rescue(t.Context(), 0, 10)
			must(t, err)
			if (len(taken) == 1) != c.taken || (status(t, s, job.ID) == work.StatusApproved) != c.taken {
				t.Errorf("%v was taken back, and the job is %s", taken, status(t, s, job.ID))
			}
		})
	}
}
