package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/work"
)

// The demands on speed.
const (
	leastSpeed = 20_000 // words a second
	leastRatio = 0.7    // of that, in a graph of many concepts
)

// speed measures words per second, and how the time per document grows from 10 to 1,000
// documents.
func (b *bench) speed(ctx context.Context) error {
	started, err := serving.Start(ctx, b.kg)
	if err != nil {
		return err
	}
	defer started.Stop()
	server := &server{started.API}
	fmt.Printf("ingestion: %d documents of about %d words, built-in extractor, 2 slots\n\n", b.documents, b.words)
	fmt.Printf("%10s %10s %10s %12s %14s %16s\n", "documents", "words", "seconds", "words/s", "ms/document", "concepts so far")
	source := newCorpus(b.words, 1, vocabulary)
	var all []time.Duration // per document, in the order of ingestion
	var last stage
	for done := 0; done < b.documents; {
		next := min(max(10, 10*done), b.documents)
		if last, err = server.ingest(ctx, source, done, next); err != nil {
			return err
		}
		all = append(all, last.each...)
		done = next
		fmt.Printf("%10d %10d %10.1f %12.0f %14.1f %16d\n", done, last.words, last.took.Seconds(),
			last.speed(), float64(last.took.Milliseconds())/float64(len(last.each)), last.concepts)
	}
	tenth := max(10, b.documents/10)
	before, after := median(all[:tenth]), median(all[len(all)-tenth:])
	fmt.Printf("\nmedian time in a slot: first %d documents %s, last %d documents %s: ratio %.2f (1 = exactly linear)\n",
		tenth, before.Round(100*time.Microsecond), tenth, after.Round(100*time.Microsecond), float64(after)/float64(before))
	fmt.Printf("words a second, through the whole pipeline: %.0f, must be ≥ %d: %s\n", last.speed(), leastSpeed, b.verdict(last.speed() >= leastSpeed))
	return nil
}

func median(list []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// graph measures words per second into an empty graph, and into one of many concepts.
// Both kinds of documents bring as many new concepts.
func (b *bench) graph(ctx context.Context) error {
	started, err := serving.Start(ctx, b.kg)
	if err != nil {
		return err
	}
	defer started.Stop()
	server := &server{started.API}
	few := b.documents / 5
	if _, err := server.ingest(ctx, newCorpus(b.words, 9, vocabulary), 0, 10); err != nil { // so that everything is loaded
		return err
	}
	empty, err := server.ingest(ctx, newCorpus(b.words, 1, vocabulary), 0, few)
	if err != nil {
		return err
	}
	filler := newCorpus(b.words, 5, 2*b.concepts)
	filler.each = true
	began := time.Now()
	for concepts, n := 0, 0; concepts < b.concepts; n += 50 {
		filled, err := server.ingest(ctx, filler, n, n+50)
		if err != nil {
			return err
		}
		concepts = filled.concepts
	}
	fmt.Printf("graph: filled in %s\n\n", time.Since(began).Round(time.Second))
	full, err := server.ingest(ctx, newCorpus(b.words, 3, vocabulary), 0, few)
	if err != nil {
		return err
	}
	ratio := full.speed() / empty.speed()
	fmt.Printf("%d documents of %d words into an empty graph: %.0f words/s (%d concepts afterwards)\n", few, b.words, empty.speed(), empty.concepts)
	fmt.Printf("as many into a full one: %.0f words/s (%d concepts afterwards)\n", full.speed(), full.concepts)
	fmt.Printf("ratio %.2f, must be ≥ %.1f: %s\n", ratio, leastRatio, b.verdict(ratio >= leastRatio))
	return nil
}

// stage is what the ingestion of some documents took.
type stage struct {
	words    int
	took     time.Duration   // from the first submission to the last completion
	each     []time.Duration // from the claim of a document to its completion
	concepts int             // in the graph afterwards
}

// speed returns the words per second.
func (s stage) speed() float64 { return float64(s.words) / s.took.Seconds() }

// server is the API of a kg serve.
type server struct{ *client.Client }

// ingest submits documents number from to to-1 and waits for the last one.
func (s *server) ingest(ctx context.Context, source *prose, from, to int) (stage, error) {
	var st stage
	began := time.Now()
	ids := make([]string, 0, to-from)
	for n := from; n < to; n++ {
		text := source.document(n)
		st.words += source.words
		submitted, err := s.Documents.Submit(ctx, client.Document{Body: []byte(text), Filename: fmt.Sprintf("document-%d-%d.txt", source.seed, n), Ontology: "bench", AutoApprove: true})
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
	stats, err := s.Graph.Stats(ctx)
	st.concepts = stats.Nodes.Concepts
	return st, err
}

// await waits until a job has completed.
func (s *server) await(ctx context.Context, id string) (work.Job, error) {
	for {
		job, err := s.Jobs.Get(ctx, id)
		if err != nil {
			return job, err
		}
		if job.Status == work.StatusCompleted {
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
