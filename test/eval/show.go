package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/knowledge"
)

// show prints what the extractor finds in a file, as a reader would check it.
func show(ctx context.Context, w io.Writer, l extract.Extractor, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%w: %w", errInput, err)
	}
	ct := corpus.ContentPlain
	if strings.HasSuffix(path, ".md") {
		ct = corpus.ContentMarkdown
	}
	e, err := l.Extract(ctx, knowledge.Passage{Text: string(text), ContentType: ct})
	if err != nil {
		return err
	}
	printExtraction(w, e)
	return nil
}

// printExtraction prints concepts, quotes and relationships.
func printExtraction(w io.Writer, e knowledge.Extraction) {
	labels, quotes := map[string]string{}, map[string][]string{}
	for _, i := range e.Instances {
		quotes[i.Concept] = append(quotes[i.Concept], fmt.Sprintf("%q [%d:%d]", i.Quote, i.Span.Start, i.Span.End))
	}
	for _, c := range e.Concepts {
		labels[c.Key] = c.Label
		fmt.Fprintf(w, "%6.2f  %s  %v\n", c.Weight, c.Label, c.SearchTerms)
		if c.Description != "" {
			fmt.Fprintf(w, "        = %s\n", c.Description)
		}
		if q := quotes[c.Key]; len(q) > 0 {
			fmt.Fprintf(w, "        %d× %s\n", len(q), q[0])
		}
	}
	for _, r := range e.Relationships {
		fmt.Fprintf(w, "%.2f  (%s) %s (%s)  %q\n", r.Confidence, labels[r.From], r.Type, labels[r.To], r.Quote)
	}
}
