package notify

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/work"
)

// TestFaultRecord shows that the judge of the fault tests sees each wrong.
func TestFaultRecord(t *testing.T) {
	t.Parallel()
	kind := map[rune]work.EventKind{
		's': work.EventStatus, 'p': work.EventProgress, 'c': work.EventCompleted, 'f': work.EventFailed,
	}
	kinds := func(text string) (list []work.EventKind) {
		for _, letter := range text {
			list = append(list, kind[letter])
		}
		return list
	}
	// seen is a letter for each event of the table, "." for one left out; an event
	// out of its place is written with its number behind the history.
	for _, c := range []struct {
		name, table, seen string
		from              int64
		more              []seenEvent
		want              string
	}{
		{name: "all", table: "spspsc", seen: "spspsc"},
		{name: "from a snapshot", table: "spspsc", seen: "...psc", from: 3},
		{name: "a snapshot of the end", table: "spspsc", from: 6},
		{name: "progress that gave way", table: "spppsc", seen: "s..psc"},
		{name: "progress that gave way to a status", table: "spppsc", seen: "s...sc", want: "event 2, progress, was missed"},
		{name: "a status left out", table: "pspsc", seen: "p.psc", want: "event 2, status, was missed"},
		{name: "a status left out for progress before it", table: "ppspsc", seen: ".p.psc", want: "event 3, status, was missed"},
		{name: "no end", table: "spsc", seen: "sps.", want: "the terminal event was missed"},
		{name: "nothing", table: "spsc", seen: "", want: "the terminal event was missed"},
		{name: "another end", table: "spsc", seen: "spsf", want: "event 4 is failed, the table says completed"},
		{name: "a double", table: "spsc", seen: "spsc", more: []seenEvent{{4, work.EventCompleted}}, want: "event 4 came twice"},
		{name: "two ends", table: "spsc", seen: "spsc", more: []seenEvent{{4, work.EventCompleted}}, want: "2 terminal events"},
		{name: "out of order", table: "spsc", seen: "spsc", more: []seenEvent{{2, work.EventProgress}}, want: "event 2 came after event 4"},
		{name: "invented", table: "spsc", seen: "spsc", more: []seenEvent{{5, work.EventStatus}}, want: "event 5 is not in the table"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &record{job: "job", from: c.from, seen: nil}
			for i, letter := range c.seen {
				if letter != '.' {
					r.seen = append(r.seen, seenEvent{int64(i + 1), kind[letter]})
				}
			}
			r.seen = append(r.seen, c.more...)
			got := strings.Join(r.check(kinds(c.table)), "; ")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
	for table, valid := range map[string]bool{"spsc": true, "sp": false, "scsc": false, "": false, "sc": true} {
		if err := checkTable(kinds(table)); (err == nil) != valid {
			t.Errorf("a table with %q: %v", table, err)
		}
	}
}
