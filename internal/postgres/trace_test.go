package postgres_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// hooked is a Store whose hook records each point that it reaches.
type hooked struct {
	*postgres.DB
	dsn string

	mu     sync.Mutex // guards what follows
	points []string
	at     map[string]func() error // what happens at a point
}

var errHook = errors.New("the hook says no")

func newHooked(t *testing.T) *hooked {
	t.Helper()
	plain, dsn := newStore(t)
	register(t, plain, workerA)
	h := &hooked{dsn: dsn, at: map[string]func() error{}}
	var err error
	h.DB, err = postgres.Open(t.Context(), postgres.Config{DSN: dsn, JobConns: 2, GraphConns: 2, AuthConns: 1, Hook: h.reach})
	must(t, err)
	t.Cleanup(h.Close)
	return h
}

func (h *hooked) reach(_ context.Context, point string) error {
	h.mu.Lock()
	h.points = append(h.points, point)
	act := h.at[point]
	h.mu.Unlock()
	if act == nil {
		return nil
	}
	return act()
}

// take returns the points that were reached, and forgets them.
func (h *hooked) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	points := h.points
	h.points = nil
	return points
}

func fails() error { return errHook }

func TestHook(t *testing.T) {
	t.Parallel()
	t.Run("is called around each statement, in a transaction, a batch and a session too", func(t *testing.T) {
		t.Parallel()
		h := newHooked(t)
		job := submit(t, h.DB, "polarity")
		wantPoints(t, h, "a statement of one row", "before JobInsert", "after JobInsert", "before JobByID", "after JobByID")
		slots := 3
		_, err := h.Lanes().UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: &slots})
		must(t, err)
		wantPoints(t, h, "a transaction", "before LaneForUpdate", "after LaneForUpdate", "before LaneLock", "after LaneLock",
			"before LaneUpdate", "after LaneUpdate", "before COMMIT", "after COMMIT")
		if claims := claim(t, h.DB, workerA, 1); len(claims) != 1 || claims[0].JobID != job.ID {
			t.Fatalf("claimed %v", claims)
		}
		wantPoints(t, h, "a batch", "before LaneLock", "before JobClaim", "after LaneLock", "after JobClaim")
		beat, err := h.DialHeartbeat(t.Context(), time.Second)
		must(t, err)
		defer beat.Close(context.WithoutCancel(t.Context()))
		must(t, beat.Renew(t.Context(), workerA, lease))
		wantPoints(t, h, "a session", "before WorkerHeartbeat", "after WorkerHeartbeat")
		must(t, h.Notify(t.Context(), "kg_lanes", "interactive"))
		wantPoints(t, h, "what is not in queries/")
	})
	t.Run("after a claim the claim is committed", func(t *testing.T) {
		t.Parallel()
		h := newHooked(t)
		job := submit(t, h.DB, "polarity")
		var seen work.Status
		other, err := postgres.Open(t.Context(), postgres.Config{DSN: h.dsn, JobConns: 2, GraphConns: 2, AuthConns: 1})
		must(t, err)
		defer other.Close()
		h.at["after JobClaim"] = func() error {
			seen = status(t, other, job.ID)
			return nil
		}
		claim(t, h.DB, workerA, 1)
		if seen != work.StatusProcessing {
			t.Errorf("another connection saw %s", seen)
		}
	})
	t.Run("an error before keeps a statement from being sent", func(t *testing.T) {
		t.Parallel()
		h := newHooked(t)
		id, claims := claimed(t, h)
		h.at["before JobFinish"] = fails
		if _, err := h.Claims().Finish(t.Context(), workerA, claims); !errors.Is(err, errHook) {
			t.Errorf("the call returned %v", err)
		}
		if got := status(t, h.DB, id); got != work.StatusProcessing {
			t.Errorf("the job is %s", got)
		}
		if slices.Contains(h.take(), "after JobFinish") {
			t.Error("it was notified that it is over")
		}
	})
	t.Run("an error after comes when a statement is done", func(t *testing.T) {
		t.Parallel()
		h := newHooked(t)
		id, claims := claimed(t, h)
		h.at["after JobFinish"] = fails
		if _, err := h.Claims().Finish(t.Context(), workerA, claims); !errors.Is(err, errHook) {
			t.Errorf("the call returned %v", err)
		}
		if got := status(t, h.DB, id); got != work.StatusCompleted {
			t.Errorf("the job is %s", got)
		}
	})
	t.Run("an error before a batch, or after it, is the batch's", func(t *testing.T) {
		t.Parallel()
		h := newHooked(t)
		id := submit(t, h.DB, "polarity").ID
		request := work.ClaimRequest{Lane: "interactive", Worker: workerA, Types: []string{"polarity"}, Most: 1}
		for _, c := range []struct {
			point string
			want  work.Status
		}{{"before JobClaim", work.StatusApproved}, {"after JobClaim", work.StatusProcessing}} {
			h.at = map[string]func() error{c.point: fails}
			if _, err := h.Claims().Claim(t.Context(), request); !errors.Is(err, errHook) {
				t.Errorf("with an error %s the claim returned %v", c.point, err)
			}
			if got := status(t, h.DB, id); got != c.want {
				t.Errorf("with an error %s the job is %s, want %s", c.point, got, c.want)
			}
		}
	})
	t.Run("an error before COMMIT rolls back, one after it does not", func(t *testing.T) {
		t.Parallel()
		h := newHooked(t)
		for i, point := range []string{"after LaneUpdate", "before COMMIT", "after COMMIT"} {
			slots := i + 5
			h.at = map[string]func() error{point: fails}
			if _, err := h.Lanes().UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: &slots}); !errors.Is(err, errHook) {
				t.Errorf("with an error %s the call returned %v", point, err)
			}
			lanes, err := h.Lanes().Lanes(t.Context())
			must(t, err)
			stored := slices.ContainsFunc(lanes, func(l work.Lane) bool { return l.Name == "interactive" && l.MaxSlots == slots })
			if stored != (point == "after COMMIT") {
				t.Errorf("with an error %s the change is stored: %v", point, stored)
			}
		}
	})
}

// claimed submits and claims a job, and returns its completion.
func claimed(t *testing.T, h *hooked) (id string, done []work.Outcome) {
	t.Helper()
	id = submit(t, h.DB, "polarity").ID
	claims := claim(t, h.DB, workerA, 1)
	if len(claims) != 1 {
		t.Fatalf("claimed %d jobs", len(claims))
	}
	h.take()
	return id, []work.Outcome{{Claim: claims[0], Status: work.StatusCompleted}}
}

func wantPoints(t *testing.T, h *hooked, what string, want ...string) {
	t.Helper()
	if got := h.take(); !slices.Equal(got, want) {
		t.Errorf("%s: reached %q, want %q", what, got, want)
	}
}

// TestHookOfLeader has the hook called when a leader takes its term.
func TestHookOfLeader(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	leader, err := h.DialLeader(t.Context(), time.Second)
	must(t, err)
	defer leader.Close(context.WithoutCancel(t.Context()))
	_, won, err := leader.Campaign(t.Context(), workerA)
	if err != nil || !won {
		t.Fatalf("won %v, %v", won, err)
	}
	wantPoints(t, h, "a campaign", "before LeaderTake", "after LeaderTake")
}
