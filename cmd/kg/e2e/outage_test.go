package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kappagraph/kappa/internal/pgproxy"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// outageLab is a database with servers that reach it through proxies, and with a
// witness of every step that their jobs do.
type outageLab struct {
	*pointLab
	proxies []*pgproxy.Proxy
	witness *steps
}

func newOutageLab(t *testing.T) *outageLab {
	t.Helper()
	self, err := os.Executable()
	check(t, err)
	return &outageLab{pointLab: newPointLab(t, self), witness: watchSteps(t)}
}

// serve starts a server behind a proxy of its own.
func (l *outageLab) serve(settings ...string) *pointServer {
	l.t.Helper()
	p := l.proxy()
	l.proxies = append(l.proxies, p)
	return l.start("", append([]string{
		actAsKG + "=1", "DATABASE_URL=" + p.DSN(l.dsn), "KG_TEST_WITNESS=" + l.witness.path,
	}, settings...)...)
}

// proxy runs a proxy before the database until the test ends.
func (l *outageLab) proxy() *pgproxy.Proxy {
	l.t.Helper()
	cfg, err := pgx.ParseConfig(l.dsn)
	check(l.t, err)
	_, socket := pgconn.NetworkAddress(cfg.Host, cfg.Port)
	p := pgproxy.New(shortDir(l.t), func() string { return socket }, slog.New(slog.DiscardHandler))
	listener, err := p.Listen(l.t.Context())
	check(l.t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(l.t.Context()))
	over := make(chan struct{})
	go func() { defer close(over); p.Run(ctx, listener) }()
	l.t.Cleanup(func() { stop(); <-over })
	return p
}

// away keeps the database away from all servers for a while.
func (l *outageLab) away(how pgproxy.Mode, d time.Duration) {
	for _, p := range l.proxies {
		p.Set(pgproxy.EveryRole, how)
	}
	time.Sleep(d) // the outage itself
	for _, p := range l.proxies {
		p.Set(pgproxy.EveryRole, pgproxy.Pass)
	}
}

// shortDir is a directory whose path fits into that of a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "kgo-")
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// steps counts the steps that jobs do, as a target outside the database would.
type steps struct {
	path string

	mu   sync.Mutex
	done map[string]int // job and step
	at   []time.Time
}

func watchSteps(t *testing.T) *steps {
	t.Helper()
	s := &steps{path: filepath.Join(shortDir(t), "w"), done: map[string]int{}}
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: s.path, Net: "unixgram"})
	check(t, err)
	over := make(chan struct{})
	go func() {
		defer close(over)
		buf := make([]byte, 1024)
		for {
			n, err := conn.Read(buf)
			if err != nil {
				return
			}
			job, rest, _ := strings.Cut(string(buf[:n]), " ")
			step, _, _ := strings.Cut(rest, " ")
			s.mu.Lock()
			s.done[job+" "+step]++
			s.at = append(s.at, time.Now())
			s.mu.Unlock()
		}
	}()
	t.Cleanup(func() { _ = conn.Close(); <-over })
	return s
}

// again returns how many steps were done more than once, and the most often that
// one was done.
func (s *steps) again() (repeated, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.done {
		if n > 1 {
			repeated++
		}
		most = max(most, n)
	}
	return repeated, most
}

// resumed returns how long after an instant the first step was done.
func (s *steps) resumed(after time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := time.Time{}
	for _, at := range s.at {
		if at.After(after) && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first.Sub(after).Round(time.Millisecond)
}

// TestQ12_OutageOfTheDatabase keeps the database away from two servers while they
// work, for less than a lease.
func TestQ12_OutageOfTheDatabase(t *testing.T) {
	t.Parallel()
	outageCase{"2 s, connections refused", pgproxy.Refuse, "15", 2 * time.Second, 1, 4 * time.Second}.run(t)
}

// TestQ12_OutageOfTheDatabase_Slow keeps it away for longer, and for more than a
// lease. All of it happens at once: mostly it is waited.
func TestQ12_OutageOfTheDatabase_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	var group sync.WaitGroup
	defer group.Wait()
	const work = 8 * time.Second
	for _, c := range []outageCase{
		{"5 s, connections refused", pgproxy.Refuse, "15", 5 * time.Second, 1, work},
		{"5 s, nothing arrives", pgproxy.Hole, "15", 5 * time.Second, 1, work},
		{"longer than a lease, connections refused", pgproxy.Refuse, "5", 8 * time.Second, 2, work},
		{"longer than a lease, nothing arrives", pgproxy.Hole, "5", 8 * time.Second, 2, work},
	} {
		group.Go(func() { t.Run(c.name, c.run) })
	}
}

// outageCase is an outage of the database.
type outageCase struct {
	name   string
	how    pgproxy.Mode
	lease  string // seconds
	away   time.Duration
	claims int           // of each job: one, and one more when its worker had to give it up
	work   time.Duration // that each job does, in 80 steps
}

func (c outageCase) run(t *testing.T) {
	const jobs, each = 6, 80
	l := newOutageLab(t)
	l.slots(jobs)
	ids := make([]string, jobs)
	for i := range ids {
		ids[i] = l.submit(fmt.Sprintf(`{"ms":%d,"steps":%d}`, c.work.Milliseconds(), each))
	}
	first := l.serve("KG_TEST_LEASE_SECONDS=" + c.lease)
	first.logged("msg=leading")
	second := l.serve("KG_TEST_LEASE_SECONDS=" + c.lease)
	until(t, func() bool { return l.count("status = 'processing' AND checkpoint IS NOT NULL") == jobs },
		func() string { return "the jobs do not run:\n" + first.log() })
	l.away(c.how, c.away)
	back := time.Now()
	for _, id := range ids {
		if job := l.completed(id, each); job.Attempt != 1 || job.Retries != 0 {
			t.Errorf("%s has %d attempts and %d retries, want those that were given up handed back", id, job.Attempt, job.Retries)
		}
		claims := l.countEvents(id, "payload->>'status' = 'processing'")
		back := l.countEvents(id, "payload->>'status' = 'approved' AND payload->>'error' LIKE 'handed back: %'")
		if claims != c.claims || back != c.claims-1 {
			t.Errorf("%s was claimed %d times and handed back %d times, want %d and %d", id, claims, back, c.claims, c.claims-1)
		}
	}
	done, resumed := time.Since(back), l.witness.resumed(back)
	if crashes := l.count("crash_count > 0"); crashes != 0 {
		t.Errorf("%d jobs have crashed, as it is counted", crashes)
	}
	if held := l.count("status = 'processing'"); held != 0 {
		t.Errorf("%d jobs are in processing at the end", held)
	}
	repeated, most := l.witness.again()
	if most > c.claims {
		t.Errorf("a step was done %d times", most)
	}
	if c.claims == 1 && resumed > 30*time.Second { // 3 s on a machine of its own; nothing waits for a lease, or the job is claimed again
		t.Errorf("the jobs went on %s after the database was back", resumed)
	}
	t.Logf("away for %s: work went on %s after, all %d jobs were completed %s after; %d of %d steps were done again",
		c.away, resumed, jobs, done.Round(time.Millisecond), repeated, jobs*each)
	if t.Failed() {
		t.Logf("the servers' logs:\n%s\n%s", first.log(), second.log())
	}
}

// slots gives the lane of the jobs so many slots.
func (l *pointLab) slots(n int) {
	l.t.Helper()
	rows(l.t, l.dsn, `WITH changed AS (UPDATE kg_api.worker_lanes SET max_slots = $1, updated_at = clock_timestamp() RETURNING 1)
		SELECT count(*) FROM changed`, n)
}

// count counts jobs.
func (l *pointLab) count(which string) int {
	l.t.Helper()
	return rows(l.t, l.dsn, "SELECT count(*) FROM kg_api.jobs WHERE "+which)
}

// countEvents counts the status events of a job for which a condition holds.
func (l *pointLab) countEvents(id, which string) int {
	l.t.Helper()
	return rows(l.t, l.dsn, "SELECT count(*) FROM kg_api.job_history WHERE job_id = $1 AND kind = 'status' AND "+which, id)
}
