// Command ingest measures ingestion from submission to the written graph with
// the built-in extractor: words per second, and how the time per document grows
// from 10 to 1,000 documents. It runs kg serve as a process of its own on a new
// private cluster, and speaks to it over HTTP as any client.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
)

func main() {
	kg := flag.String("kg", "bin/kg", "the kg program")
	documents := flag.Int("documents", 1000, "documents to ingest, 10 or more")
	words := flag.Int("words", 600, "words in each document")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *kg, *documents, *words); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kg string, documents, words int) error {
	if documents < 10 || words < 50 {
		return fmt.Errorf("at least 10 documents of 50 words, got %d of %d", documents, words)
	}
	server, err := startServer(ctx, kg)
	if err != nil {
		return err
	}
	defer server.stop()
	fmt.Printf("ingestion: %d documents of about %d words, built-in extractor, 2 slots\n\n", documents, words)
	fmt.Printf("%10s %10s %10s %12s %14s %16s\n", "documents", "words", "seconds", "words/s", "ms/document", "concepts so far")
	source := newCorpus(words)
	var all []time.Duration // per document, in the order of ingestion
	for done := 0; done < documents; {
		next := min(max(10, 10*done), documents)
		stage, err := server.ingest(ctx, source, done, next)
		if err != nil {
			return err
		}
		all = append(all, stage.each...)
		done = next
		fmt.Printf("%10d %10d %10.1f %12.0f %14.1f %16d\n", done, stage.words, stage.took.Seconds(),
			float64(stage.words)/stage.took.Seconds(), float64(stage.took.Milliseconds())/float64(len(stage.each)), stage.concepts)
	}
	tenth := max(10, documents/10)
	first, last := median(all[:tenth]), median(all[len(all)-tenth:])
	fmt.Printf("\nmedian time in a slot: first %d documents %s, last %d documents %s: ratio %.2f (1 = exactly linear)\n",
		tenth, first.Round(100*time.Microsecond), tenth, last.Round(100*time.Microsecond), float64(last)/float64(first))
	return nil
}

func median(list []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// stage is what the ingestion of some documents took.
type stage struct {
	words    int
	took     time.Duration   // from the first submission to the last completion
	each     []time.Duration // from the claim of a document to its completion
	concepts int             // in the graph afterwards
}

// ingest submits documents number from to to-1 and waits for the last one.
func (s *server) ingest(ctx context.Context, source *corpus, from, to int) (stage, error) {
	var st stage
	began := time.Now()
	ids := make([]string, 0, to-from)
	for n := from; n < to; n++ {
		text := source.document(n)
		st.words += source.words
		submitted, err := s.api.Submit(ctx, client.Document{Body: []byte(text), Filename: fmt.Sprintf("document-%d.txt", n), Ontology: "bench", AutoApprove: true})
		if err != nil {
			return st, err
		}
		ids = append(ids, submitted.JobID)
	}
	for _, id := range ids {
		job, err := s.await(ctx, id)
		if err != nil {
			return st, err
		}
		st.each = append(st.each, job.CompletedAt.Sub(job.StartedAt.Time))
	}
	st.took = time.Since(began)
	stats, err := s.api.GraphStats(ctx)
	st.concepts = stats.Nodes.Concepts
	return st, err
}

// await waits until a job has completed.
func (s *server) await(ctx context.Context, id string) (kappa.Job, error) {
	for {
		job, err := s.api.Job(ctx, id)
		if err != nil {
			return job, err
		}
		if job.Status == kappa.StatusCompleted {
			return job, nil
		}
		if job.Status.Terminal() {
			return job, fmt.Errorf("%s is %s: %v", id, job.Status, job.Error)
		}
		select {
		case <-ctx.Done():
			return job, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
