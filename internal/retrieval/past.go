package retrieval

import (
	"fmt"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/index"
)

// With returns the snapshot with other passages besides, whose numbers it has not: an index of
// these alone is made in memory. key is that of FollowerConfig.DefinedKey.
func (s Snapshot) With(passages []corpus.ShownPassage, key func(term string) string) (Snapshot, error) {
	if len(passages) == 0 {
		return s, nil
	}
	x, err := index.Open("", "", nil)
	if err != nil {
		return s, fmt.Errorf("make an index in memory: %w", err)
	}
	entries := make([]index.Entry, len(passages))
	for i := range passages {
		entries[i] = entryOf(&passages[i].StoredPassage, key)
	}
	if err := x.Apply(entries, nil); err != nil {
		return s, err
	}
	s.View = index.Join(s.View, x.View())
	return s, nil
}
