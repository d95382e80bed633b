package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/retrieval/ranking"
)

func TestLearnOrder(t *testing.T) {
	// The right row is the one with the larger sum of 2a - b; c says nothing.
	var all []example
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		e := example{}
		for range 3 {
			e.rows = append(e.rows, []float32{r.Float32(), r.Float32(), r.Float32()})
		}
		worth := func(r []float32) float32 { return 2*r[0] - r[1] }
		for n, row := range e.rows {
			if worth(row) > worth(e.rows[e.right]) {
				e.right = n
			}
		}
		all = append(all, e)
	}
	w := learnOrder(all, []int{0, 1, 2}, 1, nil)
	if ratio := w[0] / -w[1]; ratio < 1.6 || ratio > 2.4 || math.Abs(w[2]) > w[0]/8 {
		t.Errorf("weights %.3v, want them as 2 to -1 to 0", w)
	}
	if again := learnOrder(all, []int{0, 1, 2}, 1, nil); !slices.Equal(w, again) {
		t.Errorf("the same examples give %v and %v", w, again)
	}
	if warm := learnOrder(all, []int{0, 1, 2}, 1, w); math.Abs(warm[0]-w[0]) > 0.01*w[0] {
		t.Errorf("from the end it goes on to %v, not %v", warm, w)
	}
}

func TestLearnAnswer(t *testing.T) {
	var all []example
	for i := range 300 {
		x := float32(i) / 300
		e := example{rows: [][]float32{{x, 1}}}
		if i >= 100 {
			e.right = 1
		}
		all = append(all, e)
	}
	w, bias := learnAnswer(all, []int{0, 1}, 0.01)
	for x, want := range map[float64]bool{0.1: false, 0.3: false, 0.37: true, 0.9: true} {
		if got := w[0]*x+w[1]+bias > 0; got != want {
			t.Errorf("%v is told as %v, by %v and %v", x, got, w, bias)
		}
	}
}

func TestJudged(t *testing.T) {
	all := []judged{{0.9, 1, true}, {0.8, 1, true}, {0.4, 1, true}, {0.6, 0, true}, {0.2, 0, true}, {0.1, 0, true}, {0.1, 0, true}}
	if got := area(all); math.Abs(got-11.0/12) > 1e-9 {
		t.Errorf("area %v, want 11/12", got)
	}
	if got := area([]judged{{0.5, 1, true}, {0.5, 0, true}}); got != 0.5 {
		t.Errorf("the area of equal scores is %v", got)
	}
	if kept, refused := at(all, 0.5); kept != 2.0/3 || refused != 0.75 {
		t.Errorf("at 0.5 %v are kept and %v refused", kept, refused)
	}
	if got := threshold(all, 0.6); got != 0.8 {
		t.Errorf("threshold %v, want 0.8", got)
	}
}

func TestPlace(t *testing.T) {
	s := sample{right: 1, features: []float32{1, 5, 2, 4, 1, 3}, count: 3}
	if got := place(&s, []int{0}, []float64{1}); got != 1 {
		t.Errorf("by the first feature at %d, want 1", got)
	}
	if got := place(&s, []int{1}, []float64{1}); got != 2 {
		t.Errorf("by the second at %d, want 2", got)
	}
	if h := count([]sample{s, {right: -1}}, []int{1}, []float64{1}); h != (hits{questions: 2, three: 1, candidates: 1, reciprocal: 0.5}) {
		t.Errorf("counted %+v", h)
	}
}

// write writes a data set of eight small articles, whose paragraphs have facts of their own.
func write(t *testing.T) string {
	t.Helper()
	var articles []map[string]any
	for a := range 5 {
		var paragraphs []map[string]any
		for p := range 4 {
			thing := fmt.Sprintf("%c%c%cstone", 'b'+rune(a), 'a'+rune(p), 'n'+rune(a))
			paragraphs = append(paragraphs, map[string]any{
				"context": fmt.Sprintf("The %s of Town%d was built in 1%d%d0. It is a tower. Many visit the town.", thing, a, a, p),
				"qas": []map[string]any{
					{"question": fmt.Sprintf("When was the %s built?", thing)},
					{"question": fmt.Sprintf("What was built in 1%d%d0 in Town%d?", a, p, a)},
				},
			})
		}
		articles = append(articles, map[string]any{"title": fmt.Sprintf("Town%d", a), "paragraphs": paragraphs})
	}
	text, err := json.Marshal(map[string]any{"data": articles})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"squad2.json", "xquad.de.json", "xquad.zh.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRun(t *testing.T) {
	dir := write(t)
	t.Run("measures", func(t *testing.T) {
		var out, errs bytes.Buffer
		if code := run(t.Context(), []string{"-data", dir, "-without", "-held-out"}, &out, &errs); code != 0 {
			t.Fatalf("code %d: %s", code, errs.String())
		}
		for _, want := range []string{"as English: 32 questions of 4 articles", "as any language", "held out", "de, as any language (de): 40 questions", "ranked           hit@1 ", "three passages", "pairs over a word", "with the limit of its language"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is not in\n%s", want, out.String())
			}
		}
	})
	t.Run("writes the same weights each time", func(t *testing.T) {
		var written [2][]byte
		for i := range written {
			file := filepath.Join(t.TempDir(), "weights.json")
			var errs bytes.Buffer
			if code := run(t.Context(), []string{"-data", dir, "-write", file}, &errs, &errs); code != 0 {
				t.Fatalf("code %d: %s", code, errs.String())
			}
			written[i], _ = os.ReadFile(file)
		}
		if !bytes.Equal(written[0], written[1]) {
			t.Errorf("weights differ:\n%s\n%s", written[0], written[1])
		}
		var w ranking.Weights
		if err := json.Unmarshal(written[0], &w); err != nil || len(w.English) == 0 || len(w.OtherAnswers) == 0 || len(w.Limits) == 0 {
			t.Errorf("weights cannot be read: %v\n%s", err, written[0])
		}
	})
}

func TestRunOnBadInput(t *testing.T) {
	empty, bad, packed := t.TempDir(), t.TempDir(), t.TempDir()
	for file, text := range map[string]string{filepath.Join(bad, "squad.json"): "{", filepath.Join(packed, "squad.json.xz"): "no xz"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{}, {"-no"}, {"-data", "/nowhere"}, {"-data", empty}, {"-data", bad}, {"-data", packed}, {"-data", empty, "more"}} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, &out, &errs); code != 2 || errs.Len() == 0 {
			t.Errorf("%q gives code %d and %q", args, code, errs.String())
		}
	}
}
