package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// writeAnswers writes whole answers to a file, those to questions of each file of a library of
// its articles: what two programs write there is the same, unless they answer otherwise. Where a
// document cannot be told from another by its name, it is another one each time.
func (b *bench) writeAnswers(ctx context.Context) (err error) {
	file, err := os.Create(b.write)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := bufio.NewWriter(file)
	for _, s := range b.sets {
		if err := b.writeSet(ctx, w, s); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return w.Flush()
}

// passing is what differs from one run to the next.
var passing = regexp.MustCompile(`"(?:epoch|concept_id|from_id|to_id|source_id)":(?:\d+|"[^"]*")`)

func (b *bench) writeSet(ctx context.Context, w *bufio.Writer, s set) error {
	l, err := b.open(ctx, s.name, s.articles)
	if err != nil {
		return err
	}
	defer l.Stop()
	all := spread(s.articles, b.questions)
	for i, q := range all {
		asked := questions.Question{Text: q.text, Limit: 1 + i%10, Offset: i % 3, Explain: i%4 == 0, IncludeEvidence: i%5 == 0, Exact: i%7 == 0}
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
		if err != nil {
			return err
		}
		if _, err := w.Write(append(passing.ReplaceAll(line, nil), '\n')); err != nil {
			return err
		}
	}
	return nil
}
