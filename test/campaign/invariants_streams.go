package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/work"
)

// i22IDsIncrease wants the ids of a connection to increase, and to begin after
// what the client had seen. Only what belongs to a snapshot repeats its id: the
// present progress, and the end of a job that is over.
func i22IDsIncrease(_ context.Context, _ *pgx.Conn, o *outcome) ([]string, error) {
	var found []string
	for _, f := range o.followed {
		for n, c := range f.connections {
			last, ofSnapshot := c.after, false
			for _, frame := range c.frames {
				repeats := ofSnapshot && frame.id == last && (frame.event == string(work.EventProgress) || work.EventKind(frame.event).Terminal())
				ofSnapshot = frame.event == eventSnapshot
				if frame.id <= last && !repeats && !ofSnapshot {
					found = append(found, fmt.Sprintf("%s: in connection %d the event %s has the id %d after %d", f.job, n+1, frame.event, frame.id, last))
				}
				last = max(last, frame.id)
			}
		}
	}
	return found, nil
}

// i22NothingMissing compares the state events of each job with what its clients
// have seen of them: all after their first snapshot, and all of a job's before
// the end that they saw.
func i22NothingMissing(ctx context.Context, conn *pgx.Conn, o *outcome) ([]string, error) {
	stored, err := eventsOf(ctx, conn, o.followed)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, f := range o.followed {
		first, last, seen := int64(-1), int64(-1), map[int64]bool{}
		for _, c := range f.connections {
			for _, frame := range c.frames {
				if first < 0 {
					first = frame.id
				}
				last = max(last, frame.id)
				seen[frame.id] = seen[frame.id] || frame.event != eventSnapshot
			}
		}
		for seq, kind := range stored[f.job] {
			if kind != work.EventProgress && seq > first && seq <= last && !seen[seq] && first >= 0 {
				found = append(found, fmt.Sprintf("%s: a client that saw the events from %d to %d has missed the event %d, %s", f.job, first, last, seq, kind))
			}
		}
	}
	return found, nil
}

// i22ShownExisted wants each event that was shown to be stored, under its id and
// as what it was shown. The progress of a snapshot is none.
func i22ShownExisted(ctx context.Context, conn *pgx.Conn, o *outcome) ([]string, error) {
	stored, err := eventsOf(ctx, conn, o.followed)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, f := range o.followed {
		for _, c := range f.connections {
			ofSnapshot := int64(-1)
			for _, frame := range c.frames {
				kind, exists := stored[f.job][frame.id]
				switch {
				case frame.event == eventSnapshot:
					ofSnapshot = frame.id
				case frame.event == string(work.EventProgress) && frame.id == ofSnapshot:
				case string(kind) == frame.event:
					continue
				default:
					found = append(found, fmt.Sprintf("%s: a client was shown the event %d as %s, stored is %q", f.job, frame.id, frame.event, kind))
				}
				if !exists {
					found = append(found, fmt.Sprintf("%s: a client was shown the event %d, which does not exist", f.job, frame.id))
				}
			}
		}
	}
	return found, nil
}

// i22OneEnd wants each client to see the end of its job once, and then to be
// asked to stay away. A connection that is cut between the snapshot of a job that
// is over and the end which repeats its id leaves a client that knows the end
// without the event.
func i22OneEnd(_ context.Context, _ *pgx.Conn, o *outcome) ([]string, error) {
	var found []string
	for _, f := range o.followed {
		ends, overInSnapshot, after := 0, false, 0
		for _, c := range f.connections {
			for _, frame := range c.frames {
				if ends > 0 {
					after++
				}
				if work.EventKind(frame.event).Terminal() {
					ends++
				}
				overInSnapshot = overInSnapshot || frame.event == eventSnapshot && frame.status.Terminal()
			}
		}
		away := len(f.connections) > 0 && f.connections[len(f.connections)-1].status == http.StatusNoContent
		switch {
		case f.trouble != "":
			found = append(found, fmt.Sprintf("%s: a client %s", f.job, f.trouble))
		case ends > 1 || after > 0:
			found = append(found, fmt.Sprintf("%s: a client saw %d ends, and %d events after the first", f.job, ends, after))
		case !f.ended || !away:
			found = append(found, fmt.Sprintf("%s: a client did not see the end in %d connections", f.job, len(f.connections)))
		case ends == 0 && !overInSnapshot:
			found = append(found, fmt.Sprintf("%s: a client was asked to stay away before it saw the end", f.job))
		}
	}
	return found, nil
}

// eventsOf returns the kinds of the stored events, by job and number, of the
// jobs that were followed.
func eventsOf(ctx context.Context, conn *pgx.Conn, all []followed) (map[string]map[int64]work.EventKind, error) {
	ids := make([]string, len(all))
	for i, f := range all {
		ids[i] = f.job
	}
	rows, err := conn.Query(ctx, "SELECT e.job_id, e.seq, e.kind FROM kg_api.job_history e WHERE e.job_id = ANY ($1)", ids)
	if err != nil {
		return nil, err
	}
	stored := map[string]map[int64]work.EventKind{}
	var id, kind string
	var seq int64
	_, err = pgx.ForEachRow(rows, []any{&id, &seq, &kind}, func() error {
		if stored[id] == nil {
			stored[id] = map[int64]work.EventKind{}
		}
		stored[id][seq] = work.EventKind(kind)
		return nil
	})
	return stored, err
}
