package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/kappagraph/kappa/bench/processor"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	hopsHTTPMust = 5 * time.Millisecond
	hopsShown    = 100 // concepts with their labels
)

// hopsOverHTTP asks a server for the best concepts within two hops, with labels and the
// relationships among them: around both poles, as an export, and around one.
func (b *bench) hopsOverHTTP(ctx context.Context, w *walked, poles []string) error {
	s, err := b.startServer(ctx, w.dsn)
	if err != nil {
		return err
	}
	defer s.Stop()
	ready := func() bool {
		status, err := s.api.GraphAdmin.Status(ctx)
		return err == nil && status.State == knowledge.GraphReady
	}
	if err := seen(ctx, 10*time.Minute, ready); err != nil {
		return err
	}
	questions := []struct {
		name string
		ask  func() error
	}{
		{"two poles, 2 hops, exported", func() error {
			return s.api.Graph.Export(ctx, questions.ExportQuery{Format: questions.ExportJSON, Seeds: poles, MaxHops: 2, Limit: hopsShown}, io.Discard)
		}},
		{"neighbourhood of one, 2 hops", func() error {
			_, err := s.api.Graph.Neighborhood(ctx, questions.NeighborhoodQuery{ConceptID: poles[0], MaxHops: 2, Limit: hopsShown})
			return err
		}},
	}
	var rows [][]string
	for _, q := range questions {
		row, err := b.hopsHTTPRow(s, q.ask)
		if err != nil {
			return err
		}
		rows = append(rows, append([]string{q.name}, row...))
	}
	b.report.table("the best 100 of them with labels, over HTTP", []string{"what", "p50", "p95", "CPU of kg", "of PostgreSQL", "must", ""}, rows)
	return nil
}

// hopsHTTPRow measures one question.
func (b *bench) hopsHTTPRow(s *server, ask func() error) ([]string, error) {
	for range 5 { // the first answers wait for plans and connections
		if err := ask(); err != nil {
			return nil, err
		}
	}
	serverBefore, err := processor.Of(s.PID())
	if err != nil {
		return nil, err
	}
	postgresBefore, err := b.postgresCPU()
	if err != nil {
		return nil, err
	}
	var t times
	for range 4 * b.walks.rounds {
		t.measure(ask)
	}
	serverAfter, err := processor.Of(s.PID())
	if err != nil {
		return nil, err
	}
	postgresAfter, err := b.postgresCPU()
	if err := errors.Join(append(t.errs, err)...); err != nil {
		return nil, err
	}
	each := func(d time.Duration) string { return ms(d / time.Duration(len(t.list))) }
	return []string{
		ms(at(t.list, 0.5)), ms(at(t.list, 0.95)), each(serverAfter - serverBefore), each(postgresAfter - postgresBefore),
		"p50 ≤ " + ms(hopsHTTPMust), b.report.verdict(at(t.list, 0.5) <= hopsHTTPMust),
	}, nil
}
