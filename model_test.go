package kappa_test

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
)

func TestCost(t *testing.T) {
	for _, c := range []struct {
		model  kappa.Model
		tokens int
		want   float64
	}{
		{kappa.Model{PricePerMillion: 6.25}, 1_000_000, 6.25},
		{kappa.Model{PricePerMillion: 6.25}, 4120, 0.026},
		{kappa.Model{PricePerMillion: 0.02}, 100, 0.000002},
		{kappa.Model{Local: true}, 1_000_000, 0},
	} {
		if got := c.model.Cost(c.tokens); got != c.want {
			t.Errorf("%d tokens of %+v cost %v, want %v", c.tokens, c.model, got, c.want)
		}
	}
}

// TestModelDecidesHowLongALargeFileTakes: seconds for a model that runs in this
// process, minutes for one that has to be asked.
func TestModelDecidesHowLongALargeFileTakes(t *testing.T) {
	large := kappa.FileStats{SizeBytes: 2e6, WordCount: 300_000, EstimatedChunks: 300}
	for model, want := range map[kappa.Model]string{
		{Name: "local", Local: true}: "about 16 seconds",
		{Name: "remote"}:             "10-26 minutes",
	} {
		warnings := large.Warnings(model, false, kappa.ChunkOptions{})
		if len(warnings) != 1 || !strings.HasSuffix(warnings[0], want) {
			t.Errorf("%s: got %q, want one that ends in %q", model.Name, warnings, want)
		}
	}
}
