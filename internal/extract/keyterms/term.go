package keyterms

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

// term is what may become a concept.
type term struct {
	key    string
	forms  map[string]int // as it is written, and how often
	places []place
	name   bool // it is known by its capitals, or by the marks around it
	words  int
	weight float64
}

// place is where a term stands.
type place struct {
	corpus.Span
	sentence int
}

// add counts a term at a place.
func (t *text) add(terms map[string]*term, key string, at place, words int, name bool) {
	k := terms[key]
	if k == nil {
		k = &term{key: key, forms: map[string]int{}, words: words}
		terms[key] = k
	}
	if n := len(k.places); n > 0 && k.places[n-1].Start >= at.Start {
		return
	}
	k.name = k.name || name
	k.forms[strings.Join(strings.Fields(t.text[at.Start:at.End]), " ")]++
	k.places = append(k.places, at)
}

// stem is what the forms of a word have in common, in languages that change the ends of words.
func stem(word string) string {
	const long, short = 7, 5
	drop := 0
	switch n := utf8.RuneCountInString(word); {
	case n >= long:
		drop = 2
	case n >= short:
		drop = 1
	}
	for range drop {
		_, size := utf8.DecodeLastRuneInString(word)
		word = word[:len(word)-size]
	}
	return word
}

// label is the form that is written most often, and of equals the shortest.
func (k *term) label() string {
	forms := k.sortedForms()
	return forms[0]
}

func (k *term) sortedForms() []string {
	return slices.SortedFunc(maps.Keys(k.forms), func(a, b string) int {
		return cmp.Or(k.forms[b]-k.forms[a], len(a)-len(b), strings.Compare(a, b))
	})
}

// choose returns the heaviest terms, without those that stand mostly within others.
func (t *text) choose(terms map[string]*term) []*term {
	list := slices.SortedFunc(maps.Values(terms), func(a, b *term) int {
		return cmp.Or(len(b.key)-len(a.key), strings.Compare(a.key, b.key)) // long ones first
	})
	taken := make([]int32, len(t.text)) // by which place of a term each byte is taken
	number := int32(0)
	var kept []*term
	for _, k := range list {
		alone := 0
		for _, p := range k.places {
			if by := taken[p.Start]; by == 0 || by != taken[p.End-1] {
				alone++
			}
		}
		if 3*alone < len(k.places) || alone == 0 {
			continue
		}
		k.weight = k.weigh(alone)
		kept = append(kept, k)
		if k.words > 1 {
			for _, p := range k.places {
				number++
				for i := p.Start; i < p.End; i++ {
					taken[i] = number
				}
			}
		}
	}
	slices.SortFunc(kept, func(a, b *term) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), a.places[0].Start-b.places[0].Start, strings.Compare(a.key, b.key))
	})
	return kept[:min(len(kept), mostConcepts)]
}

// weigh says how much the text is about a term.
func (k *term) weigh(alone int) float64 {
	w := math.Log2(1 + float64(alone))
	if k.name {
		w *= 1.5
	}
	most := 4
	if alone == 1 {
		most = 2 // long names that are said once are many
	}
	return w * (1 + 0.25*float64(min(k.words, most)-1))
}
