package e2e

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/work"
)

// TestEventsBetweenServers follows a job on another server than the one that it
// was given to, and stops it from there, by each source of events.
func TestEventsBetweenServers(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]map[string]string{
		"listen": {},
		"wal":    {"KG_EVENTS": "wal"},
		"nats":   {"KG_NATS_URL": natsURL(t)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := startServer(t, settings)
			second := startServer(t, with(settings, "DATABASE_URL", first.dsn))
			awaitSource(t, second, name)
			reply, err := first.client.Jobs.Submit(t.Context(), work.NewJob{Type: work.TypeSleep, Data: []byte(`{"ms":60000,"steps":600}`)})
			check(t, err)
			seen := watchUntilStopped(t, first.client, second.client, reply.JobID)
			if want := "snapshot status:approved status:processing progress status:cancelled cancelled"; seen != want {
				t.Errorf("the second server told %q, want %q", seen, want)
			}
		})
	}
}

// watchUntilStopped follows a job on one server, approves it on another as soon
// as the watch has begun, and cancels it at its first progress. It returns what
// was seen, without repeated progress.
func watchUntilStopped(t *testing.T, steer, follow *client.Client, id string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var seen []string
	var told, last time.Time // the last change that was asked for
	for u, err := range follow.Jobs.Watch(ctx, id) {
		check(t, err)
		word := string(u.Kind)
		if u.Kind == work.EventStatus {
			word += ":" + string(u.Change.Status)
		}
		first := len(seen) == 0 || seen[len(seen)-1] != word
		if first {
			seen = append(seen, word)
		}
		switch {
		case u.Kind == client.UpdateSnapshot:
			told = time.Now()
			_, err = steer.Jobs.Approve(ctx, id)
		case u.Kind == work.EventProgress && first:
			told = time.Now()
			_, err = steer.Jobs.Cancel(ctx, id)
		}
		check(t, err)
		last = time.Now()
	}
	if took := last.Sub(told); took > 2*time.Second {
		t.Errorf("the job's end was seen %s after it was cancelled", took)
	}
	return strings.Join(seen, " ")
}

// awaitSource waits until a server is notified by the source alone.
func awaitSource(t *testing.T, s *testServer, name string) {
	t.Helper()
	var active []string
	until(t, func() bool {
		status, err := s.client.Workers.Status(t.Context())
		check(t, err)
		active = nil
		for _, source := range status.EventSources {
			if source.Active && source.Connected {
				active = append(active, source.Name)
			}
		}
		return len(active) > 0 && active[len(active)-1] == name && (name != "nats" || len(active) == 1)
	}, func() string { return fmt.Sprintf("the server hears by %v, want %s", active, name) })
}

// natsURL returns the address of a NATS server that runs until the test ends.
func natsURL(t *testing.T) string {
	t.Helper()
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoLog: true, NoSigs: true})
	check(t, err)
	go s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("NATS does not start")
	}
	return s.ClientURL()
}

// with returns settings with one more.
func with(settings map[string]string, name, value string) map[string]string {
	all := map[string]string{name: value}
	maps.Copy(all, settings)
	return all
}
