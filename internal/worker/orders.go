package worker

import (
	"slices"
	"strconv"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// obeyLocked does what an operator wants of the worker, unless later orders have come on
// this connection. They hold until the next ones: what they do not say is not wanted any more.
func (w *Worker) obeyLocked(s *session, o wire.Orders) {
	if o.Number < w.orders {
		return
	}
	w.orders = o.Number
	switch {
	case o.Drain != nil:
		w.operatorDrainLocked(*o.Drain)
	case w.drain.on && !w.drain.exit:
		w.undrainLocked()
	}
	w.regroupLocked(s, o.Groups)
}

// undrainLocked has a worker claim again that an operator has drained. Every group claims at
// once.
func (w *Worker) undrainLocked() {
	w.log.Info("draining no more", "runs", len(w.runs))
	w.drain.stop()
	w.drain = drain{}
	for _, g := range w.groups {
		g.delay = w.cfg.MinBackoff
		g.wakeLocked(false)
	}
}

// regroupLocked gives the worker slot groups in place of its own, or those back when there
// are none. It connects again with them: that settles what is on its way, and runs go on
// meanwhile.
func (w *Worker) regroupLocked(s *session, asked []wire.SlotGroup) {
	wanted := w.cfg.Groups
	if len(asked) > 0 {
		wanted = make([]wire.Group, len(asked))
		for i, a := range asked {
			wanted[i] = wire.Group{Queues: a.Queues, Slots: a.Max}
		}
	}
	if slices.EqualFunc(w.groups, wanted, func(g *group, want wire.Group) bool {
		return g.max == want.Slots && slices.Equal(g.queues, uniqueQueues(want))
	}) {
		return
	}
	w.log.Info("the slot groups change", "groups", wire.FormatGroups(wanted), "runs", len(w.runs))
	w.groupsLocked(wanted)
	s.cancel(errRegrouped)
}

// groupsLocked makes the groups those that are wanted. One whose queues were taken before
// keeps its name and its runs. The runs of one that is gone end as they would have.
func (w *Worker) groupsLocked(wanted []wire.Group) {
	before := slices.Clone(w.groups)
	w.groups = nil // the list that a connection works with stays as it is
	for _, want := range wanted {
		queues := uniqueQueues(want)
		at := slices.IndexFunc(before, func(g *group) bool { return slices.Equal(g.queues, queues) })
		if at >= 0 {
			before[at].max = want.Slots
			w.groups = append(w.groups, before[at])
			before = slices.Delete(before, at, at+1)
			continue
		}
		w.named++
		w.groups = append(w.groups, newGroup("g"+strconv.Itoa(w.named), want, w.cfg.MinBackoff))
	}
}
