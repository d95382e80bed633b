package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
)

// workerSecret is what the server's workers share.
const workerSecret = "a secret that the workers share, and no one else"

const (
	forgedConnections = 8
	forgedFrames      = 400 // on each, at most: the server ends those that send nonsense
)

// attackFrames connects as a worker: with tokens that must be refused, and then with a good
// one to send what no worker sends. The server stays, and what waits for an honest worker
// waits on.
func attackFrames(ctx context.Context, t *target, out *tally) error {
	for what, token := range workerTokens() {
		out.try()
		if conn, err := t.dial(ctx, token); err == nil {
			_ = conn.CloseNow() // it should not be there
			out.hole("a worker connects with %s", what)
		}
	}
	job, err := t.post(ctx, t.admin.token, "/jobs", `{"job_type":"exec","queue":"attack","data":{"n":1},"auto_approve":true}`, "job_id")
	if err != nil {
		return err
	}
	for i := range forgedConnections {
		token, err := wire.SignWorkerToken([]byte(workerSecret), fmt.Sprintf("00000000-0000-4000-8000-%012d", i), time.Now())
		if err != nil {
			return err
		}
		conn, err := t.dial(ctx, token)
		if err != nil {
			return fmt.Errorf("connect as a worker: %w", err)
		}
		t.forge(ctx, out, conn, rand.New(rand.NewPCG(uint64(i), 7)), job)
		_ = conn.CloseNow() // it may be closed
		if err := t.alive(ctx); err != nil {
			out.hole("after the forged frames of connection %d: %v", i, err)
		}
	}
	a, err := t.send(ctx, request{method: "GET", path: "/jobs/" + job, token: t.admin.token})
	if err != nil || !strings.Contains(a.body, `"status":"approved"`) {
		out.hole("the job that waited was taken by nobody's claim: %d %v %s", a.status, err, a.body)
	}
	_, err = t.send(ctx, request{method: "DELETE", path: "/jobs/" + job, token: t.admin.token})
	return err
}

// dial opens a connection of a worker.
func (t *target) dial(ctx context.Context, token string) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, prompt)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, strings.Replace(t.url, "http", "ws", 1)+"/worker/websocket?vsn=2.0.0", &websocket.DialOptions{ //nolint:bodyclose // nothing is to be closed, the library says
		HTTPHeader: map[string][]string{"Authorization": {"Bearer " + token}}, Subprotocols: []string{wire.Subprotocol},
	})
	return conn, err
}

// workerTokens are tokens that open no connection.
func workerTokens() map[string]string {
	sign := func(secret string, at time.Time) string {
		token, _ := wire.SignWorkerToken([]byte(secret), "00000000-0000-4000-8000-ffffffffffff", at) // a plain claim
		return token
	}
	good := sign(workerSecret, time.Now())
	parts := strings.Split(good, ".")
	claims, _ := json.Marshal(map[string]any{"iss": wire.IssuerCompat, "iat": 0, "nbf": 0, "worker_id": "forger"}) //nolint:errchkjson // plain values
	endless := parts[0] + "." + base64.RawURLEncoding.EncodeToString(claims)
	mac := hmac.New(sha256.New, []byte(workerSecret))
	mac.Write([]byte(endless))
	endless += "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`))
	return map[string]string{
		"no token": "", "a token of 1970 without an end": endless, "another secret": sign("another secret of some length", time.Now()), "a token of 1970": sign(workerSecret, time.Unix(0, 0)), "a token of yesterday": sign(workerSecret, time.Now().Add(-24*time.Hour)),
		"a token of tomorrow": sign(workerSecret, time.Now().Add(24*time.Hour)), "no algorithm": none + "." + parts[1] + ".", "no signature": parts[0] + "." + parts[1] + ".", "the token of a user": "eyJhbGciOiJIUzI1NiJ9.e30.AAAA",
	}
}

// forge sends frames that no worker sends, until the server ends the connection.
func (t *target) forge(ctx context.Context, out *tally, conn *websocket.Conn, seed *rand.Rand, job string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	go func() {
		for {
			if _, _, err := conn.Read(ctx); err != nil {
				return
			}
		}
	}()
	for range forgedFrames {
		kind, frame := forged(seed, job)
		if conn.Write(ctx, kind, frame) != nil {
			return
		}
		out.try()
	}
}

// forged is a frame that no worker sends: of wrong shapes, of events before a join, of runs
// that were not claimed, with tokens that were not given, or of random bytes.
func forged(seed *rand.Rand, job string) (websocket.MessageType, []byte) {
	if seed.IntN(60) == 0 { // it ends the connection
		random := make([]byte, seed.IntN(300))
		for i := range random {
			random[i] = byte(seed.IntN(256))
		}
		return websocket.MessageBinary, random
	}
	events := []string{"phx_join", "phx_leave", "heartbeat", "claim", "claim:ack", "run:complete", "run:fail", "run:progress", "run:log", "run:checkpoint", "run:release", "run:extend", "run:fetch", "fetch:plan", "fetch:dataclip", "fetch:credential", "step:start", "step:complete", "worker:drain", "nonsense", ""}
	topics := []string{"worker:queue", "run:" + job, "run:" + kappa.NewJobID(), "run:../..", "phoenix", "room:lobby", "", strings.Repeat("a", 5000)}
	payloads := []any{
		nil, 1, "a",
		[]int{1},
		map[string]any{},
		map[string]any{"demand": -1},
		map[string]any{"demand": 1 << 40, "queues": []string{"*"}},
		map[string]any{"token": "x.y.z"},
		map[string]any{"id": job, "tok": "1", "seq": 1 << 60, "result": "x"},
		map[string]any{"id": job, "tok": -1, "seq": -1, "error": strings.Repeat("\x00", 100)},
		map[string]any{"lines": make([]string, 2000)},
		map[string]any{"reason": "success", "final_state": strings.Repeat("a", 100_000)},
		map[string]any{"runs": []map[string]any{{"id": job, "tok": 1}}},
		map[string]any{"claim_id": strings.Repeat("c", 10_000), "accept": []string{job}},
	}
	frame := []any{fmt.Sprint(seed.IntN(5)), fmt.Sprint(seed.IntN(1000)), topics[seed.IntN(len(topics))], events[seed.IntN(len(events))], payloads[seed.IntN(len(payloads))]}
	if seed.IntN(60) == 0 { // likewise
		frame = frame[:seed.IntN(len(frame))]
	}
	text, err := json.Marshal(frame)
	if err != nil {
		text = []byte("[")
	}
	return websocket.MessageText, text
}
