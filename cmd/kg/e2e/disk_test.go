package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

const (
	diskFullFor  = 10 * time.Second
	diskResumes  = 10 * time.Second // after there is room
	diskTries    = 10               // writes that a server may try in diskFullFor
	diskLogLines = 3                // that report them
)

// TestQ36_DiskFull_Slow fills the disk of a database under a server that works, and
// makes room again.
func TestQ36_DiskFull_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	var group sync.WaitGroup
	defer group.Wait()
	for name, test := range map[string]func(*testing.T){
		"a full file system": func(t *testing.T) {
			dir, ok := smallFileSystem(t)
			if !ok {
				diskCase(t, newPointLab(t, os.Args[0]), &refusal{})
				return
			}
			admin := newDSN(t)
			diskCase(t, newPointLab(t, os.Args[0]), &fileSystem{dir: dir, admin: admin})
		},
		"each write is refused": func(t *testing.T) { diskCase(t, newPointLab(t, os.Args[0]), &refusal{}) },
	} {
		group.Go(func() { t.Run(name, test) })
	}
}

// disk is what a test fills.
type disk interface {
	prepare(l *pointLab)
	fill()
	empty()
}

// fileSystem is a small file system with the tables of a database and nothing
// else, so that PostgreSQL itself goes on.
type fileSystem struct {
	dir   string
	admin string // address of another database of the cluster
	l     *pointLab
}

// smallFileSystem mounts one until the test ends. Where that is not permitted it
// says so aloud, and returns false.
func smallFileSystem(t *testing.T) (dir string, ok bool) {
	t.Helper()
	dir = shortDir(t)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16m,mode=0711"); err != nil {
		t.Logf("NOT A REAL FULL DISK: mounting a small file system is not permitted (%v); a trigger that refuses each write stands in for it", err)
		return "", false
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir, true
}

// prepare moves the tables and indexes of the database there.
func (f *fileSystem) prepare(l *pointLab) {
	f.l = l
	owner := oneText(l.t, f.admin, "SHOW data_directory")
	found, err := os.Stat(owner)
	check(l.t, err)
	space, stat := filepath.Join(f.dir, "space"), found.Sys().(*syscall.Stat_t)
	check(l.t, os.Mkdir(space, 0o700))
	check(l.t, os.Chown(space, int(stat.Uid), int(stat.Gid)))
	name := "small_" + strings.ReplaceAll(filepath.Base(f.dir), "-", "_")
	execute(l.t, f.admin, fmt.Sprintf("CREATE TABLESPACE %s LOCATION '%s'", name, space))
	l.exec("ALTER TABLE ALL IN TABLESPACE pg_default SET TABLESPACE "+name, "ALTER INDEX ALL IN TABLESPACE pg_default SET TABLESPACE "+name)
	l.t.Cleanup(func() { // while the file system and the other database are there
		l.exec("ALTER TABLE ALL IN TABLESPACE "+name+" SET TABLESPACE pg_default", "ALTER INDEX ALL IN TABLESPACE "+name+" SET TABLESPACE pg_default")
		execute(l.t, f.admin, "DROP TABLESPACE "+name)
	})
}

func (f *fileSystem) ballast() string { return filepath.Join(f.dir, "ballast") }

// fill leaves no room at all.
func (f *fileSystem) fill() {
	file, err := os.Create(f.ballast())
	check(f.l.t, err)
	defer file.Close()
	for piece := make([]byte, 4096); err == nil; {
		_, err = file.Write(piece)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		f.l.t.Fatalf("the file system is not full: %v", err)
	}
}

func (f *fileSystem) empty() { check(f.l.t, os.Remove(f.ballast())) }

// refusal is a trigger that refuses what a full disk would, and counts.
type refusal struct{ l *pointLab }

func (r *refusal) prepare(l *pointLab) {
	r.l = l
	l.exec(`CREATE TABLE public.disk (full_now boolean)`, `INSERT INTO public.disk VALUES (false)`, `CREATE SEQUENCE public.tries`,
		`CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF (SELECT full_now FROM public.disk) AND (TG_OP = 'INSERT' OR NEW.status <> OLD.status OR OLD.priority = -1) THEN
				PERFORM nextval('public.tries');
				RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100';
			END IF;
			RETURN NEW; END $$`,
		`CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON kg_api.jobs FOR EACH ROW EXECUTE FUNCTION public.refuse()`)
}

func (r *refusal) fill()  { r.l.exec(`UPDATE public.disk SET full_now = true`) }
func (r *refusal) empty() { r.l.exec(`UPDATE public.disk SET full_now = false`) }

// tries returns how many writes were refused.
func (r *refusal) tries() int {
	return rows(r.l.t, r.l.dsn, "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM public.tries")
}

// oneText returns the one text that a statement has.
func oneText(t *testing.T, dsn, sql string) (value string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	defer conn.Close(t.Context())
	check(t, conn.QueryRow(t.Context(), sql).Scan(&value))
	return value
}

// execute runs statements on a database.
func execute(t *testing.T, dsn string, statements ...string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, dsn)
	check(t, err)
	defer conn.Close(ctx)
	for _, sql := range statements {
		_, err := conn.Exec(ctx, sql)
		check(t, err)
	}
}

// diskCase fills a disk while jobs run, end and wait.
func diskCase(t *testing.T, l *pointLab, d disk) {
	d.prepare(l)
	witness := watchSteps(t)
	l.slots(4)
	l.exec("INSERT INTO kg_api.worker_lanes (name, job_types, max_slots, poll_interval_ms, enabled) VALUES ('other', '{noop}', 4, 500, false)")
	s := l.start("", actAsKG+"=1", "KG_TEST_LEASE_SECONDS=15", "KG_TEST_WITNESS="+witness.path)
	visitor := newDiskVisitor(t, s.url)
	steps := map[string]int{}
	submit := func(n, each int) {
		for range n {
			steps[l.submit(fmt.Sprintf(`{"ms":%d,"steps":%d}`, 100*each, each))] = each
		}
	}
	submit(2, 60) // run on and on
	submit(2, 20) // end meanwhile
	until(t, func() bool { return l.count("checkpoint IS NOT NULL") == 4 }, func() string { return "the jobs do not run:\n" + s.log() })
	if r, ok := d.(*refusal); ok { // whose steps are refused, too
		l.exec("UPDATE kg_api.jobs SET priority = -1 WHERE job_id = (SELECT min(job_id) FROM kg_api.jobs WHERE data->>'steps' = '60')")
		defer func() { t.Logf("%d writes were refused", r.tries()) }()
	}
	for range 8 { // wait to be claimed
		_, err := l.db.Jobs().SubmitJob(t.Context(), work.NewJob{Type: work.TypeNoop, Queue: work.DefaultQueue, AutoApprove: true, UserID: access.SystemUserID})
		check(t, err)
	}
	before := len(s.log())
	d.fill()
	l.exec("UPDATE kg_api.worker_lanes SET enabled = true, updated_at = clock_timestamp()")
	refused := visitor.stay(diskFullFor)
	lines := warnings(s.log()[before:])
	if len(lines) > diskLogLines || strings.Count(s.log(), "the database's disk is full; claims") != 1 {
		t.Errorf("the log tells of the full disk %d times:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	if r, ok := d.(*refusal); ok && r.tries()-refused > diskTries {
		t.Errorf("%d writes were tried, of which %d were submissions", r.tries(), refused)
	}
	waiting := l.count("status = 'approved'")
	d.empty()
	room := time.Now()
	until(t, func() bool { return l.count("status = 'approved'") < max(waiting, 1) }, func() string { return "nothing is claimed:\n" + s.log() })
	claimed := time.Since(room)
	until(t, func() bool { return l.count("status = 'completed' AND data->>'steps' = '20'") == 2 }, func() string { return "what has ended is not stored:\n" + s.log() })
	stored := time.Since(room)
	if claimed > diskResumes || stored > diskResumes {
		t.Errorf("claims went on %s after there was room, completions %s after", claimed, stored)
	}
	for id, n := range steps {
		if job := l.completed(id, n); job.Attempt != 1 || job.Retries != 0 {
			t.Errorf("%s has %d attempts and %d retries", id, job.Attempt, job.Retries)
		}
	}
	if repeated, _ := witness.again(); repeated != 0 || l.count("crash_count > 0") != 0 {
		t.Errorf("%d steps were done again", repeated)
	}
	if status, _, body := visitor.submit(); status != http.StatusOK && status != http.StatusCreated && status != http.StatusAccepted {
		t.Errorf("with room again a submission is answered with %d: %s", status, body)
	}
	s.logged("the database's disk has room again")
	if n := strings.Count(s.log(), `msg="the database's disk`); n != 2 {
		t.Errorf("the log tells of the disk %d times:\n%s", n, s.log())
	}
	t.Logf("full for %s: %d jobs still waited, %d lines of warning, %d submissions refused, all reads answered; after there was room claims went on within %s, ends were stored within %s",
		diskFullFor, waiting, len(lines), refused, claimed.Round(time.Millisecond), stored.Round(time.Millisecond))
}

// warnings returns the lines of a log that are more than information, without those
// about job types in no lane: the lanes of this test leave most of them out.
func warnings(log string) (lines []string) {
	for line := range strings.Lines(log) {
		warning := strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR")
		if warning && !strings.Contains(line, `msg="a lane needs attention"`) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// diskVisitor asks a server what it can answer with a full disk, and what it
// cannot.
type diskVisitor struct {
	t     *testing.T
	url   string
	token string
}

func newDiskVisitor(t *testing.T, url string) *diskVisitor {
	t.Helper()
	v := &diskVisitor{t: t, url: url}
	_, _, body := v.ask(http.MethodPost, "/auth/oauth/clients/personal", "application/x-www-form-urlencoded", []byte("username=admin&password="+strings.ReplaceAll(testPassword, " ", "+")))
	var client struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	check(t, json.Unmarshal(body, &client))
	_, _, body = v.ask(http.MethodPost, "/auth/oauth/token", "application/x-www-form-urlencoded", []byte("grant_type=client_credentials&client_id="+client.ID+"&client_secret="+client.Secret))
	var token struct {
		Token string `json:"access_token"`
	}
	check(t, json.Unmarshal(body, &token))
	v.token = token.Token
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return v
}

func (v *diskVisitor) ask(method, path, contentType string, body []byte) (int, http.Header, []byte) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.url+path, bytes.NewReader(body))
	check(v.t, err)
	req.Header.Set("Content-Type", contentType)
	if v.token != "" {
		req.Header.Set("Authorization", "Bearer "+v.token)
	}
	resp, err := http.DefaultClient.Do(req)
	check(v.t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	check(v.t, err)
	return resp.StatusCode, resp.Header, answer
}

// submit submits a job that needs room, as no page has it left.
func (v *diskVisitor) submit() (int, http.Header, []byte) {
	noise := make([]byte, 15_000)
	_, _ = rand.Read(noise) // never fails
	return v.ask(http.MethodPost, "/jobs", "application/json",
		[]byte(`{"job_type":"noop","auto_approve":true,"data":{"noise":"`+hex.EncodeToString(noise)+`"}}`))
}

// stay reads and submits for a while, and returns how many submissions were
// refused. The very first ones may find some room left.
func (v *diskVisitor) stay(d time.Duration) (refused int) {
	v.t.Helper()
	for end, n := time.Now().Add(d), 0; time.Now().Before(end); n++ {
		for _, path := range []string{"/health", "/jobs", "/admin/workers/status"} {
			if status, _, body := v.ask(http.MethodGet, path, "", nil); status != http.StatusOK {
				v.t.Errorf("%s is answered with %d: %s", path, status, body)
			}
		}
		if status, _, body := v.ask(http.MethodPost, "/query/search", "application/json", []byte(`{"query":"lanes"}`)); status != http.StatusOK {
			v.t.Errorf("a search is answered with %d: %s", status, body)
		}
		status, header, body := v.submit()
		after, _ := strconv.Atoi(header.Get("Retry-After"))
		switch {
		case status == http.StatusServiceUnavailable && after >= 1 && strings.Contains(string(body), "disk is full"):
			refused++
		case refused > 0 || n > 3:
			v.t.Errorf("a submission is answered with %d, Retry-After %q: %s", status, header.Get("Retry-After"), body)
		}
		time.Sleep(500 * time.Millisecond) // so often somebody comes
	}
	return refused
}
