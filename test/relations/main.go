// Command relations teaches the reader of relationships what people have annotated, and measures
// it on texts that it has not learned from.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/kappagraph/kappa/internal/extract/english"
	"github.com/kappagraph/kappa/internal/extract/english/relations"
)

func main() {
	data := flag.String("data", "", "the `file` of Re-DocRED")
	write := flag.String("write", "", "learn from all of it, and write the weights to this `file`; without it, measure")
	flag.Parse()
	if err := run(context.Background(), *data, *write); err != nil {
		fmt.Fprintln(os.Stderr, "relations:", err)
		os.Exit(1)
	}
}

// run measures on the file data, or learns from it and writes.
func run(ctx context.Context, data, write string) error {
	texts, err := readTexts(data)
	if err != nil {
		return err
	}
	plain, err := english.New()
	if err != nil {
		return err
	}
	plain = plain.With(nil)
	var sentences []relations.Annotated
	for i, t := range texts {
		s, err := annotate(ctx, plain, t, i)
		if err != nil {
			return err
		}
		sentences = append(sentences, s...)
	}
	if write != "" {
		return os.WriteFile(write, relations.Learn(sentences).Encode(), 0o644)
	}
	return measureAll(ctx, plain, texts, sentences)
}

// measureAll measures each fifth of the texts by what the others teach, beside the rules alone.
func measureAll(ctx context.Context, plain *english.Extractor, texts []text, sentences []relations.Annotated) error {
	const parts = 5
	var rules, learned figures
	for p := range parts {
		var rest []relations.Annotated
		number := map[int]int{} // of each text among those that are left
		for _, s := range sentences {
			if s.Group%parts == p {
				continue
			}
			if _, known := number[s.Group]; !known {
				number[s.Group] = len(number)
			}
			s.Group = number[s.Group]
			rest = append(rest, s)
		}
		e := plain.With(relations.Learn(rest))
		for i := p; i < len(texts); i += parts {
			if err := rules.measure(ctx, plain, texts[i]); err != nil {
				return err
			}
			if err := learned.measure(ctx, e, texts[i]); err != nil {
				return err
			}
		}
	}
	rules.print("rules")
	learned.print("rules and weights")
	return nil
}
