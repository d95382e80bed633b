package corpus_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

func passages(texts ...string) []corpus.VersionPassage {
	var list []corpus.VersionPassage
	for i, t := range texts {
		list = append(list, corpus.VersionPassage{Number: i + 1, Body: t})
	}
	return list
}

// changesOf shows changes as before|after.
func changesOf(d corpus.PassageDifference) (all []string) {
	for _, c := range d.Changes {
		var before, after string
		if c.Before != nil {
			before = c.Before.Body
		}
		if c.After != nil {
			after = c.After.Body
		}
		all = append(all, before+"|"+after)
	}
	return all
}

func TestCompare(t *testing.T) {
	concept := func(id, label string) corpus.VersionConcept {
		return corpus.VersionConcept{ConceptID: id, Label: label, Quotes: 1}
	}
	edge := func(from, fromLabel, kind, to, toLabel string) corpus.VersionRelationship {
		return corpus.VersionRelationship{From: from, FromLabel: fromLabel, Type: kind, To: to, ToLabel: toLabel}
	}
	before := corpus.VersionFacts{
		Concepts:      []corpus.VersionConcept{concept("a_1", "A"), concept("b_1", "Old  name"), concept("c_1", "C")},
		Relationships: []corpus.VersionRelationship{edge("a_1", "A", "USES", "b_1", "Old  name"), edge("a_1", "A", "USES", "c_1", "C")},
		Passages:      passages("one", "two", "three", "four"),
	}
	after := corpus.VersionFacts{
		Concepts:      []corpus.VersionConcept{concept("a_1", "A renamed"), concept("b_9", "old name"), concept("d_1", "D")},
		Relationships: []corpus.VersionRelationship{edge("a_1", "A renamed", "USES", "b_9", "old name"), edge("a_1", "A renamed", "CAUSES", "d_1", "D")},
		Passages:      passages("zero", "one", "2", "three", "four", "five"),
	}
	c := corpus.Compare(before, after, 10)
	if fmt.Sprint(c.Concepts.Gained) != "[{d_1 D 1}]" || fmt.Sprint(c.Concepts.Lost) != "[{c_1 C 1}]" || c.Concepts.Kept != 2 {
		t.Errorf("concepts %+v", c.Concepts)
	}
	if len(c.Relationships.Gained) != 1 || c.Relationships.Gained[0].Type != "CAUSES" || len(c.Relationships.Lost) != 1 || c.Relationships.Lost[0].To != "c_1" || c.Relationships.Kept != 1 {
		t.Errorf("relationships %+v", c.Relationships)
	}
	if got, want := changesOf(c.Passages), []string{"|zero", "two|2", "|five"}; !reflect.DeepEqual(got, want) || c.Passages.Kept != 3 {
		t.Errorf("passages %q, want %q", got, want)
	}
	if cut := corpus.Compare(before, after, 1); len(cut.Passages.Changes) != 1 || cut.Passages.Total != 3 {
		t.Errorf("with a limit %+v", cut.Passages)
	}
}

// TestCompareLaw: what is taken away and put in makes one text of the other, whatever they say.
func TestCompareLaw(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 8)
		was, is := text.Draw(r, "before"), text.Draw(r, "after")
		d := corpus.Compare(corpus.VersionFacts{Passages: passages(was...)}, corpus.VersionFacts{Passages: passages(is...)}, 100).Passages
		counts := map[string]int{}
		for _, t := range was {
			counts[t]++
		}
		for _, c := range d.Changes {
			if c.Before == nil && c.After == nil {
				r.Fatal("a change of nothing")
			}
			if c.Before != nil {
				counts[c.Before.Body]--
			}
			if c.After != nil {
				counts[c.After.Body]++
			}
		}
		for _, t := range is {
			counts[t]--
		}
		for t, n := range counts {
			if n != 0 {
				r.Fatalf("%s is %d times too often: %q to %q by %q", t, n, was, is, changesOf(d))
			}
		}
		if strings.Join(was, "") == strings.Join(is, "") && d.Total != 0 {
			r.Fatalf("the same text has changes %q", changesOf(d))
		}
	})
}

func TestChooseVersions(t *testing.T) {
	all := corpus.Versions{Filename: "a.md", Versions: []corpus.Version{{Version: 3}, {Version: 1}}}
	for _, c := range []struct {
		query         corpus.CompareQuery
		before, after int
	}{{corpus.CompareQuery{}, 1, 3}, {corpus.CompareQuery{Version: 3, With: 1}, 3, 1}, {corpus.CompareQuery{With: 3}, 1, 3}} {
		before, after, err := all.Choose(c.query)
		if err != nil || before.Version != c.before || after.Version != c.after {
			t.Errorf("%+v chooses %d and %d (%v)", c.query, before.Version, after.Version, err)
		}
	}
	for _, q := range []corpus.CompareQuery{{Version: 2}, {With: 1}, {With: 7}} {
		if _, _, err := all.Choose(q); kappa.ErrorCode(err) != kappa.CodeNotFound {
			t.Errorf("%+v: %v", q, err)
		}
	}
}
