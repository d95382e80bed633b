package english

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/internal/extract/english/relations"
)

// limits are how probable what weights read is at least.
func limits() relations.Limits {
	return relations.Limits{Type: 0.36, Sure: 0.5, Related: 0.21}
}

// How probable it is at least that two names are anything to each other of which rules have read
// something: of a type that the weights know, and of another one.
const (
	leastRuled   = 0.4
	leastUnknown = 0.12
)

// learned adds what the weights read of pairs of names in each sentence to what the rules have
// found, and asks them of what the rules have said of names.
func (r *reading) learned(ctx context.Context) error {
	sentences := r.named()
	for _, st := range r.statements {
		sentences[st.sentence].rule(r.found, st)
	}
	text := make([]*relations.Sentence, len(sentences))
	for i := range sentences {
		text[i] = &sentences[i].Sentence
	}
	kinds := r.extractor.relations.Kinds(text)
	read := map[[2]string]statement{}
	for i, s := range sentences {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, rel := range r.extractor.relations.Read(&s.Sentence, kinds[i], limits()) {
			from, to := s.names[rel.From].of, s.names[rel.To].of
			if from == to || formLike(&r.sentences[i]) || r.denied[i].between(s.names[rel.From], s.names[rel.To]) || r.guessed(i, &s, kinds[i], rel) {
				continue
			}
			st := statement{from: from.key, to: to.key, typ: rel.Type, confidence: hundredths(rel.Probability), sentence: i}
			if rel.Type == "" {
				r.near = append(r.near, st)
			} else if have := read[[2]string{st.from, st.to}]; have.confidence < st.confidence {
				read[[2]string{st.from, st.to}] = st
			}
		}
	}
	r.weigh(sentences, kinds, read)
	return nil
}

// guessed reports a place that would be put where somebody or something else of the sentence is
// from: "Mara Kessel (born in Graz) is a Canadian novelist" says nothing of Graz, other than "the
// Canadian town of Brandon".
func (r *reading) guessed(i int, s *named, kinds []string, rel relations.Relation) bool {
	a, b := min(rel.From, rel.To), max(rel.From, rel.To)
	describes := func(n name) bool { return r.extractor.words.demonyms[r.sentences[i].tokens[n.first].text] != nil }
	x, y := s.names[a], s.names[b]
	return describes(y) && kinds[a] == "LOC" || describes(x) && kinds[b] == "LOC" && y.first-x.last > 3
}

// hundredths rounds a probability as it is shown.
func hundredths(p float64) float64 { return math.Round(min(p, surest)*100) / 100 }

// surest is how sure anything is at most.
const surest = 0.97

// rule notes what rules have stated of two names of the sentence.
func (n *named) rule(found *candidates, st statement) {
	from, to := found.find(st.from), found.find(st.to)
	for a, x := range n.names {
		for b := a + 1; b < len(n.names); b++ {
			class := st.typ
			switch y := n.names[b]; {
			case x.of == from && y.of == to:
			case x.of == to && y.of == from:
				class = relations.Backward + class
			default:
				continue
			}
			if n.Ruled == nil {
				n.Ruled = map[[2]int]string{}
			}
			n.Ruled[[2]int{a, b}] = class
		}
	}
}

// weigh puts together what rules have stated and what weights have read. Of a type that the weights
// know, what a rule states of two names is as sure as they say, is of the type that they read, and
// is gone when they find nothing there.
func (r *reading) weigh(sentences []named, kinds [][]string, read map[[2]string]statement) {
	kept := r.statements[:0]
	ruled := map[[2]string]bool{}
	for _, st := range r.statements {
		pair := [2]string{r.found.find(st.from).key, r.found.find(st.to).key}
		sure, known := r.sure(&sentences[st.sentence], kinds[st.sentence], pair)
		if known && sure < leastUnknown {
			continue
		}
		if r.extractor.relations.Knows(st.typ) {
			if known && sure < leastRuled {
				continue
			}
			if known {
				st.confidence = hundredths(sure)
			}
			if other, ok := read[pair]; ok {
				st = other
			}
		}
		ruled[pair] = true
		kept = append(kept, st)
	}
	maps.DeleteFunc(read, func(pair [2]string, _ statement) bool { return ruled[pair] })
	for _, pair := range slices.SortedFunc(maps.Keys(read), func(a, b [2]string) int {
		return cmp.Or(read[a].sentence-read[b].sentence, strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	}) {
		kept = append(kept, read[pair])
	}
	r.statements = kept
}

// sure returns how probable it is that two things are anything to each other in a sentence, where
// they stand closest to saying so; false when the weights know of no names there.
func (r *reading) sure(s *named, kinds []string, pair [2]string) (sure float64, known bool) {
	for at := range s.Ruled {
		a, b := s.names[at[0]].of.key, s.names[at[1]].of.key
		if a == pair[0] && b == pair[1] || a == pair[1] && b == pair[0] {
			if p, ok := r.extractor.relations.Related(&s.Sentence, at[0], at[1], kinds); ok {
				sure, known = max(sure, p), true
			}
		}
	}
	return sure, known
}

// denials are what a sentence denies, supposes, asks or passes on: by token.
type denials []bool

// denyingWords between two names keep anything from being stated of them.
const denyingWords = " not n't n’t no never neither nor without unlike except instead rather "

// denialsOf returns what of a sentence states nothing: all of a question, clauses that suppose or
// report, and what follows a verb that is denied.
func (r *reader) denialsOf() denials {
	out := make(denials, len(r.sentence.tokens))
	mark := func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = true
		}
	}
	if last := r.sentence.tokens[len(r.sentence.tokens)-1].text; last == "?" {
		mark(0, len(out))
	}
	for i, t := range r.sentence.tokens {
		if strings.Contains(denyingWords, " "+t.low+" ") {
			mark(i, i+1)
		}
	}
	for i, supposed := range r.supposed() {
		if supposed {
			mark(r.items[i].first, r.items[i].last)
		}
		if v := r.items[i].verb; r.kindOf(i) == itemVerb && (v.negated || v.unreal) {
			end := i
			for end < len(r.items) && r.kindOf(end) != itemStop {
				end++
			}
			mark(r.items[i].first, r.items[end-1].last)
		}
		if r.kindOf(i) == itemPhrase && r.denies(r.phraseOf(i)) {
			mark(r.items[i].first, r.items[i].last)
		}
	}
	return out
}

// between reports whether something of what stands from one name to the other states nothing.
func (d denials) between(x, y name) bool {
	from, to := min(x.first, y.first), max(x.last, y.last)
	for i := from; i < to && i < len(d); i++ {
		if d[i] {
			return true
		}
	}
	return false
}
