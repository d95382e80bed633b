package streams

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/work"
)

// TestOverviewLaw lets many jobs run their course at once while the database
// fails for moments and messages are repeated. Each client sees each job that is
// not over when it comes, or that begins later: a snapshot first, then every
// event but overtaken progress, in order, up to the end.
func TestOverviewLaw(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel() // it waits most of the time
			const jobs = 20
			r := rand.New(rand.NewPCG(seed, 2))
			b := withJobs()
			b.slow = 500 * time.Microsecond
			url := listen(t, testConfig(b))
			var clients sync.WaitGroup
			for range 3 {
				w := consoleOf(t, url, "?jobs=*")
				clients.Go(func() {
					if err := seeAllToTheEnd(w, b, jobs); err != nil {
						t.Error(err)
					}
				})
			}
			runJobs(b, r, jobs)
			clients.Wait()
		})
	}
}

// runJobs lets so many jobs begin and end.
func runJobs(b *backend, r *rand.Rand, jobs int) {
	begun := 0
	var open []int
	for begun < jobs || len(open) > 0 {
		switch n := r.IntN(12); {
		case begun < jobs && (n == 0 || len(open) == 0):
			begun++
			b.addJob(begun, work.StatusPending, "")
			open = append(open, begun)
			b.happen(begun, work.EventStatus, `{}`)
		case n == 1 && begun > jobs/2:
			i := r.IntN(len(open))
			b.happen(open[i], work.EventStatus, `{}`)
			b.happen(open[i], work.EventFailed, `{}`)
			open = append(open[:i], open[i+1:]...)
		case n == 2:
			b.set(func() { b.err = errors.New("down") })
			<-time.After(time.Duration(r.IntN(1000)) * time.Microsecond)
			b.set(func() { b.err = nil })
		case n == 3:
			b.notify(func(d *work.Delivery) { d.Changed, d.Resync = append(d.Changed, jobNumber(1+r.IntN(begun))), true })
		case n < 6:
			b.happen(open[r.IntN(len(open))], work.EventStatus, `{}`)
		case n < 11:
			b.happen(open[r.IntN(len(open))], work.EventProgress, `{}`)
		default:
			<-time.After(time.Duration(r.IntN(20)) * time.Millisecond)
		}
	}
}

// seeAllToTheEnd reads until so many jobs are over.
func seeAllToTheEnd(w *watch, b *backend, jobs int) error {
	last, over := map[string]int64{}, map[string]bool{}
	for len(over) < jobs {
		f, err := readFrame(w.r)
		if err != nil {
			return fmt.Errorf("with %d jobs over: %w", len(over), err)
		}
		var e envelope
		if err := json.Unmarshal(f.data, &e); err != nil {
			return err
		}
		before, seen := last[e.JobID]
		switch {
		case e.JobID == "":
			continue
		case over[e.JobID]:
			return fmt.Errorf("job %s is over, and then there is %s %d", e.JobID, f.event, e.Seq)
		case seen == (f.event == "snapshot"):
			return fmt.Errorf("job %s: %s %d after %d", e.JobID, f.event, e.Seq, before)
		case seen && (e.Seq <= before || !overtakenOf(b, e.JobID, before+1, frame{id: e.Seq, event: f.event})):
			return fmt.Errorf("job %s: %s %d after %d leaves something out", e.JobID, f.event, e.Seq, before)
		}
		last[e.JobID] = e.Seq
		var job struct{ Status work.Status }
		if f.event == "snapshot" {
			if err := json.Unmarshal(e.Data, &job); err != nil {
				return err
			}
		}
		over[e.JobID] = over[e.JobID] || work.EventKind(f.event).Terminal() || job.Status.Terminal()
		if !over[e.JobID] {
			delete(over, e.JobID)
		}
	}
	return nil
}
