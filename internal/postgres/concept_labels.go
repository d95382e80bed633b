package postgres

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"strings"
)

// conceptLabels are the labels of all concepts in lower case, in one text: who looks for a part
// of a label goes through some megabytes of memory, and reads no table. A label takes its
// bytes and nine more.
type conceptLabels struct {
	concepts []int32 // by number
	ends     []int   // of their labels in text, each followed by a line feed, which no part has
	text     []byte
}

// labelled is a concept with its label.
type labelled struct {
	concept int32
	label   string
}

func newConceptLabels(list []labelled) conceptLabels {
	slices.SortFunc(list, func(a, b labelled) int { return int(a.concept) - int(b.concept) })
	l := conceptLabels{concepts: make([]int32, 0, len(list)), ends: make([]int, 0, len(list))}
	for _, c := range list {
		l.add(c)
	}
	return l
}

func (l *conceptLabels) add(c labelled) {
	l.text = append(append(l.text, folded(c.label)...), '\n')
	l.concepts, l.ends = append(l.concepts, c.concept), append(l.ends, len(l.text))
}

// folded is a text as labels are compared: in lower case, and on one line.
func folded(text string) string {
	return strings.ReplaceAll(strings.ToLower(text), "\n", " ")
}

// with returns the labels with other ones for the concepts that were touched; those that have
// none any more are gone. It changes nothing of l, which others may be reading.
func (l conceptLabels) with(touched []int32, changed []labelled) conceptLabels {
	if len(touched) == 0 {
		return l
	}
	touched = slices.Clone(touched)
	slices.Sort(touched)
	slices.SortFunc(changed, func(a, b labelled) int { return int(a.concept) - int(b.concept) })
	merged := conceptLabels{
		concepts: make([]int32, 0, len(l.concepts)+len(changed)), ends: make([]int, 0, len(l.ends)+len(changed)), text: make([]byte, 0, len(l.text)),
	}
	start := 0
	for i, concept := range l.concepts {
		for len(changed) > 0 && changed[0].concept <= concept {
			merged.add(changed[0])
			changed = changed[1:]
		}
		if _, gone := slices.BinarySearch(touched, concept); !gone {
			merged.text = append(merged.text, l.text[start:l.ends[i]]...)
			merged.concepts, merged.ends = append(merged.concepts, concept), append(merged.ends, len(merged.text))
		}
		start = l.ends[i]
	}
	for _, c := range changed {
		merged.add(c)
	}
	return merged
}

// having returns the concepts whose label has a part, in whatever case.
func (l conceptLabels) having(part string) conceptSet {
	found := conceptSet{}
	want := []byte(folded(part))
	for at := 0; at < len(l.text); {
		next := bytes.Index(l.text[at:], want)
		if next < 0 {
			break
		}
		i := sort.SearchInts(l.ends, at+next+1) // the label that ends behind it
		found.add(l.concepts[i])
		at = l.ends[i]
	}
	return found
}

// conceptSet is a set of the numbers of concepts, a bit each.
type conceptSet struct{ bits []uint64 }

func (s *conceptSet) add(concept int32) {
	if n := int(concept)/64 + 1; n > len(s.bits) {
		s.bits = append(s.bits, make([]uint64, n-len(s.bits))...)
	}
	s.bits[concept/64] |= 1 << (concept % 64)
}

func (s *conceptSet) has(concept int32) bool {
	return int(concept)/64 < len(s.bits) && s.bits[concept/64]&(1<<(concept%64)) != 0
}

// labels returns the labels of all concepts. Those that have changed are read again.
func (s *GraphSnapshot) labels(ctx context.Context) (conceptLabels, error) {
	return s.store.memory.labels.at(ctx, s, func(known *conceptLabels, touch graphTouch) (conceptLabels, error) {
		if known == nil {
			rows, err := s.q.ConceptLabels(ctx)
			list := make([]labelled, len(rows))
			for i, r := range rows {
				list[i] = labelled{r.ID, r.Label}
			}
			return newConceptLabels(list), err
		}
		rows, err := s.q.ConceptLabelsOf(ctx, touch.concepts)
		changed := make([]labelled, len(rows))
		for i, r := range rows {
			changed[i] = labelled{r.ID, r.Label}
		}
		return known.with(touch.concepts, changed), err
	})
}
