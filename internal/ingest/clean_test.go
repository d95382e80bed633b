package ingest

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

const waterText = "Water boils at 100 degrees. Steam comes from boiling water, and ice\nfrom freezing water."

// waterExtraction is one that needs no cleaning.
func waterExtraction() knowledge.Extraction {
	return knowledge.Extraction{
		Concepts: []knowledge.ExtractedConcept{
			{Key: "water", Label: "Water", Description: "A liquid.", SearchTerms: []string{"H2O"}, Weight: 2},
			{Key: "steam", Label: "Steam", SearchTerms: []string{}, Weight: 1},
		},
		Instances: []knowledge.ExtractedInstance{
			{Concept: "water", Quote: "Water boils at 100 degrees.", Span: corpus.Span{Start: 0, End: 27}},
			{Concept: "steam", Quote: "Steam comes from boiling water", Span: corpus.Span{Start: 28, End: 58}},
		},
		Relationships: []knowledge.ExtractedRelationship{{
			From: "steam", To: "water", Type: "DERIVED_FROM", Direction: knowledge.Outward, Confidence: 0.5,
			Quote: "Steam comes from boiling water", Span: corpus.Span{Start: 28, End: 58},
			Marks: knowledge.Marks{From: named(0, 5), To: named(25, 30)},
		}},
		Tokens: 7,
	}
}

// named is a mark of a name.
func named(start, end int) knowledge.Mark {
	return knowledge.Mark{Kind: knowledge.MarkName, Span: corpus.Span{Start: start, End: end}}
}

func cleanWater(t *testing.T, e knowledge.Extraction) knowledge.Extraction {
	builtin := vocabulary.BuiltinTypeNames().Active
	return Clean(e, waterText, builtin)
}

func TestCleanKeepsWhatIsClean(t *testing.T) {
	if got := cleanWater(t, waterExtraction()); !reflect.DeepEqual(got, waterExtraction()) {
		t.Errorf("got  %+v\nwant %+v", got, waterExtraction())
	}
}

func TestCleanConcepts(t *testing.T) {
	tests := map[string]struct {
		concept knowledge.ExtractedConcept
		label   string // "": dropped
	}{
		"white space and control characters": {knowledge.ExtractedConcept{Key: "k", Label: " Ice\x00\n "}, "Ice"},
		"invalid UTF-8":                      {knowledge.ExtractedConcept{Key: "k", Label: "Ice\xff"}, "Ice"},
		"no label":                           {knowledge.ExtractedConcept{Key: "k", Label: " \x00"}, ""},
		"a label of marks":                   {knowledge.ExtractedConcept{Key: "k", Label: "→ ."}, ""},
		"no key":                             {knowledge.ExtractedConcept{Label: "Ice"}, "Ice"},
		"a key that is taken":                {knowledge.ExtractedConcept{Key: "water", Label: "Ice"}, ""},
		"nothing in the text shows it":       {knowledge.ExtractedConcept{Key: "k", Label: "Whales"}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := waterExtraction()
			e.Concepts = append(e.Concepts, tt.concept)
			got := cleanWater(t, e).Concepts[2:]
			switch {
			case tt.label == "" && len(got) == 0:
			case tt.label != "" && len(got) == 1 && got[0].Label == tt.label && got[0].Weight == 1:
			default:
				t.Errorf("got %+v, want the label %q", got, tt.label)
			}
		})
	}
	t.Run("texts are cut and doubles left out", func(t *testing.T) {
		e := waterExtraction()
		e.Concepts[0].Label = "Water " + strings.Repeat("ä", 300)
		e.Concepts[0].Description = strings.Repeat("ä", 2000)
		e.Concepts[0].SearchTerms = []string{"H2O", "", "h2o", "aqua", "  Aqua "}
		for i := range 50 {
			e.Concepts[0].SearchTerms = append(e.Concepts[0].SearchTerms, fmt.Sprint("term ", i))
		}
		got := cleanWater(t, e).Concepts[0]
		if utf8.RuneCountInString(got.Label) != maxLabel || utf8.RuneCountInString(got.Description) != maxDescription {
			t.Errorf("the label has %d characters, the description %d", utf8.RuneCountInString(got.Label), utf8.RuneCountInString(got.Description))
		}
		if terms := got.SearchTerms; len(terms) != maxSearchTerms || strings.Join(terms[:3], ",") != "H2O,aqua,term 0" {
			t.Errorf("%d search terms: %q", len(terms), terms)
		}
	})
	t.Run("two with one label become one", func(t *testing.T) {
		e := waterExtraction()
		e.Concepts = append(e.Concepts, knowledge.ExtractedConcept{Key: "steam2", Label: " STEAM", Description: "Hot.", SearchTerms: []string{"vapour"}, Weight: 5})
		e.Instances = append(e.Instances, knowledge.ExtractedInstance{Concept: "steam2", Quote: "Steam comes"})
		got := cleanWater(t, e)
		want := knowledge.ExtractedConcept{Key: "steam", Label: "Steam", Description: "Hot.", SearchTerms: []string{"vapour"}, Weight: 5}
		if len(got.Concepts) != 2 || !reflect.DeepEqual(got.Concepts[1], want) || got.Instances[2].Concept != "steam" {
			t.Errorf("got %+v and %+v", got.Concepts, got.Instances)
		}
	})
	t.Run("the heaviest hundred stay, in their order", func(t *testing.T) {
		var text strings.Builder
		var e knowledge.Extraction
		for i := range 150 {
			label := fmt.Sprintf("thing%d", i)
			text.WriteString(label + " ")
			e.Concepts = append(e.Concepts, knowledge.ExtractedConcept{Key: label, Label: label, Weight: float64(1 + i)})
			e.Relationships = append(e.Relationships, knowledge.ExtractedRelationship{From: label, To: "thing149", Type: "USES"})
		}
		got := Clean(e, text.String(), nil)
		if len(got.Concepts) != 100 || got.Concepts[0].Key != "thing50" || got.Concepts[99].Key != "thing149" {
			t.Errorf("%d concepts from %s to %s", len(got.Concepts), got.Concepts[0].Key, got.Concepts[len(got.Concepts)-1].Key)
		}
		if len(got.Instances) != 100 || len(got.Relationships) != 99 {
			t.Errorf("%d instances and %d relationships", len(got.Instances), len(got.Relationships))
		}
	})
}

func TestCleanLimits(t *testing.T) {
	text := numbered(3000)
	e := knowledge.Extraction{}
	for i, word := range strings.Fields(text) {
		if i < maxConcepts {
			e.Concepts = append(e.Concepts, knowledge.ExtractedConcept{Key: word, Label: word})
		}
		e.Instances = append(e.Instances, knowledge.ExtractedInstance{Concept: "word0001", Quote: word})
	}
	for _, from := range e.Concepts {
		for _, to := range e.Concepts {
			e.Relationships = append(e.Relationships, knowledge.ExtractedRelationship{From: from.Key, To: to.Key, Type: "USES"})
		}
	}
	got := Clean(e, text, []string{"USES"})
	quotes := 0
	for _, i := range got.Instances {
		if i.Concept == "word0001" {
			quotes++
		}
	}
	if quotes != maxInstances || len(got.Concepts) != maxConcepts || len(got.Relationships) != maxRelationships {
		t.Errorf("%d instances of one concept, %d concepts, %d relationships", quotes, len(got.Concepts), len(got.Relationships))
	}
}

func TestCleanInstances(t *testing.T) {
	e := waterExtraction()
	e.Concepts = append(e.Concepts, knowledge.ExtractedConcept{Key: "ice", Label: "Ice"})
	e.Instances = []knowledge.ExtractedInstance{
		{Concept: "water", Quote: "Water boils"},
		{Concept: "water", Quote: "Water boils", Span: corpus.Span{Start: 0, End: 11}}, // again
		{Concept: "water", Quote: "Water is wet"},                                      // not in the text
		{Concept: "whale", Quote: "Water boils"},                                       // no such concept
		{Concept: "ice", Quote: "ICE from freezing  water."},
	}
	want := []knowledge.ExtractedInstance{
		{Concept: "water", Quote: "Water boils", Span: corpus.Span{Start: 0, End: 11}},
		{Concept: "ice", Quote: "ice\nfrom freezing water.", Span: corpus.Span{Start: 64, End: 88}},
		{Concept: "steam", Quote: "Steam", Span: corpus.Span{Start: 28, End: 33}}, // by its label
	}
	if got := cleanWater(t, e).Instances; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestCleanRelationships(t *testing.T) {
	valid := waterExtraction().Relationships[0]
	with := func(change func(*knowledge.ExtractedRelationship)) knowledge.ExtractedRelationship {
		r := valid
		change(&r)
		return r
	}
	tests := map[string]struct {
		in   knowledge.ExtractedRelationship
		want knowledge.ExtractedRelationship // the zero value: dropped
	}{
		"an unknown key":       {in: with(func(r *knowledge.ExtractedRelationship) { r.To = "whale" })},
		"an empty key":         {in: with(func(r *knowledge.ExtractedRelationship) { r.From = "" })},
		"one with itself":      {in: with(func(r *knowledge.ExtractedRelationship) { r.To = r.From })},
		"no type":              {in: with(func(r *knowledge.ExtractedRelationship) { r.Type = "?" })},
		"an unknown passive":   {in: with(func(r *knowledge.ExtractedRelationship) { r.Type = "CAUSED_BY" })},
		"a type of many forms": {in: with(func(r *knowledge.ExtractedRelationship) { r.Type = "derived from" }), want: valid},
		"an unknown direction": {in: with(func(r *knowledge.ExtractedRelationship) { r.Direction = "up" }), want: valid},
		"a known direction": {
			in:   with(func(r *knowledge.ExtractedRelationship) { r.Direction = knowledge.Inward }),
			want: with(func(r *knowledge.ExtractedRelationship) { r.Direction = knowledge.Inward }),
		},
		"too much confidence": {
			in:   with(func(r *knowledge.ExtractedRelationship) { r.Confidence = math.Inf(1) }),
			want: with(func(r *knowledge.ExtractedRelationship) { r.Confidence = 1 }),
		},
		"too little confidence": {
			in:   with(func(r *knowledge.ExtractedRelationship) { r.Confidence = -3 }),
			want: with(func(r *knowledge.ExtractedRelationship) { r.Confidence = 0 }),
		},
		"confidence that is no number": {
			in:   with(func(r *knowledge.ExtractedRelationship) { r.Confidence = math.NaN() }),
			want: with(func(r *knowledge.ExtractedRelationship) { r.Confidence = 1 }),
		},
		"a quote that is not there": {
			in:   with(func(r *knowledge.ExtractedRelationship) { r.Quote = "Steam is water" }),
			want: valid, // the sentence that names both
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := waterExtraction()
			e.Relationships = []knowledge.ExtractedRelationship{tt.in}
			var want []knowledge.ExtractedRelationship
			if tt.want != (knowledge.ExtractedRelationship{}) {
				want = append(want, tt.want)
			}
			if got := cleanWater(t, e).Relationships; !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
	t.Run("of doubles the most confident stays", func(t *testing.T) {
		e := waterExtraction()
		e.Relationships = []knowledge.ExtractedRelationship{
			valid, with(func(r *knowledge.ExtractedRelationship) { r.Confidence = 0.9 }), with(func(r *knowledge.ExtractedRelationship) { r.Confidence = 0.1 }),
		}
		if got := cleanWater(t, e).Relationships; len(got) != 1 || got[0].Confidence != 0.9 {
			t.Errorf("got %+v", got)
		}
	})
}

// TestCleanLaws feeds what no extractor should return and checks what the store
// relies on.
func TestCleanLaws(t *testing.T) {
	anyKey := rapid.SampledFrom([]string{"a", "b", "c", "", "\x00"})
	anyText := rapid.OneOf(rapid.SampledFrom([]string{"Water", "water", "steam", "boils at", "", "\xff\x00", "ice from"}), rapid.String())
	anySpan := rapid.Custom(func(t *rapid.T) corpus.Span {
		return corpus.Span{Start: rapid.IntRange(-5, 100).Draw(t, "start"), End: rapid.IntRange(-5, 100).Draw(t, "end")}
	})
	rapid.Check(t, func(t *rapid.T) {
		var e knowledge.Extraction
		for range rapid.IntRange(0, 6).Draw(t, "concepts") {
			e.Concepts = append(e.Concepts, knowledge.ExtractedConcept{
				Key: anyKey.Draw(t, "key"), Label: anyText.Draw(t, "label"), Description: anyText.Draw(t, "description"),
				SearchTerms: []string{anyText.Draw(t, "term")}, Weight: rapid.Float64().Draw(t, "weight"),
			})
		}
		for range rapid.IntRange(0, 6).Draw(t, "instances") {
			e.Instances = append(e.Instances, knowledge.ExtractedInstance{Concept: anyKey.Draw(t, "concept"), Quote: anyText.Draw(t, "quote"), Span: anySpan.Draw(t, "span")})
		}
		for range rapid.IntRange(0, 6).Draw(t, "relationships") {
			e.Relationships = append(e.Relationships, knowledge.ExtractedRelationship{
				From: anyKey.Draw(t, "from"), To: anyKey.Draw(t, "to"), Type: anyText.Draw(t, "type"), Direction: knowledge.Direction(anyText.Draw(t, "direction")),
				Confidence: rapid.Float64().Draw(t, "confidence"), Quote: anyText.Draw(t, "quote"), Span: anySpan.Draw(t, "span"),
			})
		}
		checkClean(t, Clean(e, waterText, []string{"USES"}), waterText)
	})
}

// checkClean holds a cleaned extraction to what Clean promises.
func checkClean(t *rapid.T, e knowledge.Extraction, text string) {
	shown := map[string]bool{}
	for _, i := range e.Instances {
		if i.Quote == "" || text[i.Span.Start:i.Span.End] != i.Quote {
			t.Fatalf("the quote %q is not at %v", i.Quote, i.Span)
		}
		shown[i.Concept] = true
	}
	keys, labels := map[string]bool{}, map[string]bool{}
	for _, c := range e.Concepts {
		all := c.Label + c.Description + strings.Join(c.SearchTerms, "")
		if label := naming.LabelKey(c.Label) + naming.IdentityKey(c.Label); label == "" || labels[label] || keys[c.Key] || !shown[c.Key] || !(c.Weight > 0) ||
			!utf8.ValidString(all) || strings.Contains(all, "\x00") {
			t.Fatalf("concept %+v of %+v", c, e)
		}
		keys[c.Key], labels[naming.LabelKey(c.Label)+naming.IdentityKey(c.Label)] = true, true
	}
	for concept := range shown {
		if !keys[concept] {
			t.Fatalf("an instance of %q, which is no concept", concept)
		}
	}
	for _, r := range e.Relationships {
		if !keys[r.From] || !keys[r.To] || r.From == r.To || r.Type == "" || !(0 <= r.Confidence && r.Confidence <= 1) || text[r.Span.Start:r.Span.End] != r.Quote {
			t.Fatalf("relationship %+v", r)
		}
	}
}
