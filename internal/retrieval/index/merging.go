package index

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
)

const (
	// tierFactor is how many segments of about the same size are merged.
	tierFactor = 8
	// passagesMost and wordsMost bound what is merged into one segment.
	passagesMost = 1 << 20
	wordsMost    = 1 << 28
	// deadMost is the share of dead passages, one in so many, from which a segment is
	// written anew.
	deadMost = 5
	// partsMost is how many segments there may be: beyond it, Apply waits for a merge.
	partsMost = 64
)

// mergeInBackground starts merging, unless it goes on. The lock is held.
func (x *Index) mergeInBackground() {
	for x.busy && len(x.view.Load().parts) > partsMost {
		x.merged.Wait()
	}
	if x.busy || x.stopped.Load() || len(toMerge(x.view.Load().parts)) == 0 {
		return
	}
	x.busy = true
	x.merging.Go(func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		defer func() {
			x.busy = false
			x.merged.Broadcast()
		}()
		for !x.stopped.Load() {
			parts := toMerge(x.view.Load().parts)
			if len(parts) == 0 {
				return
			}
			if err := x.merge(parts, x.stopped.Load); err != nil {
				if !errors.Is(err, errStopped) {
					x.log.Error("merge segments of the index", "err", err)
				}
				return
			}
			x.merged.Broadcast()
		}
	})
}

// toMerge returns the parts that are merged next: eight of one tier, the lowest first, or one
// of which too many passages are dead.
func toMerge(parts []*part) []*part {
	tiers := map[int][]*part{}
	for _, p := range parts {
		if p.live() < passagesMost/2 && p.head.Words < wordsMost/2 {
			tier := bits.Len(uint(p.live())) / 3
			tiers[tier] = append(tiers[tier], p)
		}
	}
	for tier := range bits.Len(passagesMost) {
		if len(tiers[tier]) >= tierFactor {
			return fitting(tiers[tier])
		}
	}
	for _, p := range parts {
		if p.deadCount*deadMost > p.len() {
			return []*part{p}
		}
	}
	return nil
}

// fitting returns those parts, the smallest first, that fit into one segment.
func fitting(parts []*part) []*part {
	slices.SortStableFunc(parts, func(a, b *part) int { return cmp.Compare(a.live(), b.live()) })
	passages, words := 0, int64(0)
	for i, p := range parts {
		passages += p.live()
		words += p.head.Words
		if i > 1 && (passages > passagesMost || words > wordsMost) {
			return parts[:i]
		}
	}
	return parts
}

// merge replaces parts by one. The lock is held, and released while it is written.
func (x *Index) merge(parts []*part, stop func() bool) error {
	v := x.view.Load()
	defer keepAlive(v)
	var parents []uint64
	live := 0
	for _, p := range parts {
		parents = append(parents, p.head.Number)
		live += p.live()
	}
	h := x.head(parents)
	average := float64(v.words) / float64(max(v.passages, 1))
	slices.SortFunc(parts, func(a, b *part) int { return cmp.Compare(a.head.Number, b.head.Number) })

	x.mu.Unlock()
	s, err := x.make(h.Number, live, func(to io.Writer) error { return merge(to, h, parts, average, stop) })
	x.mu.Lock()
	if err != nil {
		return err
	}
	x.replace(parts, &part{segment: s})
	return nil
}

// replace publishes a part instead of those that it was merged from. What has died in them
// meanwhile dies in it. The lock is held.
func (x *Index) replace(parts []*part, merged *part) {
	var kept []*part
	for _, p := range x.view.Load().parts {
		i := slices.IndexFunc(parts, func(old *part) bool { return old.segment == p.segment })
		if i < 0 {
			kept = append(kept, p)
			continue
		}
		merged = diedSince(parts[i], p, merged)
	}
	// A part all of whose passages have died is not in the View any more.
	for _, old := range parts {
		if !slices.ContainsFunc(x.view.Load().parts, func(p *part) bool { return p.segment == old.segment }) {
			all := old.copied()
			old.each(func(i uint32) { all.kill(i) })
			merged = diedSince(old, all, merged)
		}
	}
	x.publish(append(kept, merged))
	for _, p := range parts {
		x.drop(p)
	}
}

// diedSince returns the merged part without the passages that have died between two states of
// a segment it was merged from.
func diedSince(before, now, merged *part) *part {
	if before.deadCount == now.deadCount {
		return merged
	}
	changed := merged.copied()
	before.each(func(i uint32) {
		if now.dead.has(i) {
			if passage, ok := changed.find(now.id(i)); ok {
				changed.kill(passage)
			}
		}
	})
	return changed
}

// drop removes the file of a part that is not used any more.
func (x *Index) drop(p *part) {
	if p.file != "" {
		x.folder.remove(p.file)
	}
}

// keep writes the segments that are only in memory into one file. The lock is held.
func (x *Index) keep() error {
	v := x.view.Load()
	defer keepAlive(v)
	var parts []*part
	for _, p := range v.parts {
		if p.file == "" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	h := x.head(nil)
	average := float64(v.words) / float64(max(v.passages, 1))
	s, err := x.folder.write(h.Number, func(to io.Writer) error {
		return merge(to, h, parts, average, func() bool { return false })
	})
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	x.replace(parts, &part{segment: s})
	return nil
}
