package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// TestRemoteOnAnyServer has a worker at one server hear of what is done at another.
func TestRemoteOnAnyServer(t *testing.T) {
	t.Parallel()
	first := newRemoteServer(t, "")
	second := newRemoteServer(t, first.dsn)
	p := second.kappaWorker(t, lanes.NewID())
	ref, _ := p.joinKappa("*:1")
	job := first.submit(t, "exec", "q", `{}`)
	apitest.Eventually(t, "it is told of work", func() bool { return len(p.pushed(wire.EventWorkAvailable)) > 0 })
	if run := p.take(ref, "g1", "*"); run.ID != job.ID {
		t.Fatalf("claimed %s, want %s", run.ID, job.ID)
	}
	_, err := first.db.Jobs().Cancel(t.Context(), job.ID)
	noError(t, err)
	apitest.Eventually(t, "it is told of the cancel", func() bool { return len(p.pushed(wire.EventCancel)) == 1 })
	other := first.kappaWorker(t, lanes.NewID())
	other.joinKappa("*:1")
	status, err := first.db.Lanes().WorkerStatus(t.Context())
	if err != nil || status.Remote.Connected != 2 {
		t.Errorf("%d workers are shown (%v), want those of both servers", status.Remote.Connected, err)
	}
}

// TestRemoteCampaign has workers at two servers killed, stopped past their lease, cut,
// doubled and drained while they work, and checks what is left.
func TestRemoteCampaign(t *testing.T) {
	t.Parallel()
	checkRemoteCampaign(t, 16, 3)
}

func TestRemoteCampaign_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkRemoteCampaign(t, 800, 8)
}

// The times of a campaign: those of the protocol, shorter.
const (
	campaignReserve = "400 milliseconds"
	campaignLease   = "800 milliseconds"
	campaignBeat    = 100 * time.Millisecond
	campaignSlots   = 3
)

// disconnectNotes notes each connection that the database was told to have ended.
const disconnectNotes = `
	CREATE TABLE public.ends (worker uuid, generation bigint);
	CREATE FUNCTION public.note_end() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO public.ends VALUES (NEW.worker_id, NEW.generation);
		RETURN NULL;
	END $$;
	CREATE TRIGGER note_end AFTER UPDATE ON kg_api.workers FOR EACH ROW WHEN (OLD.connected AND NOT NEW.connected) EXECUTE FUNCTION public.note_end()`

func checkRemoteCampaign(t *testing.T, jobs, workers int) {
	t.Helper()
	servers := []*remoteServer{newRemoteServer(t, "")}
	servers = append(servers, newRemoteServer(t, servers[0].dsn))
	_, err := remoteConn(t, servers[0].dsn).Exec(t.Context(), disconnectNotes)
	noError(t, err)
	for range jobs {
		servers[0].submit(t, "exec", []string{"fast", "bulk"}[rand.IntN(2)], `{}`)
	}
	ctx, stop := context.WithTimeout(t.Context(), 12*time.Minute) // for a machine that does much else
	defer stop()
	var group sync.WaitGroup
	group.Go(func() { rescueRemote(ctx, t, servers[0]) })
	claimed := &claimsSeen{}
	for range workers {
		group.Go(func() {
			for ctx.Err() == nil {
				w := &tormented{t: t, servers: servers, id: lanes.NewID(), runs: map[string]*heldRun{}, seen: claimed}
				w.live(ctx)
			}
		})
	}
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for ctx.Err() == nil && rowsIn(t, servers[0].dsn, `SELECT count(*) FROM kg_api.jobs WHERE status IN ('approved', 'processing')`) > 0 {
		<-poll.C
	}
	stop()
	group.Wait()
	for _, s := range servers {
		s.stop()
	}
	conn := remoteConn(t, servers[0].dsn)
	_, err = conn.Exec(t.Context(), `UPDATE kg_api.run_claims SET ended_at = now(), outcome = 'fenced' WHERE ended_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM kg_api.jobs j WHERE j.job_id = run_claims.job_id AND j.claim_token = run_claims.claim_token AND j.status = 'processing')`)
	noError(t, err)
	h := readRemoteHistory(t, conn, claimed, slices.Concat(servers[0].store.disconnects(), servers[1].store.disconnects()))
	for _, broken := range slices.Concat(i25Reservations(h), i26Generations(h)) {
		t.Error(broken)
	}
	t.Logf("%d jobs, %d claims, %d ends of connections", jobs, len(h.claims), len(h.ends))
	if n := rowsIn(t, servers[0].dsn, `SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'completed'
		AND (SELECT count(*) FROM kg_api.run_claims c WHERE c.job_id = j.job_id AND c.outcome = 'completed') = 1`); n < jobs*8/10 {
		t.Errorf("%d of %d jobs completed, each by one claim", n, jobs) // the others killed three workers, as it looks
	}
	if n := rowsIn(t, servers[0].dsn, `SELECT count(*) FROM kg_api.jobs WHERE status NOT IN ('completed', 'failed')`); n != 0 {
		t.Errorf("%d jobs have not ended", n)
	}
}

// rescueRemote is the leader of a campaign, whose reservations and leases are short.
func rescueRemote(ctx context.Context, t *testing.T, s *remoteServer) {
	conn, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close(context.WithoutCancel(ctx))
	pace := time.NewTicker(50 * time.Millisecond)
	defer pace.Stop()
	for ; ctx.Err() == nil; <-pace.C {
		_, err := conn.Exec(ctx, `UPDATE kg_api.run_claims SET reserved_until = now() WHERE ended_at IS NULL AND confirmed_at IS NULL AND created_at < now() - interval '`+campaignReserve+`'`)
		if err == nil {
			_, err = conn.Exec(ctx, `UPDATE kg_api.workers SET state = 'dead' WHERE kind = 'remote' AND state = 'live' AND heartbeat_at < now() - interval '`+campaignLease+`'`)
		}
		if err == nil {
			_, err = s.db.Queue().Rescue(ctx, 0, 100)
		}
		if err == nil { // backoffs and turns of suspects are for the scheduler, which takes longer
			_, err = conn.Exec(ctx, `UPDATE kg_api.jobs SET due = true, run_at = now() WHERE status = 'approved' AND NOT due`)
		}
		if err == nil {
			_, err = s.db.Remote().Expire(ctx, 100)
		}
		if err == nil {
			_, err = s.db.Remote().EndUnheld(ctx)
		}
		if err != nil && ctx.Err() == nil {
			t.Error(err)
			return
		}
	}
}

// heldRun is a run as its worker knows it.
type heldRun struct {
	wire.RunKey
	confirmed bool
	acked     int64
}

// tormented is a worker under faults.
type tormented struct {
	t       *testing.T
	servers []*remoteServer
	id      string
	p       *peer
	ref     string
	runs    map[string]*heldRun
	beat    time.Time
	seen    *claimsSeen
}

var (
	errCut   = errors.New("the connection is cut")
	errFatal = errors.New("a new identity is needed")
)

// live works under one identity until a fault ends it.
func (w *tormented) live(ctx context.Context) {
	for ctx.Err() == nil {
		err := w.connect(ctx)
		for err == nil && ctx.Err() == nil {
			err = w.turn(ctx)
		}
		if w.p != nil && rand.IntN(2) == 0 {
			_ = w.p.conn.CloseNow() // else it lives beside the next one
		}
		if errors.Is(err, errFatal) {
			return
		}
	}
}

func (w *tormented) connect(ctx context.Context) error {
	token, err := wire.SignWorkerToken(workerSecret, w.id, time.Now())
	if err != nil {
		return err
	}
	s := w.servers[rand.IntN(len(w.servers))]
	conn, _, err := websocket.Dial(ctx, s.url+"/worker/websocket?vsn=2.0.0&token="+token, nil)
	if err != nil {
		return errCut
	}
	w.p = &peer{t: w.t, conn: conn, wait: map[string]chan wire.Frame{}, ended: make(chan error, 1)}
	w.t.Cleanup(func() { _ = conn.CloseNow() })
	go w.p.read(context.WithoutCancel(ctx))
	w.ref = "1"
	var listed []wire.HeldRun
	for _, r := range w.runs {
		listed = append(listed, wire.HeldRun{RunKey: r.RunKey, Acked: r.acked})
	}
	var answer wire.JoinAnswer
	if err := w.call(ctx, wire.EventJoin, kappaJoin(w.t, "fast,*:"+strconv.Itoa(campaignSlots), listed...), &answer); err != nil {
		return err
	}
	for _, kept := range answer.Runs {
		if r := w.runs[kept.ID]; kept.State == wire.RunYours {
			r.confirmed, r.acked = true, kept.Acked
		} else {
			delete(w.runs, kept.ID)
		}
	}
	return nil
}

// call sends an event and reads the answer. Now and then the connection is cut before it.
func (w *tormented) call(ctx context.Context, event string, payload, out any) error {
	text, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	reply := make(chan wire.Frame, 1)
	w.p.mu.Lock()
	w.p.ref++
	ref := strconv.Itoa(w.p.ref)
	w.p.wait[ref] = reply
	w.p.mu.Unlock()
	if w.p.conn.Write(ctx, websocket.MessageText, wire.EncodeText(wire.Frame{JoinRef: w.ref, Ref: ref, Topic: wire.TopicQueue, Event: event, Payload: text})) != nil {
		return errCut
	}
	if rand.IntN(60) == 0 {
		_ = w.p.conn.CloseNow()
		return errCut
	}
	var r wire.Reply
	select {
	case f := <-reply:
		if err := json.Unmarshal(f.Payload, &r); err != nil {
			return err
		}
	case <-w.p.ended:
		return errCut
	case <-ctx.Done():
		return errCut
	case <-time.After(time.Minute):
		w.t.Errorf("no answer to %s", event)
		return errCut
	}
	if r.Status == wire.StatusOK {
		if out == nil {
			return nil
		}
		return json.Unmarshal(r.Response, out)
	}
	var e wire.Error
	_ = json.Unmarshal(r.Response, &e)
	switch e.Kind {
	case wire.KindFatal:
		return errFatal
	case wire.KindTerminal:
		return &e
	}
	return errCut // connect again, and resend
}

// turn does one thing, or has a fault.
func (w *tormented) turn(ctx context.Context) error {
	switch rand.IntN(160) {
	case 0: // killed
		_ = w.p.conn.CloseNow()
		return errFatal
	case 1: // stopped past the lease, and continued
		kappa.Sleep(ctx, 1200*time.Millisecond)
	case 2: // doubled: the next connection comes before the end of this one
		return errCut
	case 3: // SIGTERM
		_ = w.call(ctx, wire.EventDrain, wire.Drain{GraceMS: 1000}, nil)
		for _, r := range w.runs {
			if !r.confirmed {
				_ = w.call(ctx, wire.EventClaimAck, wire.Ack{Reject: []wire.RejectedRun{{RunKey: r.RunKey, Reason: "drain"}}}, nil)
				continue
			}
			_ = w.call(ctx, wire.EventRelease, wire.RunRelease{RunEvent: wire.RunEvent{RunKey: r.RunKey, Seq: r.acked + 1}, Reason: "drain"}, nil)
		}
		return errFatal
	}
	if time.Since(w.beat) > campaignBeat {
		w.beat = time.Now()
		var named []wire.RunKey
		for _, r := range w.runs {
			named = append(named, r.RunKey)
		}
		var answer wire.ExtendAnswer
		if err := w.call(ctx, wire.EventExtend, wire.Extend{Runs: named}, &answer); err != nil {
			return err
		}
		for _, id := range answer.Lost {
			delete(w.runs, id)
		}
	}
	for id, r := range w.runs {
		if rand.IntN(3) == 0 {
			return w.advance(ctx, id, r)
		}
	}
	if free := campaignSlots - len(w.runs); free > 0 {
		demand := 1 + rand.IntN(free)
		var answer wire.ClaimAnswer
		if err := w.call(ctx, wire.EventClaim, wire.Claim{ClaimID: lanes.NewID(), Group: "g1", Queues: []string{"fast", "*"}, Demand: demand}, &answer); err != nil {
			return err
		}
		w.seen.add(demand, len(answer.Runs))
		for _, r := range answer.Runs {
			w.runs[r.ID] = &heldRun{RunKey: r.RunKey}
		}
	}
	kappa.Sleep(ctx, 5*time.Millisecond)
	return nil
}

// advance does the next thing of a run.
func (w *tormented) advance(ctx context.Context, id string, r *heldRun) error {
	var err error
	event := wire.RunEvent{RunKey: r.RunKey, Seq: r.acked + 1}
	switch {
	case !r.confirmed:
		var ack wire.AckAnswer
		if err = w.call(ctx, wire.EventClaimAck, wire.Ack{Accept: []wire.RunKey{r.RunKey}}, &ack); err == nil {
			if r.confirmed = len(ack.Confirmed) == 1; !r.confirmed {
				delete(w.runs, id)
			}
		}
	case r.acked < 2:
		var done wire.RunAnswer
		if err = w.call(ctx, wire.EventCheckpoint, wire.RunCheckpoint{RunEvent: event, Checkpoint: json.RawMessage(`{}`)}, &done); err == nil {
			r.acked = done.Acked
		}
	default:
		if err = w.call(ctx, wire.EventComplete, wire.RunComplete{RunEvent: event, Result: json.RawMessage(`{}`)}, nil); err == nil {
			delete(w.runs, id)
		}
	}
	if _, refused := errors.AsType[*wire.Error](err); refused {
		delete(w.runs, id)
		return nil
	}
	return err
}

// claimsSeen is what workers have asked for and got.
type claimsSeen struct {
	mu   sync.Mutex
	list [][2]int // demand and delivered
}

func (c *claimsSeen) add(demand, delivered int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, [2]int{demand, delivered})
}

// remoteHistory is what a campaign leaves behind.
type remoteHistory struct {
	claims    []remoteClaimRow
	delivered [][2]int
	ends      map[string]int // of connections, by worker and generation, as the database was changed
	asked     map[string]int // as servers asked for
}

type remoteClaimRow struct {
	token           int64
	worker, outcome string
	confirmed       bool
	created, ended  time.Time
}

func readRemoteHistory(t *testing.T, conn *pgx.Conn, seen *claimsSeen, asked []work.RemoteConnection) *remoteHistory {
	t.Helper()
	h := &remoteHistory{delivered: seen.list, ends: map[string]int{}, asked: map[string]int{}}
	for _, c := range asked {
		h.asked[fmt.Sprint(c.WorkerID, " ", c.Generation)]++
	}
	rows, err := conn.Query(t.Context(), `SELECT claim_token, worker_id::text, coalesce(outcome, ''), confirmed_at IS NOT NULL, created_at, coalesce(ended_at, 'infinity'::timestamptz) < 'infinity', coalesce(ended_at, now()) FROM kg_api.run_claims`)
	noError(t, err)
	var c remoteClaimRow
	var over bool
	_, err = pgx.ForEachRow(rows, []any{&c.token, &c.worker, &c.outcome, &c.confirmed, &c.created, &over, &c.ended}, func() error {
		if !over {
			c.outcome = ""
		}
		h.claims = append(h.claims, c)
		return nil
	})
	noError(t, err)
	rows, err = conn.Query(t.Context(), `SELECT worker::text, generation, count(*)::int FROM public.ends GROUP BY 1, 2`)
	noError(t, err)
	var worker string
	var generation int64
	var n int
	_, err = pgx.ForEachRow(rows, []any{&worker, &generation, &n}, func() error {
		h.ends[fmt.Sprint(worker, " ", generation)] = n
		return nil
	})
	noError(t, err)
	return h
}

// i25Reservations: each delivered reservation ended as confirmed, expired, returned or
// taken by another; no claim got more than it asked for; no worker held more at once
// than it has slots.
func i25Reservations(h *remoteHistory) (broken []string) {
	type change struct {
		at time.Time
		by int
	}
	byWorker := map[string][]change{}
	for _, c := range h.claims {
		switch {
		case c.outcome == "":
			broken = append(broken, fmt.Sprintf("I25: claim %d has not ended", c.token))
		case !c.confirmed && !slices.Contains([]string{"expired", "returned", "fenced"}, c.outcome):
			broken = append(broken, fmt.Sprintf("I25: claim %d was never confirmed and ended as %s", c.token, c.outcome))
		case c.confirmed && slices.Contains([]string{"expired"}, c.outcome):
			broken = append(broken, fmt.Sprintf("I25: claim %d was confirmed and ended as %s", c.token, c.outcome))
		}
		if c.outcome != "fenced" { // whose end is noted later
			byWorker[c.worker] = append(byWorker[c.worker], change{c.created, 1}, change{c.ended, -1})
		}
	}
	for worker, changes := range byWorker {
		slices.SortFunc(changes, func(a, b change) int {
			if d := a.at.Compare(b.at); d != 0 {
				return d
			}
			return a.by - b.by
		})
		held := 0
		for _, c := range changes {
			if held += c.by; held > campaignSlots {
				broken = append(broken, fmt.Sprintf("I25: worker %s held %d runs at once, with %d slots", worker, held, campaignSlots))
				break
			}
		}
	}
	for _, d := range h.delivered {
		if d[1] > d[0] {
			broken = append(broken, fmt.Sprintf("I25: a claim for %d got %d", d[0], d[1]))
		}
	}
	return broken
}

// i26Generations: the end of a connection marks only its own generation as gone.
func i26Generations(h *remoteHistory) (broken []string) {
	for connection, n := range h.ends {
		if n > h.asked[connection] {
			broken = append(broken, fmt.Sprintf("I26: connection %s was marked as gone %d times, and ended %d times", connection, n, h.asked[connection]))
		}
	}
	return broken
}

// TestRemoteInvariants says that the checks of a campaign find what is broken.
func TestRemoteInvariants(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	claim := func(token int64, outcome string, confirmed bool, from, to int) remoteClaimRow {
		return remoteClaimRow{token: token, worker: "w", outcome: outcome, confirmed: confirmed, created: at.Add(time.Duration(from) * time.Second), ended: at.Add(time.Duration(to) * time.Second)}
	}
	well := func() *remoteHistory {
		return &remoteHistory{
			claims:    []remoteClaimRow{claim(1, "completed", true, 0, 2), claim(2, "expired", false, 0, 1), claim(3, "returned", false, 1, 2), claim(4, "released", true, 1, 3)},
			delivered: [][2]int{{3, 3}, {1, 0}}, ends: map[string]int{"w 1": 1}, asked: map[string]int{"w 1": 1, "w 2": 1},
		}
	}
	if broken := slices.Concat(i25Reservations(well()), i26Generations(well())); len(broken) != 0 {
		t.Errorf("a sound history is %v", broken)
	}
	for name, c := range map[string]struct {
		want   string
		damage func(h *remoteHistory)
	}{
		"an open claim":                   {"I25", func(h *remoteHistory) { h.claims[0].outcome = "" }},
		"an end without a confirmation":   {"I25", func(h *remoteHistory) { h.claims[0].confirmed = false }},
		"an expiry of what was confirmed": {"I25", func(h *remoteHistory) { h.claims[1].confirmed = true }},
		"more than was asked for":         {"I25", func(h *remoteHistory) { h.delivered[1][1] = 2 }},
		"more than there are slots": {"I25", func(h *remoteHistory) {
			h.claims = append(h.claims, claim(5, "completed", true, 0, 3), claim(6, "completed", true, 0, 3))
		}},
		"a clean-up by worker, not by its generation": {"I26", func(h *remoteHistory) { h.ends["w 3"] = 1 }},
	} {
		h := well()
		c.damage(h)
		if broken := slices.Concat(i25Reservations(h), i26Generations(h)); len(broken) != 1 || !strings.HasPrefix(broken[0], c.want) {
			t.Errorf("%s is %v, want one violation of %s", name, broken, c.want)
		}
	}
}
