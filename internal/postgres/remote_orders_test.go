package postgres_test

import (
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

// TestRemoteOrders says that what an operator wants of a worker is kept through its
// connections, is numbered, and comes with its heartbeats, beside the runs of each; that a
// worker of the compatible profile takes no slot groups, and that what was asked for is shown.
func TestRemoteOrders(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	one, two := remoteWorker(t, s, "one", workerA), remoteWorker(t, s, "two", workerB)
	for c, profile := range map[work.RemoteConnection]string{one: work.ProfileExtended, two: "compat"} {
		must(t, s.Remote().Join(t.Context(), c, work.RemoteProfile{Profile: profile, Types: []string{"exec"}, Lease: time.Minute}))
	}
	for range 3 {
		submit(t, s, "exec", remote("q", 0))
	}
	runs := append(claimRemote(t, s, one, 2, "q"), claimRemote(t, s, two, 1, "q")...)
	groups := []work.SlotGroup{{Queues: []string{"a", "*"}, Max: 3}}
	must(t, s.Remote().Operate(t.Context(), one.WorkerID, "drain", access.SystemUserID))
	must(t, s.Remote().Regroup(t.Context(), one.WorkerID, groups))
	if err := s.Remote().Regroup(t.Context(), two.WorkerID, groups); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("a worker of the compatible profile was given groups: %v", err)
	}
	if err := s.Remote().Regroup(t.Context(), "0c9d4f8e-5a5b-4a0e-9a43-7f6f0f3b1d99", groups); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("an unknown worker was given groups: %v", err)
	}
	opened, err := s.Remote().Connect(t.Context(), work.RemoteHello{Identity: "one", WorkerID: workerB, Name: "test", Lease: time.Minute})
	must(t, err)
	live, err := s.Remote().Extend(t.Context(), []work.RemoteConnection{opened.RemoteConnection, two})
	must(t, err)
	for name, o := range map[string]work.RemoteOrders{"a connection": opened.Orders, "a heartbeat": live[one.WorkerID].Orders} {
		if o.Number != 2 || !o.Draining || len(o.Groups) != 1 || o.Groups[0].Max != 3 {
			t.Errorf("%s finds %+v", name, o)
		}
	}
	if held := live[one.WorkerID].Held; len(held) != 2 || held[0].Worker != one.WorkerID || held[0].Group != "g" || held[0].Confirmed {
		t.Errorf("the first worker holds %+v of %+v", held, runs)
	}
	if held := live[two.WorkerID].Held; len(held) != 1 || held[0].RunKey != runs[2].RunKey || live[two.WorkerID].Orders.Number != 0 {
		t.Errorf("the second worker holds %+v", live[two.WorkerID])
	}
	must(t, s.Remote().Operate(t.Context(), one.WorkerID, "undrain", access.SystemUserID))
	shown, err := s.Remote().List(t.Context())
	must(t, err)
	if shown[0].State != work.RemoteOnline || len(shown[0].AskedGroups) != 1 || shown[1].AskedGroups != nil {
		t.Errorf("the workers are shown as %+v", shown)
	}
	must(t, s.Remote().Regroup(t.Context(), one.WorkerID, nil))
	if o, err := s.Remote().Orders(t.Context(), one.WorkerID); err != nil || o.Number != 4 || o.Draining || o.Groups != nil {
		t.Errorf("in the end %+v is wanted (%v)", o, err)
	}
}
