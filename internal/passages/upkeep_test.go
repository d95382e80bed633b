package passages_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/passages"
)

// fakeStore is a library of documents that have no passages.
type fakeStore struct {
	documents map[int32][]corpus.UncutChunk
	cut       map[int32][]corpus.Passage // by chunk
	outdated  map[int32]bool             // chunks that older rules have cut
	failing   int32                      // a document that cannot be read
	asked     int
	stop      func(document int32) // called when a document was cut
}

func (s *fakeStore) UncutDocuments(_ context.Context, after int32, most int) (list []corpus.UncutDocument, err error) {
	for n, chunks := range s.documents {
		if n > after && slices.ContainsFunc(chunks, func(c corpus.UncutChunk) bool { return !c.IsCut }) {
			list = append(list, corpus.UncutDocument{Number: n, ContentType: corpus.ContentMarkdown})
		}
	}
	slices.SortFunc(list, func(a, b corpus.UncutDocument) int { return int(a.Number - b.Number) })
	return list[:min(most, len(list))], nil
}

func (s *fakeStore) OutdatedDocuments(_ context.Context, after int32, most int) (list []corpus.UncutDocument, err error) {
	for n, chunks := range s.documents {
		if n > after && slices.ContainsFunc(chunks, func(c corpus.UncutChunk) bool { return s.outdated[c.Number] }) {
			list = append(list, corpus.UncutDocument{Number: n, ContentType: corpus.ContentMarkdown})
		}
	}
	slices.SortFunc(list, func(a, b corpus.UncutDocument) int { return int(a.Number - b.Number) })
	return list[:min(most, len(list))], nil
}

func (s *fakeStore) ChunksToCut(_ context.Context, document int32) ([]corpus.UncutChunk, error) {
	s.asked++
	if document == s.failing {
		s.failing = 0
		return nil, errors.New("the database is away")
	}
	chunks := slices.Clone(s.documents[document])
	for i := range chunks {
		chunks[i].IsCut = chunks[i].IsCut && !s.outdated[chunks[i].Number]
	}
	return chunks, nil
}

func (s *fakeStore) CutChunks(_ context.Context, _ int64, chunks []int32, list map[int32][]corpus.Passage) error {
	for n, all := range s.documents {
		for i := range all {
			if slices.Contains(chunks, all[i].Number) {
				all[i].IsCut = true
				s.cut[all[i].Number] = list[all[i].Number]
				delete(s.outdated, all[i].Number)
			}
		}
		if s.stop != nil && len(all) > 0 && slices.Contains(chunks, all[0].Number) {
			s.stop(n)
		}
	}
	return nil
}

// TestUpkeepOfWhatOlderRulesHaveCut cuts documents again that older rules have cut: each once, those
// that have no passages first, and after a restart in the middle the rest.
func TestUpkeepOfWhatOlderRulesHaveCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &fakeStore{documents: map[int32][]corpus.UncutChunk{}, cut: map[int32][]corpus.Passage{}, outdated: map[int32]bool{}}
		for n := int32(1); n <= 250; n++ {
			s.documents[n] = []corpus.UncutChunk{{Number: n, Text: "One.", Bytes: corpus.Span{End: 4}, IsCut: true}}
			s.cut[n] = []corpus.Passage{{Text: "old"}}
			s.outdated[n] = true
		}
		s.documents[250][0].IsCut, s.outdated[250] = false, false // has none
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var order []int32
		s.stop = func(n int32) {
			order = append(order, n)
			if len(order) == 120 {
				cancel()
			}
		}
		upkeep := func(ctx context.Context) {
			if err := passages.NewUpkeep(passages.UpkeepConfig{Store: s, Log: slog.New(slog.DiscardHandler)}).Run(ctx, 1); err != nil {
				t.Error(err)
			}
		}
		upkeep(ctx)
		if len(order) != 120 || order[0] != 250 || s.cut[200][0].Text != "old" {
			t.Fatalf("%d documents were cut, the first is %d", len(order), order[0])
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		upkeep(ctx)
		if slices.Sort(order); len(slices.Compact(order)) != 250 || len(order) != 250 || len(s.outdated) > 1 {
			t.Errorf("cut %v, left %v", order, s.outdated)
		}
		for n, list := range s.cut {
			if len(list) != 1 || list[0].Text != "One." {
				t.Errorf("%d has %+v", n, list)
			}
		}
	})
}

// chunksOf cuts a text into chunks of some words, of which each repeats some of the one before.
func chunksOf(d corpus.DocumentText, number *int32, words, overlap int) (chunks []corpus.UncutChunk) {
	var starts, ends []int
	for i, r := range d.Text {
		space := strings.ContainsRune(" \n", r)
		if !space && (i == 0 || strings.ContainsAny(d.Text[i-1:i], " \n")) {
			starts = append(starts, i)
		}
		if space && i > 0 && !strings.ContainsAny(d.Text[i-1:i], " \n") {
			ends = append(ends, i)
		}
	}
	if len(ends) < len(starts) {
		ends = append(ends, len(d.Text))
	}
	for i := 0; i < len(starts); i += words - overlap {
		last := min(i+words, len(starts)) - 1
		c := corpus.UncutChunk{Bytes: corpus.Span{Start: starts[i], End: ends[last]}, Places: d.PlacesIn(corpus.Span{Start: starts[i], End: ends[last]})}
		*number++
		c.Number, c.Text, c.StartChar = *number, d.Text[c.Bytes.Start:c.Bytes.End], utf8.RuneCountInString(d.Text[:c.Bytes.Start])
		if last+1 < len(starts) && strings.Count(d.Text[ends[last]:starts[last+1]], "\n") > 1 {
			c.Boundary = corpus.BoundaryParagraph
		}
		chunks = append(chunks, c)
		if last == len(starts)-1 {
			break
		}
	}
	return chunks
}

// TestUpkeep cuts documents of which there are chunks only: into the same passages as their
// texts, each with the first chunk that holds its end.
func TestUpkeep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &fakeStore{documents: map[int32][]corpus.UncutChunk{}, cut: map[int32][]corpus.Passage{}, failing: 7}
		texts := map[int32]corpus.DocumentText{}
		random := rand.New(rand.NewPCG(1, 2))
		var number int32
		for n := int32(1); n <= 150; n++ {
			texts[n] = sectioned("\nBegin.\n\n" + randomText(random))
			words := 20 + random.IntN(100)
			s.documents[n] = chunksOf(texts[n], &number, words, 1+random.IntN(words/2))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := passages.NewUpkeep(passages.UpkeepConfig{Store: s, Log: slog.New(slog.DiscardHandler)}).Run(ctx, 1); err != nil {
			t.Error(err)
		}
		if s.asked != 151 {
			t.Errorf("read %d documents, want each once and the one that failed twice", s.asked)
		}
		for n, d := range texts {
			var got []string
			for _, c := range s.documents[n] {
				for _, p := range s.cut[c.Number] {
					got = append(got, fmt.Sprintf("%+v", p))
					if p.End > c.Bytes.End {
						t.Errorf("a passage ends at %d, its chunk at %d", p.End, c.Bytes.End)
					}
				}
			}
			var want []string
			for _, p := range cut(d) {
				want = append(want, fmt.Sprintf("%+v", p))
			}
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || got[i] != want[i] {
					t.Fatalf("document %d, passage %d: got\n%s\nwant\n%s", n, i+1, strings.Join(got[min(i, len(got)):min(i+1, len(got))], ""), strings.Join(want[min(i, len(want)):min(i+1, len(want))], ""))
				}
			}
		}
	})
}

// TestUpkeepOfOddChunks cuts what no reader makes: chunks without a text, and chunks that are not
// as long as they say. Others are cut beside them, what cannot be cut is tried ever more rarely,
// and nothing of it ends the server.
func TestUpkeepOfOddChunks(t *testing.T) {
	t.Parallel()
	chunk := func(number int32, start, end int, text string) corpus.UncutChunk {
		return corpus.UncutChunk{Number: number, Text: text, Bytes: corpus.Span{Start: start, End: end}, StartChar: start}
	}
	for name, chunks := range map[string][]corpus.UncutChunk{
		"one without a text":                    {chunk(1, 0, 10, "One. Two. "), chunk(2, 12, 12, ""), chunk(3, 15, 21, "Three.")},
		"none has a text":                       {chunk(1, 0, 0, ""), chunk(2, 5, 5, "")},
		"one is shorter than it says":           {chunk(1, 0, 10, "One."), chunk(2, 8, 20, "Two is longer.")},
		"one is longer than it says":            {chunk(1, 0, 4, "One is longer. "), chunk(2, 5, 9, "Two.")},
		"a border within a character":           {chunk(1, 0, 3, "aé"), chunk(2, 2, 9, "éb. cde.")},
		"the same place twice, and other texts": {chunk(1, 0, 4, "One."), chunk(2, 0, 4, "Two.")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &fakeStore{documents: map[int32][]corpus.UncutChunk{1: chunks, 2: {chunk(9, 0, 5, "Nine.")}}, cut: map[int32][]corpus.Passage{}}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if err := passages.NewUpkeep(passages.UpkeepConfig{Store: s, Log: slog.New(slog.DiscardHandler)}).Run(ctx, 1); err != nil {
					t.Error(err)
				}
				if len(s.cut[9]) != 1 {
					t.Errorf("the other document is cut into %+v", s.cut[9])
				}
				for _, list := range s.cut {
					for _, p := range list {
						if len(p.Text) != p.End-p.Start || !utf8.ValidString(p.Text) {
							t.Errorf("%+v", p)
						}
					}
				}
			})
		})
	}
}

// TestUpkeepOfWhatCannotBeCut reads a document that never can be cut ever more rarely.
func TestUpkeepOfWhatCannotBeCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &neverCut{fakeStore: fakeStore{documents: map[int32][]corpus.UncutChunk{1: {{Number: 1, Text: "One.", Bytes: corpus.Span{End: 4}}}}}}
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		if err := passages.NewUpkeep(passages.UpkeepConfig{Store: s, Log: slog.New(slog.DiscardHandler)}).Run(ctx, 1); err != nil {
			t.Error(err)
		}
		if s.asked < 24 || s.asked > 40 {
			t.Errorf("it was read %d times in a day", s.asked)
		}
	})
}

// neverCut refuses every passage, as a database does what breaks a rule of it.
type neverCut struct{ fakeStore }

func (*neverCut) CutChunks(context.Context, int64, []int32, map[int32][]corpus.Passage) error {
	return errors.New("a passage breaks a rule")
}

// randomText is a text in Markdown with something of everything.
func randomText(r *rand.Rand) string {
	parts := []string{
		"# Top", "## Below", "### Further below", "A short paragraph.", "Another, of\ntwo lines.", forty, strings.Repeat("A sentence of six words is this. ", 100), "There are:",
		"- one\n- two\n  and more\n- three", "1. first\n\n2. second", "| a | b |\n|---|---|\n| c | d |\n| é | f |", "```go\nfunc main() {\n\n}\n```", "    indented()\n\n    code()",
		"---", "北京大学创建于1898年。它位于北京。", "ภาษาไทยไม่มีช่องว่าง", "Term\n: what it is", "<div>x</div>", "* * *", "Ünï \u00a0 cödé", strings.Repeat("x", 3000),
	}
	var text strings.Builder
	for range 1 + r.IntN(30) {
		text.WriteString(parts[r.IntN(len(parts))])
		text.WriteString([]string{"\n\n", "\n", "\n\n\n"}[r.IntN(3)])
	}
	return text.String()
}
