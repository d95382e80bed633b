package top

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/work"
)

// fakeServer tells what is put into news, and remembers what it was asked.
type fakeServer struct {
	news chan client.News
	end  error // when news is closed

	mu        sync.Mutex
	cancelled []string
}

func newFakeServer(news ...client.News) *fakeServer {
	f := &fakeServer{news: make(chan client.News, len(news))}
	for _, n := range news {
		f.news <- n
	}
	return f
}

func (f *fakeServer) Overview(ctx context.Context) iter.Seq2[client.News, error] {
	return func(yield func(client.News, error) bool) {
		for {
			select {
			case <-ctx.Done():
				yield(client.News{}, ctx.Err())
				return
			case n, more := <-f.news:
				if !more {
					yield(client.News{}, f.end)
					return
				}
				if !yield(n, nil) {
					return
				}
			}
		}
	}
}

func (f *fakeServer) Wait(_ context.Context, jobID string) (work.JobWait, error) {
	return work.JobWait{JobID: jobID, Status: work.StatusApproved, Reason: "All 2 slots of the lane interactive are taken.", Remedy: "kg admin workers lanes set"}, nil
}

func (f *fakeServer) Cancel(_ context.Context, jobID string) (api.JobReply, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancelled = append(f.cancelled, jobID)
	if jobID == "job_00000000000c" {
		return api.JobReply{}, errors.New("it is\nover")
	}
	return api.JobReply{}, nil
}

// job is the news of a job as it is.
func job(id, kind string, status work.Status, what string) client.News {
	j := work.Job{ID: id, Type: kind, Status: status, Username: new("ada")}
	j.Filename, j.Queue = &what, "default"
	j.CreatedAt = kappa.Time{Time: start}
	return client.News{Job: &client.Update{JobID: id, Kind: client.UpdateSnapshot, Job: &j}}
}

// becomes is the news that a job has another status.
func becomes(id string, status work.Status) client.News {
	return client.News{Job: &client.Update{JobID: id, Kind: work.EventStatus, Change: &work.StatusChange{JobID: id, Status: status}}}
}

// ends is the news that a job is over.
func ends(id string, kind work.EventKind, reason string) client.News {
	return client.News{Job: &client.Update{JobID: id, Kind: kind, Reason: reason}}
}

// lane is the news of a lane.
func lane(name string, running, slots, queued int) client.News {
	u := work.LaneUsage{RunningJobs: running, QueuedJobs: queued}
	u.Name, u.MaxSlots, u.Enabled, u.JobTypes = name, slots, true, []string{"noop"}
	return client.News{Lane: &u}
}
