package extract

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// paragraph is one of the Universal Declaration of Human Rights, as the United Nations have it in
// its languages and as its German translation has it.
type paragraph struct{ language, text string }

var (
	alternating = []paragraph{
		{"", "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood."},
		{"de", "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen."},
		{"", "No one shall be held in slavery or servitude; slavery and the slave trade shall be prohibited in all their forms. The slave trade is a crime against human dignity."},
		{"de", "Niemand darf in Sklaverei oder Leibeigenschaft gehalten werden; Sklaverei und Sklavenhandel sind in allen ihren Formen verboten. Der Sklavenhandel verletzt die Würde der Menschen."},
	}
	quoting = []paragraph{
		{"", "The declaration was adopted by the General Assembly in Paris. The Chinese text of its first article was written by Peng Chun Chang, a philosopher:"},
		{"zh", "> 人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。人人有资格享有尊严和权利。"},
		{"", "Peng Chun Chang was a delegate of China. The General Assembly adopted the declaration with no vote against it, and the declaration is part of international law."},
	}
)

// joined returns the text of paragraphs, and their parts.
func joined(all []paragraph) (text string, parts []knowledge.PassagePart) {
	for _, p := range all {
		start := len(text)
		text += p.text + "\n\n"
		parts = append(parts, knowledge.PassagePart{Span: corpus.Span{Start: start, End: len(text)}, Language: p.language})
	}
	return text, parts
}

// TestLanguagesOfAPassage reads passages with paragraphs in two languages: what is found is what
// is found in the paragraphs of each alone, where it stands.
func TestLanguagesOfAPassage(t *testing.T) {
	reader, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for name, all := range map[string][]paragraph{"English and German": alternating, "English with a Chinese quotation": quoting} {
		t.Run(name, func(t *testing.T) {
			text, parts := joined(all)
			whole := knowledge.Passage{Text: text, ContentType: corpus.ContentMarkdown, Parts: parts}
			whole.Outline = reader.Narrow(reader.Outline(text, whole.ContentType), whole)
			e, err := reader.Extract(t.Context(), whole)
			if err != nil {
				t.Fatal(err)
			}
			found, want, types := map[string]bool{}, map[string]bool{}, map[string]bool{}
			for _, c := range e.Concepts {
				found[c.Label] = true
			}
			for _, i := range e.Instances {
				if text[i.Span.Start:i.Span.End] != i.Quote {
					t.Errorf("%q is not at %v", i.Quote, i.Span)
				}
				if strings.Contains(i.Quote, "\n\n") {
					t.Errorf("a quote is of two paragraphs: %q", i.Quote)
				}
			}
			for _, r := range e.Relationships {
				types[r.Type] = true
			}
			for _, language := range []string{all[0].language, all[1].language} {
				own := slices.DeleteFunc(slices.Clone(all), func(p paragraph) bool { return p.language != language })
				text, _ := joined(own)
				alone := knowledge.Passage{Text: text, ContentType: corpus.ContentMarkdown, Language: language}
				if language == "" {
					alone.Outline = whole.Outline
				}
				e, err := reader.Extract(t.Context(), alone)
				if err != nil || len(e.Concepts) == 0 {
					t.Fatalf("in %q %d concepts, %v", language, len(e.Concepts), err)
				}
				for _, c := range e.Concepts {
					want[c.Label] = true
				}
			}
			if !maps.Equal(found, want) {
				t.Errorf("found %q, want %q", slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(want)))
			}
			if len(types) < 2 {
				t.Errorf("relationships of the types %q: those of English have others than of key terms", slices.Collect(maps.Keys(types)))
			}
		})
	}
}

// TestNarrowLanguages has an outline for the parts in English, and none without them.
func TestNarrowLanguages(t *testing.T) {
	reader, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	text, parts := joined(alternating)
	o := reader.Outline(text, corpus.ContentPlain)
	if reader.Narrow(o, knowledge.Passage{Text: text, Language: "de", Parts: parts}) == nil {
		t.Error("no outline for a German passage with parts in English")
	}
	if reader.Narrow(o, knowledge.Passage{Text: text, Parts: parts[1:2]}) != nil {
		t.Error("an outline for a passage whose only part is German")
	}
}
