package main

import (
	"context"
	"log/slog"
	"path/filepath"

	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// ours is the index of this module.
type ours struct {
	english bool
	dir     string
	index   *index.Index
	batch   []index.Entry
}

func openOurs(dir string, english bool) (*ours, error) {
	o := &ours{english: english, dir: filepath.Join(dir, "kappa")}
	return o, o.open()
}

func (o *ours) open() (err error) {
	o.index, err = index.Open(o.dir, "bench", slog.Default())
	return err
}

// batchSize is how many passages whoever follows the tables adds at once.
const batchSize = 2000

func (o *ours) add(id int, passage string) error {
	o.batch = append(o.batch, index.Entry{
		ID: int32(id), Source: int32(id / 4), Document: int32(id / 40), Ontology: int32(id % 7), Language: "en",
		English: o.english, Text: words.Cut(passage, o.english),
	})
	if len(o.batch) < batchSize {
		return nil
	}
	return o.flush()
}

func (o *ours) flush() error {
	err := o.index.Apply(o.batch, nil)
	o.batch = o.batch[:0]
	return err
}

func (o *ours) addOne(id int, passage string) error {
	if err := o.add(id, passage); err != nil {
		return err
	}
	return o.flush()
}

func (o *ours) find(ctx context.Context, question string, most int) (int, error) {
	q := index.Query{Limit: most}
	for _, w := range words.Cut(question, o.english).Words {
		if o.english {
			if !words.Function(w.Text) {
				q.Terms = append(q.Terms, index.Term{Field: index.Stems, Text: w.Stem, Weight: 1})
			}
			continue
		}
		q.Terms = append(q.Terms, index.Term{Field: index.Texts, Text: w.Text, Weight: 1},
			index.Term{Field: index.Prefixes, Text: words.Prefix(w.Text), Weight: 1})
	}
	found, err := o.index.View().Candidates(ctx, q)
	return len(found), err
}

func (o *ours) close() error { return o.index.Close() }

func (o *ours) size() size {
	s := o.index.Size()
	return size{mapped: s.Mapped, parts: s.Segments}
}
