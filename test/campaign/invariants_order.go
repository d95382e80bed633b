package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/work"
)

// lateMost is how long a job may be passed over that comes in before the place
// up to which was claimed (a claim goes on after the latest one of its lane,
// whoever made that), or that was not created approved. At that place a server
// polls again after a second at the latest, and two claims may take their full
// time. A job that was claimed or waited for approval before may be held by a
// write that is refused, until its transaction ends; PostgreSQL ends one that
// hangs after 15 s.
const lateMost = 16 * time.Second

// i13ClaimOrder compares what each claim took with what it left. It proves the
// order as far as a history can: a job counts as left behind when the snapshot
// of the claim's statement showed it approved and due, and the transaction that
// changed it next began only after the claim had chosen, and so did not hold it.
// What a history does not show is a lock whose holder changed nothing. Nobody
// takes one on a job that was created approved; others count after lateMost. A
// suspect that has once passed its turn on is left out.
func i13ClaimOrder(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	rows, err := conn.Query(ctx, `
		SELECT h.job_id, coalesce(h.was, ''), h."is", coalesce(h.job_type, ''), coalesce(h.priority, 0), coalesce(h.owner, 0), coalesce(h.created_at, 'epoch'), 
			coalesce(h.due, false) AND NOT EXISTS (SELECT 1 FROM campaign.passed p WHERE p.job_id = h.job_id), h.at,
			h.tx::text::bigint, coalesce(h.saw::text, ''), coalesce(h.token, 0), lead(h.began) OVER (PARTITION BY h.job_id ORDER BY h.id)
		FROM campaign.history h WHERE h."is" <> 'processing' OR h.saw IS NOT NULL ORDER BY h.id`)
	if err != nil {
		return nil, err
	}
	changes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[queueChange])
	if err != nil {
		return nil, err
	}
	return replayQueue(changes)
}

// replayQueue judges every claim of a history.
func replayQueue(changes []queueChange) ([]string, error) {
	q := queueReplay{claims: map[int64][]queueChange{}, waiting: map[string]map[string]queueChange{}, reached: map[queuePlace]queueChange{}}
	for _, c := range changes {
		if c.isClaim() {
			q.claims[c.TX] = append(q.claims[c.TX], c)
		}
	}
	for _, c := range changes {
		if err := q.apply(c); err != nil {
			return nil, err
		}
	}
	return q.found, nil
}

// queueChange is a row of the history, as far as the order of claims needs it.
type queueChange struct {
	Job       string
	Was       work.Status // "" for a new job
	Status    work.Status
	Type      string
	Priority  int
	Owner     int // within a priority, owners take turns
	CreatedAt time.Time
	Due       bool
	At        time.Time
	TX        int64
	Saw       string // of a claim: the snapshot of its statement
	Token     int64
	NextBegan *time.Time // the transaction that changed the job next; nil for none
}

// queuePlace is what claims have a place in.
type queuePlace struct {
	jobType         string
	priority, owner int
}

func (c queueChange) place() queuePlace { return queuePlace{c.Type, c.Priority, c.Owner} }

func (c queueChange) isClaim() bool { return c.Status == work.StatusProcessing }

// before reports whether a claim is to take c rather than o.
func (c queueChange) before(o queueChange) bool {
	return cmp.Or(cmp.Compare(o.Priority, c.Priority), c.CreatedAt.Compare(o.CreatedAt), strings.Compare(c.Job, o.Job)) < 0
}

// queueReplay is the queue at one point of the history.
type queueReplay struct {
	claims  map[int64][]queueChange           // by transaction, of which each makes one claim; those that were judged are gone
	waiting map[string]map[string]queueChange // by type and job: approved and due
	reached map[queuePlace]queueChange        // the last job in order that was claimed
	found   []string
}

// apply takes over the next change. A claim is judged at its first one.
func (q *queueReplay) apply(c queueChange) error {
	delete(q.waiting[c.Type], c.Job)
	switch taken := q.claims[c.TX]; {
	case c.isClaim() && len(taken) > 0:
		delete(q.claims, c.TX)
		for _, t := range taken {
			delete(q.waiting[t.Type], t.Job)
		}
		return q.claim(taken)
	case c.Status == work.StatusApproved && c.Due:
		if q.waiting[c.Type] == nil {
			q.waiting[c.Type] = map[string]queueChange{}
		}
		q.waiting[c.Type][c.Job] = c
	}
	return nil
}

// claim searches for jobs of the claimed types that a claim was to take rather than one
// that it took: of a higher priority, or of the same owner and older. Each lane of a
// campaign has one type.
func (q *queueReplay) claim(taken []queueChange) error {
	saw, err := parseSnapshot(taken[0].Saw)
	if err != nil {
		return fmt.Errorf("the claim with token %d: %w", taken[0].Token, err)
	}
	for _, left := range q.waiting[taken[0].Type] {
		i := slices.IndexFunc(taken, func(t queueChange) bool {
			return left.before(t) && (left.Priority > t.Priority || left.Owner == t.Owner)
		})
		if i < 0 {
			continue
		}
		t := taken[i]
		if saw.shows(left.TX) && (left.NextBegan == nil || left.NextBegan.After(t.At)) && !q.late(left, t) {
			q.found = append(q.found, fmt.Sprintf("%s (priority %d, created %s) was left while token %d took %s (priority %d, created %s)",
				left.Job, left.Priority, left.CreatedAt.Format(time.RFC3339Nano), t.Token, t.Job, t.Priority, t.CreatedAt.Format(time.RFC3339Nano)))
		}
	}
	for _, t := range taken {
		if at := t.place(); q.reached[at].Job == "" || q.reached[at].before(t) {
			q.reached[at] = t
		}
	}
	return nil
}

// late reports whether a job may be passed over because it has not waited long;
// see lateMost.
func (q *queueReplay) late(left, taken queueChange) bool {
	reached := q.reached[left.place()]
	return (left.Was != "" || reached.Job != "" && left.before(reached)) && taken.At.Sub(left.At) <= lateMost
}

// snapshot says which transactions a statement could see.
type snapshot struct {
	xmin, xmax int64
	open       map[int64]bool
}

// parseSnapshot reads PostgreSQL's form: xmin:xmax:those that were open.
func parseSnapshot(text string) (snapshot, error) {
	s := snapshot{open: map[int64]bool{}}
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return s, fmt.Errorf("%q is no snapshot", text)
	}
	numbers := []string{parts[0], parts[1]}
	if parts[2] != "" {
		numbers = append(numbers, strings.Split(parts[2], ",")...)
	}
	for i, number := range numbers {
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return s, fmt.Errorf("%q is no snapshot: %w", text, err)
		}
		switch i {
		case 0:
			s.xmin = n
		case 1:
			s.xmax = n
		default:
			s.open[n] = true
		}
	}
	return s, nil
}

// shows reports whether what a committed transaction wrote was to be seen.
func (s snapshot) shows(tx int64) bool { return tx < s.xmin || tx < s.xmax && !s.open[tx] }
