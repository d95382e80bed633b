package main

import (
	"context"
	"fmt"
	"sync/atomic"
)

// leftOut is which articles are left out: each fifth.
const leftOut = 5

// denied asks a library questions that its documents answer, and questions of articles that
// it lacks; and then libraries of one document each.
func (b *bench) denied(ctx context.Context) error {
	s := b.sets[0]
	var there, foreign []article
	for i, a := range s.articles {
		if i%leftOut == leftOut-1 {
			foreign = append(foreign, a)
		} else {
			there = append(there, a)
		}
	}
	if err := b.deniedOf(ctx, s.name+" without a fifth", there, foreign); err != nil {
		return err
	}
	const alone = 3 // libraries of one document
	for i := range min(alone, len(there)) {
		if err := b.deniedOf(ctx, "only "+there[i].title, there[i:i+1], foreign); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) deniedOf(ctx context.Context, name string, there, foreign []article) error {
	l, err := b.open(ctx, name, there)
	if err != nil {
		return err
	}
	defer l.Stop()
	count := func(all []asked) (int, error) {
		var n atomic.Int64
		err := atOnce(ctx, 4, len(all), func(i int) error {
			answer, err := l.ask(ctx, all[i].text)
			if err == nil && !answer.Found {
				n.Add(1)
			}
			return err
		})
		return int(n.Load()), err
	}
	own, others := spread(there, b.questions), spread(foreign, b.questions)
	wrong, err := count(own)
	if err != nil {
		return err
	}
	right, err := count(others)
	if err != nil {
		return err
	}
	fmt.Printf("  no answer: said of %.3f of %d questions of other articles, and of %.3f of %d that a paragraph answers\n",
		share(right, len(others)), len(others), share(wrong, len(own)), len(own))
	return nil
}
