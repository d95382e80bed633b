package remote

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/kappagraph/kappa/work"
)

// servingStore gives each claim a run of the owner whose turn it is.
type servingStore struct {
	store
	owners  []int
	reached int
	asked   []work.RemoteClaimRequest
}

func (s *servingStore) Claim(_ context.Context, r work.RemoteClaimRequest) ([]work.RemoteClaimed, error) {
	s.asked = append(s.asked, r)
	next := slices.MinFunc(s.owners, func(a, b int) int { return slices.Index(r.Served, a) - slices.Index(r.Served, b) })
	return []work.RemoteClaimed{{Reached: s.reached, Runs: []work.RemoteRun{{Owner: next}}}, {Stale: true}}, nil
}

// TestTurnsAreRemembered says that claims of the same queues know who was served by the ones
// before, and which owner they reached, and that those of other queues do not.
func TestTurnsAreRemembered(t *testing.T) {
	t.Parallel()
	s := &servingStore{owners: []int{7, 8, 9}, reached: 5}
	server := &Server{claiming: make(chan struct{}, 1)}
	server.cfg.Store = s
	claim := func(queue string) int {
		t.Helper()
		claimed, err := server.claimAll(t.Context(), work.RemoteClaimRequest{Groups: []work.RemoteSlots{{Most: 1}, {Most: 1}}, Queues: []string{queue}})
		must(t, err)
		return claimed[0].Runs[0].Owner
	}
	var got []int
	for range 7 {
		got = append(got, claim("a"))
	}
	if want := []int{7, 8, 9, 7, 8, 9, 7}; !slices.Equal(got, want) {
		t.Errorf("%v were served, want %v", got, want)
	}
	if from := s.asked[6].From; from != 4 {
		t.Errorf("the claim after one that reached 5 begins at %d, want 4", from)
	}
	if claim("b") != 7 || s.asked[7].From != 0 {
		t.Errorf("a claim of another queue is %+v", s.asked[7])
	}
	for i := range 2 * mostTurns {
		claim("q" + strconv.Itoa(i))
	}
	if n := len(server.turns.of); n > mostTurns {
		t.Errorf("%d lists of queues are remembered", n)
	}
}
