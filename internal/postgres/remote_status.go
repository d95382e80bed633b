package postgres

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// addRemote adds the remote workers and what waits for them. It returns the types of
// what waits.
func (s RemoteStore) addRemote(ctx context.Context, st *work.WorkerStatus) (map[string]bool, error) {
	workers, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.q().RemoteWaiting(ctx)
	if err != nil {
		return nil, translate(err, "count what waits for remote workers")
	}
	st.RemoteWorkers = workers
	for _, w := range workers {
		if w.State == work.RemoteGone {
			continue
		}
		st.Remote.Active += w.Active
		st.Remote.Reserved += w.Reserved
		if w.State == work.RemoteGrace {
			continue
		}
		st.Remote.Connected++
		st.Remote.Capacity += w.Capacity
		if w.State != work.RemoteDraining {
			st.Remote.Idle += max(0, w.Capacity-w.Active-w.Reserved)
		}
	}
	types := map[string]bool{}
	for _, r := range rows {
		types[r.JobType] = true
		q := work.RemoteQueue{Queue: r.Queue, JobType: r.JobType, Count: int(r.Jobs), Oldest: kappa.At(r.Oldest)}
		st.Remote.Waiting = append(st.Remote.Waiting, q)
		pair := work.WaitingPair{JobType: r.JobType, Queue: r.Queue}
		if !slices.ContainsFunc(workers, func(w work.RemoteWorker) bool { return w.Takes(pair) }) {
			st.Remote.Unserved = append(st.Remote.Unserved, q)
		}
	}
	return types, nil
}

// List returns the remote workers: those that are connected, those whose lease is not
// over, and those of the last day.
func (s RemoteStore) List(ctx context.Context) ([]work.RemoteWorker, error) {
	rows, err := s.q().RemoteList(ctx)
	if err != nil {
		return nil, translate(err, "list the remote workers")
	}
	workers := make([]work.RemoteWorker, len(rows))
	var ids []string
	for i, r := range rows {
		if workers[i], err = remoteWorkerOf(r); err != nil {
			return nil, err
		}
		ids = append(ids, r.WorkerID)
	}
	if len(ids) == 0 {
		return workers, nil
	}
	held, err := s.Held(ctx, ids...)
	for _, h := range held {
		w := &workers[slices.Index(ids, h.Worker)]
		w.Runs = append(w.Runs, h.JobID)
		if h.Confirmed {
			w.Active++
		} else {
			w.Reserved++
		}
		for g := range w.Groups {
			switch use := &w.Groups[g]; {
			case use.Name != h.Group:
			case h.Confirmed:
				use.Active++
			default:
				use.Reserved++
			}
		}
	}
	return workers, err
}

// remoteWorkerOf returns a worker without what it holds.
func remoteWorkerOf(r db.RemoteListRow) (work.RemoteWorker, error) {
	w := work.RemoteWorker{
		ID: r.WorkerID, Name: r.Name, Profile: r.Profile, Version: r.Version, State: work.RemoteGone, Generation: r.Generation,
		Server: r.Server, Address: r.Address, Types: r.JobTypes, Labels: map[string]string{}, Capacity: int(r.Capacity), Groups: []work.RemoteGroupUsage{}, Runs: []string{},
		ConnectedAt: kappa.AtPtr(r.ConnectedAt), LastSeen: kappa.AtPtr(r.SeenAt), LeaseLeftMS: max(0, r.LeaseLeftMs),
		Completed: r.Completed, Failed: r.Failed, Late: r.Late,
	}
	if blocked, ok := r.Blocked.(bool); ok {
		w.Blocked = blocked
	}
	silent := time.Duration(r.SilentMs) * time.Millisecond
	switch {
	case r.State != "live" || r.LeaseLeftMs <= 0:
	case !r.Connected:
		w.State = work.RemoteGrace
	case r.Draining:
		w.State = work.RemoteDraining
	case silent > work.SilentAfter:
		w.State = work.RemoteSilent
	default:
		w.State = work.RemoteOnline
	}
	if len(r.Labels) > 0 {
		if err := json.Unmarshal(r.Labels, &w.Labels); err != nil {
			return w, err
		}
	}
	if len(r.AskedGroups) > 0 {
		if err := json.Unmarshal(r.AskedGroups, &w.AskedGroups); err != nil {
			return w, err
		}
	}
	var groups []work.RemoteGroup
	if len(r.Groups) > 0 {
		if err := json.Unmarshal(r.Groups, &groups); err != nil {
			return w, err
		}
	}
	for _, g := range groups {
		use := work.RemoteGroupUsage{Name: g.Name, Queues: g.Queues, Mode: "filter", Max: g.Max}
		if slices.Contains(g.Queues, "*") {
			use.Mode = "preference"
		}
		w.Groups = append(w.Groups, use)
	}
	return w, nil
}
