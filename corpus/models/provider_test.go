package models_test

import (
	"slices"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus/models"
)

func TestGrant(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	call := func(id int64, provider string, runs bool) models.LiveCall {
		c := models.LiveCall{ID: id, Call: models.Call{Provider: provider, Tokens: 100}}
		if runs {
			c.StartedAt = now
		}
		return c
	}
	limits := models.Limits{Calls: 4, Providers: map[string]models.ProviderLimits{"a": {Calls: 2}, "b": {Calls: 3}, "r": {Calls: 9, RequestsPerMinute: 2}, "t": {Calls: 9, TokensPerMinute: 150}}}
	waiting := func(provider string, n int) (calls []models.LiveCall) {
		for i := range n {
			calls = append(calls, call(int64(i+1), provider, false))
		}
		return calls
	}
	for name, c := range map[string]struct {
		state models.ProviderState
		calls []models.LiveCall
		want  []int64
	}{
		"up to the limit of the provider":           {models.ProviderState{Name: "a"}, waiting("a", 5), []int64{1, 2}},
		"beside those that run":                     {models.ProviderState{Name: "a"}, []models.LiveCall{call(1, "a", true), call(2, "a", false), call(3, "a", false)}, []int64{2}},
		"up to the limit of all":                    {models.ProviderState{Name: "a"}, []models.LiveCall{call(1, "b", true), call(2, "b", true), call(3, "b", true), call(4, "a", false), call(5, "a", false)}, []int64{4}},
		"none of one that is throttled":             {models.ProviderState{Name: "a", ThrottledUntil: now.Add(time.Second)}, waiting("a", 2), nil},
		"again when that is over":                   {models.ProviderState{Name: "a", ThrottledUntil: now}, waiting("a", 2), []int64{1, 2}},
		"one of one that failed often":              {models.ProviderState{Name: "a", Failures: 3}, waiting("a", 2), []int64{1}},
		"no more than that while one runs":          {models.ProviderState{Name: "a", Failures: 3}, []models.LiveCall{call(1, "a", true), call(2, "a", false)}, nil},
		"as many as a minute has requests":          {models.ProviderState{Name: "r"}, waiting("r", 5), []int64{1, 2}},
		"as requests come back":                     {models.ProviderState{Name: "r", Requests: 0, BalanceAt: now.Add(-31 * time.Second)}, waiting("r", 5), []int64{1}},
		"as many as a minute has tokens":            {models.ProviderState{Name: "t"}, waiting("t", 5), []int64{1}},
		"none while there is a debt":                {models.ProviderState{Name: "t", Tokens: -50, BalanceAt: now.Add(-30 * time.Second)}, waiting("t", 5), nil},
		"first of one that somebody waits for":      {models.ProviderState{Name: "a", Failures: 3}, []models.LiveCall{{ID: 1, Call: models.Call{Provider: "a", JobID: "job_1"}}, call(2, "a", false)}, []int64{2}},
		"of a provider that nobody knows: none":     {models.ProviderState{Name: "a"}, waiting("x", 1), nil},
		"of another provider, which is not delayed": {models.ProviderState{Name: "b"}, append(waiting("a", 3), call(9, "b", false)), []int64{9}},
	} {
		t.Run(name, func(t *testing.T) {
			states := []models.ProviderState{c.state}
			if got := limits.Grant(states, c.calls, "", now); !slices.Equal(got, c.want) {
				t.Errorf("granted %v, want %v", got, c.want)
			}
		})
	}
}

// What a call has really used is paid from the balance.
func TestSpent(t *testing.T) {
	limits := models.ProviderLimits{TokensPerMinute: 1000}
	s := models.ProviderState{Tokens: 500, BalanceAt: time.Now()}
	s.Spent(limits, 100, 300)
	if s.Tokens != 300 {
		t.Errorf("%v tokens are left, want 300", s.Tokens)
	}
	s.Spent(limits, 5000, 0)
	if s.Tokens != 1000 {
		t.Errorf("%v tokens are left, want 1000", s.Tokens)
	}
}
