package main

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

const (
	askEvery     = 250 * time.Millisecond
	reopenFrom   = 100 * time.Millisecond
	reopenUntil  = 700 * time.Millisecond
	ticketLimit  = 2 * time.Second
	answerLimit  = 15 * time.Second
	maxAnswer    = 4 << 20
	foreignShare = 4 // of so many requests one is for the job of another
)

// ask sends requests until ctx ends.
func (v *visitor) ask(ctx context.Context, r *rand.Rand) {
	for pause(ctx, between(r, askEvery/2, askEvery*3/2)) {
		path, foreign := "/jobs?limit=20", false
		switch r.IntN(foreignShare) {
		case 0:
			if id := v.crowd.foreign(v.number, r); id != "" {
				path, foreign = "/jobs/"+id, true
			}
		case 1:
			path = "/jobs/" + v.ownJob(r)
		}
		v.request(ctx, r, path, foreign)
	}
}

// request asks one server for something, and records what it was shown.
func (v *visitor) request(ctx context.Context, r *rand.Rand, path string, foreign bool) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	d := delivery{what: "GET " + path, foreign: foreign, sentAt: time.Now()}
	resp := v.get(ctx, r, path, true, &d)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err == nil && v.allowed(resp) {
		d.at, d.jobs = time.Now(), jobIDs(string(text))
		v.show(d)
	}
}

// follow opens streams one after another until soon ends, and reads each until it
// ends. A stream from after the end of the right is left when soon ends, others
// are awaited until ctx ends.
func (v *visitor) follow(ctx, soon context.Context, r *rand.Rand, n int) {
	for soon.Err() == nil {
		path, foreign := "/events?jobs=*", false
		switch {
		case n == 1:
			path = "/jobs/" + v.ownJob(r) + "/stream"
		case n == 2 && r.IntN(2) == 0:
			path = "/events"
		case n == 2:
			if id := v.crowd.foreign(v.number, r); id != "" {
				path, foreign = "/jobs/"+id+"/stream", true
			}
		}
		until := ctx
		if v.knowsItsEnd() {
			until = soon
		}
		v.stream(until, r, path, foreign)
		pause(soon, between(r, reopenFrom, reopenUntil))
	}
}

// stream reads one stream to its end.
func (v *visitor) stream(ctx context.Context, r *rand.Rand, path string, foreign bool) {
	d := delivery{what: "GET " + path, foreign: foreign, sentAt: time.Now(), pushed: true}
	inHeader := r.IntN(3) > 0
	asked := path
	if !inHeader {
		asked = v.withCredential(ctx, r, path)
	}
	resp := v.get(ctx, r, asked, inHeader, &d)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	if !v.allowed(resp) {
		return
	}
	s := visitedStream{server: d.server, path: path, opened: time.Now(), ending: endingCut}
	ofPath, pauses := jobIDs(path), 0
	eachFrame(resp.Body, func(fields map[string]string) bool {
		at := time.Now()
		jobs := append(jobIDs(fields["data"]), ofPath...)
		if fields["retry"] != "" {
			if pauses++; pauses > 1 { // the first one opens the stream
				s.ending = endingAway
			}
		}
		switch kind := fields["event"]; {
		case kind == "keepalive" || kind == "" && fields["data"] == "":
			return true
		case kind == "error" && isRevocation(fields["data"]):
			s.ending = endingRevoked
			return true
		case work.EventKind(kind).Terminal() && len(ofPath) > 0:
			s.ending = endingOver
		}
		shown := d
		shown.what, shown.jobs, shown.at = fields["event"]+" of "+d.what, jobs, at
		v.show(shown)
		return true
	})
	s.closed = time.Now()
	if ctx.Err() != nil {
		s.ending = endingLeft
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.streams = append(v.streams, s)
}

// withCredential adds the token to an address, or a ticket that a server gives
// for it.
func (v *visitor) withCredential(ctx context.Context, r *rand.Rand, path string) string {
	query := url.Values{"token": {v.token}}
	if ticket := v.ticket(ctx, r, path); r.IntN(2) == 0 && ticket != "" {
		query = url.Values{"ticket": {ticket}}
	}
	if strings.Contains(path, "?") {
		return path + "&" + query.Encode()
	}
	return path + "?" + query.Encode()
}

// ticket asks a server for a ticket, and returns "" when it does not get one.
func (v *visitor) ticket(ctx context.Context, r *rand.Rand, path string) string {
	ctx, cancel := context.WithTimeout(ctx, ticketLimit)
	defer cancel()
	path, _, _ = strings.Cut(path, "?")
	path = strings.TrimSuffix(path, "/stream") + "/stream-ticket"
	address := v.crowd.servers[r.IntN(len(v.crowd.servers))].address()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+path, nil)
	if err != nil {
		return ""
	}
	req.Header.Set("Authorization", "Bearer "+v.token)
	resp, err := v.crowd.http.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	var given access.StreamTicket
	if json.NewDecoder(resp.Body).Decode(&given) != nil {
		return ""
	}
	return given.Ticket
}

// get sends a request to any server, and returns nil when there is no answer.
func (v *visitor) get(ctx context.Context, r *rand.Rand, path string, inHeader bool, d *delivery) *http.Response {
	s := v.crowd.servers[r.IntN(len(v.crowd.servers))]
	d.server = s.index
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address()+path, nil)
	if s.address() == "" || err != nil {
		return nil
	}
	if inHeader {
		req.Header.Set("Authorization", "Bearer "+v.token)
	}
	resp, err := v.crowd.http.Do(req)
	if err != nil {
		return nil
	}
	return resp
}

// allowed reports whether an answer shows something, and counts refusals.
func (v *visitor) allowed(resp *http.Response) bool {
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.refused++
	}
	return resp.StatusCode == http.StatusOK
}

// show records that something was shown.
func (v *visitor) show(d delivery) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shown = append(v.shown, d)
}

func (v *visitor) knowsItsEnd() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return !v.knownAt.IsZero()
}

// ownJob returns a job of the principal.
func (v *visitor) ownJob(r *rand.Rand) string {
	n := r.IntN(len(v.own))
	for id := range v.own {
		if n--; n < 0 {
			return id
		}
	}
	return ""
}

// isRevocation reports whether the data of an error event is what a stream says
// whose right has ended. An error of one job names it.
func isRevocation(data string) bool {
	var frame struct {
		JobID string `json:"job_id"`
		Error string `json:"error"`
	}
	return json.Unmarshal([]byte(data), &frame) == nil && frame.JobID == "" && frame.Error == "Access revoked"
}
