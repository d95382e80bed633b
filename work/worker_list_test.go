package work_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// TestListProcesses lists two servers, one of which leads, and remote workers, one of which has gone.
func TestListProcesses(t *testing.T) {
	at := kappa.At(time.Unix(1000, 0))
	list := work.ListProcesses(work.WorkerStatus{
		Workers: []work.Worker{{ID: "1", Hostname: "a", PID: 7, Version: "v1", StartedAt: at}, {ID: "2", Hostname: "b", PID: 8, Version: "v2", StartedAt: at, Running: 2}},
		Leader:  &work.Leader{WorkerID: "2", Since: at},
		RunningJobs: []work.RunningJob{
			{JobID: "job_1", ClaimedBy: new("2")}, {JobID: "job_2", ClaimedBy: new("3")}, {JobID: "job_3", ClaimedBy: new("2")}, {JobID: "job_4"},
		},
		RemoteWorkers: []work.RemoteWorker{
			{ID: "4", Name: "gone", State: work.RemoteGone}, {ID: "3", Version: "r", State: work.RemoteGrace, Active: 1, Capacity: 4, Runs: []string{"job_2"}},
		},
	})
	var got []string
	for _, p := range list {
		leads := ""
		if p.LeadsSince != nil {
			leads = " leads"
		}
		got = append(got, p.Kind+" "+p.Name+" "+p.Version+" "+p.State+leads+" "+strings.Join(p.Runs, ","))
	}
	want := []string{"server b:8 v2 live leads job_1,job_3", "server a:7 v1 live ", "remote 3 r grace job_2"}
	if !slices.Equal(got, want) || list[0].Running != 2 || list[2].Running != 1 || list[2].Capacity != 4 || list[2].StartedAt != nil || *list[1].StartedAt != at {
		t.Errorf("got %q (%+v), want %q", got, list, want)
	}
	if empty := work.ListProcesses(work.WorkerStatus{}); empty == nil || len(empty) != 0 {
		t.Errorf("of nobody: %v", empty)
	}
}
