package ingest

import (
	"iter"

	"github.com/kappagraph/kappa/corpus"
)

// cutPassages returns a function that returns the next passages that end at a byte or before
// it, from one on at which the chunks end that are stored. Chunks overlap: a passage belongs to
// the first one that holds its end. stop has to be called at the end.
func cutPassages(all iter.Seq[corpus.Passage], stored int) (until func(end int) []corpus.Passage, stop func()) {
	next, stop := iter.Pull(all)
	p, ok := next()
	for ok && p.End <= stored {
		p, ok = next()
	}
	return func(end int) (list []corpus.Passage) {
		for ok && p.End <= end {
			list = append(list, p)
			p, ok = next()
		}
		return list
	}, stop
}
