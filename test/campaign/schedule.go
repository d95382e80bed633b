package main

import (
	"math/rand/v2"
	"time"

	"github.com/kappagraph/kappa/internal/pgproxy"
)

// faultKind names what is done to the installation.
type faultKind string

// The kinds of faults. Those of connections are aimed at one role of one server,
// or at all of one server's.
const (
	faultKill      faultKind = "kill"      // SIGKILL, then a new start
	faultPoint     faultKind = "point"     // the server breaks at a place of its code
	faultPause     faultKind = "pause"     // SIGSTOP beyond the lease without leadership, then SIGCONT: a zombie
	faultStall     faultKind = "stall"     // SIGSTOP within the lease
	faultStop      faultKind = "stop"      // SIGTERM, then a new start
	faultTerminate faultKind = "terminate" // pg_terminate_backend of a role, of every server
	faultRestart   faultKind = "restart"   // PostgreSQL ends at once and starts again
	faultCut       faultKind = "cut"       // connections are cut
	faultRefuse    faultKind = "refuse"    // and new ones too, for a while
	faultHole      faultKind = "blackhole" // nothing arrives, for a while
	faultLose      faultKind = "lose"      // what is sent arrives, the answer does not
	faultSlow      faultKind = "slow"      // data waits
	faultBlind     faultKind = "blind"     // the server cannot ask who may read, for longer than the grace
	faultSlots     faultKind = "slots"     // a lane's slots change
	faultDisable   faultKind = "disable"   // a lane is disabled for a while
)

// shares says how often each kind comes, of a hundred faults.
func shares() []struct {
	kind  faultKind
	share int
} {
	return []struct {
		kind  faultKind
		share int
	}{
		{faultKill, 8},
		{faultPoint, len(places())},
		{faultPause, 9},
		{faultStall, 4},
		{faultStop, 8},
		{faultTerminate, 8},
		{faultRestart, 5},
		{faultCut, 8},
		{faultRefuse, 4},
		{faultHole, 8},
		{faultLose, 8},
		{faultSlow, 4},
		{faultSlots, 6},
		{faultDisable, 4},
		{faultBlind, 3},
	}
}

// fault is one entry of the schedule.
type fault struct {
	kind   faultKind
	at     time.Duration // after the start
	lasts  time.Duration
	leader bool // aimed at the leader, if there is one; else at server
	server int
	role   string
	lane   string
	slots  int
	place  place // of a point
}

// roleOfLeader is the connection that holds the leader's lock.
const roleOfLeader = "kg-leader"

// roles are the application names of a server's connections.
func roles() []string {
	return []string{"kg-jobs", "kg-heartbeat", "kg-listen", roleOfLeader}
}

// roleOfRights are the connections over which a server asks who may go on to
// read, and roleOfAuth those over which it asks who may begin.
const (
	roleOfRights = "kg-rights"
	roleOfAuth   = "kg-auth"
)

// schedule returns n faults, about one in each interval; the seed decides all
// of them. Every kind occurs when n allows it.
func schedule(seed uint64, n, servers int, every, lease time.Duration) []fault {
	r := rand.New(rand.NewPCG(seed, 0))
	kinds := make([]faultKind, 0, n+len(shares()))
	for len(kinds) < n {
		for _, s := range shares() {
			for range max(1, min(s.share, n*s.share/100)) {
				kinds = append(kinds, s.kind)
			}
		}
	}
	// The first round of shares is kept whole, so that no kind is missing.
	kinds = kinds[:n]
	r.Shuffle(n, func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	faults := make([]fault, n)
	points := 0
	for i, kind := range kinds {
		f := fault{
			kind: kind, at: every*time.Duration(i) + between(r, 0, every), leader: r.IntN(2) == 0, server: r.IntN(servers),
			role: roles()[r.IntN(len(roles()))], lane: campaignLane + jobTypes()[r.IntN(len(jobTypes()))], slots: r.IntN(maxLaneSlots + 1),
		}
		f.lasts = lastsFor(r, kind, lease)
		if kind == faultLose {
			f.role = roles()[0]
		}
		if kind == faultBlind {
			f.role = roleOfRights
		}
		if kind == faultPoint {
			f.place = places()[points%len(places())]
			f.role = f.place.String()
			points++
		}
		if (kind == faultRefuse || kind == faultHole || kind == faultSlow) && r.IntN(3) == 0 {
			f.role = pgproxy.EveryRole
		}
		faults[i] = f
	}
	return faults
}

// lastsFor draws how long a fault lasts.
func lastsFor(r *rand.Rand, kind faultKind, lease time.Duration) time.Duration {
	switch kind {
	case faultKill, faultPoint, faultStop:
		return between(r, 0, time.Second) // until the new start
	case faultPause:
		return lease + between(r, time.Second, lease+time.Second) // the rescuer polls every two seconds
	case faultStall:
		return between(r, lease/10, lease*6/10)
	case faultHole:
		return between(r, lease/3, 2*lease)
	case faultBlind:
		return rightsGrace + between(r, time.Second, 4*time.Second)
	case faultRefuse, faultSlow, faultDisable:
		return between(r, 300*time.Millisecond, 2*time.Second)
	case faultLose:
		return between(r, 100*time.Millisecond, 600*time.Millisecond)
	}
	return 0
}
