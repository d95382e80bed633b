package answers

import (
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

const benchText = `Ranging from about 1 millimeter (0.039 in) to 1.5 meters (4.9 ft) in size, ctenophores are the largest non-colonial animals that use cilia ("hairs") as their main method of locomotion. Most species have eight strips, called comb rows, that run the length of their bodies and bear comb-like bands of cilia, called "ctenes," stacked along the comb rows so that when the cilia beat, those of each comb touch the comb below. Ballarat had an armed rebellion in 1854 against the government of Victoria by miners protesting against mining taxes. This was crushed by British troops, but the discontents prompted colonial authorities to reform the administration.`

func BenchmarkDefinitions(b *testing.B) {
	b.SetBytes(int64(len(benchText)))
	for b.Loop() {
		Definitions(corpus.Passage{Text: benchText, Class: corpus.ClassProse, Language: "en"}, true)
	}
}

// BenchmarkQuestion reads a question, and finds what answers it in one passage.
func BenchmarkQuestion(b *testing.B) {
	for _, q := range []string{"Who crushed the rebellion of the miners at Ballarat?", "When was the rebellion of the miners at Ballarat?", "How many strips do ctenophores have?"} {
		b.Run("read/"+q[:4], func(b *testing.B) {
			for b.Loop() {
				Asks(q)
				Literals(q)
				Comparison(q)
				Listing(q)
				Relation(q)
				Expected(q)
			}
		})
		b.Run("passage/"+q[:4], func(b *testing.B) {
			for b.Loop() {
				asked, passage := NewQuestion(q, nil), NewPassage(benchText, true)
				asked.Exact(passage, asked.Sentence(passage))
			}
		})
	}
}

func BenchmarkContradictions(b *testing.B) {
	all := make([]Statement, 10)
	for b.Loop() {
		for i := range all {
			all[i] = Statement{Document: string(rune('a' + i)), Passage: NewPassage(benchText, true)}
		}
		Contradictions(all)
	}
}
