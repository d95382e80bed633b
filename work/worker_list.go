package work

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/kappagraph/kappa"
)

// The kinds of workers.
const (
	WorkerServer = "server"
	WorkerRemote = "remote"
)

// WorkerProcess is a server or a remote worker, as both are listed together.
type WorkerProcess struct {
	ID      string `json:"worker_id"`
	Kind    string `json:"kind" enum:"server,remote"`
	Name    string `json:"name"`    // of a server its machine and process
	Version string `json:"version"` // "" when it has not said
	State   string `json:"state"`   // of a server live, of a remote worker as RemoteWorker has it
	// StartedAt is when a server began, or went on after it had lost its lease, and when a
	// remote worker connected; nil when it is not connected.
	StartedAt *kappa.Time `json:"started_at"`
	Running   int         `json:"running"`  // jobs
	Capacity  int         `json:"capacity"` // of a remote worker; 0 for servers, whose lanes have slots
	Runs      []string    `json:"runs"`     // ids of the jobs; of a server those among the running jobs that are listed
	// LeadsSince is since when it leads; nil when it does not.
	LeadsSince *kappa.Time `json:"leads_since"`
}

// ListProcesses returns the servers and the remote workers of a status that have not gone: the
// server that leads, the others, and the remote workers, each by name.
func ListProcesses(s WorkerStatus) []WorkerProcess {
	list := []WorkerProcess{}
	for _, w := range s.Workers {
		p := WorkerProcess{
			ID: w.ID, Kind: WorkerServer, Name: w.Hostname + ":" + strconv.Itoa(w.PID), Version: w.Version, State: "live",
			StartedAt: &w.StartedAt, Running: w.Running, Runs: []string{},
		}
		for _, j := range s.RunningJobs {
			if j.ClaimedBy != nil && *j.ClaimedBy == w.ID {
				p.Runs = append(p.Runs, j.JobID)
			}
		}
		if s.Leader != nil && s.Leader.WorkerID == w.ID {
			p.LeadsSince = &s.Leader.Since
		}
		list = append(list, p)
	}
	for _, w := range s.RemoteWorkers {
		if w.State == RemoteGone {
			continue
		}
		list = append(list, WorkerProcess{
			ID: w.ID, Kind: WorkerRemote, Name: cmp.Or(w.Name, w.ID), Version: w.Version, State: w.State, StartedAt: w.ConnectedAt,
			Running: w.Active, Capacity: w.Capacity, Runs: append([]string{}, w.Runs...),
		})
	}
	rank := func(p WorkerProcess) int {
		switch {
		case p.LeadsSince != nil:
			return 0
		case p.Kind == WorkerServer:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b WorkerProcess) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Name, b.Name))
	})
	return list
}
