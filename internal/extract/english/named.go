package english

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/extract/english/relations"
	"github.com/kappagraph/kappa/knowledge"
)

// Named is a sentence of a passage as the reader of relationships sees it: for those who
// annotate what it is to learn from.
type Named struct {
	relations.Sentence
	Spans []corpus.Span // of each mention, in the passage
	Keys  []string      // of each mention: what is the same thing has the same
}

// Named returns the sentences of a passage that name something. The only error is that of ctx.
func (e *Extractor) Named(ctx context.Context, p knowledge.Passage) ([]Named, error) {
	r := newReading(e, p)
	if err := r.tag(ctx); err != nil {
		return nil, err
	}
	if err := r.byRules(ctx); err != nil {
		return nil, err
	}
	r.temper()
	var out []Named
	sentences := r.named()
	for _, st := range r.statements {
		sentences[st.sentence].rule(r.found, st)
	}
	for i, s := range sentences {
		if len(s.names) == 0 {
			continue
		}
		n := Named{Sentence: s.Sentence}
		for _, name := range s.names {
			tokens := r.sentences[i].tokens
			n.Spans = append(n.Spans, corpus.Span{Start: tokens[name.first].start, End: tokens[name.last-1].end})
			n.Keys = append(n.Keys, name.of.key)
		}
		out = append(out, n)
	}
	return out, nil
}

// name is a place in a sentence where a candidate is named, or where a word stands for it.
type name struct {
	of          *candidate
	first, last int // tokens
	stands      bool
}

// named is a sentence with its names, which are the mentions in their order.
type named struct {
	relations.Sentence
	names []name
}

// named returns the sentences of the passage with their names. Headings have none.
func (r *reading) named() []named {
	out := make([]named, len(r.sentences))
	for _, c := range r.found.list {
		if c.merged != nil || !c.name {
			continue
		}
		for _, m := range c.mentions {
			out[m.sentence].names = append(out[m.sentence].names, name{of: c, first: m.first, last: m.last})
		}
	}
	things := make(map[*candidate]int, len(r.found.list))
	for i, c := range r.found.list {
		things[c] = i
	}
	for i := range out {
		s := &r.sentences[i]
		if s.kind == blockHeading || s.header {
			out[i].names = nil
			continue
		}
		for _, p := range r.phrases[i] {
			if c := r.found.find(p.key); p.stands && c != nil && c.name {
				out[i].names = append(out[i].names, name{of: c, first: p.from, last: p.last, stands: true})
			}
		}
		out[i].names = separate(out[i].names)
		if len(out[i].names) > 0 {
			r.write(&out[i], s, things)
		}
	}
	return out
}

// separate returns names in their order, and of those that overlap the first and longest.
func separate(names []name) []name {
	slices.SortStableFunc(names, func(a, b name) int { return cmp.Or(a.first-b.first, b.last-a.last) })
	kept := names[:0]
	for _, n := range names {
		if len(kept) == 0 || n.first >= kept[len(kept)-1].last {
			kept = append(kept, n)
		}
	}
	return kept
}

// write writes what the weights see of a sentence.
func (r *reading) write(out *named, s *sentence, things map[*candidate]int) {
	for _, n := range out.names {
		m := relations.Mention{First: n.first, Last: n.last, Thing: things[n.of]}
		if n.stands {
			m.Name = strings.Fields(n.of.label())
		}
		out.Mentions = append(out.Mentions, m)
	}
	out.Words = make([]relations.Word, len(s.tokens))
	for j, t := range s.tokens {
		out.Words[j] = relations.Word{Text: t.text, Low: t.low, Tag: uint8(t.tag), Stem: r.found.stem(t.low), Verb: t.tag.isVerb(), Noun: t.tag.isNoun()}
	}
}
