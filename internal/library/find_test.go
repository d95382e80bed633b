package library

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/retrieval"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// finder returns a Finder of the shelf.
func (s *shelf) finder(t testing.TB) *Finder {
	t.Helper()
	return NewFinder(s.open(t).passages, s)
}

func (f *Finder) must(t testing.TB, q questions.FindQuery) questions.FindAnswer {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 20
	}
	answer, err := f.Find(t.Context(), q)
	if err != nil {
		t.Fatalf("%q: %v", q.Text, err)
	}
	return answer
}

// kinds are the kinds of hits, and the marked words of their texts.
func kinds(answer questions.FindAnswer) (all []string) {
	for _, h := range answer.Hits {
		marked := make([]string, len(h.Highlights))
		for i, m := range h.Highlights {
			marked[i] = h.Text[m.Start:m.End]
			if m.StartChar > m.Start || string([]rune(h.Text)[m.StartChar:m.EndChar]) != marked[i] {
				marked[i] = "not at its characters"
			}
		}
		all = append(all, h.Kind+" "+strings.Join(marked, ","))
	}
	return all
}

func TestFind(t *testing.T) {
	f := notes().finder(t)
	answer := f.must(t, questions.FindQuery{Text: "lane"})
	if answer.Total != answer.Count || answer.Next != nil || answer.AtLeast || answer.Epoch != 7 || !answer.Index.Ready {
		t.Errorf("%+v", answer)
	}
	if first := answer.Hits[0]; first.Kind != questions.FoundConcept || first.Score != 1 || first.Concept.ConceptID != "lane_1" || first.Document != nil || first.Passage != nil {
		t.Errorf("first is %+v", first)
	}
	want := []string{"concept lane", "document lanes", "document lanes", "passage lane", "passage lane", "passage lane", "passage ", "passage "}
	if got := kinds(answer); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for i, h := range answer.Hits {
		if i > 0 && h.Score > answer.Hits[i-1].Score {
			t.Errorf("hit %d scores %v, the one before %v", i+1, h.Score, answer.Hits[i-1].Score)
		}
		if h.Kind == questions.FoundPassage && (h.Passage.Link == "" || h.Document.Ontology != "ops") {
			t.Errorf("%+v of %+v", h.Passage, h.Document)
		}
	}
	if got := answer.Facets.Find; !slices.Equal(got, []questions.FacetCount{{Value: "passage", Count: 5}, {Value: "document", Count: 2}, {Value: "concept", Count: 1}}) {
		t.Errorf("facet of what is found: %v", got)
	}
	if f := answer.Facets; len(f.Ontologies) != 1 || f.Kinds[0].Value != "markdown" || f.Languages[0].Value != "en" || f.Classes[0] != (questions.FacetCount{Value: "prose", Count: 5}) {
		t.Errorf("facets %+v", f)
	}
	for _, q := range []questions.FindQuery{
		{Text: "lane", Limit: 101},
		{Text: "lane", Limit: -1},
		{Text: "\x00", Limit: 1},
		{Text: "lane", Limit: 1, Find: []string{"edges"}},
		{Text: "lane", Limit: 1, Cursor: "x"},
		{Text: "lane", Limit: 1, AskFilter: questions.AskFilter{Classes: []string{"poem"}}},
		{Text: "lane", Limit: 1, Cursor: questions.FindQuery{Text: "lease"}.After(1)},
	} {
		if _, err := f.Find(t.Context(), q); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// TestFindInOrder wants a phrase before its words in other places, these before other forms, and
// those before some of them.
func TestFindInOrder(t *testing.T) {
	s := (&shelf{}).add("o", "a.md", "The lanes wake the leases.\n\nA lease may wake a lane.\n\nIt is a lane lease and no more.\n\nA lane is here.\n\nÜber den „lane lease“ hinaus.\n\nLease: lane.\n\n"+
		"At length "+strings.Repeat("nothing of it is said here in so many words, ", 40)+"but of a lane lease.")
	answer := s.finder(t).must(t, questions.FindQuery{Text: "lane lease", Find: []string{questions.FoundPassage}})
	var starts []string
	for _, h := range answer.Hits {
		starts = append(starts, strings.Fields(h.Text)[0]+" "+strings.Fields(h.Text)[1])
	}
	if all := kinds(answer); !slices.Contains(all, "passage lane,lease") || slices.ContainsFunc(all, func(k string) bool { return strings.Contains(k, "not at") }) {
		t.Errorf("marked %q", all)
	}
	slices.Sort(starts[:3])  // they have the phrase
	slices.Sort(starts[3:5]) // and these all words
	if want := []string{"At length", "It is", "Über den", "A lease", "Lease: lane.", "The lanes", "A lane"}; !slices.Equal(starts, want) {
		t.Errorf("%q, want %q", starts, want)
	}
}

// TestFindTyping finds by the beginning of the last word.
func TestFindTyping(t *testing.T) {
	f := notes().finder(t)
	answer := f.must(t, questions.FindQuery{Text: "a lane wak", Typing: true})
	if !slices.Equal(answer.Completions, []string{"wakes", "waking"}) && !slices.Equal(answer.Completions, []string{"wakes"}) {
		t.Errorf("completions %q", answer.Completions)
	}
	if len(answer.Hits) == 0 || !slices.Contains(kinds(answer), "passage lane,wakes") {
		t.Errorf("%q", kinds(answer))
	}
	if whole := f.must(t, questions.FindQuery{Text: "wak", Exact: true}); whole.Count != 0 {
		t.Errorf("as a whole word: %q", kinds(whole))
	}
	if ended := f.must(t, questions.FindQuery{Text: "lane ", Typing: true}); len(ended.Completions) != 0 || ended.Count == 0 {
		t.Errorf("a word that has ended is completed: %+v", ended)
	}
}

// TestFindWithin wants nothing of another ontology in any part of an answer.
func TestFindWithin(t *testing.T) {
	f := notes().finder(t)
	within := questions.AskFilter{Ontologies: []string{"ops"}}
	for _, q := range []questions.FindQuery{{Text: "turbine"}, {Text: "turb", Typing: true}, {Text: "Kestrl"}, {Text: "wakes k", Typing: true}, {Text: "plans midnight"}, {Text: "wakes up"}} {
		q.AskFilter = within
		answer := f.must(t, q)
		if slices.ContainsFunc(answer.Hits, func(h questions.FoundHit) bool { return h.Document != nil && h.Document.Ontology != "ops" }) {
			t.Errorf("%s: %+v", q.Text, answer.Hits)
		}
		if slices.ContainsFunc(answer.Facets.Ontologies, func(c questions.FacetCount) bool { return c.Value != "ops" }) || len(answer.Mended) > 0 {
			t.Errorf("%s: %+v", q.Text, answer)
		}
		if slices.ContainsFunc(answer.Completions, func(c string) bool { return c == "turbine" || c == "kestrel" }) {
			t.Errorf("%s may become %q", q.Text, answer.Completions)
		}
		q.Ontologies = []string{"ops", "secret"}
		if both := f.must(t, q); len(both.Facets.Ontologies) == 0 || !slices.ContainsFunc(both.Facets.Ontologies, func(c questions.FacetCount) bool { return c.Value == "secret" }) {
			t.Errorf("%s, within both: %+v", q.Text, both)
		}
	}
}

// TestFindPages wants every hit once on the pages of a search, in one order.
func TestFindPages(t *testing.T) {
	f := documentation(t).finder(t)
	q := questions.FindQuery{Text: "lane of the database", Limit: 100}
	whole := f.must(t, q)
	if whole.Total < 100 || whole.Next == nil {
		t.Fatalf("%d of %d", whole.Count, whole.Total)
	}
	key := func(h questions.FoundHit) string {
		if h.Passage != nil {
			return h.Document.DocumentID + h.Passage.Link
		}
		return h.Kind + h.Text
	}
	var all []string
	q.Limit = 7
	for range 20 {
		answer := f.must(t, q)
		for _, h := range answer.Hits {
			all = append(all, key(h))
		}
		if answer.Total != whole.Total || answer.Next == nil {
			t.Fatalf("%+v", answer.Total)
		}
		q.Cursor = *answer.Next
	}
	for i, h := range whole.Hits {
		if key(h) != all[i] {
			t.Fatalf("hit %d is %s on its page, and %s of all", i+1, all[i], key(h))
		}
	}
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != 140 {
		t.Errorf("%d different hits on 20 pages of 7", n)
	}
}

// TestFindByClass narrows passages down to a class.
func TestFindByClass(t *testing.T) {
	s := (&shelf{}).add("o", "a.md", "The lane is here.\n\n- a lane\n- another lane\n\n```sh\nkg lane\n```")
	answer := s.finder(t).must(t, questions.FindQuery{Text: "lane", AskFilter: questions.AskFilter{Classes: []string{"code", "list"}}})
	if got := answer.Facets.Classes; len(got) != 2 || got[0].Count != 1 {
		t.Errorf("%+v", got)
	}
}

// BenchmarkFindTyping types a phrase letter by letter.
func BenchmarkFindTyping(b *testing.B) {
	f := documentation(b).finder(b)
	const text = "how does a lane wake up"
	b.ResetTimer()
	b.ReportAllocs()
	for i := range b.N {
		if q := (questions.FindQuery{Text: text[:2+i%(len(text)-1)], Typing: true, Limit: 10}); q.Validate() == nil {
			f.must(b, q)
		}
	}
}

// TestFindReads reads the tables once for the first page of a search, and once more for what the
// first reading could not know of another page; and again when passages have changed since the
// index was read.
func TestFindReads(t *testing.T) {
	s := notes()
	f := s.finder(t)
	q := questions.FindQuery{Text: "lane", Limit: 4, Typing: true}
	first := f.must(t, q)
	if s.reads != 1 || first.Epoch != 7 || first.Next == nil {
		t.Errorf("the tables were read %d times as of %d for %d hits", s.reads, first.Epoch, first.Count)
	}
	s.reads, q.Cursor = 0, *first.Next
	if second := f.must(t, q); s.reads != 2 || !slices.ContainsFunc(second.Hits, func(h questions.FoundHit) bool { return h.Kind == questions.FoundPassage }) {
		t.Errorf("they were read %d times for the second page, of %q", s.reads, kinds(second))
	}
	q.Cursor = ""
	f.passages = late{f.passages.(*retrieval.Follower)}
	s.reads = 0
	if again := f.must(t, q); s.reads != 2 || again.Epoch != 7 || !slices.Equal(kinds(again), kinds(first)) {
		t.Errorf("with an index that is behind they were read %d times as of %d: %q, want %q", s.reads, again.Epoch, kinds(again), kinds(first))
	}
}

// TestFindKeepsDocuments reads a document once, as long as nothing has changed, and shows the same as
// when it was read.
func TestFindKeepsDocuments(t *testing.T) {
	s := notes()
	f := s.finder(t)
	q := questions.FindQuery{Text: "lane"}
	first := f.must(t, q)
	if len(s.documents) != 2 {
		t.Fatalf("read the documents %v", s.documents)
	}
	s.documents = nil
	if again := f.must(t, q); len(s.documents) != 0 || !reflect.DeepEqual(again, first) {
		t.Errorf("read %v again:\n%+v, want\n%+v", s.documents, again, first)
	}
	f.passages = changing{f.passages.(*retrieval.Follower)}
	s.passages[0].Filename, s.passages[1].Filename = "renamed.md", "renamed.md"
	if later := f.must(t, q); len(s.documents) != 2 || reflect.DeepEqual(later, first) {
		t.Errorf("after a change, read %v:\n%+v", s.documents, later)
	}
}

// changing has seen a change.
type changing struct{ *retrieval.Follower }

func (c changing) Latest() (retrieval.Snapshot, bool) {
	s, ok := c.Follower.Latest()
	s.Version++
	return s, ok
}

// TestDocumentRows keeps titles only of those of which they were read, and shows them only of the
// first ones.
func TestDocumentRows(t *testing.T) {
	row := func(id int32, title string) questions.FoundDocumentRow {
		d := questions.FoundDocumentRow{Number: id}
		if title != "" {
			d.Title = &title
		}
		return d
	}
	var d documentRows
	d.keep(1, []int32{1, 2, 3}, 1, map[int32]questions.FoundDocumentRow{1: row(1, "one"), 2: row(2, "")})
	for _, c := range []struct {
		version int64
		ids     []int32
		titled  int
		lacking []int32
		titles  int
	}{
		{1, []int32{1, 2}, 1, nil, 0},
		{1, []int32{2, 1}, 1, []int32{2}, 1},
		{1, []int32{2, 1, 3}, 0, []int32{3}, 0},
		{2, []int32{1, 2}, 1, []int32{1, 2}, 1},
		{0, []int32{1}, 0, []int32{1}, 0},
	} {
		kept, lacking, titles := d.of(c.version, c.ids, c.titled)
		if !slices.Equal(lacking, c.lacking) || titles != c.titles || len(kept)+len(lacking) != len(c.ids) {
			t.Errorf("%+v: lacks %v, %d with titles", c, lacking, titles)
		}
		for i, id := range c.ids {
			if row, ok := kept[id]; ok && (row.Title != nil) != (i < c.titled) {
				t.Errorf("%+v: the title of %d: %v", c, id, row.Title)
			}
		}
	}
	d.keep(1, []int32{2}, 1, map[int32]questions.FoundDocumentRow{2: row(2, "two")})
	d.keep(1, []int32{2}, 0, map[int32]questions.FoundDocumentRow{2: row(2, "")}) // it was titled before
	if kept, _, _ := d.of(1, []int32{2}, 1); kept[2].Title == nil {
		t.Error("a title was forgotten")
	}
	d.keep(0, []int32{9}, 0, map[int32]questions.FoundDocumentRow{9: row(9, "")})
	if _, lacking, _ := d.of(1, []int32{9}, 0); len(lacking) != 1 {
		t.Error("what was read earlier is kept")
	}
	for id := int32(10); len(d.rows) < mostDocuments; id++ {
		d.keep(1, []int32{id}, 0, map[int32]questions.FoundDocumentRow{id: row(id, "")})
	}
	if d.keep(1, []int32{5}, 0, map[int32]questions.FoundDocumentRow{5: row(5, "")}); len(d.rows) != 1 {
		t.Errorf("%d documents are kept", len(d.rows))
	}
}
