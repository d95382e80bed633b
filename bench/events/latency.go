package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/work"
)

const (
	eventTimeout = 10 * time.Second
	restTime     = 40 * time.Millisecond // between two approvals: the notifier is at rest then
	overFloor    = 2 * time.Millisecond
	otherServer  = 5 * time.Millisecond
)

// way is how an event gets from its commit to the client.
type way struct {
	name     string
	servers  int
	settings []string
}

// latency measures how long an approval takes from its commit to a client, on
// the server that commits and on another one. The approving transaction notifies
// the lanes; a bare connection that listens to this is the floor, commit for
// commit. The lane has no slots, so that nothing else happens.
func (b *bench) latency(ctx context.Context) error {
	nats, err := startNATS()
	if err != nil {
		return err
	}
	defer nats.Shutdown()
	ways := []way{
		{"one server, listen", 1, nil},
		{"two servers, listen", 2, []string{"KG_EVENTS=listen"}},
		{"two servers, wal", 2, []string{"KG_EVENTS=wal"}},
		{"two servers, NATS", 2, []string{"KG_NATS_URL=" + nats.ClientURL()}},
	}
	heading := []string{"way of the event", "floor p50", "p50", "p10 to p90", "p99", "over the floor", "must", ""}
	var rows [][]string
	for n, w := range ways {
		floor, client, err := b.latencyOf(ctx, fmt.Sprintf("latency_%d", n), w)
		if errors.Is(err, errRefused) {
			rows = append(rows, b.report.unavailable(w.name, len(heading), err))
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		over := at(client, 0.5) - at(floor, 0.5)
		must, met := "≤ "+ms(overFloor)+" over the floor", over <= overFloor
		if w.servers > 1 {
			must, met = "p50 ≤ "+ms(otherServer), at(client, 0.5) <= otherServer
		}
		rows = append(rows, []string{
			w.name, ms(at(floor, 0.5)), ms(at(client, 0.5)), ms(at(client, 0.1)) + " to " + ms(at(client, 0.9)), ms(at(client, 0.99)),
			ms(over), must, b.report.verdict(met),
		})
	}
	b.report.table(fmt.Sprintf("commit → client receives, %d approvals each, idle system; floor: commit → a bare LISTEN connection", b.approvals), heading, rows)
	return nil
}

// latencyOf measures one way, and returns the time from each commit to the bare
// listener and to the client.
func (b *bench) latencyOf(ctx context.Context, database string, w way) (floor, client []time.Duration, err error) {
	dsn, err := b.newDatabase(ctx, database)
	if err != nil {
		return nil, nil, err
	}
	c, err := b.newCrowd(ctx, dsn, 1)
	if err != nil {
		return nil, nil, err
	}
	committing, err := b.startServer(dsn, w.settings...)
	if err != nil {
		return nil, nil, err
	}
	defer committing.Stop()
	streaming := committing
	if w.servers > 1 {
		if streaming, err = b.startServer(dsn, w.settings...); err != nil {
			return nil, nil, err
		}
		defer streaming.Stop()
	}
	if err := committing.login(c.credentials); err != nil {
		return nil, nil, err
	}
	none := 0
	if _, err := committing.api.Workers.UpdateLane(ctx, "interactive", work.LaneUpdate{MaxSlots: &none}); err != nil {
		return nil, nil, err
	}
	m := &approvals{committing: committing, streaming: streaming, token: c.tokens[0], bare: map[event]time.Time{}, received: map[event]time.Time{}}
	if err := m.run(ctx, dsn, b.approvals); err != nil {
		return nil, nil, err
	}
	committed, err := commitTimes(ctx, dsn, "status")
	for e, at := range m.received {
		if m.bare[e].Before(committed[e]) {
			return nil, nil, fmt.Errorf("a notification came before the approval of %s was committed", e.job)
		}
		floor = append(floor, m.bare[e].Sub(committed[e]))
		client = append(client, at.Sub(committed[e]))
	}
	return floor, client, err
}

// approvals approves jobs one by one and records when the events arrive.
type approvals struct {
	committing, streaming *server
	token                 string
	bare, received        map[event]time.Time
}

func (m *approvals) run(ctx context.Context, dsn string, jobs int) error {
	listener, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer listener.Close(context.WithoutCancel(ctx))
	if _, err := listener.Exec(ctx, "LISTEN kg_lanes"); err != nil {
		return err
	}
	for range jobs {
		if err := m.one(ctx, listener); err != nil {
			return err
		}
	}
	return nil
}

func (m *approvals) one(ctx context.Context, listener *pgx.Conn) error {
	id, err := m.committing.submit(ctx, work.NewJob{Type: work.TypeNoop})
	if err != nil {
		return err
	}
	watcher, err := newAudience()
	if err != nil {
		return err
	}
	defer watcher.close()
	if err := watcher.open(ctx, m.streaming.addr, []seat{{id, m.token}}); err != nil {
		return err
	}
	if err := pause(ctx, restTime); err != nil {
		return err
	}
	heard := make(chan time.Time, 1)
	go func() {
		defer close(heard)
		waitCtx, cancel := context.WithTimeout(ctx, eventTimeout)
		defer cancel()
		if _, err := listener.WaitForNotification(waitCtx); err == nil {
			heard <- time.Now()
		}
	}()
	_, approveErr := m.committing.api.Jobs.Approve(ctx, id)
	e := event{id, 2} // the first is its submission
	at, ok := <-heard
	if approveErr != nil || !ok {
		return errors.Join(fmt.Errorf("no notification of the approval of %s", id), approveErr)
	}
	m.bare[e] = at
	err = watcher.until(ctx, eventTimeout, "the approval is received", func() bool { return watcher.arrivals[e].clients == 1 })
	m.received[e] = watcher.arrival(e).last
	return err
}
