package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// draw prints relationships of each kind of text, each as a row and, after it, its sentence.
func draw(ctx context.Context, o options, w io.Writer) error {
	texts, err := readTexts(o.data)
	if err != nil {
		return err
	}
	known, err := verdictsOf(o.known)
	if err != nil {
		return err
	}
	seen, err := verdictsOf(o.except)
	if err != nil {
		return err
	}
	e, err := extract.Builtin()
	if err != nil {
		return err
	}
	byKind := map[string][]relationship{}
	var kinds []string
	for _, t := range texts {
		x, err := e.Extract(ctx, knowledge.Passage{Text: t.body, ContentType: corpus.ContentPlain})
		if err != nil {
			return err
		}
		if !slices.Contains(kinds, t.kind) {
			kinds = append(kinds, t.kind)
		}
		byKind[t.kind] = append(byKind[t.kind], typed(t, x)...)
	}
	for _, kind := range kinds {
		list := slices.DeleteFunc(byKind[kind], func(r relationship) bool { return seen[r.id()] != "" })
		slices.SortFunc(list, func(a, b relationship) int { return cmp.Compare(digest(o.seed, a.id()), digest(o.seed, b.id())) })
		fmt.Fprintf(w, "# %s: %d of %d\n", kind, min(o.number, len(list)), len(list))
		for _, r := range list[:min(o.number, len(list))] {
			r.verdict = known[r.id()]
			fmt.Fprintf(w, "%s\n# %s\n", r.row(), r.quote)
		}
	}
	return nil
}

// verdictsOf returns the verdicts of a file by relationship; none when no file is named.
func verdictsOf(path string) (map[string]string, error) {
	out := map[string]string{}
	if path == "" {
		return out, nil
	}
	list, err := readJudged(path)
	for _, r := range list {
		out[r.id()] = r.verdict
	}
	return out, err
}

// typed returns the typed relationships of a text.
func typed(t text, x knowledge.Extraction) []relationship {
	labels := map[string]string{}
	for _, c := range x.Concepts {
		labels[c.Key] = c.Label
	}
	var out []relationship
	for _, r := range x.Relationships {
		if r.Type == vocabulary.TypeRelatedTo {
			continue
		}
		quote := strings.Join(strings.Fields(r.Quote), " ")
		out = append(out, relationship{
			kind: t.kind, text: t.id, sentence: digest(quote)[:8],
			from: labels[r.From], relation: r.Type, to: labels[r.To], confidence: r.Confidence, quote: quote,
		})
	}
	return out
}

// digest returns a hash of words.
func digest(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\n")))
	return hex.EncodeToString(sum[:])
}
