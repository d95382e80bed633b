package library

import (
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// hostile is what is no question, and no words to look for.
var hostile = map[string]string{
	"empty": "", "blank": " \t\n", "100 kB": strings.Repeat("lane ", 20_000), "only small words": "what is it that they are of the and to",
	"control characters": "lane\x01\x02\x1b[31m wakes\x7f", "NUL": "lane\x00wakes", "right to left": "\u202elane\u202c \u200fwakes", "only marks that are not seen": "\u200b\u200f\u202e\ufeff",
	"a thousand quotes": strings.Repeat("\"", 1000), "quoted words": strings.Repeat("\"a b\" ", 300), "open quotes": strings.Repeat("“lane ", 300),
	"regular expression": "(a+)+$ .* [^lane]{1000,} (?:(?:lane)*)*", "one long word": strings.Repeat("a", 2000), "one long word that nobody knows": strings.Repeat("qxz", 666),
	"many words that nobody knows": strings.Repeat("qxzvkj wvrtpl ", 140), "many slips": strings.Repeat("databse laneee notifcation ", 70),
	"signs": "!!! ??? --- ::: /// \\\\\\ %%% $$$", "broken UTF-8": "lane \xff\xfe", "half a character": "lane \xe4\xb8", "marks": "l" + strings.Repeat("\u0301", 1900), "paths": strings.Repeat("/a", 900),
	"han": strings.Repeat("車道", 900), "thai": strings.Repeat("ถนน", 600), "joined words": strings.Repeat("a-b_c.d/e", 200), "humps": strings.Repeat("aB", 900), "a huge number": strings.Repeat("9", 1999),
	"numbers": strings.Repeat("1e308 -0 NaN 0x7fffffffffffffff ", 60), "letters one by one": strings.Repeat("a b c d e f g h i j ", 100), "a surrogate": "lane \xed\xa0\x80",
	"a relation of long names": "how does " + strings.Repeat("lane ", 180) + "relate to " + strings.Repeat("lease ", 180), "SQL": "'; DROP TABLE kg_api.jobs; --", "a list of lists": strings.Repeat("list all ", 220),
	"emoji": strings.Repeat("👩‍👩‍👧‍👦", 280), "zalgo": strings.Repeat("l̷̛͙̟͈͎͍a̸n̵e̴ ", 120),
}

// mostWork is how often as long as a plain question what is none may take: a plain one takes a
// millisecond or less, on the documentation.
const mostWork = 50

// TestHostile wants an answer or a refusal to what is no question, for not much more work than a
// plain question takes.
func TestHostile(t *testing.T) {
	s := documentation(t)
	ask := s.open(t)
	find := NewFinder(ask.passages, s)
	search := NewSearcher(ask.passages, fakeStore{shelf: s}, fakeConcepts{})
	ways := map[string]func(text string) error{
		"ask": func(text string) error {
			_, err := ask.Ask(t.Context(), questions.Question{Text: text, Limit: 20})
			return err
		},
		"ask in a thread": func(text string) error {
			_, err := ask.Ask(t.Context(), questions.Question{Text: "and how long is it?", Thread: []string{text}, Limit: 20})
			return err
		},
		"find": func(text string) error {
			_, err := find.Find(t.Context(), questions.FindQuery{Text: text, Limit: 100})
			return err
		},
		"find while typing": func(text string) error {
			_, err := find.Find(t.Context(), questions.FindQuery{Text: text, Typing: true, Limit: 100})
			return err
		},
		"search texts": func(text string) error {
			_, err := search.SearchSources(t.Context(), corpus.SourceQuery{Query: text, Limit: 100}, true, true)
			return err
		},
		"search documents": func(text string) error {
			_, _, err := search.SearchDocuments(t.Context(), corpus.SourceQuery{Query: text, Limit: 100})
			return err
		},
	}
	for way, do := range ways {
		plain := quickest(t, func() {
			if err := do("how does a lane wake up when the database is away"); err != nil {
				t.Errorf("%s: %v", way, err)
			}
		}, 0)
		for name, text := range hostile {
			took := quickest(t, func() {
				if err := do(text); err != nil && kappa.ErrorCode(err) != kappa.CodeInvalid {
					t.Errorf("%s of %s: %v", way, name, err)
				}
			}, mostWork*plain)
			t.Logf("%s of %s: %.1f times a plain one", way, name, float64(took)/float64(plain))
			if took > mostWork*plain {
				t.Errorf("%s of %s took %s, a plain one %s", way, name, took, plain)
			}
		}
	}
}

// quickest returns how long something takes when it is not disturbed: it is tried again until it
// is quick enough, a few times.
func quickest(t *testing.T, do func(), enough time.Duration) time.Duration {
	t.Helper()
	best := time.Duration(1<<63 - 1)
	for range 20 {
		began := time.Now()
		do()
		if best = min(best, time.Since(began)); best <= enough {
			break
		}
	}
	return best
}
