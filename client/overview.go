package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/kappagraph/kappa/work"
)

// News is one change of what an overview shows. One of its parts is set.
type News struct {
	// Begins says that the overview begins, also anew after a lost connection: what was known is no
	// more. All that is follows. Truncated: there are more jobs than are shown; it may come later, too,
	// and then begins nothing.
	Begins, Truncated bool
	Job               *Update         // a job is shown, or has changed
	Gone              string          // the id of a job that was deleted
	Lane              *work.LaneUsage // a lane is shown, or has changed
	NoLane            string          // the name of a lane that is no more
	Lost              error           // the connection is lost, and is made anew until that succeeds
}

// Overview follows all jobs that the user may read and that are not over, at most 1,000 at once, and
// all lanes if he may see them. It begins with the newest 200. Events of a job come in their order;
// between jobs there is none. Only the first connection may fail: later ones are made anew for as
// long as it takes. It yields an error and ends when the server refuses it, or when ctx ends.
func (s Jobs) Overview(ctx context.Context) iter.Seq2[News, error] {
	return func(yield func(News, error) bool) {
		o := &overview{stream: newStream(s.c), yield: yield}
		o.retryFor = math.MaxInt64
		o.request, o.take, o.over, o.lost = openOverview, o.news, nothingShown, func(err error) error { return o.tell(News{Lost: err}) }
		if err := o.run(ctx); err != nil && !errors.Is(err, errStopped) {
			yield(News{}, err)
		}
	}
}

// overview is the state of one Overview.
type overview struct {
	stream
	yield func(News, error) bool
	begun bool // this connection's
}

func openOverview() call {
	in := get("/events", nil)
	in.header = http.Header{"Accept": {"text/event-stream"}}
	return in
}

func nothingShown(context.Context) error {
	return errors.New("the server has no overview of jobs")
}

// tell yields news.
func (o *overview) tell(n News) error {
	if n.Lost != nil {
		o.begun = false
	}
	if !o.yield(n, nil) {
		return errStopped
	}
	return nil
}

// envelope is the data of an event about a job.
type envelope struct {
	JobID string          `json:"job_id"`
	Seq   int64           `json:"seq"`
	Data  json.RawMessage `json:"data"`
}

// laneNews is a lane, or says that there is none of that name any more.
type laneNews struct {
	work.LaneUsage
	Removed bool `json:"removed"`
}

// news handles one event of the stream.
func (o *overview) news(f frame) error {
	switch f.event {
	case "ready":
		var ready struct {
			Truncated bool `json:"truncated"`
		}
		if err := unreadable(f, json.Unmarshal([]byte(f.data), &ready)); err != nil {
			return err
		}
		n := News{Begins: !o.begun, Truncated: ready.Truncated}
		o.begun = true
		return o.tell(n)
	case "lane":
		var lane laneNews
		if err := unreadable(f, json.Unmarshal([]byte(f.data), &lane)); err != nil {
			return err
		}
		if lane.Removed {
			return o.tell(News{NoLane: lane.Name})
		}
		return o.tell(News{Lane: &lane.LaneUsage})
	case "keepalive":
		return nil
	}
	return o.job(f)
}

// job handles an event about a job.
func (o *overview) job(f frame) error {
	var e envelope
	if err := unreadable(f, json.Unmarshal([]byte(f.data), &e)); err != nil {
		return err
	}
	if f.event == "error" && e.JobID == "" {
		return streamError(f.data)
	}
	if f.event == "error" {
		return o.tell(News{Gone: e.JobID})
	}
	u, ok, err := newUpdate(e.JobID, frame{event: f.event, id: strconv.FormatInt(e.Seq, 10), data: string(e.Data)}, time.Now())
	if err != nil || !ok {
		return err
	}
	return o.tell(News{Job: &u})
}

func unreadable(f frame, err error) error {
	if err != nil {
		return fmt.Errorf("event %q cannot be read: %w", f.event, err)
	}
	return nil
}
