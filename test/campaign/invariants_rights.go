package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// rightsGrace is how long after the commit that ended a right something that
	// it covers may still arrive: the promise of the product.
	rightsGrace = 5 * time.Second
	// noteError bounds how much later than its arrival something is recorded. The
	// clocks of PostgreSQL and of the campaign are one, the machine's; what remains
	// is how long the campaign waits for a processor.
	noteError     = 250 * time.Millisecond
	noteErrorSoak = 10 * time.Second
	// settled is how long after a fault its server may need to be as it was.
	settled = 2 * time.Second
)

// commitOf is when the transaction of a row became valid, in the time of the
// database; without track_commit_timestamp, when the row was written.
const commitOf = `CASE WHEN current_setting('track_commit_timestamp')::boolean THEN pg_xact_commit_timestamp(r.tx::xid) ELSE r.at END`

// i24OnlyWhatItMayRead wants a principal that may read its own jobs to be shown
// no others, by no server, in no answer and no event. One that loses the right to
// all jobs was allowed them until then.
func i24OnlyWhatItMayRead(_ context.Context, _ *pgx.Conn, o *outcome) ([]string, error) {
	var found []string
	for _, v := range o.visited {
		if v.seesAll {
			continue
		}
		for _, d := range v.shown {
			for _, job := range d.jobs {
				if !v.own[job] {
					found = append(found, fmt.Sprintf("%s of another was shown to principal %d by server %d: %s", job, v.number, d.server, d.what))
				}
			}
		}
	}
	return found, nil
}

// i24NothingAfterIt wants nothing that a right covers to arrive later than the
// grace after its end was committed, whatever faults last: they may delay what is
// shown, and then it must not be shown any more. A request is examined when it is
// made, so there is no grace for one that was made after the end was known to be
// committed.
func i24NothingAfterIt(ctx context.Context, conn *pgx.Conn, o *outcome) ([]string, error) {
	ended, err := rightEndings(ctx, conn)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, v := range o.visited {
		committed, known := ended[v.right()]
		if !known && !v.knownAt.IsZero() {
			found = append(found, fmt.Sprintf("principal %d: %s was not found in the database", v.number, v.loses))
		}
		if !known {
			continue
		}
		listed := map[[2]any]bool{} // one of each stream or request says enough
		for _, d := range v.shown {
			late, after := d.at.Sub(committed), d.sentAt.Sub(v.knownAt)
			key := [2]any{d.server, d.sentAt}
			tooLate, tooOld := late > rightsGrace+o.noteError(), !v.knownAt.IsZero() && after > 0
			if !v.covers(d) || listed[key] || !tooLate && !tooOld {
				continue
			}
			listed[key] = true
			found = append(found, fmt.Sprintf("principal %d was shown %s by server %d %s after %s was committed, asked for %s after that was known",
				v.number, d, d.server, late, v.loses, after))
		}
	}
	return found, nil
}

// i24StreamsEnd wants each stream that was open when its right ended to end
// within the grace, and to say why. A server that cannot ask says nothing, and
// ends its streams when it can ask again: then the grace begins after the fault.
// A stream that such a fault may have cut need not say anything, nor one from
// which the client was sent away because the server could not ask.
func i24StreamsEnd(ctx context.Context, conn *pgx.Conn, o *outcome) ([]string, error) {
	ended, err := rightEndings(ctx, conn)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, v := range o.visited {
		committed, known := ended[v.right()]
		if !known {
			continue
		}
		for _, s := range v.streams {
			if s.opened.After(committed) || s.closed.Before(committed) {
				continue
			}
			limit, calm := o.grace(s.server, committed)
			switch said := s.ending == endingRevoked || s.ending == endingOver; {
			case s.closed.After(limit.Add(o.noteError())):
				found = append(found, fmt.Sprintf("principal %d: the stream %s of server %d went on for %s after %s was committed", v.number, s.path, s.server, s.closed.Sub(committed), v.loses))
			case calm && !said && s.ending != endingLeft && s.ending != endingAway:
				found = append(found, fmt.Sprintf("principal %d: the stream %s of server %d was %s when %s", v.number, s.path, s.server, s.ending, v.loses))
			}
		}
	}
	return found, nil
}

// noteError is by how much later than its arrival something may be noted. In a
// soak the visitors wait for processors as all others do.
func (o *outcome) noteError() time.Duration {
	if o.config.Soak > 0 {
		return noteErrorSoak
	}
	return noteError
}

// grace returns until when a server must have ended the streams of a right
// that ended at the given time, and whether nothing has lasted meanwhile that may
// have cut them. Time in which the database answered nobody does not count.
func (o *outcome) grace(server int, from time.Time) (limit time.Time, calm bool) {
	faults := slices.Clone(o.faults)
	slices.SortFunc(faults, func(a, b injected) int { return a.began.Compare(b.began) })
	limit, calm = from.Add(rightsGrace), true
	for _, f := range faults {
		ofAll := f.kind == faultRestart || f.kind == faultTerminate
		if (!ofAll && f.target != server) || f.began.After(limit) || f.ended.Add(settled).Before(from) {
			continue
		}
		calm = false
		if until := f.ended.Add(settled + rightsGrace); until.After(limit) {
			limit = until
		}
	}
	for _, s := range o.sampled.stalls {
		if s.ended.After(from) && s.began.Before(limit) {
			limit, calm = limit.Add(s.ended.Sub(s.began)), false
		}
	}
	return limit, calm
}

// right names the right that the principal loses.
func (v *visited) right() [2]string { return [2]string{string(v.loses), v.subject} }

// String says what it is, and of how many jobs.
func (d delivery) String() string {
	if len(d.jobs) == 0 {
		return d.what
	}
	return fmt.Sprintf("%s (%s)", d.what, strings.Join(d.jobs[:min(len(d.jobs), 3)], ", "))
}

// rightEndings returns when the end of each right was committed.
func rightEndings(ctx context.Context, conn *pgx.Conn) (map[[2]string]time.Time, error) {
	rows, err := conn.Query(ctx, `SELECT r.kind, r.subject, min(`+commitOf+`) FROM campaign.revocations r GROUP BY r.kind, r.subject`)
	if err != nil {
		return nil, err
	}
	ended := map[[2]string]time.Time{}
	var kind, subject string
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&kind, &subject, &at}, func() error {
		ended[[2]string{kind, subject}] = at
		return nil
	})
	return ended, err
}

// shownAfter returns, of each principal that was shown something that its right
// covered after the end of it, how long after it that was at last.
func shownAfter(ctx context.Context, conn *pgx.Conn, o *outcome) (percentiles, error) {
	ended, err := rightEndings(ctx, conn)
	if err != nil {
		return nil, err
	}
	var after percentiles
	for _, v := range o.visited {
		last := time.Duration(0)
		for _, d := range v.shown {
			if committed, known := ended[v.right()]; known && v.covers(d) {
				last = max(last, d.at.Sub(committed))
			}
		}
		if last > 0 {
			after = append(after, last)
		}
	}
	slices.Sort(after)
	return after, nil
}

// countRights returns how many principals lost their right, by how.
func countRights(all []visited) map[rightEnd]int {
	n := map[rightEnd]int{}
	for _, v := range all {
		if !v.knownAt.IsZero() {
			n[v.loses]++
		}
	}
	return n
}

// countShown returns what was shown to the principals, and how often they were
// refused.
func countShown(all []visited) (shown, refused int) {
	for _, v := range all {
		shown, refused = shown+len(v.shown), refused+v.refused
	}
	return shown, refused
}

// idleRights returns what did not take place, though I24 says little without it.
func idleRights(all []visited) []string {
	var found []string
	ends := countRights(all)
	for _, kind := range rightEnds() {
		if ends[kind] == 0 {
			found = append(found, fmt.Sprintf("no right ended by: %s", kind))
		}
	}
	pushed, ended := 0, 0
	for _, v := range all {
		for _, d := range v.shown {
			if d.pushed {
				pushed++
			}
		}
		for _, s := range v.streams {
			if s.ending == endingRevoked {
				ended++
			}
		}
	}
	_, refused := countShown(all)
	for what, n := range map[string]int{
		"event was pushed to a restricted principal": pushed, "stream ended with its right": ended, "request was refused": refused,
	} {
		if n == 0 {
			found = append(found, "no "+what)
		}
	}
	return found
}
