package remote

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/kappagraph/kappa/work"
)

// heldClaims are claimers whose statements wait until they are released.
type heldClaims struct {
	claimers
	release chan struct{}
	mu      sync.Mutex
	asked   []string // the groups of each statement, in its order
	refuse  string   // a group with which a statement fails
}

func newHeldClaims() *heldClaims {
	h := &heldClaims{release: make(chan struct{})}
	h.run = func(_ context.Context, r work.RemoteClaimRequest) ([]work.RemoteClaimed, error) {
		claimed := make([]work.RemoteClaimed, len(r.Groups))
		names := make([]string, len(r.Groups))
		for i, g := range r.Groups {
			names[i] = g.Group
			claimed[i].Runs = []work.RemoteRun{{RunKey: work.RunKey{JobID: r.Queues[0] + " " + g.Group}}}
		}
		h.mu.Lock()
		h.asked = append(h.asked, r.Queues[0]+": "+strings.Join(names, " "))
		h.mu.Unlock()
		<-h.release
		if slices.Contains(names, h.refuse) {
			return nil, errors.New("as the test wants")
		}
		return claimed, nil
	}
	return h
}

// claim claims in a task of its own, and calls got with the answer.
func (h *heldClaims) claim(ctx context.Context, queue, group string, got func(job string, err error)) {
	go func() {
		c, err := h.do(ctx, work.RemoteClaimRequest{Groups: []work.RemoteSlots{{Group: group, Most: 1}}, Types: []string{"exec"}, Queues: []string{queue}})
		job := ""
		if len(c.Runs) > 0 {
			job = c.Runs[0].JobID
		}
		got(job, err)
	}()
	synctest.Wait() // it is sent, or waits
}

// TestClaimers has claims of the same queues go together while one of them is on its
// way, and no other claim wait for them.
func TestClaimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeldClaims()
		h.refuse = "bad"
		answers := map[string]string{}
		add := func(name string) func(string, error) {
			return func(job string, err error) {
				h.mu.Lock()
				defer h.mu.Unlock()
				if answers[name] = job; err != nil {
					answers[name] = err.Error()
				}
			}
		}
		impatient, giveUp := context.WithCancel(t.Context())
		h.claim(t.Context(), "q", "a", add("a"))
		h.claim(t.Context(), "q", "b", add("b"))
		h.claim(t.Context(), "q", "bad", add("bad"))
		h.claim(impatient, "q", "gone", add("gone"))
		h.claim(t.Context(), "q", "c", add("c"))
		h.claim(t.Context(), "other", "d", add("d"))
		if want := []string{"q: a", "other: d"}; !slices.Equal(h.asked, want) {
			t.Fatalf("asked %q, want %q", h.asked, want)
		}
		giveUp()
		synctest.Wait()
		close(h.release)
		synctest.Wait()
		want := []string{"q: a", "other: d", "q: b bad gone c", "q: b", "q: bad", "q: gone", "q: c"} // the bad one must not fail the others
		if !slices.Equal(h.asked, want) {
			t.Errorf("asked %q, want %q", h.asked, want)
		}
		for name, want := range map[string]string{"a": "q a", "b": "q b", "bad": "as the test wants", "gone": "context canceled", "c": "q c", "d": "other d"} {
			if answers[name] != want {
				t.Errorf("%s got %q, want %q", name, answers[name], want)
			}
		}
		if len(h.list) != 0 {
			t.Errorf("%d claimers are left that nobody uses", len(h.list))
		}
	})
}

// TestClaimersLimit bounds how much one statement locks.
func TestClaimersLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeldClaims()
		for range 2 + groupsAtOnce {
			h.claim(t.Context(), "q", "g", func(string, error) {})
		}
		close(h.release)
		synctest.Wait()
		var groups []int
		for _, a := range h.asked {
			groups = append(groups, strings.Count(a, "g"))
		}
		if want := []int{1, groupsAtOnce, 1}; !slices.Equal(groups, want) {
			t.Errorf("statements for %v groups, want %v", groups, want)
		}
	})
}
