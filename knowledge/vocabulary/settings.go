package vocabulary

import (
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// Settings say how large the vocabulary may be, and how it is merged.
type Settings struct {
	Min             int     `json:"vocab_min"`
	Max             int     `json:"vocab_max"`
	Emergency       int     `json:"vocab_emergency"`
	Profile         string  `json:"aggressiveness_profile"`
	AutoThreshold   float64 `json:"auto_execute_threshold"` // from this similarity on types are merged without a person
	ReviewThreshold float64 `json:"review_threshold"`       // from this one on they are proposed to one

	Curve     Profile     `json:"-"` // that Profile names
	UpdatedAt *kappa.Time `json:"updated_at" doc:"null: they are those of a new installation"`
	UpdatedBy *string     `json:"updated_by" doc:"The name of the account"`
}

// Limits returns the limits that s sets.
func (s Settings) Limits() Limits {
	return Limits{Min: s.Min, Max: s.Max, Emergency: s.Emergency, Profile: s.Curve}
}

// Validate reports every rule that s breaks, apart from a profile that is not known.
func (s Settings) Validate() error {
	var r check.Rules
	r.Add("body", "vocab_min", check.Range(s.Min, 0, 10_000))
	r.Add("body", "aggressiveness_profile", check.Name(s.Profile, 50))
	r.Add("body", "vocab_max", check.Range(s.Max, s.Min+1, 20_000))
	r.Add("body", "vocab_emergency", check.Range(s.Emergency, s.Max+1, 30_000))
	r.Add("body", "auto_execute_threshold", check.Between(s.AutoThreshold, 0, 1))
	r.Add("body", "review_threshold", check.Between(s.ReviewThreshold, 0, s.AutoThreshold))
	return r.Err()
}

// KnownProfile is a curve that the settings may name.
type KnownProfile struct {
	Profile
	Description string
	Builtin     bool
	CreatedAt   kappa.Time
}

// NewProfile asks for a curve of one's own.
type NewProfile struct {
	Profile
	Description string
}

// How far a control point may be above or below the unit square.
const maxProfileOrdinate = 2

// Validate reports every rule that n breaks.
func (n NewProfile) Validate() error {
	var r check.Rules
	r.Add("body", "profile_name", check.Name(n.Name, 50))
	r.Add("body", "control_x1", check.Between(n.X1, 0, 1))
	r.Add("body", "control_y1", check.Between(n.Y1, -maxProfileOrdinate, maxProfileOrdinate))
	r.Add("body", "control_x2", check.Between(n.X2, 0, 1))
	r.Add("body", "control_y2", check.Between(n.Y2, -maxProfileOrdinate, maxProfileOrdinate))
	r.Add("body", "description", check.OptionalName(n.Description, 500))
	return r.Err()
}

// NewType asks for a relationship type that nobody has read yet.
type NewType struct {
	Name        string
	Category    string // "" has it computed
	Description *string
	By          string // the name of the account
}

// Validate reports every rule that n breaks.
func (n NewType) Validate() error {
	var r check.Rules
	r.Add("body", "relationship_type", checkTypeName(n.Name))
	if n.Category != "" {
		r.Add("body", "category", check.Word(n.Category))
	}
	if n.Description != nil {
		r.Add("body", "description", check.OptionalName(*n.Description, 500))
	}
	if strings.HasSuffix(n.Name, "_") {
		r.Add("body", "relationship_type", "must not end with an underscore")
	}
	return r.Err()
}
