package main

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/access"
)

// visitTest has two principals lose their right: one its client, and one the role
// that has let it see all jobs, so that it may still be shown its own.
func visitTest(t *testing.T, dsn, own string) []visited {
	t.Helper()
	const (
		client = "visit-test"
		others = "job_000000000000"
	)
	before := time.Now()
	user := registerTest(t, dsn, client, contributor)
	executeSQL(t, dsn, "DELETE FROM kg_api.oauth_clients WHERE client_id = '"+client+"'")
	operator := registerTest(t, dsn, client+"-2", access.RolePlatformAdmin)
	executeSQL(t, dsn, "UPDATE kg_api.users SET role = '"+contributor+"' WHERE id = "+operator)
	known := time.Now()
	shown := func(job string, at time.Time) delivery {
		return delivery{what: "progress of GET /events", jobs: []string{job}, sentAt: before, at: at, pushed: true}
	}
	ended := visitedStream{path: "/events", opened: before, closed: known.Add(2 * time.Second), ending: endingRevoked}
	return []visited{
		{
			loses: endOfClient, subject: client, own: map[string]bool{own: true}, knownAt: known, refused: 1,
			shown: []delivery{shown(own, before), shown(own, known.Add(4*time.Second))}, streams: []visitedStream{ended},
		},
		{
			number: 1, loses: endOfRole, subject: operator, seesAll: true, own: map[string]bool{own: true}, knownAt: known, refused: 1,
			shown: []delivery{shown(others, before), shown(own, known.Add(6*time.Second))}, streams: []visitedStream{ended},
		},
		{number: 2, loses: endOfUser, subject: user, own: map[string]bool{own: true}, shown: []delivery{shown(own, before)}}, // cut short
	}
}

// registerTest makes a user with a client, and returns its id.
func registerTest(t *testing.T, dsn, client, role string) (id string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	defer conn.Close(t.Context())
	check(t, conn.QueryRow(t.Context(), "INSERT INTO kg_api.users (username, role) VALUES ($1, $2) RETURNING id::text", client, role).Scan(&id))
	executeSQL(t, dsn, "INSERT INTO kg_api.oauth_clients (client_id, user_id, name, secret_hash, scopes) VALUES ('"+client+"', "+id+", 'test', '', '{read:*}')")
	return id
}

// rightBreaches are ways to break I24.
func rightBreaches() []breach {
	first := func(o *outcome) *visited { return &o.visited[0] }
	return []breach{
		{breaks: "I24", name: "an event comes 6 s after the right has ended", change: func(o *outcome) {
			v := first(o)
			v.shown[1].at = v.knownAt.Add(6 * time.Second)
		}},
		{breaks: "I24", name: "an event of somebody else's job comes", change: func(o *outcome) { first(o).shown[0].jobs = []string{"job_000000000000"} }},
		{breaks: "I24", name: "an event of somebody else's job comes 6 s after the role was lowered", change: func(o *outcome) {
			o.visited[1].shown[0].at = o.visited[1].knownAt.Add(6 * time.Second)
		}},
		{breaks: "I24", name: "a request is answered that was made after the end", change: func(o *outcome) {
			v := first(o)
			v.shown[1].sentAt, v.shown[1].at = v.knownAt.Add(time.Millisecond), v.knownAt.Add(2*time.Millisecond)
		}},
		{breaks: "I24", name: "a stream goes on without its right", change: func(o *outcome) {
			v := first(o)
			v.streams[0].closed, v.streams[0].ending = v.knownAt.Add(6*time.Second), endingLeft
		}},
		{breaks: "I24", name: "a stream does not say why it ends", change: func(o *outcome) { first(o).streams[0].ending = endingCut }},
		{breaks: "I24", name: "the end of a right is not stored", sql: "DELETE FROM campaign.revocations WHERE kind = 'client deleted'"},
	}
}

func TestPatience(t *testing.T) {
	t.Parallel()
	from := time.Now()
	after := func(d time.Duration) time.Time { return from.Add(d) }
	o := &outcome{sampled: samples{stalls: []stall{{after(40 * time.Second), after(41 * time.Second)}}}, faults: []injected{
		{fault: fault{kind: faultBlind}, target: 1, began: after(9 * time.Second), ended: after(12 * time.Second)},
		{fault: fault{kind: faultPause}, target: 1, began: after(-time.Second), ended: after(4 * time.Second)},
		{fault: fault{kind: faultKill}, target: 2, began: after(-time.Hour), ended: after(-time.Hour)},
		{fault: fault{kind: faultRestart}, target: 2, began: after(30 * time.Second), ended: after(31 * time.Second)},
	}}
	for name, c := range map[string]struct {
		server int
		from   time.Time
		limit  time.Duration // after from
		calm   bool
	}{
		"without a fault the grace is all":                {0, from, rightsGrace, true},
		"faults of a server that meet each other add up":  {1, from, 12*time.Second + settled + rightsGrace, false},
		"the faults of another server count nothing":      {2, from, rightsGrace, true},
		"a fault of the database is a fault of all":       {0, after(29 * time.Second), 2*time.Second + settled + rightsGrace, false},
		"a stall of the machine adds its length":          {1, after(38 * time.Second), rightsGrace + time.Second, false},
		"a fault that is long over counts nothing either": {1, after(20 * time.Second), rightsGrace, true},
	} {
		if limit, calm := o.grace(c.server, c.from); !limit.Equal(c.from.Add(c.limit)) || calm != c.calm {
			t.Errorf("%s: %s and calm %t, want %s and %t", name, limit.Sub(c.from), calm, c.limit, c.calm)
		}
	}
}

func TestIdleRights(t *testing.T) {
	t.Parallel()
	var all []visited
	for _, kind := range rightEnds() {
		all = append(all, visited{
			loses: kind, knownAt: time.Now(), refused: 1, shown: []delivery{{pushed: true}}, streams: []visitedStream{{ending: endingRevoked}},
		})
	}
	if found := idleRights(all); len(found) > 0 {
		t.Errorf("a campaign that did its work is reported %q", found)
	}
	if found := idleRights(nil); len(found) != len(rightEnds())+3 {
		t.Errorf("of an idle campaign is reported %q", found)
	}
	all[2].knownAt = time.Time{} // its right did not end
	if found := idleRights(all); len(found) != 1 || !strings.Contains(found[0], string(all[2].loses)) {
		t.Errorf("of a kind that is missing is reported %q", found)
	}
}

func TestJobIDs(t *testing.T) {
	t.Parallel()
	got := jobIDs(`{"job_id":"job_0123456789ab","data":{"job_id":"job_0123456789ab","other":"job_job_ba9876543210","job_type":"job_"}}`)
	if strings.Join(got, " ") != "job_0123456789ab job_ba9876543210" {
		t.Errorf("found %q", got)
	}
}
