package main

import (
	"context"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/extract/english"
	"github.com/kappagraph/kappa/internal/extract/english/relations"
	"github.com/kappagraph/kappa/knowledge"
)

// annotate returns the sentences of a text with what people have said of them.
func annotate(ctx context.Context, e *english.Extractor, t text, group int) ([]relations.Annotated, error) {
	named, err := e.Named(ctx, knowledge.Passage{Text: t.body, ContentType: corpus.ContentPlain})
	if err != nil {
		return nil, err
	}
	things := t.things(named)
	var out []relations.Annotated
	for _, n := range named {
		a := relations.Annotated{Sentence: n.Sentence, Group: group, Stated: map[[2]int]string{}, Unsaid: map[[2]int]bool{}}
		of := make([]int, len(n.Mentions))
		for i := range n.Mentions {
			var overlaps bool
			if of[i], overlaps = t.entityAt(n.Spans[i]); n.Mentions[i].Name != nil {
				of[i] = things[n.Keys[i]]
			}
			kind := "-"
			switch {
			case of[i] >= 0:
				if kind = t.entities[of[i]].kind; kind == "TIME" || kind == "NUM" {
					kind = "-"
				}
			case overlaps:
				kind = ""
			}
			a.Kinds = append(a.Kinds, kind)
		}
		for i := range of {
			for j := i + 1; j < len(of); j++ {
				if class, known := t.between(of[i], of[j], t.sentenceAt(n.Spans[i].Start)); !known {
					a.Unsaid[[2]int{i, j}] = true
				} else if class != "" {
					a.Stated[[2]int{i, j}] = class
				}
			}
		}
		out = append(out, a)
	}
	return out, nil
}

// things returns the entity of each key, by its first mention that is one; -1 for none.
func (t *text) things(named []english.Named) map[string]int {
	out := map[string]int{}
	for _, n := range named {
		for i, key := range n.Keys {
			at, known := out[key]
			if found, _ := t.entityAt(n.Spans[i]); n.Mentions[i].Name == nil && (!known || at < 0) {
				out[key] = found
			}
		}
	}
	return out
}

// entityAt returns the entity that is named by a span, give or take an article, or -1; and whether
// one is named by a part of it or by more.
func (t *text) entityAt(s corpus.Span) (at int, overlaps bool) {
	for i, e := range t.entities {
		for _, m := range e.mentions {
			if strings.HasPrefix(strings.ToLower(t.body[m.Start:m.End]), "the ") {
				m.Start += len("the ")
			}
			if m.Start == s.Start && m.End == s.End {
				return i, true
			}
			overlaps = overlaps || m.Start < s.End && s.Start < m.End
		}
	}
	return -1, overlaps
}

// between returns the class of what entities i and j, the later one, are to each other in a
// sentence, "" for nothing; and whether that is known: what is said elsewhere may be said here too.
func (t *text) between(i, j, sentence int) (class string, known bool) {
	if i < 0 || j < 0 {
		return "", true
	}
	if i == j {
		return "", false
	}
	known = true
	for _, r := range t.relations {
		if (r.head != i || r.tail != j) && (r.head != j || r.tail != i) {
			continue
		}
		if len(r.evidence) > 0 && !r.evidence[sentence] {
			known = false
			continue
		}
		if c := classOf(r.property, r.head == i); class == "" || class == relations.Other || strings.HasSuffix(class, "LOCATED_IN") {
			class = c
		}
	}
	return class, known || class != ""
}
