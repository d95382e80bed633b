package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// same asks two programs the same questions of the same library, which the first has read, and
// counts the answers that are not the same, byte by byte. Each makes the index anew: parts of it
// that were merged otherwise round their scores otherwise.
func (b *bench) same(ctx context.Context) (err error) {
	if b.other == "" {
		return errors.New("-other must name the program that is compared")
	}
	cluster, err := serving.StartCluster(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close(ctx)) }()
	database := "DATABASE_URL=" + cluster.DSN(pgembed.Database)
	s := b.sets[0]
	l := &library{articles: s.articles, ontology: s.name}
	var password string
	var said [2][]string
	for i, step := range []struct {
		kg string
		do func() error
	}{
		{b.kg, func() error { return l.read(ctx) }},
		{b.kg, func() (err error) { said[0], err = b.said(ctx, l); return err }},
		{b.other, func() (err error) { said[1], err = b.said(ctx, l); return err }},
	} {
		if err := os.RemoveAll(filepath.Join(cluster.Dir, "data", "passages")); err != nil {
			return err
		}
		if l.Server, password, err = serving.StartIn(ctx, step.kg, cluster.Dir, password, database); err != nil {
			return err
		}
		err = step.do()
		l.Stop()
		if err != nil {
			return fmt.Errorf("%s, step %d: %w", step.kg, i+1, err)
		}
	}
	return compareSaid(said)
}

// passing is what differs from one run of a program to the next.
var passing = regexp.MustCompile(`"epoch":\d+`)

// said returns the answers to questions of all kinds.
func (b *bench) said(ctx context.Context, l *library) ([]string, error) {
	for {
		answer, err := l.ask(ctx, "what is there?")
		if err != nil {
			return nil, err
		}
		if answer.Index.Ready {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	all := spread(l.articles, b.questions)
	said := make([]string, len(all))
	err := atOnce(ctx, 4, len(all), func(i int) error {
		asked := questions.Question{Text: all[i].text, Limit: 1 + i%10, Offset: i % 3, Explain: i%4 == 0, IncludeEvidence: i%5 == 0, Exact: i%7 == 0}
		if i%2 == 0 {
			asked.Ontologies = []string{l.ontology}
		}
		if i%6 == 0 {
			asked.Thread = []string{all[(i+1)%len(all)].text}
		}
		answer, err := l.API.Graph.Ask(ctx, asked)
		if err != nil {
			return err
		}
		line, err := json.Marshal(answer)
		said[i] = passing.ReplaceAllString(string(line), `"epoch":0`)
		return err
	})
	return said, err
}

// compareSaid counts the answers that differ. It returns an error that shows the first two.
func compareSaid(said [2][]string) error {
	differ, first := 0, 0
	for i := range said[0] {
		if said[0][i] != said[1][i] {
			if differ == 0 {
				first = i
			}
			differ++
		}
	}
	fmt.Printf("  %d of %d answers differ\n", differ, len(said[0]))
	if differ > 0 {
		return fmt.Errorf("the programs answer otherwise:\n%s\n%s", said[0][first], said[1][first])
	}
	return nil
}
