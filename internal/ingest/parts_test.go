package ingest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// The first article of the Universal Declaration of Human Rights.
const (
	rightsEnglish = "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood."
	rightsGerman  = "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen."
	rightsChinese = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。"
)

// TestPartsOfChunk says which paragraphs of a chunk are in which language.
func TestPartsOfChunk(t *testing.T) {
	for name, c := range map[string]struct {
		paragraphs []string
		language   string // of the chunk
		want       string
	}{
		"one language":                       {[]string{rightsEnglish, "# Rights", rightsEnglish}, "", "[]"},
		"alternating":                        {[]string{rightsEnglish, rightsGerman, rightsEnglish, rightsGerman}, "de", "[ de  de]"},
		"a quotation in Chinese":             {[]string{rightsEnglish, "> " + rightsChinese, rightsEnglish}, "", "[ zh ]"},
		"what is not clear is as its chunk":  {[]string{rightsGerman, "Genf, Wien", rightsEnglish, "Genf, Wien"}, "de", "[de  de]"},
		"a line of names in Greek letters":   {[]string{rightsEnglish, "α + β = γ", rightsEnglish}, "", "[]"},
		"one paragraph":                      {[]string{rightsGerman}, "", "[]"},
		"all paragraphs in another language": {[]string{rightsGerman, rightsGerman}, "", "[de]"},
		"a comment within code":              {[]string{rightsEnglish, "```", "// " + rightsChinese, "```", rightsEnglish}, "", "[]"},
	} {
		text := strings.Join(c.paragraphs, "\n\n")
		parts, at := partsOf(text, c.language), 0
		var got []string
		for _, p := range parts {
			if p.Start != at || p.End <= at {
				t.Errorf("%s: a part is at %v, the one before ends at %d", name, p.Span, at)
			}
			at = p.End
			got = append(got, p.Language)
		}
		if fmt.Sprint(got) != c.want || len(parts) > 0 && at != len(text) {
			t.Errorf("%s: %q up to %d of %d, want %s", name, got, at, len(text), c.want)
		}
	}
}

// TestParagraphsCoverTheText cuts any lines: nothing is lost or said twice.
func TestParagraphsCoverTheText(t *testing.T) {
	lines := []string{"", " ", "a", "```", "~~~", "```go", "\t", "b c"}
	random := rand.New(rand.NewPCG(38, 2))
	for range 2000 {
		var text strings.Builder
		for range random.IntN(12) {
			text.WriteString(lines[random.IntN(len(lines))] + "\n")
		}
		at := 0
		for _, p := range paragraphsOf(text.String()) {
			if p.Start != at || p.End <= p.Start {
				t.Fatalf("%q: a paragraph at %v, the one before ends at %d", text.String(), p, at)
			}
			at = p.End
		}
		if at != text.Len() {
			t.Fatalf("%q: the paragraphs end at %d", text.String(), at)
		}
	}
}

// TestMixedParagraphs says of each language of a chunk that it was read in it, and what had no
// reader; what was read with other parts is another reading.
func TestMixedParagraphs(t *testing.T) {
	i := newIngestion(40, "serial")
	reader := &languageReader{}
	i.store.body = strings.Join([]string{rightsEnglish, rightsGerman, rightsEnglish, rightsChinese, rightsGerman, rightsEnglish}, "\n\n")
	*i.store.document.ContentHash = corpus.ContentHash([]byte(i.store.body))
	claim := work.Claim{JobID: "job_0123456789ab", JobType: jobTypeName, Attempt: 1, Data: encoded(jobData{ContentType: corpus.ContentPlain})}
	handler := NewHandler(HandlerConfig{Vocabulary: builtinTypes, Store: i.store, Formats: fakeFormats{}, Passages: fakePassages, Extractor: reader, Embedder: i.embedder, Log: testLog(t)})
	raw, err := handler.Work(t.Context(), claim)
	if want := "no reader for German (parts of 1 of 1 chunks), Chinese (parts of 1 of 1 chunks)"; err != nil || !strings.Contains(string(raw), want) {
		t.Errorf("got %v, %s; want %q", err, raw, want)
	}
	var languages []string
	for _, p := range reader.parts {
		languages = append(languages, p.Language)
	}
	if !slices.Equal(languages, []string{"", "de", "", "zh", "de", ""}) {
		t.Errorf("read in parts of %q", languages)
	}
	parts := partsOf(i.store.body, "")
	if partsName(parts) == partsName(parts[:2]) || partsName(nil) != "" {
		t.Error("readings of different parts have one name")
	}
}

// TestNotDone counts the chunks of each language, whole and in parts.
func TestNotDone(t *testing.T) {
	german := hints{language: "de"}
	both := hints{language: "de", parts: partsOf(rightsEnglish+"\n\n"+rightsGerman, "")}
	var b byTerms
	for _, h := range []hints{{}, german, both} {
		b = b.with(h)
	}
	if want := "Concepts by key terms only: no reader for German (1 of 3 chunks, parts of 1)"; b.notDone(3) != want {
		t.Errorf("got %q, want %q", b.notDone(3), want)
	}
}
