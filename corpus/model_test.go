package corpus_test

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
)

func TestCost(t *testing.T) {
	for _, c := range []struct {
		model  models.Model
		tokens int
		want   float64
	}{
		{models.Model{PricePerMillion: 6.25}, 1_000_000, 6.25},
		{models.Model{PricePerMillion: 6.25}, 4120, 0.026},
		{models.Model{PricePerMillion: 0.02}, 100, 0.000002},
		{models.Model{Local: true}, 1_000_000, 0},
	} {
		if got := c.model.Cost(c.tokens); got != c.want {
			t.Errorf("%d tokens of %+v cost %v, want %v", c.tokens, c.model, got, c.want)
		}
	}
}

// TestModelDecidesHowLongALargeFileTakes: seconds for a model that runs in this
// process, minutes for one that has to be asked.
func TestModelDecidesHowLongALargeFileTakes(t *testing.T) {
	large := corpus.FileStats{SizeBytes: 2e6, WordCount: 300_000, EstimatedChunks: 300}
	for model, want := range map[models.Model]string{
		{Name: "local", Local: true}: "about 16 seconds",
		{Name: "remote"}:             "10-26 minutes",
	} {
		warnings := large.Warnings(model, false, corpus.ChunkOptions{})
		if len(warnings) != 1 || !strings.HasSuffix(warnings[0], want) {
			t.Errorf("%s: got %q, want one that ends in %q", model.Name, warnings, want)
		}
	}
}
