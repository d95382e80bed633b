package schedule

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// changes are the days on which a zone's clock changes between two years, found
// by comparing its offset day by day.
func changes(zone *time.Location, from, to int) []time.Time {
	var days []time.Time
	t := time.Date(from, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, last := t.In(zone).Zone(); t.Year() <= to; t = t.AddDate(0, 0, 1) {
		if _, offset := t.In(zone).Zone(); offset != last {
			days, last = append(days, t), offset
		}
	}
	return days
}

var changingZones = []string{
	"America/New_York", "America/Sao_Paulo", "America/St_Johns", "America/Santiago", "America/Havana", "Europe/Berlin", "Europe/London",
	"Europe/Dublin", "Africa/Casablanca", "Africa/Cairo", "Asia/Beirut", "Asia/Tehran", "Asia/Gaza", "Australia/Lord_Howe",
	"Australia/Sydney", "Pacific/Auckland", "Pacific/Chatham", "Antarctica/Troll", "America/Scoresbysund", "Pacific/Apia",
}

// TestQ46_ClockChanges walks schedules over every clock change from 2020 to 2040
// and compares them with the rule, computed minute by minute: each local time
// that the expression names has one instant; it is the first at which the clock
// shows it, or the end of the gap that leaves it out.
func TestQ46_ClockChanges(t *testing.T) {
	t.Parallel()
	checkClockChanges(t, 2026, 2028, 30)
}

func TestQ46_ClockChanges_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkClockChanges(t, 2020, 2040, 300)
}

// checkClockChanges walks over the clock changes of some years, of which there are at least
// so many.
func checkClockChanges(t *testing.T, first, last, least int) {
	t.Helper()
	expressions := map[string]func(wall time.Time) bool{
		"*/15 * * * *": func(w time.Time) bool { return w.Minute()%15 == 0 },
		"0 * * * *":    func(w time.Time) bool { return w.Minute() == 0 },
		"30 2 * * *":   func(w time.Time) bool { return w.Hour() == 2 && w.Minute() == 30 },
		"10 0,1 * * *": func(w time.Time) bool { return w.Hour() < 2 && w.Minute() == 10 },
		"59 23 * * *":  func(w time.Time) bool { return w.Hour() == 23 && w.Minute() == 59 },
		"0 0 * * *":    func(w time.Time) bool { return w.Hour() == 0 && w.Minute() == 0 },
	}
	walked := 0
	for _, name := range changingZones {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range changes(zone, first, last) {
			walked++
			from, to := change.Add(-50*time.Hour), change.Add(26*time.Hour)
			rule := byTheRule(zone, expressions, from, to)
			for expression := range expressions {
				table, err := newTimetable(expression, name, from)
				if err != nil {
					t.Fatal(err)
				}
				compare(t, name+" "+expression, rule[expression], walk(table, from, to))
			}
		}
	}
	if walked < least {
		t.Errorf("only %d clock changes were walked over", walked)
	}
}

// byTheRule returns the due instants after from and up to to, found by looking
// at every minute of the clock: as the clock goes on, each time that it shows
// first is due if it is named, and at a gap the named times in it are due at
// its end.
func byTheRule(zone *time.Location, expressions map[string]func(wall time.Time) bool, from, to time.Time) map[string][]time.Time {
	due := map[string][]time.Time{}
	highest := wallOf(from.In(zone))
	for t := from.Add(time.Minute); !t.After(to); t = t.Add(time.Minute) {
		named := map[string]bool{}
		for wall := wallOf(t.In(zone)); highest.Before(wall); {
			highest = highest.Add(time.Minute)
			for expression, names := range expressions {
				if names(highest) {
					named[expression] = true
				}
			}
		}
		for expression := range named {
			due[expression] = append(due[expression], t)
		}
	}
	return due
}

// walk returns what the timetable says is due after from and up to to.
func walk(table timetable, from, to time.Time) []time.Time {
	var due []time.Time
	for t := from; ; {
		next, ok := table.next(t)
		if !ok || next.After(to) {
			return due
		}
		due, t = append(due, next), next
	}
}

func compare(t *testing.T, what string, want, got []time.Time) {
	t.Helper()
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			t.Fatalf("%s: %s is silently skipped", what, want[i])
		case i >= len(want):
			t.Fatalf("%s: %s is not due", what, got[i])
		case !want[i].Equal(got[i]):
			t.Fatalf("%s: due number %d is %s, want %s", what, i, got[i], want[i])
		}
	}
}

func TestTimetable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cron, zone, after string
		want              []string
	}{
		"a time that does not exist is due at the end of the gap": {
			"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z",
			[]string{"2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"},
		},
		"several times in a gap share its end": {
			"*/20 2,3 * * *", "Europe/Berlin", "2026-03-29T00:00:00Z",
			[]string{"2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z", "2026-03-29T01:40:00Z", "2026-03-30T00:00:00Z"},
		},
		"a time that comes twice is due the first time": {
			"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z",
			[]string{"2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
		},
		"after the first pass the second one is not due": {
			"30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z",
			[]string{"2026-10-26T01:30:00Z"},
		},
		"a day of month or a day of week": {
			"0 6 13 * 5", "UTC", "2026-11-05T00:00:00Z",
			[]string{"2026-11-06T06:00:00Z", "2026-11-13T06:00:00Z", "2026-11-20T06:00:00Z"},
		},
		"a leap day": {"0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", []string{"2028-02-29T00:00:00Z"}},
		"after a due instant comes the next one": {
			"* * * * *", "Asia/Kolkata", "2026-01-01T00:00:00Z", []string{"2026-01-01T00:01:00Z", "2026-01-01T00:02:00Z"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			after, err := time.Parse(time.RFC3339, c.after)
			if err != nil {
				t.Fatal(err)
			}
			table, err := newTimetable(c.cron, c.zone, after)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.want {
				next, ok := table.next(after)
				if !ok || next.Format(time.RFC3339) != want {
					t.Fatalf("after %s comes %s, want %s", after, next, want)
				}
				after = next
			}
		})
	}
}

func TestTimetableRefuses(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ cron, zone string }{
		{"", "UTC"},
		{"* * * *", "UTC"},
		{"* * * * * *", "UTC"},
		{"@daily", "UTC"},
		{"@every 1s 2 3 4", "UTC"},
		{"60 * * * *", "UTC"},
		{"* 24 * * *", "UTC"},
		{"*/0 * * * *", "UTC"},
		{"5-1 * * * *", "UTC"},
		{"* * 0 * *", "UTC"},
		{"* * * 13 *", "UTC"},
		{"one * * * *", "UTC"},
		{"TZ=UTC * * * *", "UTC"},
		{"TZ=", "UTC"},
		{"CRON_TZ=UTC 1 2 3 4", "UTC"},
		{"0 0 31 2 *", "UTC"},
		{"* * * * *", ""},
		{"* * * * *", "Local"},
		{"* * * * *", "Mars/Olympus"},
		{"* * * * *", "../../etc/passwd"},
	} {
		if _, err := newTimetable(c.cron, c.zone, now); err == nil {
			t.Errorf("cron %q in %q was accepted", c.cron, c.zone)
		}
	}
	if _, err := newTimetable("0 0 31 4,6 *", "UTC", now); !errors.Is(err, errNeverDue) {
		t.Errorf("a day that never comes: %v", err)
	}
}

// FuzzTimetable feeds whatever text: it is refused, or due instants go forward.
func FuzzTimetable(f *testing.F) {
	for _, seed := range []string{"* * * * *", "*/5 1-3 1,15 JAN-MAR MON", "0 0 29 2 *", "TZ=Asia/Tokyo * * * * *", "? ? ? ? ?", "-1 0 0 0 0", "1-59/7 */3 * * 0-6"} {
		f.Add(seed, "Europe/Berlin", int64(1_790_000_000))
	}
	f.Fuzz(func(t *testing.T, expression, zone string, unix int64) {
		from := time.Unix(unix%4_000_000_000, 0).UTC()
		table, err := newTimetable(expression, zone, from)
		if err != nil {
			return
		}
		if len(strings.Fields(expression)) != 5 {
			t.Fatalf("%q was accepted", expression)
		}
		for range 3 {
			next, ok := table.next(from)
			if !ok {
				return
			}
			if !next.After(from) || next.Second() != 0 && zone == "UTC" {
				t.Fatalf("%q in %q: after %s comes %s", expression, zone, from, next)
			}
			from = next
		}
	})
}
