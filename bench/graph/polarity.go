package main

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// What is demanded while many analyses run and documents are ingested.
const (
	polarityDeadline = 30 * time.Second // of each analysis
	probeDemand      = 50 * time.Millisecond
)

type polarityOptions struct{ concepts, together, rounds int }

func (o *polarityOptions) flags(set *flag.FlagSet) {
	set.IntVar(&o.concepts, "polarity-concepts", 20_000, "polarity: concepts in the graph")
	set.IntVar(&o.together, "polarity-together", 30, "polarity: analyses at once")
	set.IntVar(&o.rounds, "polarity-rounds", 5, "polarity: how often so many run")
}

// times collects durations from many goroutines.
type times struct {
	mu   sync.Mutex
	list []time.Duration
	errs []error
}

// measure does something and keeps how long it took.
func (t *times) measure(do func() error) {
	began := time.Now()
	err := do()
	took := time.Since(began)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.errs = append(t.errs, err)
		return
	}
	t.list = append(t.list, took)
}

// row is a line of the report.
func (t *times) row(r *report, name string, share float64, demand time.Duration) []string {
	met := len(t.errs) == 0 && at(t.list, share) <= demand
	return []string{
		name, strconv.Itoa(len(t.list)), ms(at(t.list, 0.5)), ms(at(t.list, 0.95)), ms(at(t.list, 1)), strconv.Itoa(len(t.errs)),
		fmt.Sprintf("p%g ≤ %s", share*100, demand), r.verdict(met),
	}
}

// polarity measures many analyses at once while documents are ingested, and how long
// health and the first event of a stream take meanwhile.
func (b *bench) polarity(ctx context.Context) error {
	o := b.options.polarity
	dsn, err := b.newDatabase(ctx, "polarity")
	if err != nil {
		return err
	}
	if _, err := storeLibrary(ctx, dsn, models.LocalEmbedding, o.concepts); err != nil {
		return err
	}
	s, err := b.startServer(ctx, dsn)
	if err != nil {
		return err
	}
	defer s.Stop()
	found, err := s.api.Concepts.List(ctx, questions.ConceptFilter{Limit: 2 * o.together})
	if err != nil {
		return err
	}
	first, err := s.api.Documents.Submit(ctx, plantReport(0))
	if err != nil {
		return err
	}
	load, stop := context.WithCancel(ctx)
	defer stop()
	var background sync.WaitGroup
	var health, stream, submit, analyses times
	every := func(pause time.Duration, t *times, do func(n int) error) {
		background.Go(func() {
			for n := 1; load.Err() == nil; n++ {
				t.measure(func() error { return unlessOver(load, do(n)) })
				select {
				case <-load.Done():
				case <-time.After(pause):
				}
			}
		})
	}
	every(10*time.Millisecond, &submit, func(n int) error { _, err := s.api.Documents.Submit(load, plantReport(n)); return err })
	every(20*time.Millisecond, &health, func(int) error { _, err := s.api.Health(load); return err })
	every(20*time.Millisecond, &stream, func(int) error { return firstEvent(load, s.api, first.JobID) })
	for range o.rounds {
		var round sync.WaitGroup
		for i := range o.together {
			round.Go(func() {
				q := questions.NewPolarityQuery(found.Concepts[i].ConceptID, found.Concepts[(i+o.together)%len(found.Concepts)].ConceptID)
				q.TimeoutSeconds = int(polarityDeadline.Seconds())
				analyses.measure(func() error { return complete(s.api.Graph.Polarity(ctx, q)) })
			})
		}
		round.Wait()
	}
	stop()
	background.Wait()
	b.report.table(fmt.Sprintf("%d polarity analyses at once, %d rounds, while documents are ingested; %d concepts", o.together, o.rounds, o.concepts),
		[]string{"", "number", "p50", "p95", "longest", "failed", "must", ""}, [][]string{
			analyses.row(b.report, "analysis", 1, polarityDeadline),
			health.row(b.report, "health", 0.95, probeDemand),
			stream.row(b.report, "first event of a stream", 0.95, probeDemand),
			submit.row(b.report, "submission of a document", 1, polarityDeadline),
		})
	return nil
}

// complete makes an answer that is not complete an error.
func complete(r questions.PolarityResult, err error) error {
	if err == nil && !r.Complete {
		return fmt.Errorf("not complete: %s", r.Missing)
	}
	return err
}

// unlessOver forgets an error that the end of the load has caused.
func unlessOver(load context.Context, err error) error {
	if load.Err() == nil {
		return err
	}
	return nil
}

// firstEvent opens the stream of a job and reads one event.
func firstEvent(ctx context.Context, c *client.Client, jobID string) error {
	for _, err := range c.Jobs.Watch(ctx, jobID) {
		return err
	}
	return ctx.Err()
}

// plantReport is the nth document that is ingested: about a thousand words.
func plantReport(n int) client.Document {
	text := strings.Repeat(fmt.Sprintf("Plant %d stores energy in reservoir %d and prevents a blackout of grid %d. ", n, n*7, n*13), 80)
	return client.Document{
		Body: []byte(text), Filename: fmt.Sprintf("report-%d.txt", n), Ontology: "ingested", AutoApprove: true,
	}
}
