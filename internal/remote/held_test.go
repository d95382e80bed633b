package remote

import (
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// TestHeldLaws claims, confirms, forgets, joins again and sends heartbeats in random orders,
// beside a database that cancels runs and takes them back: no slot is given twice, none is
// lost, and what a heartbeat finds is what the database has.
func TestHeldLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := &heldLab{held: newHeld(), stored: map[string]work.HeldRun{}, known: map[string]*knownRun{}, of: map[string][]string{}}
		l.rejoin(t)
		t.Repeat(map[string]func(*rapid.T){
			"":            l.check,
			"claim":       l.claim,
			"answer":      l.answer,
			"claim again": l.again,
			"confirm":     l.confirm,
			"end":         l.end,
			"take back":   l.takeBack,
			"cancel":      l.cancel,
			"heartbeat":   l.heartbeat,
			"join again":  l.rejoin,
		})
	})
}

// heldLab is what a held should be, by a model that counts one by one.
type heldLab struct {
	held   *held
	view   *membership
	now    time.Time
	last   int64
	open   []openClaim             // claims that are not answered
	of     map[string][]string     // jobs by claim
	stored map[string]work.HeldRun // what the database says
	known  map[string]*knownRun    // what the server knows, by job
}

type openClaim struct {
	id, group string
	slots     int
}

type knownRun struct {
	work.HeldRun
	missing int
	told    bool
}

// used counts the slots that are taken in a group, or with "" in all.
func (l *heldLab) used(group string) (n int) {
	for _, c := range l.open {
		if group == "" || c.group == group {
			n += c.slots
		}
	}
	for _, r := range l.known {
		if group == "" || r.Group == group {
			n++
		}
	}
	return n
}

// draw returns one of the runs that are known; the test goes another way when there is none.
func (l *heldLab) draw(t *rapid.T) *knownRun {
	if len(l.known) == 0 {
		t.Skip("no runs")
	}
	return l.known[rapid.SampledFrom(slices.Sorted(maps.Keys(l.known))).Draw(t, "job")]
}

func (l *heldLab) check(t *rapid.T) {
	confirmed, reserved := l.held.count()
	want := 0
	for id, r := range l.known {
		if !l.held.holds(id) || l.held.find(r.RunKey) == nil || l.held.reserved(r.RunKey) == r.Confirmed {
			t.Fatalf("%s is not held as %+v", id, r)
		}
		if r.Confirmed {
			want++
		}
	}
	if confirmed != want || reserved != len(l.known)-want || l.held.busy() != (len(l.known) > 0) {
		t.Fatalf("%d runs are confirmed and %d reserved, want %d and %d", confirmed, reserved, want, len(l.known)-want)
	}
	pending := map[string]int{}
	for _, c := range l.open {
		pending[c.group] += c.slots
	}
	if !maps.Equal(l.held.pending, pending) {
		t.Fatalf("slots are pending as %v, want %v", l.held.pending, pending)
	}
	for _, use := range l.held.usage(l.view) {
		if use.Active+use.Reserved+pending[use.Name] != l.used(use.Name) {
			t.Fatalf("the usage is %+v, want %d", use, l.used(use.Name))
		}
	}
}

func (l *heldLab) claim(t *rapid.T) {
	name, most := rapid.SampledFrom([]string{"a", "b", "unknown"}).Draw(t, "group"), rapid.IntRange(1, 5).Draw(t, "most")
	want := min(most, l.view.capacity-l.used(""))
	if g := l.view.group(name, ""); g != nil && l.view.extended {
		want = min(want, g.Max-l.used(name))
	}
	l.now = l.now.Add(time.Second)
	slots, allowed := l.held.pend(l.view, name, most, l.now)
	if !allowed || slots != max(0, want) {
		t.Fatalf("a claim takes %d slots (allowed: %v), want %d", slots, allowed, want)
	}
	if slots > 0 {
		l.last++
		l.open = append(l.open, openClaim{"claim " + strconv.FormatInt(l.last, 10), name, slots})
	}
}

func (l *heldLab) answer(t *rapid.T) {
	if len(l.open) == 0 {
		t.Skip("no claims")
	}
	i := rapid.IntRange(0, len(l.open)-1).Draw(t, "claim")
	c := l.open[i]
	l.open = slices.Delete(l.open, i, i+1)
	if rapid.Bool().Draw(t, "too late") {
		l.held.unpend(c.group, c.slots)
		return
	}
	taken := make([]work.RemoteRun, rapid.IntRange(0, c.slots).Draw(t, "taken"))
	for k := range taken {
		l.last++
		job := "job_" + strconv.FormatInt(l.last, 10)
		taken[k] = work.RemoteRun{RunKey: work.RunKey{JobID: job, Token: l.last}}
		h := work.HeldRun{RunKey: taken[k].RunKey, Group: c.group}
		l.stored[job], l.known[job] = h, &knownRun{HeldRun: h}
		l.of[c.id] = append(l.of[c.id], job)
	}
	runs := l.held.reserve(c.id, work.RemoteSlots{Group: c.group, Most: c.slots}, taken)
	if len(runs) != len(taken) {
		t.Fatalf("%d runs are handed on of %d", len(runs), len(taken))
	}
}

// again makes a claim once more: it gets what is still reserved of it.
func (l *heldLab) again(t *rapid.T) {
	for id, jobs := range l.of {
		var want, got []string
		for _, job := range jobs {
			if r := l.known[job]; r != nil && !r.Confirmed {
				want = append(want, job)
			}
		}
		runs, known := l.held.again(id)
		for _, r := range runs {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, want) || len(want) > 0 && !known {
			t.Fatalf("%s gets %v once more, want %v", id, got, want)
		}
	}
}

func (l *heldLab) confirm(t *rapid.T) {
	r := l.draw(t)
	s, ok := l.stored[r.JobID]
	if !ok { // the database refuses it
		l.held.forget(r.RunKey)
		delete(l.known, r.JobID)
		return
	}
	s.Confirmed, r.Confirmed = true, true
	l.stored[r.JobID] = s
	if l.held.confirm(r.RunKey, false) != l.held.find(r.RunKey) {
		t.Fatal("another run was confirmed")
	}
}

// end ends a run, or another attempt of it, which changes nothing.
func (l *heldLab) end(t *rapid.T) {
	r := l.draw(t)
	key := r.RunKey
	if rapid.Bool().Draw(t, "other") {
		key.Token += 1_000_000
		l.held.forget(key)
		return
	}
	was := l.held.find(key)
	l.held.forget(key)
	delete(l.known, key.JobID)
	delete(l.stored, key.JobID)
	if !l.held.over(was) {
		t.Fatal("a run that was forgotten is not over")
	}
}

func (l *heldLab) takeBack(t *rapid.T) { delete(l.stored, l.draw(t).JobID) }

func (l *heldLab) cancel(t *rapid.T) {
	r := l.draw(t)
	if s, ok := l.stored[r.JobID]; ok {
		s.CancelRequested = true
		l.stored[r.JobID] = s
	}
}

func (l *heldLab) heartbeat(t *rapid.T) {
	asked, early := time.Now().Add(time.Hour), rapid.Bool().Draw(t, "early")
	if early { // the database was asked before the server knew of any of them
		asked = time.Time{}
	}
	var named []wire.RunKey
	var lost, toStop, told, forgotten []string
	for _, job := range slices.Sorted(maps.Keys(l.known)) {
		r, name := l.known[job], rapid.Bool().Draw(t, "named")
		s, ok := l.stored[job]
		if name {
			named = append(named, wire.RunKey{ID: job, Token: tokenText(r.Token)})
		}
		switch {
		case name && !ok:
			lost = append(lost, job)
		case name && s.CancelRequested:
			toStop = append(toStop, job)
			if !r.told {
				r.told, told = true, append(told, job)
			}
		}
		switch {
		case !ok && (name || !early):
			delete(l.known, job)
		case !ok:
		case !s.Confirmed || r.told || name:
			r.missing = 0
		default:
			if r.missing++; r.missing >= 2 {
				forgotten = append(forgotten, job)
			}
		}
	}
	found := l.held.compare(named, slices.Collect(maps.Values(l.stored)), asked)
	newly := make([]string, 0, len(found.newly))
	for _, r := range found.newly {
		newly = append(newly, r.key.JobID)
	}
	for _, c := range []struct {
		what      string
		got, want []string
	}{
		{"lost", found.lost, lost}, {"to stop", jobsOf(found.toStop), toStop}, {"told", newly, told}, {"forgotten", jobsOf(found.forgotten), forgotten},
	} {
		slices.Sort(c.got)
		slices.Sort(c.want)
		if !slices.Equal(c.got, c.want) {
			t.Fatalf("%s are %v, want %v", c.what, c.got, c.want)
		}
	}
}

func jobsOf(keys []work.RunKey) []string {
	jobs := make([]string, len(keys))
	for i, key := range keys {
		jobs[i] = key.JobID
	}
	return jobs
}

// rejoin has the worker join with other groups while claims of the old ones are under way.
// It holds then what the database says.
func (l *heldLab) rejoin(t *rapid.T) {
	v := membership{joinRef: "1", extended: rapid.Bool().Draw(t, "extended")}
	for _, name := range []string{"a", "b"} {
		if slots := rapid.IntRange(0, 4).Draw(t, "slots"); slots > 0 {
			v.groups = append(v.groups, newGroup(name, []string{name}, slots))
			v.capacity += slots
		}
	}
	l.view = &v
	held := slices.Collect(maps.Values(l.stored))
	l.held.replace(held)
	clear(l.known)
	for _, s := range held {
		l.known[s.JobID] = &knownRun{HeldRun: s}
	}
}
