package follow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// at returns the update that a job is so far.
func at(id string, percent int) client.Update {
	counts := work.IngestionProgress{ChunksTotal: 100, ChunksProcessed: percent, Counts: corpus.Counts{ConceptsCreated: 10 * percent}}
	return client.Update{JobID: id, Kind: work.EventProgress, Progress: &work.Progress{
		Percent: percent, Counters: counts.Counters(),
	}}
}

// is returns the update that a job has a status.
func is(id string, s work.Status) client.Update {
	u := client.Update{JobID: id, Kind: work.EventStatus, Change: &work.StatusChange{Status: s}}
	switch s {
	case work.StatusCompleted:
		u.Kind = work.EventCompleted
	case work.StatusFailed:
		u.Kind, u.Reason = work.EventFailed, "it broke\x1b[2J"
	case work.StatusCancelled:
		u.Kind = work.EventCancelled
	}
	return u
}

func TestPlainLines(t *testing.T) {
	var out strings.Builder
	d := NewDisplay(show.Screen{Writer: &out, Env: func(string) (string, bool) { return "", false }}, []Job{{"job_1", "one.md"}, {"job_2", "two.md"}})
	for _, u := range []client.Update{
		is("job_1", work.StatusApproved), is("job_1", work.StatusApproved), is("job_1", work.StatusProcessing), at("job_1", 10), at("job_1", 24),
		at("job_1", 26), at("job_1", 27), is("job_2", work.StatusFailed), at("job_1", 80), at("job_1", 100), is("job_1", work.StatusCompleted),
	} {
		d.Update(u)
		d.Tick()
	}
	d.Close()
	want := `one.md: approved
one.md: processing
one.md: 26 %, 26/100 chunks, 260 concepts
two.md: failed, it broke[2J
one.md: 80 %, 80/100 chunks, 800 concepts
one.md: completed, 100/100 chunks, 1,000 concepts
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// What a job waits for is said once, and a warning as such.
func TestPlainLinesOfAWait(t *testing.T) {
	var out strings.Builder
	d := NewDisplay(show.Screen{Writer: &out, Env: func(string) (string, bool) { return "", false }}, []Job{{"job_1", "one.md"}})
	waits := at("job_1", 10)
	waits.Progress.Message = "waits for openai: it refuses\x1b[2J"
	back := is("job_1", work.StatusApproved)
	back.Change.Error = &waits.Progress.Message
	warning := client.Update{JobID: "job_1", Kind: work.EventWarning, Warning: &work.Warning{Message: "has waited for openai"}}
	for _, u := range []client.Update{is("job_1", work.StatusProcessing), at("job_1", 10), waits, back, warning, is("job_1", work.StatusProcessing), at("job_1", 20), is("job_1", work.StatusCompleted)} {
		d.Update(u)
	}
	want := `one.md: processing
one.md: waits for openai: it refuses[2J, 10/100 chunks, 100 concepts
one.md: approved
one.md: warning: has waited for openai
one.md: processing, 10/100 chunks, 100 concepts
one.md: completed, 20/100 chunks, 200 concepts
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// testBars returns bars on a terminal of that size, and what they write.
func testBars(columns, lines int, jobs ...Job) (*bars, *strings.Builder) {
	var out strings.Builder
	b := &bars{live: show.Live{Out: &out}, paint: show.Paint{On: true}, size: func() (int, int) { return columns, lines }, byID: map[string]*course{}}
	for _, j := range jobs {
		c := &course{Job: j}
		b.courses = append(b.courses, c)
		b.byID[j.ID] = c
	}
	return b, &out
}

func TestBarsFitTheTerminal(t *testing.T) {
	for _, columns := range []int{20, 40, 60, 80, 120} {
		b, _ := testBars(columns, 40, Job{"job_1", "a/rather/long/path/of/a/document.md"}, Job{"job_2", "漢字漢字漢字漢字漢字漢字漢字"}, Job{"job_3", "x"})
		b.Update(is("job_1", work.StatusProcessing))
		b.Update(at("job_1", 42))
		b.Update(is("job_2", work.StatusCompleted))
		b.Update(is("job_3", work.StatusFailed))
		for _, line := range b.lines(columns-1, 39) {
			if n := text.StringWidthWithoutEscSequences(line); n >= columns {
				t.Errorf("%d columns: a line of %d: %q", columns, n, line)
			}
		}
	}
}

func TestBarsShowTheState(t *testing.T) {
	b, out := testBars(80, 24, Job{"job_1", "one.md"}, Job{"job_2", "two.md"})
	b.Update(is("job_1", work.StatusProcessing))
	b.Update(at("job_1", 50))
	b.Update(is("job_2", work.StatusAwaitingApproval))
	b.Tick()
	drawn := out.String()
	if !strings.Contains(drawn, " 50 %") || !strings.Contains(drawn, "50/100 chunks") || !strings.Contains(drawn, "500 concepts") || !strings.Contains(drawn, "awaiting approval") {
		t.Errorf("drew %q", drawn)
	}
	out.Reset()
	if b.Tick(); out.Len() != 0 {
		t.Errorf("drew again though nothing changed: %q", out.String())
	}
	b.Update(is("job_1", work.StatusCompleted))
	b.Update(is("job_2", work.StatusCancelled))
	b.Close()
	if drawn := out.String(); !strings.HasPrefix(drawn, "\x1b[2A") || !strings.Contains(drawn, "100 %") || !strings.Contains(drawn, "cancelled") {
		t.Errorf("drew %q", drawn)
	}
}

func TestBarsOfManyJobs(t *testing.T) {
	var jobs []Job
	for i := range 50 {
		jobs = append(jobs, Job{fmt.Sprintf("job_%d", i), fmt.Sprintf("document %d", i)})
	}
	b, _ := testBars(80, 10, jobs...)
	for i := range 45 {
		b.Update(is(jobs[i].ID, work.StatusCompleted))
	}
	b.Update(is("job_46", work.StatusProcessing))
	lines := b.lines(79, 9)
	if len(lines) != 6 || !strings.Contains(lines[1], "document 46") || lines[5] != "45 of 50 jobs have ended" {
		t.Errorf("drew %q", lines)
	}
	for i := range 40 {
		b.byID[jobs[i].ID].status = work.StatusProcessing
	}
	if lines := b.lines(79, 9); len(lines) != 9 {
		t.Errorf("%d lines on a terminal with room for 9", len(lines))
	}
}

func TestFollower(t *testing.T) {
	t.Run("many jobs, a few at once, outcomes in order", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var now, most atomic.Int32
			f := &Follower{display: Silent{}, AtOnce: 3, watch: func(_ context.Context, id string, yield func(client.Update, error) bool) {
				most.Store(max(most.Load(), now.Add(1)))
				defer now.Add(-1)
				time.Sleep(time.Second)
				switch id {
				case "job_3":
					yield(client.Update{}, errors.New("gone"))
				case "job_5":
					yield(is(id, work.StatusFailed), nil)
				default:
					yield(is(id, work.StatusCompleted), nil)
				}
			}}
			var jobs []Job
			for i := range 8 {
				jobs = append(jobs, Job{ID: fmt.Sprintf("job_%d", i)})
			}
			outcomes, err := f.Run(t.Context(), jobs)
			if err != nil || most.Load() != 3 {
				t.Fatalf("error %v, %d watches at once, want 3", err, most.Load())
			}
			for i, o := range outcomes {
				want := work.StatusCompleted
				switch i {
				case 3:
					want = ""
				case 5:
					want = work.StatusFailed
				}
				if o.ID != jobs[i].ID || o.Status != want || (o.Err != nil) != (i == 3) {
					t.Errorf("Outcome %d is %+v", i, o)
				}
			}
			if err := Broken(outcomes); err == nil || err.Error() != "watch job_3: gone" {
				t.Errorf("broken: %v", err)
			}
		})
	})
	t.Run("it ends early when told, and with its context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			forever := func(ctx context.Context, id string, yield func(client.Update, error) bool) {
				if !yield(is(id, work.StatusAwaitingApproval), nil) {
					return
				}
				<-ctx.Done()
				yield(client.Update{}, ctx.Err())
			}
			f := &Follower{display: Silent{}, AtOnce: 1, watch: forever, Stop: func(u client.Update) bool { return u.Status() == work.StatusAwaitingApproval }}
			if outcomes, err := f.Run(t.Context(), []Job{{ID: "job_1"}, {ID: "job_2"}}); err != nil || outcomes[1].Status != work.StatusAwaitingApproval {
				t.Errorf("outcomes %+v, error %v", outcomes, err)
			}
			f.Stop = nil
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := f.Run(ctx, []Job{{ID: "job_1"}, {ID: "job_2"}}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
	})
}
