package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// typed times searches as somebody types them: two words and the beginning of a third from each
// question, with the counts by kind and language that a search box shows beside what is found.
func (b *bench) typed(ctx context.Context, l *library, all []asked) error {
	var queries []string
	for _, q := range all {
		queries = append(queries, beginningOf(q.text))
	}
	took := make([]time.Duration, len(queries))
	find := func(i int) error {
		q := questions.FindQuery{Text: queries[i], Typing: true, Limit: 10}
		if l.ontology != "" {
			q.Ontologies = []string{l.ontology}
		}
		began := time.Now()
		_, err := l.API.Graph.Find(ctx, q)
		took[i] = time.Since(began)
		return err
	}
	for i := range min(len(queries), 50) { // warm
		if err := find(i); err != nil {
			return err
		}
	}
	before, err := l.processors()
	if err != nil {
		return err
	}
	if err := atOnce(ctx, 1, len(queries), find); err != nil {
		return err
	}
	after, err := l.processors()
	if err != nil {
		return err
	}
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(len(queries)) }
	fmt.Printf("  kg      a search as you type, over HTTP, %s, processor time of one: server %.2f ms, PostgreSQL %.2f ms\n",
		quantiles(took), each(after.server-before.server), each(after.cluster-before.cluster))
	return nil
}

// beginningOf returns what somebody has typed of a question without the word that asks: its last two
// long words before the end, and three letters of the last.
func beginningOf(question string) string {
	var long []string
	for w := range strings.FieldsSeq(strings.Trim(question, "?？ ")) {
		if len(w) > 4 {
			long = append(long, w)
		}
	}
	if len(long) == 0 {
		return question
	}
	long = long[max(0, len(long)-3):]
	last := []rune(long[len(long)-1])
	long[len(long)-1] = string(last[:min(3, len(last))])
	return strings.Join(long, " ")
}
