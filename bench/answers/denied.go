package main

import (
	"context"
	"fmt"
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
	own, others := spread(there, b.questions), spread(foreign, b.questions)
	wrong, err := l.denials(ctx, own)
	if err != nil {
		return err
	}
	right, err := l.denials(ctx, others)
	if err != nil {
		return err
	}
	fmt.Printf("  no answer: said of %.3f of %d questions of other articles, and of %s\n", share(right.all, len(others)), len(others), wrong)
	return nil
}

// denials counts the questions that were denied.
type denials struct {
	asked, all              int // of all questions
	answerable, answerables int // of those whose paragraph answers them
}

func (d denials) String() string {
	text := fmt.Sprintf("%.3f of %d that a paragraph answers", share(d.answerable, d.answerables), d.answerables)
	if d.asked > d.answerables {
		text += fmt.Sprintf(" (%.3f of %d with those of which it only has the words)", share(d.all, d.asked), d.asked)
	}
	return text
}

// add counts a question.
func (d *denials) add(q asked, denied bool) {
	d.asked++
	if !q.impossible {
		d.answerables++
	}
	if denied {
		d.all++
		if !q.impossible {
			d.answerable++
		}
	}
}

// denials asks questions, and counts which are denied.
func (l *library) denials(ctx context.Context, all []asked) (d denials, err error) {
	denied := make([]bool, len(all))
	err = atOnce(ctx, 4, len(all), func(i int) error {
		answer, err := l.ask(ctx, all[i].text)
		denied[i] = !answer.Found
		return err
	})
	for i, q := range all {
		d.add(q, denied[i])
	}
	return d, err
}
