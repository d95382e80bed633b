// Command models measures how busy the slots of a provider are: a server that speaks the
// API of OpenAI answers each chunk after a while, and so many calls may run at once. One
// document is read in parallel mode, and then several one chunk after the other. It runs
// kg serve as a process of its own on a new private cluster.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/llm/llmtest"
	"github.com/kappagraph/kappa/work"
)

// least is how busy the slots are to be.
const least = 0.95

func main() {
	kg := flag.String("kg", "bin/kg", "the kg program")
	answer := flag.Duration("answer", 2*time.Second, "how long the model takes to answer")
	calls := flag.Int("calls", 8, "calls that may run at once")
	rounds := flag.Int("rounds", 10, "how often each slot is used in each mode")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *kg, *answer, *calls, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kg string, answer time.Duration, calls, rounds int) error {
	fmt.Printf("models: an answer takes %s, %d calls at once\n\n", answer, calls)
	fmt.Printf("%-34s %7s %9s %9s\n", "mode", "chunks", "seconds", "busy")
	for _, m := range []struct {
		name      string
		mode      string
		documents int
	}{
		{"one document, parallel", work.ModeParallel, 1},
		{fmt.Sprintf("%d documents, serial", calls+calls/2), work.ModeSerial, calls + calls/2},
	} {
		model := llmtest.New()
		model.Delay = answer
		busy, chunks, took, err := measure(ctx, kg, model, m.mode, m.documents, calls, rounds)
		model.Close()
		if err != nil {
			return err
		}
		fmt.Printf("%-34s %7d %9.1f %8.1f%%\n", m.name, chunks, took.Seconds(), 100*busy)
		if busy < least {
			return fmt.Errorf("%s: the slots are busy for %.1f %% of the time, want %.0f %%", m.name, 100*busy, 100*least)
		}
	}
	return nil
}

// measure has documents read, and returns the share of the slots that was busy from the
// first call to the last one's beginning: afterwards there is not enough left to do.
func measure(ctx context.Context, kg string, model *llmtest.Server, mode string, documents, calls, rounds int) (busy float64, chunks int, took time.Duration, err error) {
	server, err := serving.Start(ctx, kg, "KG_EXTRACTOR=openai", "KG_OPENAI_BASE_URL="+model.URL+"/v1", fmt.Sprintf("KG_OPENAI_CALLS=%d", calls))
	if err != nil {
		return 0, 0, 0, err
	}
	defer server.Stop()
	slots := documents + 2
	if _, err := server.API.Workers.UpdateLane(ctx, "interactive", work.LaneUpdate{MaxSlots: &slots}); err != nil {
		return 0, 0, 0, err
	}
	each := calls * rounds / documents
	target, overlap := 100, 0
	var jobs []string
	for d := range documents {
		submitted, err := server.API.Documents.Submit(ctx, client.Document{
			Body: []byte(document(d, each)), Filename: fmt.Sprintf("d%d.txt", d), Ontology: "bench", AutoApprove: true, ProcessingMode: mode,
			Chunking: corpus.ChunkRequest{TargetWords: &target, OverlapWords: &overlap},
		})
		if err != nil {
			return 0, 0, 0, err
		}
		jobs = append(jobs, submitted.JobID)
	}
	began, ended := time.Now(), make(chan error, 1)
	go func() { ended <- await(ctx, server.API, jobs) }()
	total, samples, seen := 0, 0, 0
	var sum, first int // of the active calls, up to the beginning of the last one seen
	for sampling := true; sampling; {
		select {
		case err := <-ended:
			if err != nil {
				return 0, 0, 0, err
			}
			sampling = false
		case <-time.After(2 * time.Millisecond):
		}
		now := model.Chats()
		if now == 0 {
			continue
		}
		if first == 0 {
			first, began = now, time.Now()
		}
		total += min(model.Active(), calls)
		samples++
		if now > seen {
			seen, sum = now, samples
			took, busy = time.Since(began), float64(total)/float64(samples)/float64(calls)
		}
	}
	if model.Most() > calls || sum == 0 {
		return 0, 0, 0, fmt.Errorf("%d calls ran at once, the limit is %d", model.Most(), calls)
	}
	return busy, seen, took, nil
}

// await waits until jobs have completed.
func await(ctx context.Context, api *client.Client, jobs []string) error {
	for _, id := range jobs {
		for {
			job, err := api.Jobs.Get(ctx, id)
			if err != nil {
				return err
			}
			if job.Status == work.StatusCompleted {
				break
			}
			if job.Status.Terminal() {
				return fmt.Errorf("the job %s is %s", id, job.Status)
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	return nil
}

// document returns a text of so many chunks of a hundred words.
func document(number, chunks int) string {
	var b strings.Builder
	for i := range chunks * 10 {
		fmt.Fprintf(&b, "The project Orion%d of the year %d depends on Module%d.\n", number*1000+i, i, i%17)
	}
	return b.String()
}
