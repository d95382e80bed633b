package remote

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/work"
)

// TestBatcher has what one caller asks for go with one statement, in its order, and a
// caller that gives up leave the statement to the others.
func TestBatcher(t *testing.T) {
	calls, begun, release := 0, make(chan struct{}, 8), make(chan struct{})
	b := batcher[int, int]{run: func(_ context.Context, items []int) ([]int, error) {
		calls++
		begun <- struct{}{}
		<-release
		outs := make([]int, len(items))
		for i, n := range items {
			outs[i] = -n
		}
		return outs, nil
	}}
	ctx, giveUp := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		_, err := b.do(ctx, 7)
		over <- err
	}()
	<-begun
	giveUp()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Errorf("who gives up gets %v", err)
	}
	close(release)
	outs, err := b.doAll(t.Context(), []int{1, 2, 3})
	if err != nil || !slices.Equal(outs, []int{-1, -2, -3}) || calls != 2 {
		t.Errorf("got %v, %v with %d statements", outs, err, calls)
	}
	if outs, err := b.doAll(t.Context(), nil); err != nil || outs != nil || calls != 2 {
		t.Errorf("nothing gave %v, %v", outs, err)
	}
}

// TestBatcherAlone has who does not give up run its own statement, and a panic of it
// leave the batcher to others.
func TestBatcherAlone(t *testing.T) {
	spawned, panics := 0, false
	b := batcher[int, int]{spawn: func(f func()) { spawned++; f() }, run: func(_ context.Context, items []int) ([]int, error) {
		if panics {
			panic("as the test wants")
		}
		return items, nil
	}}
	if out, err := b.do(context.WithoutCancel(t.Context()), 1); out != 1 || err != nil || spawned != 0 {
		t.Errorf("got %d, %v from %d tasks", out, err, spawned)
	}
	func() {
		defer func() { _ = recover() }()
		panics = true
		_, _ = b.do(context.WithoutCancel(t.Context()), 2)
	}()
	panics = false
	if out, err := b.do(t.Context(), 3); out != 3 || err != nil || spawned != 1 {
		t.Errorf("after a panic: got %d, %v from %d tasks", out, err, spawned)
	}
}

// slowStore ends runs slowly.
type slowStore struct {
	fakeStore
	ended int
}

func (s *slowStore) Finish(context.Context, []work.RunOutcome) (map[int64]work.RunEnd, error) {
	time.Sleep(3 * time.Second) // of fake time
	s.ended++
	return nil, nil
}

// TestBatcherStop has a server that stops wait for a statement that is on its way, also
// when who asked has given up.
func TestBatcherStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		types, err := work.NewJobTypes(NewRemoteType("exec"))
		must(t, err)
		store := &slowStore{}
		s, err := New(Config{Store: store, Types: types, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		must(t, err)
		ctx, stop := context.WithCancel(t.Context())
		stopped := make(chan error)
		go func() { stopped <- s.Run(ctx) }()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.finish.do(short, work.RunOutcome{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("who gives up gets %v", err)
		}
		stop()
		must(t, <-stopped)
		if store.ended != 1 {
			t.Error("the server has stopped before its statement")
		}
	})
}

// TestEndsAreTold ends a run, gives one back, and ends one that is another's: the first one counts.
func TestEndsAreTold(t *testing.T) {
	types, err := work.NewJobTypes(NewRemoteType("exec"))
	must(t, err)
	first, second := work.RunKey{JobID: "job_1", Token: 1}, work.RunKey{JobID: "job_2", Token: 2}
	store := &fakeStore{held: []work.HeldRun{{RunKey: first}, {RunKey: second}}}
	var told []work.EndedAttempt
	s, err := New(Config{Store: store, Types: types, Now: time.Now, Log: slog.New(slog.DiscardHandler), Ended: func(a work.EndedAttempt) { told = append(told, a) }})
	must(t, err)
	statuses, err := s.finishAll(t.Context(), []work.RunOutcome{
		{RunKey: first, Status: work.StatusCompleted}, {RunKey: second, Status: work.StatusApproved, Outcome: work.RunReturned}, {RunKey: work.RunKey{JobID: "job_3", Token: 3}, Status: work.StatusFailed},
	})
	must(t, err)
	if !slices.Equal(statuses, []work.Status{work.StatusCompleted, work.StatusApproved, ""}) || len(told) != 1 || told[0].Outcome != "completed" || told[0].Lane != work.RemoteLane {
		t.Errorf("the jobs are %v, told of %+v", statuses, told)
	}
}
