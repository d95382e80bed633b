package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/test/protocol"
	"github.com/kappagraph/kappa/work"
)

// actor does in a database what a step of the model says.
type actor struct {
	*crashLab

	jobs    [protocol.Jobs]string
	workers [protocol.Workers]string
	claims  [protocol.Workers]work.Claim // what each believes to have
	unheard [protocol.Jobs]work.Claim    // of a claim whose answer was lost
	rescued [protocol.Jobs]int
}

// The types of the two jobs, and their lanes: so a claim takes the one that is meant.
var (
	modelTypes = [protocol.Jobs]string{"polarity", "ontology_annealing"}
	modelLanes = [protocol.Jobs]string{"interactive", "maintenance"}
)

// begin stores both jobs and registers the workers.
func (a *actor) begin() {
	for j, t := range modelTypes {
		a.jobs[j] = submit(a.T, a.s, t).ID
	}
	for w := range a.workers {
		a.register(w)
	}
}

func (a *actor) register(w int) {
	a.crashLab.workers++
	a.workers[w] = fmt.Sprintf("00000000-0000-4000-8000-0000001%05d", a.crashLab.workers)
	register(a.T, a.s, a.workers[w])
}

// do does a step.
func (a *actor) do(step protocol.Step) {
	ctx := a.Context()
	switch step.Kind {
	case protocol.Claim, protocol.ClaimUnanswered:
		got, err := a.s.Claims().Claim(ctx, work.ClaimRequest{Lane: modelLanes[step.Job], Worker: a.workers[step.Worker], Types: modelTypes[step.Job : step.Job+1], Most: 1})
		must(a.T, err)
		if len(got.Claims) != 1 {
			a.Fatalf("%v: %d jobs were claimed", step, len(got.Claims))
		}
		if step.Kind == protocol.Claim {
			a.claims[step.Worker] = got.Claims[0]
		} else {
			a.unheard[step.Job] = got.Claims[0]
		}
	case protocol.Complete, protocol.CompleteUnanswered:
		a.finish(step.Worker, a.claims[step.Worker], work.StatusCompleted)
	case protocol.Acknowledge:
		a.finish(step.Worker, a.claims[step.Worker], work.StatusCancelled)
	case protocol.ReleaseOrphan:
		a.finish(step.Worker, a.unheard[step.Job], work.StatusApproved)
	case protocol.Heartbeat:
		a.register(step.Worker)
	case protocol.Expire:
		expire(a.T, a.dsn, a.workers[step.Worker])
	case protocol.TakeBack:
		_, err := a.s.Queue().Rescue(ctx, 0, 10)
		must(a.T, err)
		a.rescued[step.Job]++
		execSQL(a.T, a.dsn, "UPDATE kg_api.jobs SET due = true, run_at = clock_timestamp() WHERE status = 'approved' AND NOT due") // the model knows no pause
	case protocol.Cancel:
		_, err := a.s.Jobs().Cancel(ctx, a.jobs[step.Job])
		must(a.T, err)
	case protocol.Crash, protocol.Pause, protocol.Resume: // they change no row
	}
}

func (a *actor) finish(w int, c work.Claim, as work.Status) {
	_, err := a.s.Claims().Finish(a.Context(), a.workers[w], []work.Outcome{{Claim: c, Status: as}})
	must(a.T, err)
}

// compare wants of both jobs what the model has of them.
func (a *actor) compare(s protocol.State, told []string) {
	for j, id := range a.jobs {
		job, err := a.s.Jobs().Job(a.Context(), id)
		must(a.T, err)
		model := s.Jobs[j]
		if string(job.Status) != model.Status.String() || model.Status == protocol.Processing && job.CancelRequested != model.Cancel || job.Attempt != int(model.Claims) {
			a.Fatalf("job %d is %s (cancel %t) after %d claims, and in the model %v (cancel %t) after %d:\n%s", j, job.Status, job.CancelRequested, job.Attempt, model.Status, model.Cancel, model.Claims, strings.Join(told, "\n"))
		}
	}
}

// end looks at the histories of a walk, and ends what it has left.
func (a *actor) end() {
	for _, id := range a.jobs {
		checkHistory(a.T, a.s, id)
	}
	execSQL(a.T, a.dsn, "UPDATE kg_api.workers SET state = 'dead', lease_until = now() - interval '1 second'")
	for _, id := range a.jobs {
		_, _ = a.s.Jobs().Cancel(a.Context(), id) // one that is over stays so
	}
	_, err := a.s.Queue().Rescue(a.Context(), 0, 10)
	must(a.T, err)
}

// TestModelIsTheStore walks at random through the states of the model, and has the database do the
// same: after each step both say the same of both jobs.
func TestModelIsTheStore(t *testing.T) {
	t.Parallel()
	modelWalks(t, 12)
}

func TestModelIsTheStore_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	for kind, times := range modelWalks(t, 200) {
		if times < 10 {
			t.Errorf("a step of kind %d was done %d times only", kind, times)
		}
	}
}

// modelWalks returns how often each kind of step was done.
func modelWalks(t *testing.T, walks int) [protocol.Cancel + 1]int {
	t.Helper()
	a, kinds := &actor{crashLab: newCrashLab(t)}, [protocol.Cancel + 1]int{}
	random := rand.New(rand.NewPCG(7, 7)) // the same walks each time
	for range walks {
		*a = actor{crashLab: a.crashLab}
		a.begin()
		s, told := protocol.Start(), []string(nil)
		for ways := protocol.Next(s, protocol.Sound); len(ways) > 0 && len(told) < 25; ways = protocol.Next(s, protocol.Sound) {
			way := ways[random.IntN(len(ways))]
			told = append(told, way.Step.String())
			a.do(way.Step)
			kinds[way.Step.Kind]++
			if s = way.To; way.Step.Kind == protocol.TakeBack {
				s = a.allTakenBack(s)
			}
			if a.rescued[0] > 1 || a.rescued[1] > 1 || s.Jobs[0].Status == protocol.Failed || s.Jobs[1].Status == protocol.Failed {
				break // the database gives up later than the model, which must be small
			}
			a.compare(s, told)
		}
		a.end()
	}
	return kinds
}

// allTakenBack returns the state in which nothing else is left to take back: the database takes all
// that nobody has at once.
func (a *actor) allTakenBack(s protocol.State) protocol.State {
	for _, other := range protocol.Next(s, protocol.Sound) {
		if other.Step.Kind == protocol.TakeBack {
			s = other.To
			a.rescued[other.Step.Job]++
		}
	}
	return s
}
