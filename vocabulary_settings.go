package kappa

import "strings"

// VocabularySettings say how large the vocabulary may be, and how it is merged.
type VocabularySettings struct {
	Min             int     `json:"vocab_min"`
	Max             int     `json:"vocab_max"`
	Emergency       int     `json:"vocab_emergency"`
	Profile         string  `json:"aggressiveness_profile"`
	AutoThreshold   float64 `json:"auto_execute_threshold"` // from this similarity on types are merged without a person
	ReviewThreshold float64 `json:"review_threshold"`       // from this one on they are proposed to one

	Curve     VocabularyProfile `json:"-"` // that Profile names
	UpdatedAt *Time             `json:"updated_at" doc:"null: they are those of a new installation"`
	UpdatedBy *string           `json:"updated_by" doc:"The name of the account"`
}

// Limits returns the limits that s sets.
func (s VocabularySettings) Limits() VocabularyLimits {
	return VocabularyLimits{Min: s.Min, Max: s.Max, Emergency: s.Emergency, Profile: s.Curve}
}

// Validate reports every rule that s breaks, apart from a profile that is not known.
func (s VocabularySettings) Validate() error {
	var r rules
	r.add("body", "vocab_min", checkRange(s.Min, 0, 10_000))
	r.add("body", "aggressiveness_profile", checkName(s.Profile, 50))
	r.add("body", "vocab_max", checkRange(s.Max, s.Min+1, 20_000))
	r.add("body", "vocab_emergency", checkRange(s.Emergency, s.Max+1, 30_000))
	r.add("body", "auto_execute_threshold", checkBetween(s.AutoThreshold, 0, 1))
	r.add("body", "review_threshold", checkBetween(s.ReviewThreshold, 0, s.AutoThreshold))
	return r.err()
}

// VocabularyProfiles returns the built-in curves, by name.
func VocabularyProfiles() []VocabularyProfile {
	return []VocabularyProfile{
		{"aggressive", 0.1, 0, 0.9, 1},
		{"ease", 0.25, 0.1, 0.25, 1},
		{"ease-in", 0.42, 0, 1, 1},
		{"ease-in-out", 0.42, 0, 0.58, 1},
		{"ease-out", 0, 0, 0.58, 1},
		{"exponential", 0.7, 0, 0.84, 0},
		{"gentle", 0.5, 0.5, 0.5, 0.5},
		{"linear", 0, 0, 1, 1},
	}
}

// KnownProfile is a curve that the settings may name.
type KnownProfile struct {
	VocabularyProfile
	Description string
	Builtin     bool
	CreatedAt   Time
}

// NewProfile asks for a curve of one's own.
type NewProfile struct {
	VocabularyProfile
	Description string
}

// How far a control point may be above or below the unit square.
const maxProfileOrdinate = 2

// Validate reports every rule that n breaks.
func (n NewProfile) Validate() error {
	var r rules
	r.add("body", "profile_name", checkName(n.Name, 50))
	r.add("body", "control_x1", checkBetween(n.X1, 0, 1))
	r.add("body", "control_y1", checkBetween(n.Y1, -maxProfileOrdinate, maxProfileOrdinate))
	r.add("body", "control_x2", checkBetween(n.X2, 0, 1))
	r.add("body", "control_y2", checkBetween(n.Y2, -maxProfileOrdinate, maxProfileOrdinate))
	r.add("body", "description", checkOptionalName(n.Description, 500))
	return r.err()
}

// NewVocabularyType asks for a relationship type that nobody has read yet.
type NewVocabularyType struct {
	Name        string
	Category    string // "" has it computed
	Description *string
	By          string // the name of the account
}

// Validate reports every rule that n breaks.
func (n NewVocabularyType) Validate() error {
	var r rules
	r.add("body", "relationship_type", checkTypeName(n.Name))
	if n.Category != "" {
		r.add("body", "category", checkRoleWord(n.Category))
	}
	if n.Description != nil {
		r.add("body", "description", checkOptionalName(*n.Description, 500))
	}
	if strings.HasSuffix(n.Name, "_") {
		r.add("body", "relationship_type", "must not end with an underscore")
	}
	return r.err()
}
