package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	meterEvery  = 5 * time.Second
	settleLimit = time.Minute // until a server has put down what the load has left
	settleLook  = time.Second
	manyRows    = 5000 // dead ones: with fewer a table costs nothing
)

// meter reads what servers and database use, at rest before and after a load, and
// under it.
type meter struct {
	servers []*server
	access  *apiAccess
	dsn     string
	log     *slog.Logger

	seen usage // of one goroutine at a time: begin, then run, then settle
}

// begin reads the servers at rest, before the load, as soon as one of them leads.
func (m *meter) begin(ctx context.Context) (err error) {
	m.seen.Busy = make([][]reading, len(m.servers))
	for m.seen.Term == 0 && err == nil {
		m.seen.Term, err = m.readDatabase(ctx)
		if m.seen.Term == 0 && !pause(ctx, settleLook) {
			return ctx.Err()
		}
	}
	if err == nil {
		m.seen.Before, err = m.read(ctx)
	}
	return err
}

// run reads until ctx ends.
func (m *meter) run(ctx context.Context) {
	began := time.Now()
	for pause(ctx, meterEvery) {
		now, err := m.read(ctx)
		for i := range now {
			m.seen.Busy[i] = append(m.seen.Busy[i], now[i])
		}
		_, failed := m.readDatabase(ctx)
		if err = errors.Join(err, failed); err != nil && ctx.Err() == nil {
			m.log.WarnContext(ctx, "a reading was missed", "err", err)
		}
	}
	m.seen.Took = time.Since(began)
}

// settle reads the servers at rest, after the load: as soon as they have put down
// what it has left, or else after a while.
func (m *meter) settle(ctx context.Context) (err error) {
	limit := time.Now().Add(settleLimit)
	for {
		m.seen.After, err = m.read(ctx)
		term, failed := m.readDatabase(ctx)
		m.seen.Terms = term - m.seen.Term
		err = errors.Join(err, failed)
		if err == nil && len(leaks(m.seen)) == 0 || time.Now().After(limit) || !pause(ctx, settleLook) {
			return err
		}
	}
}

// read reads all servers, or none.
func (m *meter) read(ctx context.Context) ([]reading, error) {
	now := make([]reading, len(m.servers))
	for i, s := range m.servers {
		callCtx, cancel := context.WithTimeout(ctx, callTimeout)
		r, err := readServer(callCtx, m.access, s.address())
		cancel()
		if err != nil {
			return nil, fmt.Errorf("read what server %d uses: %w", i, err)
		}
		now[i] = r
	}
	return now, nil
}

// readDatabase reads how many rows are dead, how long the log is, and under which
// term somebody leads.
func (m *meter) readDatabase(ctx context.Context) (term int64, err error) {
	callCtx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	conn, err := pgx.Connect(callCtx, m.dsn)
	if err != nil {
		return 0, fmt.Errorf("read what the database uses: %w", err)
	}
	defer conn.Close(ctx)
	var dead float64
	var wal int64
	err = conn.QueryRow(callCtx, `
		SELECT coalesce((SELECT max(s.n_dead_tup::float8 / greatest(s.n_live_tup, 1)) FROM pg_stat_user_tables s WHERE s.schemaname = 'kg_api' AND s.n_dead_tup > $1), 0),
			(SELECT coalesce(sum(w.size), 0)::bigint FROM pg_ls_waldir() w), (SELECT l.term FROM kg_api.leader l)`, manyRows).Scan(&dead, &wal, &term)
	if err != nil {
		return 0, fmt.Errorf("read what the database uses: %w", err)
	}
	m.seen.Dead, m.seen.WAL = max(m.seen.Dead, dead), max(m.seen.WAL, wal)
	return term, nil
}
