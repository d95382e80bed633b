package english

import (
	"math"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

func TestNPMI(t *testing.T) {
	for _, c := range []struct {
		what        string
		ab, a, b, n int
		want        float64
	}{
		{"always together", 2, 2, 2, 8, 1},
		{"independent", 1, 2, 4, 8, 0},
		{"in every sentence", 8, 8, 8, 8, 0},
		{"rarer than by chance", 1, 4, 4, 8, -1.0 / 3},
	} {
		if got := npmi(c.ab, c.a, c.b, c.n); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

func TestPairConfidence(t *testing.T) {
	for _, c := range []struct {
		p    pair
		want float64
	}{
		{pair{together: 1, npmi: 1}, 0.3}, {pair{together: 2, npmi: 0.5}, 0.4}, {pair{together: 3, npmi: 1}, 0.5}, {pair{together: 2, npmi: -1}, 0.3},
	} {
		if got := c.p.confidence(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.p, got, c.want)
		}
	}
}

func TestStrongest(t *testing.T) {
	pairs := []pair{{a: 0, b: 1}, {a: 0, b: 2}, {a: 0, b: 3}, {a: 4, b: 5}, {a: 6, b: 7}}
	linked := map[int]bool{}
	if got := strongest(pairs, 3, linked); !slices.Equal(got, []pair{pairs[0], pairs[1], pairs[3]}) {
		t.Errorf("kept %v: want two of a concept, three in all", got)
	}
	for i, want := range []bool{true, true, true, false, true, true, false, false} {
		if linked[i] != want {
			t.Errorf("concept %d is linked: %v, want %v", i, linked[i], want)
		}
	}
}

func TestTies(t *testing.T) {
	linked := map[int]bool{0: true, 1: true}
	pairs := []pair{{a: 0, b: 1}, {a: 0, b: 2}, {a: 1, b: 2}, {a: 3, b: 4}}
	if got := tieIn(pairs, linked); !slices.Equal(got, []pair{pairs[1], pairs[3]}) {
		t.Errorf("kept %v: want one tie for each concept that nothing links", got)
	}
	var crowd []pair
	for b := 1; b <= 2*maxTies; b++ {
		crowd = append(crowd, pair{a: 0, b: b})
	}
	if got := tieIn(crowd, map[int]bool{}); len(got) != maxTies {
		t.Errorf("%d ties of one concept, want %d", len(got), maxTies)
	}
}

// relatedIn returns the pairs of a text that stand together.
func relatedIn(t *testing.T, text string) []string {
	t.Helper()
	var out []string
	for _, r := range extractFrom(t, newExtractor(t), text, corpus.ContentMarkdown).Relationships {
		if r.Type == "RELATED_TO" {
			pair := []string{r.From, r.To}
			slices.Sort(pair)
			out = append(out, pair[0]+" "+pair[1])
		}
	}
	slices.Sort(out)
	return out
}

func TestRelated(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		want       []string
	}{
		{"two that share sentences", "The lathe stood beside the kiln. Later the kiln and the lathe were sold.\n\nThe anvil is old.", []string{"kiln lathe"}},
		{"one sentence ties who has nothing else", "The lathe stood beside the kiln.\n\nThe anvil is old.", []string{"kiln lathe"}},
		{"what a sentence states is no more than that", "The lathe requires electricity.", nil},
		{"a name and a part of it", "The job queue is a queue in the job queue.", nil},
		{"a heading ties its section", "# The lathe\n\nThe anvil is old.", []string{"anvil lathe"}},
		{"a list ties nothing", "- The lathe stood beside the kiln.\n- The anvil fell upon the plough.", nil},
		{"a paragraph ties who has nothing else", "The lathe is old. The kiln is new.", []string{"kiln lathe"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := relatedIn(t, c.text); !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, want %q", c.text, got, c.want)
			}
		})
	}
}
