package work_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

func TestParseBudget(t *testing.T) {
	for text, want := range map[string]string{
		"2.50": "$2.5", "$2": "$2", "0.5usd": "$0.5", "50000tokens": "50000 tokens", "50000 tokens": "50000 tokens",
		"$1, 10 tokens": "$1, 10 tokens", "10tokens,1usd": "$1, 10 tokens", "none": "none",
	} {
		b, err := corpus.ParseBudget(text)
		if err != nil || b.String() != want {
			t.Errorf("ParseBudget(%q) = %s, %v, want %s", text, b, err, want)
		}
		again, err := corpus.ParseBudget(b.String())
		if err != nil || again.String() != want {
			t.Errorf("what String returns is read as %s, %v, want %s", again, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "NaN", "inf", "1,2", "5tokens,6tokens", "0tokens", "1.5tokens", "much", "2000000", "1,"} {
		if b, err := corpus.ParseBudget(text); err == nil {
			t.Errorf("ParseBudget(%q) = %s, want an error", text, b)
		}
	}
}

func TestBudgetReached(t *testing.T) {
	usd, tokens := 1.0, int64(100)
	for _, c := range []struct {
		budget corpus.Budget
		usd    float64
		tokens int64
		want   bool
	}{
		{corpus.Budget{}, 1e9, 1e9, false},
		{corpus.Budget{USD: &usd}, 0.99, 1e9, false},
		{corpus.Budget{USD: &usd}, 1, 0, true},
		{corpus.Budget{Tokens: &tokens}, 1e9, 99, false},
		{corpus.Budget{USD: &usd, Tokens: &tokens}, 0, 100, true},
	} {
		b := corpus.JobBudget{Budget: c.budget, SpentUSD: c.usd, SpentTokens: c.tokens}
		if err := b.Check(); (err != nil) != c.want || err != nil && !kappa.Paused(err) {
			t.Errorf("%s with $%g and %d tokens: %v, want reached %t", c.budget, c.usd, c.tokens, err, c.want)
		}
		if err := b.CheckRaised(); (err != nil) != c.want {
			t.Errorf("%s raised with $%g and %d tokens: %v", c.budget, c.usd, c.tokens, err)
		}
	}
}

func TestConcludePaused(t *testing.T) {
	paused := fmt.Errorf("read chunk 2: %w", kappa.Pause(kappa.NewError(kappa.CodeConflict, "Paused: enough")))
	o := work.Conclude(t.Context(), work.Claim{MaxRetries: 3}, nil, paused, 0)
	if o.Status != work.StatusAwaitingApproval || o.CountRetry || o.Error != "Paused: enough" || o.RunAt != 0 {
		t.Errorf("a paused attempt ends as %+v", o)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(kappa.ErrCancelled)
	if o := work.Conclude(ctx, work.Claim{}, nil, paused, 0); o.Status != work.StatusCancelled {
		t.Errorf("a job that was asked to stop as it paused ends as %s", o.Status)
	}
	if kappa.Paused(errors.New("other")) || !work.StatusProcessing.CanBecome(work.StatusAwaitingApproval) {
		t.Error("only what Pause marks pauses, and a running job can")
	}
}
