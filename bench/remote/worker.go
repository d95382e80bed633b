package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/remote/wire"
)

// group is a slot group of a worker.
type group struct {
	wire.JoinGroup
	free  int
	open  bool // a claim is not answered
	again bool // there may be more
	retry time.Time
}

// worker claims and ends jobs as kg worker does, without doing anything between.
type worker struct {
	conn   *websocket.Conn
	hold   bool                             // runs are confirmed and never end
	poll   time.Duration                    // between claims that find nothing; 0 waits to be told
	took   func(id string)                  // is called when a run is confirmed
	done   *atomic.Int64                    // runs that have ended
	groups map[string]*group                // by name
	calls  map[string]func(json.RawMessage) // by ref, what becomes of a reply
	ref    int
	runs   map[string]string // job id to group

	mu sync.Mutex
}

// connect opens a connection and joins with groups in the grammar of kg worker.
func connect(ctx context.Context, url, groups string) (*worker, error) {
	list, _, err := wire.ParseGroups(groups)
	if err != nil {
		return nil, err
	}
	token, err := wire.SignWorkerToken([]byte(secret), lanes.NewID(), time.Now())
	if err != nil {
		return nil, err
	}
	conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(url, "http")+wire.Path+"?vsn=2.0.0&token="+token, nil) //nolint:bodyclose // nothing is to be closed, the library says
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(wire.MaxWorkerMessage)
	w := &worker{conn: conn, groups: map[string]*group{}, calls: map[string]func(json.RawMessage){}, runs: map[string]string{}, took: func(string) {}, done: &atomic.Int64{}}
	join := wire.Join{Profile: wire.Profile, WorkerName: "bench", Types: []string{jobType}}
	for i, g := range list {
		named := wire.JoinGroup{Group: "g" + strconv.Itoa(i+1), Queues: g.Queues, Max: g.Slots}
		join.Groups = append(join.Groups, named)
		w.groups[named.Group] = &group{JoinGroup: named, free: g.Slots}
	}
	joined := false
	if err := w.call(ctx, wire.EventJoin, join, func(json.RawMessage) { joined = true }); err != nil {
		return nil, err
	}
	for !joined {
		if err := w.read(ctx); err != nil {
			return nil, fmt.Errorf("join: %w", err)
		}
	}
	return w, nil
}

// call sends an event. reply is called with the response to it.
func (w *worker) call(ctx context.Context, event string, payload any, reply func(json.RawMessage)) error {
	text, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	w.ref++
	ref := strconv.Itoa(w.ref)
	w.calls[ref] = reply
	return w.conn.Write(ctx, websocket.MessageText, wire.EncodeText(wire.Frame{JoinRef: "1", Ref: ref, Topic: wire.TopicQueue, Event: event, Payload: text}))
}

// read handles one frame.
func (w *worker) read(ctx context.Context) error {
	_, message, err := w.conn.Read(ctx)
	if err != nil {
		return err
	}
	f, err := wire.DecodeText(message)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.Event != wire.EventReply {
		for _, g := range w.groups { // work-available
			g.again, g.retry = true, time.Time{}
		}
		return w.claim(ctx)
	}
	var r wire.Reply
	if err := json.Unmarshal(f.Payload, &r); err != nil {
		return err
	}
	if r.Status != wire.StatusOK {
		return fmt.Errorf("%s is answered with %s", f.Topic, r.Response)
	}
	reply := w.calls[f.Ref]
	delete(w.calls, f.Ref)
	if reply != nil {
		reply(r.Response)
	}
	return nil
}

// run works until ctx ends.
func (w *worker) run(ctx context.Context) error {
	go func() { // the heartbeat, and claims that are tried again
		beat, tick := time.NewTicker(10*time.Second), time.NewTicker(100*time.Millisecond)
		defer beat.Stop()
		defer tick.Stop()
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-beat.C:
				w.mu.Lock()
				held := []wire.RunKey{}
				for id := range w.runs {
					key, tok, _ := strings.Cut(id, " ")
					held = append(held, wire.RunKey{ID: key, Token: tok})
				}
				_ = w.call(ctx, wire.EventExtend, wire.Extend{Runs: held}, nil) // the reader sees what is wrong
				w.mu.Unlock()
			case now := <-tick.C:
				w.mu.Lock()
				for _, g := range w.groups {
					if !g.retry.IsZero() && now.After(g.retry) {
						g.again, g.retry = true, time.Time{}
					}
				}
				_ = w.claim(ctx)
				w.mu.Unlock()
			}
		}
	}()
	w.mu.Lock()
	for _, g := range w.groups {
		g.again = true
	}
	err := w.claim(ctx)
	w.mu.Unlock()
	for err == nil {
		err = w.read(ctx)
	}
	_ = w.conn.CloseNow()
	if ctx.Err() == nil {
		return err
	}
	return nil
}

// claim claims for each group that has room, one claim at a time.
func (w *worker) claim(ctx context.Context) error {
	for _, g := range w.groups {
		if g.open || g.free == 0 || !g.again {
			continue
		}
		g.open, g.again = true, false
		c := wire.Claim{ClaimID: strconv.Itoa(w.ref), Group: g.Group, Queues: g.Queues, Types: []string{jobType}, Demand: min(g.free, wire.MaxDemand)}
		if err := w.call(ctx, wire.EventClaim, c, func(response json.RawMessage) { w.claimed(ctx, g, c.ClaimID, response) }); err != nil {
			return err
		}
	}
	return nil
}

// claimed confirms what a claim has brought.
func (w *worker) claimed(ctx context.Context, g *group, claimID string, response json.RawMessage) {
	var answer wire.ClaimAnswer
	if json.Unmarshal(response, &answer) != nil {
		return
	}
	g.open = false
	if len(answer.Runs) == 0 && g.again { // it was told of work meanwhile
		_ = w.claim(ctx)
		return
	}
	if len(answer.Runs) == 0 {
		wait := w.poll
		if wait == 0 {
			wait = time.Second
		}
		g.retry = time.Now().Add(wait)
		return
	}
	g.free -= len(answer.Runs)
	g.again = true
	ack := wire.Ack{ClaimID: claimID}
	tokens := map[string]string{}
	for _, r := range answer.Runs {
		ack.Accept = append(ack.Accept, r.RunKey)
		tokens[r.ID] = r.Token
	}
	_ = w.call(ctx, wire.EventClaimAck, ack, func(response json.RawMessage) {
		var a wire.AckAnswer
		_ = json.Unmarshal(response, &a)
		for _, id := range a.Confirmed {
			w.confirmed(ctx, g, wire.RunKey{ID: id, Token: tokens[id]})
		}
		g.free += len(ack.Accept) - len(a.Confirmed)
	})
	_ = w.claim(ctx)
}

// confirmed ends a run, unless the worker holds on to it.
func (w *worker) confirmed(ctx context.Context, g *group, key wire.RunKey) {
	w.took(key.ID)
	held := key.ID + " " + key.Token
	w.runs[held] = g.Group
	if w.hold && g.Group != "g1" {
		return
	}
	_ = w.call(ctx, wire.EventComplete, wire.RunComplete{RunEvent: wire.RunEvent{RunKey: key, Seq: 1}, Result: json.RawMessage(`{}`)}, func(json.RawMessage) {
		delete(w.runs, held)
		w.done.Add(1)
		g.free++
		g.again = true
		_ = w.claim(ctx)
	})
}
