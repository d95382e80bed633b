package serve

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/local"
	"github.com/kappagraph/kappa/internal/await"
)

// TestAnnounceOfTwoServers runs two servers with one data directory, as those of
// the same user have by default, and stops the first one.
func TestAnnounceOfTwoServers(t *testing.T) {
	t.Parallel()
	settings := &Settings{DataDir: t.TempDir()}
	path := local.URLFile(settings.DataDir)
	begin := func(url string) (stop func()) {
		self, s := local.NewServer(url), &server{settings: settings, log: slog.New(slog.DiscardHandler)}
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { check(t, s.announce(ctx, self, &strings.Builder{}, "", newSpinner(&strings.Builder{}, ""))) })
		await.That(t, "it is announced", func() bool { return strings.HasPrefix(readFile(path), url+"\n") })
		return func() {
			cancel()
			group.Wait()
		}
	}
	stopFirst := begin("http://127.0.0.1:8000")
	stopSecond := begin("http://127.0.0.1:8001")
	stopFirst()
	if got := readFile(path); !strings.HasPrefix(got, "http://127.0.0.1:8001\n") {
		t.Errorf("after the stop of the first server the file has %q", got)
	}
	stopSecond()
	if got := readFile(path); got != "" {
		t.Errorf("after the stop of both the file has %q", got)
	}
}

// readFile returns what a file has, "" when there is none.
func readFile(path string) string {
	body, _ := os.ReadFile(path)
	return string(body)
}
