package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa/bench/processor"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// The demands on search by meaning.
const (
	searchMedian = 10 * time.Millisecond // of single searches, at most
	searchRate   = 300                   // searches a second of all clients, at least
)

type searchOptions struct {
	concepts, queries, clients int
	last                       time.Duration
	settings                   string
}

func (o *searchOptions) flags(set *flag.FlagSet) {
	set.IntVar(&o.concepts, "search-concepts", 100_000, "search: concepts in the graph")
	set.IntVar(&o.queries, "search-queries", 400, "search: different queries")
	set.IntVar(&o.clients, "search-clients", 8, "search: clients at once")
	set.DurationVar(&o.last, "search-for", 10*time.Second, "search: how long all clients search")
	set.StringVar(&o.settings, "search-setting", "", "search: a setting of the server, as NAME=value")
}

// search measures search by meaning: one client alone, then several at once.
func (b *bench) search(ctx context.Context) error {
	o := b.options.search
	dsn, err := b.newDatabase(ctx, "search")
	if err != nil {
		return err
	}
	began := time.Now()
	l, err := storeLibrary(ctx, dsn, models.LocalEmbedding, o.concepts)
	if err != nil {
		return err
	}
	fmt.Printf("search: %d concepts stored in %s\n", o.concepts, time.Since(began).Round(100*time.Millisecond))
	var settings []string
	if o.settings != "" {
		settings = append(settings, o.settings)
	}
	s, err := b.startServer(ctx, dsn, settings...)
	if err != nil {
		return err
	}
	defer s.Stop()
	names := newLabels(7)
	queries := make([]string, o.queries)
	for i := range queries {
		queries[i] = names.query()
	}
	began = time.Now()
	if err := s.warmUp(ctx, queries); err != nil {
		return err
	}
	fmt.Printf("search: warm after %s\n\n", time.Since(began).Round(100*time.Millisecond))
	kinds := []struct {
		name  string
		query questions.SearchQuery
	}{
		{"names and questions", questions.SearchQuery{Limit: 10}},
		{"in one ontology", questions.SearchQuery{Limit: 10, Ontology: new("ontology 7")}},
		{"with evidence", questions.SearchQuery{Limit: 10, IncludeEvidence: true}},
	}
	var rows [][]string
	for i, kind := range kinds {
		row, err := b.searchKind(ctx, s, queries, kind.query, i == 0)
		if err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
		rows = append(rows, append([]string{kind.name}, row...))
	}
	b.report.table(fmt.Sprintf("search by meaning over HTTP, %d concepts, %d queries, limit 10", o.concepts, o.queries),
		[]string{"", "alone p50", "p99", "must", "", fmt.Sprintf("%d clients", o.clients), "p50", "p99", "must", "", "CPU of kg", "of PostgreSQL"}, rows)
	b.report.table("recall@10 of the signatures against brute force, whole phrases", recallHeading(), l.recall(queries[:min(len(queries), 200)]))
	return nil
}

// warmUp asks until the answers come quickly: the index is loaded in the background.
func (s *server) warmUp(ctx context.Context, queries []string) error {
	deadline := time.Now().Add(2 * time.Minute)
	for quick := 0; quick < 20 && time.Now().Before(deadline); {
		for _, q := range queries[:min(20, len(queries))] {
			began := time.Now()
			if _, err := s.api.Graph.Search(ctx, questions.SearchQuery{Query: q, Limit: 10}); err != nil {
				return err
			}
			quick++
			if time.Since(began) > 2*searchMedian {
				quick = 0
			}
			if time.Now().After(deadline.Add(-100 * time.Second)) {
				return nil // it does not get any quicker
			}
		}
	}
	return nil
}

// searchKind measures one kind of search, and returns the cells of its row.
func (b *bench) searchKind(ctx context.Context, s *server, queries []string, q questions.SearchQuery, demanded bool) ([]string, error) {
	var alone []time.Duration
	for _, text := range queries {
		q.Query = text
		began := time.Now()
		if _, err := s.api.Graph.Search(ctx, q); err != nil {
			return nil, err
		}
		alone = append(alone, time.Since(began))
	}
	together, err := b.searchTogether(ctx, s, queries, q)
	if err != nil {
		return nil, err
	}
	median, rate := at(alone, 0.5), float64(len(together.took))/together.elapsed.Seconds()
	must := []string{"", "", "", ""}
	if demanded {
		must = []string{
			"p50 ≤ " + ms(searchMedian), b.report.verdict(median <= searchMedian),
			fmt.Sprintf("≥ %d/s", searchRate), b.report.verdict(rate >= searchRate),
		}
	}
	each := func(d time.Duration) string { return ms(d / time.Duration(max(1, len(together.took)))) }
	return []string{
		ms(median), ms(at(alone, 0.99)), must[0], must[1],
		fmt.Sprintf("%.0f/s", rate), ms(at(together.took, 0.5)), ms(at(together.took, 0.99)), must[2], must[3],
		each(together.server), each(together.postgres),
	}, nil
}

// crowd is what several clients at once have seen.
type crowd struct {
	took             []time.Duration
	elapsed          time.Duration
	server, postgres time.Duration
}

func (b *bench) searchTogether(ctx context.Context, s *server, queries []string, q questions.SearchQuery) (c crowd, err error) {
	serverBefore, err := processor.Of(s.PID())
	if err != nil {
		return c, err
	}
	postgresBefore, err := b.postgresCPU()
	if err != nil {
		return c, err
	}
	o := b.options.search
	until := time.Now().Add(o.last)
	var next atomic.Int64
	var clients sync.WaitGroup
	took, failed := make([][]time.Duration, o.clients), make([]error, o.clients)
	began := time.Now()
	for i := range o.clients {
		clients.Go(func() {
			q := q
			for time.Now().Before(until) && failed[i] == nil {
				q.Query = queries[int(next.Add(1))%len(queries)]
				asked := time.Now()
				_, failed[i] = s.api.Graph.Search(ctx, q)
				took[i] = append(took[i], time.Since(asked))
			}
		})
	}
	clients.Wait()
	c.elapsed = time.Since(began)
	for _, list := range took {
		c.took = append(c.took, list...)
	}
	if err := errors.Join(failed...); err != nil {
		return c, err
	}
	serverAfter, err := processor.Of(s.PID())
	if err != nil {
		return c, err
	}
	postgresAfter, err := b.postgresCPU()
	c.server, c.postgres = serverAfter-serverBefore, postgresAfter-postgresBefore
	return c, err
}
