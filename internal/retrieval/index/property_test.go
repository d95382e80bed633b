package index

import (
	"log/slog"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// drawnWords has few words, so that entries share them: of one letter and of many, that begin
// alike, in several scripts, and English ones of no meaning.
var drawnWords = rapid.OneOf(
	rapid.SampledFrom([]string{"the", "of", "a", "river", "rivers", "riverside", "house", "houses", "größe", "дом", "домов", "東京", "x", "internationalisation", "internationalization"}),
	rapid.StringMatching(`[a-d]{1,6}`),
)

func drawWords(most int) *rapid.Generator[[]words.Word] {
	return rapid.Map(rapid.SliceOfN(drawnWords, 0, most), func(texts []string) []words.Word {
		var all []words.Word
		for _, text := range texts {
			all = append(all, words.Word{Text: text, Stem: text})
		}
		return all
	})
}

var drawnEntries = rapid.Custom(func(t *rapid.T) Entry {
	id := rapid.Int32Range(1, 60).Draw(t, "id")
	e := Entry{
		ID: id, Source: id / 3, Document: id / 7, Ontology: rapid.Int32Range(1, 2).Draw(t, "ontology"),
		Stamp: rapid.Int32().Draw(t, "stamp"), Class: rapid.Byte().Draw(t, "class"), Kind: rapid.Byte().Draw(t, "kind"),
		Language: rapid.SampledFrom([]string{"", "en", "de", "zh-Hant"}).Draw(t, "language"),
		English:  rapid.Bool().Draw(t, "english"),
		Text:     words.Text{Words: drawWords(40).Draw(t, "words")},
		Around:   drawWords(4).Draw(t, "around"),
	}
	for i := range e.Text.Words {
		if i%9 == 0 {
			e.Text.Sentences = append(e.Text.Sentences, i)
		}
	}
	for _, list := range [][]words.Word{e.Text.Words, e.Around} {
		for i := range list {
			if e.English {
				list[i].Stem = strings.TrimSuffix(list[i].Text, "s")
			}
		}
	}
	if rapid.Bool().Draw(t, "defines") {
		e.Definitions = []string{drawnWords.Draw(t, "definition")}
	}
	return e
})

// TestAgreesWithNaive makes random changes, merges and restarts, and compares all answers with
// those of maps.
func TestAgreesWithNaive(t *testing.T) {
	folders := folderInMemory(t)
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(folders, "index")
		if err != nil {
			t.Fatal(err)
		}
		opened := func() *Index {
			x, err := open(dir, "here", slog.New(slog.DiscardHandler), 20) // so that there are files
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		x, n := opened(), naive{}
		defer func() { x.Close() }()
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				if rapid.IntRange(0, 3).Draw(t, "compared") == 0 {
					compareAll(t, x.View(), n)
				}
			},
			"change": func(t *rapid.T) {
				add := rapid.SliceOfN(drawnEntries, 0, 12).Draw(t, "add")
				remove := rapid.SliceOfN(rapid.Int32Range(1, 60), 0, 4).Draw(t, "remove")
				if err := x.Apply(add, remove); err != nil {
					t.Fatal(err)
				}
				n.apply(add, remove)
			},
			"merge": func(t *rapid.T) { mergeSome(t, x) },
			"reopen": func(t *rapid.T) {
				if err := x.Close(); err != nil {
					t.Fatal(err)
				}
				x = opened()
				catchUp(t, x, n)
			},
		})
	})
}

// folderInMemory returns a folder that is written to without waiting for a disk, where the system
// has one.
func folderInMemory(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "index")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// mergeSome merges parts that a merge in the background would not choose.
func mergeSome(t *rapid.T, x *Index) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for x.busy {
		x.merged.Wait()
	}
	parts := x.view.Load().parts
	if len(parts) == 0 {
		return
	}
	some := slices.Clone(parts[:rapid.IntRange(1, len(parts)).Draw(t, "parts")])
	if err := x.merge(some, func() bool { return false }); err != nil {
		t.Fatal(err)
	}
}

// catchUp does what whoever follows the tables does at a start.
func catchUp(t *rapid.T, x *Index, n naive) {
	held := map[int32]bool{}
	var remove []int32
	x.Held(func(id, _, _, _, stamp int32) {
		if e, ok := n[id]; !ok || e.Stamp != stamp {
			remove = append(remove, id)
			return
		}
		held[id] = true
	})
	var add []Entry
	for id, e := range n {
		if !held[id] {
			add = append(add, e)
		}
	}
	if err := x.Apply(add, remove); err != nil {
		t.Fatal(err)
	}
}

// compareAll compares all answers that can be compared.
func compareAll(t *rapid.T, v *View, n naive) {
	if v.Passages() != len(n) || v.Words() != n.words() || v.Documents() != n.documents() {
		t.Fatalf("%d passages, %d words, %d documents; want %d, %d, %d", v.Passages(), v.Words(), v.Documents(), len(n), n.words(), n.documents())
	}
	exact := !slices.ContainsFunc(v.parts, func(p *part) bool { return p.deadCount > 0 })
	for f := Texts; f <= Grams; f++ {
		for range 4 {
			term := drawnWords.Draw(t, "term")
			got, want := v.Frequency(f, term), n.frequency(f, term)
			if got != want && (exact || f == Stems || f == Prefixes) {
				t.Fatalf("frequency of %q in %d: %d, want %d", term, f, got, want)
			}
		}
	}
	term := drawnWords.Draw(t, "definition")
	if got := ids(v.Defining(term)); !slices.Equal(got, n.defining(term)) {
		t.Fatalf("%v define %q, want %v", got, term, n.defining(term))
	}
	compareCandidates(t, v, n, exact)
	if exact {
		compareTexts(t, v, n)
	}
}

func compareCandidates(t *rapid.T, v *View, n naive, exact bool) {
	q := Query{Limit: rapid.IntRange(1, 20).Draw(t, "limit")}
	for range rapid.IntRange(1, 6).Draw(t, "terms") {
		q.Terms = append(q.Terms, Term{
			Field: Field(rapid.IntRange(0, 3).Draw(t, "field")), Text: drawnWords.Draw(t, "text"),
			Weight: rapid.Float32Range(.1, 2).Draw(t, "weight"),
		})
	}
	if rapid.Bool().Draw(t, "filtered") {
		q.Allow = func(m *Meta) bool { return m.Ontology == 1 }
	}
	got, err := v.Candidates(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := v.Finds(q.Terms, q.Allow), n.findsSome(q); got != want {
		t.Fatalf("%v finds something: %v, want %v", q.Terms, got, want)
	}
	if want, _ := n.candidates(q); exact && len(got) != len(want) {
		t.Fatalf("%d candidates, want %d", len(got), len(want))
	}
	var read Passage
	var numbers Numbered
	bits := map[string]uint8{}
	for i := range got {
		c := &got[i]
		e, ok := n[c.ID]
		if !ok {
			t.Fatalf("%d was removed", c.ID)
		}
		if m := (Meta{e.ID, e.Source, e.Document, e.Ontology, e.Class, e.Kind, e.Language, e.English}); c.Meta != m {
			t.Fatalf("meta %+v, want %+v", c.Meta, m)
		}
		v.Read(c, &read)
		if !slices.Equal(read.Words, e.Text.Words) || !slices.Equal(read.Sentences, e.Text.Sentences) || !slices.Equal(read.Around, e.Around) {
			t.Fatalf("read %v, want %v", read, e)
		}
		v.ReadNumbers(c, &numbers)
		for i, number := range numbers.Words {
			text, bit := e.Text.Words[i].Text, numbers.Bit(number)
			if known, ok := bits[text]; ok && known != bit || numbers.Bit(number) != bit || int(number) >= numbers.Vocabulary() {
				t.Fatalf("%q, word %d of %d, has the bits %d and %d", text, number, numbers.Vocabulary(), known, bit)
			}
			bits[text] = bit
		}
		f, term := Field(rapid.IntRange(0, 2).Draw(t, "field")), drawnWords.Draw(t, "term")
		if got, want := v.InDocument(c, f, term), n.inDocument(c.Document, f, term); got != want && want < 10 {
			t.Fatalf("%q is %d times in document %d, want %d", term, got, c.Document, want)
		}
		if got, want := v.DocumentWords(c), n.documentWords(c.Document); got != want {
			t.Fatalf("document %d has %d words, want %d", c.Document, got, want)
		}
	}
}

func compareTexts(t *rapid.T, v *View, n naive) {
	texts := n.texts()
	prefix := drawnWords.Draw(t, "prefix")
	for _, c := range v.Complete(prefix, 1000) {
		if !strings.HasPrefix(c.Text, prefix) || texts[c.Text] != c.Passages {
			t.Fatalf("%q completes %q in %d passages, want %d", c.Text, prefix, c.Passages, texts[c.Text])
		}
	}
	known := 0
	for text := range texts {
		if strings.HasPrefix(text, prefix) {
			known++
		}
	}
	if got := len(v.Complete(prefix, 1000)); got != known {
		t.Fatalf("%d words complete %q, want %d", got, prefix, known)
	}
	letters := []rune(prefix)
	var want []string
	for text := range texts {
		if text != prefix && mistakes(letters, []rune(text), allowed(letters)) <= allowed(letters) && allowed(letters) > 0 {
			want = append(want, text)
		}
	}
	got := v.Near(prefix, 1000)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("near %q are %v, want %v", prefix, got, want)
	}
}

// TestScores compares the scores of one segment with those of maps: impacts have 255 steps.
func TestScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, err := Open("", "", slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		n := naive{}
		entries := rapid.SliceOfNDistinct(drawnEntries, 1, 40, func(e Entry) int32 { return e.ID }).Draw(t, "entries")
		n.apply(entries, nil)
		if err := x.Apply(entries, nil); err != nil {
			t.Fatal(err)
		}
		var q Query
		for range 5 {
			q.Terms = append(q.Terms, Term{Field: Field(rapid.IntRange(0, 2).Draw(t, "field")), Text: drawnWords.Draw(t, "text"), Weight: 1})
		}
		q.Limit = 5
		got, err := x.View().Candidates(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		_, least := n.candidates(q)
		tolerance := 0.0
		for _, term := range q.Terms {
			tolerance += n.rarity(term) / impactSteps
		}
		for _, c := range got {
			e := n[c.ID]
			if want := n.score(&e, q.Terms); math.Abs(float64(c.Score)-want) > tolerance || want < least-2*tolerance {
				t.Fatalf("%d scores %f, want %f, the least is %f, ± %f", c.ID, c.Score, want, least, tolerance)
			}
		}
	})
}
