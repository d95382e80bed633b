package serve

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
)

// TestDiskLog fails for want of room again and again.
func TestDiskLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &lockedBuffer{}
		limited := newDiskLog(slog.NewTextHandler(out, nil))
		defer limited.close()
		log := slog.New(limited)
		full := fmt.Errorf("claim: %w", &kappa.Error{Code: kappa.CodeUnavailable, Err: kappa.ErrDiskFull})
		lines := func(when, text string, want int) {
			t.Helper()
			synctest.Wait()
			if got := strings.Count(out.String(), text); got != want {
				t.Errorf("%s: %q is there %d times, want %d:\n%s", when, text, got, want, out)
			}
		}
		for range 20 {
			log.With("lane", "interactive").Warn("claim failed", "err", full, "retry_in", 5)
			time.Sleep(6 * time.Second)
		}
		lines("while it is full", "disk is full", 1)
		lines("while it is full", "\n", 1)
		log.Info("request refused", "err", full)
		log.Warn("claim failed", "err", errors.New("something else"))
		lines("what is no try, or fails for another reason", "\n", 3)
		lines("not yet", "room again", 0)
		time.Sleep(diskRoom)
		lines("when nothing has failed for a while", "room again", 1)
		log.WithGroup("g").Error("look failed", "err", full)
		lines("the next time", "disk is full; claims", 2)
		time.Sleep(time.Hour)
		lines("at last", "room again", 2)
	})
}
