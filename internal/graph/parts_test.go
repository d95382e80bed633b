package graph

import (
	"context"
	"testing"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// divided is a graph of ontologies, each of which shows so many concepts.
type divided struct {
	Snapshot
	epoch   int64
	shows   map[int]int
	changed map[int]int64 // the epoch at which an ontology has changed last
	read    int           // parts
}

func (d *divided) GraphEpoch(context.Context) (int64, error) { return d.epoch, nil }

func (d *divided) Part(_ context.Context, ontology int, sink knowledge.GraphSink) error {
	d.read++
	for n := range d.shows[ontology] {
		if err := sink.AddConcept(knowledge.GraphConcept{Number: int32(n + 1), ID: conceptID(n + 1)}); err != nil {
			return err
		}
	}
	return nil
}

func (d *divided) PartMark(_ context.Context, ontology int, since int64) (questions.PartMark, error) {
	return questions.PartMark{Changed: d.changed[ontology] > since, Holds: questions.PartHolds{Quotes: int64(d.shows[ontology])}}, nil
}

// TestPartsAreReadWhenTheyChange asks what an ontology says while documents are read into
// others, and into it: it is read from the tables when that may have changed, and only then.
func TestPartsAreReadWhenTheyChange(t *testing.T) {
	d := &divided{epoch: 5, shows: map[int]int{1: 3, 2: 1}, changed: map[int]int64{1: 5, 2: 5}}
	p := &parts{}
	for _, step := range []struct {
		what   string
		change func()
		read   int // so far
	}{
		{"at first", func() {}, 1},
		{"again", func() {}, 1},
		{"after a document of another ontology", func() { d.epoch, d.changed[2], d.shows[2] = 6, 6, 9 }, 1},
		{"after many of them", func() { d.epoch, d.changed[2] = 90, 90 }, 1},
		{"after one of its own", func() { d.epoch, d.changed[1], d.shows[1] = 91, 91, 4 }, 2},
		{"after another's", func() { d.epoch, d.changed[2] = 92, 92 }, 2},
		{"while one is read into it, after another's", func() { d.epoch, d.changed[2], d.shows[1] = 93, 93, 6 }, 3},
		{"after an edit", func() { d.epoch, d.changed[1], d.changed[2] = 94, 94, 94 }, 4},
		{"by a reader of before", func() { d.epoch = 93 }, 5},
		{"and one of now", func() { d.epoch = 94 }, 5},
	} {
		step.change()
		v, err := p.at(t.Context(), d, 1)
		if err != nil || v.Epoch() != d.epoch || v.Stats().Concepts != d.shows[1] || d.read != step.read {
			t.Errorf("%s: %+v, read %d times, want %d; %v", step.what, v.Stats(), d.read, step.read, err)
		}
	}
}
