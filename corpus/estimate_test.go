package corpus_test

import (
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
)

func TestEstimate(t *testing.T) {
	reader := models.Model{Name: "r", Provider: "p", PricePerMillion: 1, OutputPrice: 10}
	embedder := models.Model{Name: "e", Provider: "p", PricePerMillion: 100}
	sizing := corpus.Sizing{Chunks: 10, Words: 10_000, TextTokens: 13_000, PromptTokens: 700}
	t.Run("of a model", func(t *testing.T) {
		e := sizing.Estimate(reader, embedder, corpus.ErrorBand{Jobs: 9, InputLow: 1, InputHigh: 1.5, OutputLow: 1, OutputHigh: 2, ConceptsLow: 5, ConceptsHigh: 10})
		x := e.Extraction
		if x.TokensLow != 20_000+13_000 || x.TokensHigh != 30_000+26_000 || x.CostLow != 0.15 || x.CostHigh != 0.29 || x.Basis != "learnt from 9 jobs" {
			t.Errorf("extraction %+v", x)
		}
		if m := e.Embeddings; m.ConceptsLow != 50 || m.ConceptsHigh != 100 || m.TokensLow != 1000+10_400 || m.TokensHigh != 2000+15_600 || m.CostHigh != 1.76 {
			t.Errorf("embeddings %+v", m)
		}
		if e.Total.CostLow != 1.29 || e.Total.CostHigh != 2.05 {
			t.Errorf("total %+v", e.Total)
		}
	})
	t.Run("of what is in the server", func(t *testing.T) {
		local := models.Model{Name: "local", Local: true}
		e := sizing.Estimate(local, local, corpus.AssumedBand(local))
		if e.Extraction.TokensHigh != 0 || e.Total.CostHigh != 0 || e.Embeddings.ConceptsLow != 220 || e.Embeddings.ConceptsHigh != 440 {
			t.Errorf("%+v", e)
		}
		short := corpus.Sizing{Chunks: 10, Words: 1000}.Estimate(local, local, corpus.AssumedBand(local))
		if short.Embeddings.ConceptsLow != 78 || short.Embeddings.ConceptsHigh != 157 {
			t.Errorf("of short chunks %+v", short.Embeddings)
		}
	})
	t.Run("by what was read", func(t *testing.T) {
		local := models.Model{Name: "local", Local: true}
		for name, c := range map[string]struct {
			read      corpus.Reading
			low, high int
		}{
			"of all":           {corpus.Reading{Chunks: 10, Words: 10_000, Concepts: 400}, 380, 400},
			"of half":          {corpus.Reading{Chunks: 5, Words: 5_000, Concepts: 200}, 330, 450},
			"that has nothing": {corpus.Reading{Chunks: 10, Words: 10_000}, 0, 0},
		} {
			read := sizing
			read.Read = c.read
			if e := read.Estimate(local, local, corpus.AssumedBand(local)).Embeddings; e.ConceptsLow != c.low || e.ConceptsHigh != c.high {
				t.Errorf("%s: %+v", name, e)
			}
		}
	})
	t.Run("of what costs little", func(t *testing.T) {
		little := corpus.Sizing{Chunks: 1, Words: 100, TextTokens: 130, PromptTokens: 700}.Estimate(
			models.Model{Name: "r", Provider: "p", PricePerMillion: 0.1, OutputPrice: 0.4}, models.Model{Name: "e", Provider: "p", PricePerMillion: 0.02},
			corpus.ErrorBand{Jobs: 9, InputLow: 1, InputHigh: 1, OutputLow: 1, OutputHigh: 1, ConceptsLow: 5, ConceptsHigh: 10})
		if little.Total.CostLow != 0.00014 || little.Extraction.CostHigh != 0.00014 || little.Embeddings.CostHigh <= 0 {
			t.Errorf("%+v", little)
		}
	})
	t.Run("of nothing", func(t *testing.T) {
		if e := (corpus.Sizing{PromptTokens: 700}).Estimate(reader, embedder, corpus.AssumedBand(reader)); e.Total.CostHigh != 0 || e.Embeddings.ConceptsHigh != 0 {
			t.Errorf("%+v", e)
		}
	})
	t.Run("a few jobs teach nothing", func(t *testing.T) {
		assumed := corpus.AssumedBand(reader)
		if got := (corpus.ErrorBand{Jobs: 2, InputHigh: 99}).Over(assumed); got != assumed {
			t.Errorf("%+v", got)
		}
		if got := (corpus.ErrorBand{Jobs: 3, ConceptsHigh: 7}).Over(assumed); got.InputHigh != assumed.InputHigh || got.ConceptsHigh != 7 {
			t.Errorf("%+v", got)
		}
	})
}
