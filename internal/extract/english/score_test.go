package english

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// weightsOf returns the weight of each concept of a text.
func weightsOf(t *testing.T, text string, ct corpus.ContentType) map[string]float64 {
	t.Helper()
	weights := map[string]float64{}
	for _, c := range extractFrom(t, newExtractor(t), text, ct).Concepts {
		weights[c.Label] = c.Weight
	}
	return weights
}

// TestWeights checks which of two concepts weighs more.
func TestWeights(t *testing.T) {
	for _, c := range []struct{ rule, text, more, less string }{
		{"what stands there more often", "The lathe is old. The lathe is new. The kiln is big.", "lathe", "kiln"},
		{"what is rarer in English", "The zeppelin is old, and the house is new.", "zeppelin", "house"},
		{"two words", "The lathe is old, and the pottery kiln is new.", "pottery kiln", "lathe"},
		{"what comes earlier", "The lathe is old. The kiln is new.", "lathe", "kiln"},
		{"what is defined", "The kiln is old. The lathe is a tool.", "lathe", "kiln"},
		{"what has a relationship", "The kiln is old. The lathe requires electricity.", "lathe", "kiln"},
		{"what is in bold", "The kiln is old. The **lathe** is new.", "lathe", "kiln"},
		{"a name", "The old lathe was in Turin.", "Turin", "lathe"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			weights := weightsOf(t, c.text, corpus.ContentMarkdown)
			if weights[c.more] <= weights[c.less] {
				t.Errorf("%s: %q weighs %v and %q %v", c.text, c.more, weights[c.more], c.less, weights[c.less])
			}
		})
	}
}

func TestLengthFactors(t *testing.T) {
	for _, c := range []struct {
		what string
		c    candidate
		want float64
	}{
		{"a common noun", candidate{stems: []string{"a"}}, 0.65},
		{"two words", candidate{stems: []string{"a", "b"}}, 1.8},
		{"three", candidate{stems: []string{"a", "b", "c"}}, 1.5},
		{"four", candidate{stems: []string{"a", "b", "c", "d"}}, 1},
		{"a name", candidate{stems: []string{"a"}, name: true}, 1.1},
		{"an acronym", candidate{stems: []string{"a"}, acronym: true}, 1.1},
		{"an identifier", candidate{stems: []string{"a"}, code: true}, 1.1},
		{"a name of two words", candidate{stems: []string{"a", "b"}, name: true}, 1.8 * 1.4},
		{"a reference", candidate{stems: []string{"adr", "100"}, reference: true}, 0.9},
	} {
		if got := lengthFactor(&c.c); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// TestHowManyConcepts: the number of concepts grows slower than the text.
func TestHowManyConcepts(t *testing.T) {
	nouns := strings.Fields(`lathe kiln anvil bellows chisel furnace gasket hammer lantern mallet needle orchard pulley quarry rudder saddle
		trowel umbrella violin wagon yacht zeppelin beaker candle dagger easel flute goblet harness iron jacket kettle ladder magnet nozzle oven`)
	last := 0
	for _, n := range []int{4, 12, 36} {
		var text strings.Builder
		for _, noun := range nouns[:n] {
			text.WriteString("The " + noun + " is in the shed. ")
		}
		got := len(weightsOf(t, text.String(), corpus.ContentPlain))
		if got <= last || got > n+1 { // the shed
			t.Errorf("%d concepts of %d nouns, after %d", got, n, last)
		}
		if n == 36 && got > 3*last {
			t.Errorf("%d concepts of 36 nouns, and %d of 12: they grow with the text", got, last)
		}
		last = got
	}
}

func TestRedundant(t *testing.T) {
	long := &candidate{key: "job queue", stems: []string{"job", "queue"}}
	r := &reading{}
	for _, c := range []struct {
		rule string
		c    candidate
		want bool
	}{
		{"a part that stands alone once", candidate{key: "queue", mentions: make([]mention, 1)}, true},
		{"one that stands alone twice", candidate{key: "queue", mentions: make([]mention, 2)}, false},
		{"one with a relationship", candidate{key: "queue", mentions: make([]mention, 1), linked: true}, false},
		{"a name", candidate{key: "queue", mentions: make([]mention, 1), name: true}, false},
		{"something else", candidate{key: "lane", mentions: make([]mention, 1)}, false},
		{"a part of a word", candidate{key: "que", mentions: make([]mention, 1)}, false},
	} {
		if got := r.redundant(&c.c, []*candidate{long}); got != c.want {
			t.Errorf("%s: redundant %v, want %v", c.rule, got, c.want)
		}
	}
}
