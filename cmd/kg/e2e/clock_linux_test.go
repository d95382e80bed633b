package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/work"
)

// wrongClock makes the programs into which it is loaded live in another time. It
// leaves the clocks alone that only measure.
const wrongClock = `#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *t) {
	int failed = syscall(SYS_clock_gettime, id, t);
	if (!failed && id == CLOCK_REALTIME) t->tv_sec += SECONDS;
	return failed;
}

int gettimeofday(struct timeval *t, void *zone) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *t) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (t) *t = now.tv_sec;
	return now.tv_sec;
}
`

// wrongTolerance is far from an hour, and from what a busy machine takes.
const wrongTolerance = time.Minute

// programsElsewhen returns a directory of PostgreSQL's programs whose clock goes
// wrong by so much. The race detector needs a C compiler already.
func programsElsewhen(t *testing.T, dir string, by time.Duration) string {
	t.Helper()
	installed, _, err := pgembed.FindPrograms(t.Context(), os.Getenv("KG_PG_BIN"))
	check(t, err)
	source, library := filepath.Join(dir, "clock.c"), filepath.Join(dir, "clock.so")
	check(t, os.WriteFile(source, []byte(wrongClock), 0o644))
	out, err := exec.CommandContext(t.Context(), "cc", "-shared", "-fPIC", fmt.Sprintf("-DSECONDS=(%d)", int(by.Seconds())), "-o", library, source).CombinedOutput()
	if err != nil {
		t.Fatalf("compile a wrong clock: %v; a C compiler is needed, as for go test -race\n%s", err, out)
	}
	programs := filepath.Join(dir, "bin")
	check(t, os.Mkdir(programs, 0o755))
	for _, name := range []string{"initdb", "postgres"} {
		text := fmt.Sprintf("#!/bin/sh\nLD_PRELOAD='%s' exec '%s' \"$@\"\n", library, filepath.Join(installed, name))
		check(t, os.WriteFile(filepath.Join(programs, name), []byte(text), 0o755))
	}
	return programs
}

// TestQ04_WrongClock has the clock of the server go wrong by an hour against the
// database's, either way. Nothing behaves differently.
func TestQ04_WrongClock(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		t.Run(by.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, d := range []string{filepath.Dir(dir), dir} { // another user runs the cluster when this one is root
				check(t, os.Chmod(d, 0o711))
			}
			cluster, err := pgembed.Start(t.Context(), pgembed.Config{Dir: filepath.Join(dir, "pg"), BinDir: programsElsewhen(t, dir, by)})
			check(t, err)
			t.Cleanup(func() { check(t, cluster.Stop(context.WithoutCancel(t.Context()))) })
			dsn := cluster.DSN(pgembed.Database)
			if off := rows(t, dsn, fmt.Sprintf("SELECT extract(epoch FROM clock_timestamp())::bigint - %d", time.Now().Unix())); (time.Duration(off)*time.Second - by).Abs() > 10*time.Second {
				t.Fatalf("the database's clock is off by %d s, want %s", off, by)
			}
			inWrongTime(t, startServer(t, map[string]string{"DATABASE_URL": dsn, "KG_TEST_LEASE_SECONDS": "3"}), by)
		})
	}
}

// inWrongTime checks what a clock might change.
func inWrongTime(t *testing.T, s *testServer, by time.Duration) {
	ctx := t.Context()
	near := func(what string, at *kappa.Time, want time.Duration) {
		t.Helper()
		if at == nil || (time.Until(at.Time)-by-want).Abs() > wrongTolerance {
			t.Errorf("%s is %v, want the database's time and %s", what, at, want)
		}
	}

	submitted, err := s.client.Documents.Submit(ctx, client.Document{Body: []byte(lanesText), Filename: "lanes.txt", Ontology: "notes"})
	check(t, err)
	job := await(t, s.client, submitted.JobID, work.StatusAwaitingApproval)
	near("the end of the wait for an approval", job.ExpiresAt, 24*time.Hour)
	_, err = s.client.Jobs.Approve(ctx, job.ID)
	check(t, err)
	await(t, s.client, job.ID, work.StatusCompleted)

	reply, err := s.client.Jobs.Submit(ctx, work.NewJob{Type: work.TypeSleep, Data: []byte(`{"ms":60000,"steps":600}`), AutoApprove: true})
	check(t, err)
	await(t, s.client, reply.JobID, work.StatusProcessing)
	time.Sleep(4 * time.Second) // longer than a lease: a renewal counts
	long := await(t, s.client, reply.JobID, work.StatusProcessing)
	if long.Retries != 0 || rows(t, s.dsn, "SELECT max(attempt) FROM kg_api.jobs") != 1 {
		t.Error("a job of a live worker was taken back")
	}
	workers, err := s.client.Workers.Status(ctx)
	check(t, err)
	for _, running := range workers.RunningJobs {
		if running.HeartbeatAge == nil || *running.HeartbeatAge > wrongTolerance.Seconds() || *running.HeartbeatAge < 0 {
			t.Errorf("the heartbeat is %v s old", running.HeartbeatAge)
		}
	}
	_, err = s.client.Jobs.CancelRunning(ctx, long.ID)
	check(t, err)
	await(t, s.client, long.ID, work.StatusCancelled)

	at := next5(t, s)
	if left := time.Until(at.Time) - by; left < -wrongTolerance || left > 5*time.Minute+wrongTolerance {
		t.Errorf("a schedule of every five minutes runs next in %s", left)
	}
	cleaned, err := s.client.Schedules.CleanUp(ctx)
	check(t, err)
	if cleaned.Expired+cleaned.Jobs != 0 {
		t.Errorf("the cleanup took %+v", cleaned)
	}
	revokedInWrongTime(t, s)
	seenInWrongTime(t, s)
	if !strings.Contains(s.logs.String(), "the clocks of this machine and of the database differ") {
		t.Error("the log does not say that a clock is wrong")
	}
}

// next5 returns when a schedule of every five minutes runs next.
func next5(t *testing.T, s *testServer) *kappa.Time {
	t.Helper()
	_, err := s.client.Schedules.Add(t.Context(), work.NewSchedule{Name: "often", JobType: work.TypeNoop, Cron: "*/5 * * * *"})
	check(t, err)
	list, err := s.client.Schedules.List(t.Context())
	check(t, err)
	for _, schedule := range list {
		if schedule.Name == "often" && schedule.NextRunAt != nil {
			return schedule.NextRunAt
		}
	}
	t.Fatal("the schedule has no next run")
	return nil
}

// revokedInWrongTime revokes a token. The server forgets it by the database's
// clock, and not before the token's end.
func revokedInWrongTime(t *testing.T, s *testServer) {
	t.Helper()
	credential := token(t, s)
	if code := statusWith(t, s, credential); code != http.StatusOK {
		t.Fatalf("a fresh token is answered %d", code)
	}
	check(t, s.client.Account.RevokeToken(t.Context(), credential))
	if left := rows(t, s.dsn, "SELECT extract(epoch FROM max(expires_at) - clock_timestamp())::int FROM kg_api.revoked_tokens"); left < access.TokenSeconds-60 || left > access.TokenSeconds+120 {
		t.Errorf("the revocation is kept for %d s, want the life of a token, %d s", left, access.TokenSeconds)
	}
	if code := statusWith(t, s, credential); code != http.StatusUnauthorized {
		t.Errorf("a revoked token is answered %d", code)
	}
}

// seenInWrongTime cuts the listener off, and ends a job meanwhile: the stream of
// all jobs has its end.
func seenInWrongTime(t *testing.T, s *testServer) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/events?jobs=*", nil)
	check(t, err)
	request.Header.Set("Authorization", "Bearer "+token(t, s))
	response, err := http.DefaultClient.Do(request)
	check(t, err)
	defer response.Body.Close()
	seen := make(chan string, 1000)
	go func() {
		defer close(seen)
		buffer := make([]byte, 1<<16)
		for {
			n, err := response.Body.Read(buffer)
			seen <- string(buffer[:n])
			if err != nil {
				return
			}
		}
	}()
	var text strings.Builder
	text.WriteString(<-seen)
	// Past the server, so that it cannot know but from the database: a job that is
	// there and over when it polls again.
	execute(t, s.dsn, `INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, completed_at, event_seq, end_seq)
		VALUES ('job_aaaaaaaaaaaa', 'noop', 'completed', 1, clock_timestamp(), 2, 1)`)
	execute(t, s.dsn, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'kg-listen%'")
	limit := time.After(wrongTolerance)
	for !strings.Contains(text.String(), "job_aaaaaaaaaaaa") {
		select {
		case part, ok := <-seen:
			if text.WriteString(part); ok {
				continue
			}
			t.Fatalf("the stream ended:\n%s", text.String())
		case <-limit:
			t.Fatalf("the end of a job was not told:\n%s", text.String())
		}
	}
}

// statusWith asks for the workers with a token.
func statusWith(t *testing.T, s *testServer, access string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/admin/workers/status", nil)
	check(t, err)
	request.Header.Set("Authorization", "Bearer "+access)
	response, err := http.DefaultClient.Do(request)
	check(t, err)
	check(t, response.Body.Close())
	return response.StatusCode
}
