package index

import (
	"encoding/binary"
	"slices"
	"sort"
)

// Grams are counted only: their hashes are kept in order, with how many passages have each.

// gramFrequency returns how many passages have a gram with this hash, among them those that
// are dead. The hashes are spread evenly, so that the place of one is nearly known.
func (s *segment) gramFrequency(hashed uint64) int {
	n := len(s.grams) / 8
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(s.grams[8*i:]) }
	low, high := 0, n
	if n > 64 {
		guess := int(float64(hashed) / (1 << 64) * float64(n))
		step := 16
		for low = max(0, min(guess-step, n)); low > 0 && at(low) > hashed; low = max(0, low-step) {
			step *= 2
		}
		step = 16
		for high = min(n, guess+step); high < n && at(high) < hashed; high = min(n, high+step) {
			step *= 2
		}
	}
	i := low + sort.Search(high-low, func(i int) bool { return at(low+i) >= hashed })
	if i == n || at(i) != hashed {
		return 0
	}
	return int(number(s.gramCounts, i))
}

// gramCount is a gram with the number of passages that have it.
type gramCount struct {
	hash  uint64
	count uint32
}

// writeGrams writes grams, which are in order.
func writeGrams(out *sections, grams []gramCount) {
	hashes := make([]byte, 0, 8*len(grams))
	counts := make([]byte, 0, 4*len(grams))
	for _, g := range grams {
		hashes = binary.LittleEndian.AppendUint64(hashes, g.hash)
		counts = binary.LittleEndian.AppendUint32(counts, g.count)
	}
	out.whole(gramSection, hashes)
	out.whole(gramCountSection, counts)
}

// mergeGrams adds up the grams of segments, less those of their dead passages.
func mergeGrams(sources []source) []gramCount {
	total := 0
	for i := range sources {
		total = max(total, len(sources[i].grams)/8)
	}
	merged := make([]gramCount, 0, total*3/2)
	places := make([]int, len(sources))
	for {
		lowest, found := uint64(0), false
		for i, s := range sources {
			if p := s.grams[8*places[i]:]; len(p) > 0 {
				if h := binary.LittleEndian.Uint64(p); !found || h < lowest {
					lowest, found = h, true
				}
			}
		}
		if !found {
			return slices.Clip(merged)
		}
		count := uint32(0)
		for i, s := range sources {
			if p := s.grams[8*places[i]:]; len(p) > 0 && binary.LittleEndian.Uint64(p) == lowest {
				count += number(s.gramCounts, places[i]) - s.lostGrams[lowest]
				places[i]++
			}
		}
		if count > 0 {
			merged = append(merged, gramCount{lowest, count})
		}
	}
}
