package corpus

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa"
)

// Budget is what a job may spend on calls to models. A nil field sets no limit.
type Budget struct {
	USD    *float64 `json:"usd" doc:"US dollars"`
	Tokens *int64   `json:"tokens" doc:"Sent and answered, together"`
}

// The limits of a budget.
const (
	MaxBudgetUSD    = 1_000_000
	MaxBudgetTokens = 1_000_000_000_000
	budgetRule      = "must be US dollars such as 2.50, tokens such as 50000tokens, both with a comma between, or none"
)

// ParseBudget reads a budget as people write it: 2.50 or $2.50 or 2.50usd are dollars,
// 50000tokens are tokens, with a comma both; none sets no limit. The error is the rule
// that is broken.
func ParseBudget(text string) (Budget, error) {
	var b Budget
	if strings.TrimSpace(text) == "none" {
		return b, nil
	}
	for part := range strings.SplitSeq(strings.ToLower(text), ",") {
		part = strings.TrimSpace(part)
		if number, isTokens := strings.CutSuffix(part, "tokens"); isTokens {
			n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
			if err != nil || n < 1 || n > MaxBudgetTokens || b.Tokens != nil {
				return Budget{}, errors.New(budgetRule)
			}
			b.Tokens = &n
			continue
		}
		part = strings.TrimSuffix(strings.TrimPrefix(part, "$"), "usd")
		usd, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsNaN(usd) || usd <= 0 || usd > MaxBudgetUSD || b.USD != nil {
			return Budget{}, errors.New(budgetRule)
		}
		b.USD = &usd
	}
	return b, nil
}

// Limited reports whether b sets a limit.
func (b Budget) Limited() bool { return b.USD != nil || b.Tokens != nil }

// Reached reports whether what was spent is as much as b allows.
func (b Budget) Reached(usd float64, tokens int64) bool {
	return b.USD != nil && usd >= *b.USD || b.Tokens != nil && tokens >= *b.Tokens
}

// String returns b as people write it.
func (b Budget) String() string {
	var parts []string
	if b.USD != nil {
		parts = append(parts, "$"+strconv.FormatFloat(*b.USD, 'f', -1, 64))
	}
	if b.Tokens != nil {
		parts = append(parts, strconv.FormatInt(*b.Tokens, 10)+" tokens")
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// JobSpending is what a job has spent on calls to models so far, over all its attempts.
type JobSpending struct {
	USD    float64 `json:"usd" doc:"US dollars, not rounded"`
	Tokens int64   `json:"tokens" doc:"Sent and answered, together"`
	Calls  int     `json:"calls"`
}

// JobBudget is a job's budget, and what it has spent so far over all its attempts.
type JobBudget struct {
	Budget
	SpentUSD    float64
	SpentTokens int64
}

// Check returns an error that Paused knows when the budget is reached.
func (b JobBudget) Check() error {
	if !b.Reached(b.SpentUSD, b.SpentTokens) {
		return nil
	}
	return kappa.Pause(kappa.NewError(kappa.CodeConflict, fmt.Sprintf("Paused: the budget of %s is reached; spent so far: %s, %d tokens. Approve the job with a higher budget and it goes on where it is.",
		b.Budget, kappa.Dollars(b.SpentUSD), b.SpentTokens)))
}

// CheckRaised returns a kappa.CodeInvalid Error when a job that goes on with this budget would
// pause at once.
func (b JobBudget) CheckRaised() error {
	if !b.Reached(b.SpentUSD, b.SpentTokens) {
		return nil
	}
	return kappa.Invalid(kappa.FieldError{In: "query", Name: "budget", Rule: fmt.Sprintf("must be above what the job has spent: %s, %d tokens; its budget is %s", kappa.Dollars(b.SpentUSD), b.SpentTokens, b.Budget)})
}
