package answers

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// annotated is a paragraph with questions whose answers were marked by hand.
type annotated struct {
	Article   string
	Text      string
	Kept      bool // it was looked at for no rule
	Questions []struct {
		Question string
		Answers  []string
	}
}

func readAnnotated(t *testing.T) (all []annotated) {
	t.Helper()
	file, err := os.ReadFile("testdata/exact.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(file, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// rarity returns how rare words are in the paragraphs.
func rarity(all []annotated) func(bool, string) float64 {
	in := map[string]int{}
	for _, p := range all {
		seen := map[string]bool{}
		for _, w := range words.Cut(p.Text, true).Words {
			if !seen[w.Stem] {
				seen[w.Stem] = true
				in[w.Stem]++
			}
		}
	}
	return func(_ bool, stem string) float64 { return math.Log(1 + float64(len(all))/(0.5+float64(in[stem]))) }
}

// TestExactFigures answers questions of others, whose paragraph is known, with the words that
// were marked by hand.
func TestExactFigures(t *testing.T) {
	all := readAnnotated(t)
	weight := rarity(all)
	for _, kept := range []bool{false, true} {
		asked, sentence, overlapping, same := 0, 0, 0, 0
		for _, p := range all {
			if p.Kept != kept {
				continue
			}
			for _, q := range p.Questions {
				asked++
				question, passage := NewQuestion(q.Question, weight), NewPassage(p.Text, true)
				in := question.Sentence(passage)
				said := p.Text[in.Start:in.End]
				at, ok := question.Exact(passage, in)
				answer := said[at.Start:at.End]
				right, touches, exactly := false, false, false
				for _, want := range q.Answers {
					right = right || strings.Contains(said, want)
					touches = touches || ok && overlap(answer, want)
					exactly = exactly || ok && plain(answer) == plain(want)
				}
				sentence, overlapping, same = sentence+count(right), overlapping+count(touches), same+count(exactly)
				if testing.Verbose() && !kept && !touches {
					t.Logf("%s\n  %v sentence right: %v, said %q, want %q\n  %s", q.Question, question.Kind, right, answer, q.Answers, said)
				}
			}
		}
		t.Logf("kept aside %v: %d questions; the sentence has the answer %.2f, exact or overlapping %.2f, exact %.2f",
			kept, asked, share(sentence, asked), share(overlapping, asked), share(same, asked))
		if share(overlapping, asked) < 0.6 {
			t.Errorf("exact or overlapping on %.2f of the questions, want 0.60 at least", share(overlapping, asked))
		}
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

func share(n, of int) float64 { return float64(n) / float64(of) }

func plain(s string) string {
	return strings.TrimPrefix(strings.ToLower(strings.Trim(s, " .,\"'")), "the ")
}

// overlap reports whether two answers share half of the words of both together.
func overlap(a, b string) bool {
	x, y := piecesOf(a), piecesOf(b)
	shared := 0
	for _, w := range x {
		for _, v := range y {
			if w.Text == v.Text {
				shared++
				break
			}
		}
	}
	return 2*shared >= min(len(x), len(y)) && shared > 0 && 4*shared >= max(len(x), len(y))
}
