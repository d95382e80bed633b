package api

import (
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

// ModelSet is the model of a slot after a change.
type ModelSet struct {
	Slot     models.Slot `json:"slot"`
	Previous int         `json:"previous_config_id"`
	JobID    string      `json:"job_id,omitempty" doc:"That embeds the graph anew"`
	models.SlotInUse
}

// RotatedKeys says how many keys were encrypted anew.
type RotatedKeys struct {
	Rotated int    `json:"rotated" doc:"Keys that were encrypted anew"`
	Message string `json:"message"`
}

// ProviderList are the providers of models, and the calls to them.
type ProviderList struct {
	Providers []models.ProviderStatus `json:"providers"`
	MaxCalls  int                     `json:"max_calls" doc:"To all providers together, at once"`
	InFlight  int                     `json:"in_flight"`
	Waiting   int                     `json:"waiting"`
}

// ModelSpending is what models have cost.
type ModelSpending struct {
	Days  int               `json:"days"`
	USD   float64           `json:"usd" doc:"In all"`
	Usage []work.ModelUsage `json:"usage" doc:"Of each model for each purpose, dearest first"`
}

// ProviderChecks says what each model gave that a server uses.
type ProviderChecks struct {
	OK     bool                   `json:"ok" doc:"Every check passed"`
	Checks []models.ProviderCheck `json:"checks"`
}
