package notify

import (
	"fmt"

	"github.com/kappagraph/kappa/work"
)

// record is what one watcher has got of one job, over all its connections.
type record struct {
	job  string
	from int64 // number of the event that the job stood at when the watcher began; 0: it has read all
	seen []seenEvent
	over bool // it has seen the terminal event
}

type seenEvent struct {
	seq  int64
	kind work.EventKind
}

// last returns the number of the last event that the watcher has.
func (r *record) last() int64 {
	if n := len(r.seen); n > 0 {
		return r.seen[n-1].seq
	}
	return r.from
}

func (r *record) add(e *work.Event) {
	r.seen = append(r.seen, seenEvent{e.Seq, e.Kind})
	r.over = r.over || e.Kind.Terminal()
}

// check compares what the watcher has got with the table, which has the kinds of
// the job's events in their order. It returns what is wrong.
func (r *record) check(table []work.EventKind) (problems []string) {
	wrong := func(format string, args ...any) {
		problems = append(problems, r.job+": "+fmt.Sprintf(format, args...))
	}
	last, terminal := r.from, 0
	for _, e := range r.seen {
		switch {
		case e.seq == last:
			wrong("event %d came twice", e.seq)
		case e.seq < last:
			wrong("event %d came after event %d", e.seq, last)
		case e.seq > int64(len(table)):
			wrong("event %d is not in the table, which has %d", e.seq, len(table))
		case e.kind != table[e.seq-1]:
			wrong("event %d is %s, the table says %s", e.seq, e.kind, table[e.seq-1])
		default:
			for missed := last + 1; missed < e.seq; missed++ {
				if kind := table[missed-1]; kind != work.EventProgress || e.kind != work.EventProgress {
					wrong("event %d, %s, was missed: %d, %s, came after %d", missed, kind, e.seq, e.kind, last)
				}
			}
		}
		if e.kind.Terminal() {
			terminal++
		}
		last = max(last, e.seq)
	}
	switch {
	case terminal > 1:
		wrong("%d terminal events", terminal)
	case terminal == 0 && r.from < int64(len(table)):
		wrong("the terminal event was missed: the last was %d of %d", last, len(table))
	}
	return problems
}

// checkTable returns what is wrong with a history in the table: it is what the
// rest is measured by.
func checkTable(table []work.EventKind) error {
	for i, kind := range table {
		if kind.Terminal() != (i == len(table)-1) {
			return fmt.Errorf("event %d of %d is %s", i+1, len(table), kind)
		}
	}
	if len(table) == 0 {
		return fmt.Errorf("no events")
	}
	return nil
}
