package ranking

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/retrieval/index"
)

// BenchmarkRank orders fifty candidates of ninety words, of a library that repeats words as
// texts do.
func BenchmarkRank(b *testing.B) {
	for _, english := range []bool{true, false} {
		b.Run(map[bool]string{true: "English", false: "other"}[english], func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			vocabulary := make([]string, 4000)
			for i := range vocabulary {
				var w []byte
				for range 3 + r.IntN(7) {
					w = append(w, "etaoinshrdlucmfw"[r.IntN(16)])
				}
				vocabulary[i] = string(w)
			}
			some := func(n int) string {
				var text []string
				for range n {
					text = append(text, vocabulary[int(float64(len(vocabulary))*r.Float64()*r.Float64()*r.Float64())])
				}
				return strings.Join(text, " ")
			}
			texts := make([]string, 600)
			for i := range texts {
				texts[i] = some(30) + ". " + some(30) + ". " + some(30)
			}
			v := library(b, english, texts...)
			q := Ask("what is the "+some(9), english, v)
			candidates, err := v.Candidates(b.Context(), index.Query{Terms: q.Terms(), Limit: 50})
			if err != nil || len(candidates) < 50 {
				b.Fatal(len(candidates), err)
			}
			m := Learned()
			b.ReportAllocs()
			for b.Loop() {
				m.Rank(&q, v, candidates)
			}
		})
	}
}
