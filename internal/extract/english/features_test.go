package english

import (
	"math"
	"slices"
	"testing"
)

func TestRespell(t *testing.T) {
	for british, want := range map[string]string{
		"organisation": "organization", "organisations": "organizations", "realise": "realize", "realised": "realized", "realising": "realizing",
		"colour": "color", "colours": "colors", "coloured": "colored", "colouring": "coloring", "analyse": "analyze", "analysed": "analyzed",
		"catalogue": "catalog", "centre": "center", "calibre": "caliber", "travelled": "traveled", "travelling": "traveling", "traveller": "traveler",
		"lane": "lane", "rise": "rise", "hour": "hour", "tree": "tree",
	} {
		if got := respell(british); got != want {
			t.Errorf("%q is spelt %q, want %q", british, got, want)
		}
	}
}

func TestEmbedWords(t *testing.T) {
	for text, want := range map[string][]string{
		"worker lane": {"worker", "lane"}, "WorkerLane": {"worker", "lane"}, "worker_lane": {"worker", "lane"}, "Worker-Lane.": {"worker", "lane"},
		"poll_interval_ms": {"poll", "interval", "ms"}, "": nil, "+-": nil,
	} {
		if got := embedWords(text); !slices.Equal(got, want) {
			t.Errorf("%q has the words %q, want %q", text, got, want)
		}
	}
}

// TestFeatureWeights: rare words say more than common ones, and the head of a label
// more than what stands before it.
func TestFeatureWeights(t *testing.T) {
	f := newFeatureSet(newLexicon())
	last := 0.0
	for _, word := range []string{"the", "house", "zeppelin"} {
		if got := f.importance(word); got <= last {
			t.Errorf("%q is worth %v, no more than a more common word", word, got)
		} else {
			last = got
		}
	}
	lane := f.embed("worker lane")
	if head, rest := lane.Cosine(f.embed("lane")), lane.Cosine(f.embed("worker")); head <= rest {
		t.Errorf("a label is as near to its head (%v) as to the word before it (%v)", head, rest)
	}
	for _, text := range []string{"worker lane", "", "+", "knowledge graph\nWhat it is"} {
		sum := 0.0
		for _, x := range f.embed(text) {
			sum += float64(x) * float64(x)
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("%q has an embedding of length %v", text, math.Sqrt(sum))
		}
	}
}

func TestLabelsAndSentences(t *testing.T) {
	f := newFeatureSet(newLexicon())
	for text, want := range map[string]bool{"worker lane": true, "University of Oslo": true, "what is a lane": false, "one lane and two slots of it": false} {
		if got := f.label(embedWords(text)); got != want {
			t.Errorf("%q is a label: %v, want %v", text, got, want)
		}
	}
}
