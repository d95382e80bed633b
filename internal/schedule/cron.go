package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // zones are known on machines without a zone database too

	"github.com/robfig/cron/v3"
)

// timetable says when a schedule is due: a cron expression, read in a time zone.
//
// The expression speaks of local times, and at a clock change local times are
// missing or come twice. One that does not exist is due at the end of the gap;
// one that comes twice is due once, the first time. So each local time that the
// expression names has exactly one instant, and several that fall into one gap
// share theirs.
type timetable struct {
	walls cron.Schedule
	zone  *time.Location
}

var (
	errNotFiveFields = errors.New("must have five fields: minute, hour, day of month, month, day of week")
	errNeverDue      = errors.New("names a day that never comes")
)

// newTimetable reads a cron expression of five fields and the name of a zone.
// from is any instant; an expression that names no instant in the years after it
// is refused.
func newTimetable(expression, zone string, from time.Time) (timetable, error) {
	location, err := readZone(zone)
	if err != nil {
		return timetable{}, err
	}
	walls, err := readCron(expression)
	if err != nil {
		return timetable{}, err
	}
	t := timetable{walls: walls, zone: location}
	if _, ok := t.next(from); !ok {
		return timetable{}, fmt.Errorf("cron %q %w", expression, errNeverDue)
	}
	return t, nil
}

// readZone returns an IANA zone. "Local" is not one: it would mean something
// else on each server.
func readZone(name string) (*time.Location, error) {
	if name == "" || name == "Local" {
		return nil, fmt.Errorf("unknown time zone %q", name)
	}
	return time.LoadLocation(name)
}

// readCron reads an expression. Its hours and days are those of a clock that
// never changes, for which UTC stands.
func readCron(expression string) (cron.Schedule, error) {
	// The library also reads a zone in front, and takes one off before it counts
	// the fields.
	if len(strings.Fields(expression)) != 5 || strings.Contains(expression, "TZ=") || strings.Contains(expression, "@") {
		return nil, errNotFiveFields
	}
	walls, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(expression)
	if err != nil {
		return nil, err
	}
	if spec, ok := walls.(*cron.SpecSchedule); ok {
		spec.Location = time.UTC
	}
	return walls, nil
}

// next returns the first due instant after t; ok is false when none comes
// within five years.
func (t timetable) next(after time.Time) (due time.Time, ok bool) {
	wall := wallOf(after.In(t.zone))
	for {
		wall = t.walls.Next(wall)
		if wall.IsZero() {
			return time.Time{}, false
		}
		if due := instantOf(wall, t.zone); due.After(after) {
			return due, true
		}
	}
}

// wallOf returns what the clock on the wall shows at t, as a time in UTC.
func wallOf(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// instantOf returns the first instant at which the clock on the wall shows
// wall, or the end of the gap that leaves it out.
func instantOf(wall time.Time, zone *time.Location) time.Time {
	// Date picks one of the two offsets around a change, we do not know which.
	near := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, zone)
	start, end := near.ZoneBounds()
	var first time.Time
	for _, at := range []time.Time{near, start.Add(-time.Second), end} {
		_, offset := at.In(zone).Zone()
		candidate := wall.Add(-time.Duration(offset) * time.Second)
		if wallOf(candidate.In(zone)).Equal(wall) && (first.IsZero() || candidate.Before(first)) {
			first = candidate
		}
	}
	switch {
	case !first.IsZero():
		return first.UTC()
	case wallOf(near).After(wall):
		return start.UTC() // Date went over the gap
	default:
		return end.UTC() // Date stayed before it
	}
}
