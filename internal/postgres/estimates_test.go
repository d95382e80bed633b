package postgres_test

import (
	"math"
	"testing"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

// TestEstimateBand has jobs of a model take more and more than their analyses said: later
// estimates reach from the tenth to the ninetieth percentile of the last fifty.
func TestEstimateBand(t *testing.T) {
	t.Parallel()
	d, dsn := newStore(t)
	execSQL(t, dsn, `INSERT INTO kg_api.estimates (job_id, model, chunks, words, concepts, text_tokens, expected_tokens, input_tokens, output_tokens, at)
		SELECT 'job_' || n, 'openai/m', 2, 2000, 4 * n, 1000, 2000, 2000 * n, 100 * n, now() - make_interval(mins => 60 - n) FROM generate_series(-9, 50) n WHERE n <> 45`)
	calls := d.Providers(testLimits, time.Minute)
	must(t, calls.EnsureProvider(t.Context(), "openai"))
	last, err := d.Jobs().SubmitJob(t.Context(), work.NewJob{Type: "noop", Queue: work.DefaultQueue, UserID: access.SystemUserID})
	must(t, err)
	execSQL(t, dsn, `UPDATE kg_api.jobs SET analysis = '{"cost_estimate": {"extraction": {"text_tokens": 1000, "prompt_tokens": 500}}}'`)
	c := aCall
	c.JobID = last.ID
	id, _, err := calls.QueueCall(t.Context(), workerA, c)
	must(t, err)
	_, _, err = calls.EndCall(t.Context(), workerA, id, c, &models.CallResult{Usage: models.TokenUsage{Input: 90_000, Output: 4500}})
	must(t, err)
	for range 2 { // the second time nothing changes
		must(t, d.Estimates().Learn(t.Context(), corpus.Learnt{JobID: last.ID, Model: c.Model, Chunks: 2, Words: 2000, Concepts: 180}))
	}
	got, err := d.Estimates().Band(t.Context(), c.Model)
	must(t, err)
	for name, c := range map[string]struct{ got, want float64 }{
		"jobs": {float64(got.Jobs), 50}, "input from": {got.InputLow, 5.9}, "input to": {got.InputHigh, 45.1}, "output from": {got.OutputLow, 0.59},
		"output to": {got.OutputHigh, 4.51}, "concepts from": {got.ConceptsLow, 11.8}, "concepts to": {got.ConceptsHigh, 90.2},
	} {
		if math.Abs(c.got-c.want) > 0.001 {
			t.Errorf("%s %v, want %v", name, c.got, c.want)
		}
	}
	if none, err := d.Estimates().Band(t.Context(), "openai/other"); err != nil || none.Jobs != 0 {
		t.Errorf("a model without jobs has learnt %+v, %v", none, err)
	}
}
