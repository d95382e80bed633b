package vocabulary

import (
	"context"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// settings say how large the vocabulary may be.
type settings interface {
	VocabularySettings(ctx context.Context) (vocabulary.Settings, error)
	// ChangeVocabularySettings returns the error of change, and has changed nothing then.
	ChangeVocabularySettings(ctx context.Context, change func(*vocabulary.Settings) error) (vocabulary.Settings, error)
}

func (a *API) registerSettings(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/vocabulary/config", Permission: access.VocabularyRead, ID: "vocabulary.config", Summary: "Show how large the vocabulary may be"},
		func(ctx context.Context, _ *struct{}) (vocabulary.Settings, error) {
			return a.cfg.Settings.VocabularySettings(ctx)
		})
	http.Register(r, http.Route{Method: "PUT", Path: "/vocabulary/config", Permission: access.VocabularyWrite, ID: "vocabulary.set-config", Summary: "Set how large the vocabulary may be"}, a.setSettings)
	http.Register(r, http.Route{Method: "GET", Path: "/admin/vocabulary/config", Permission: access.VocabularyRead, ID: "vocabulary.config-detail", Summary: "Show the settings of the vocabulary with its state, in the form of existing clients"},
		func(ctx context.Context, _ *struct{}) (vocabularyConfigDetail, error) {
			s, err := a.cfg.Settings.VocabularySettings(ctx)
			if err != nil {
				return vocabularyConfigDetail{}, err
			}
			return a.detail(ctx, s)
		})
	http.Register(r, http.Route{Method: "PUT", Path: "/admin/vocabulary/config", Permission: access.VocabularyWrite, ID: "vocabulary.set-config-detail", Summary: "Set them"}, a.setDetail)
	a.registerProfiles(r)
}

type settingsInput struct{ Body vocabularyConfigRequest }

type vocabularyConfigRequest struct {
	_               struct{} `additionalProperties:"false"`
	Min             *int     `json:"vocab_min,omitempty"`
	Max             *int     `json:"vocab_max,omitempty"`
	Emergency       *int     `json:"vocab_emergency,omitempty"`
	Profile         *string  `json:"aggressiveness_profile,omitempty"`
	AutoThreshold   *float64 `json:"auto_execute_threshold,omitempty"`
	ReviewThreshold *float64 `json:"review_threshold,omitempty"`
}

// apply changes s as the request says, unless that breaks a rule.
func (b vocabularyConfigRequest) apply(s *vocabulary.Settings) error {
	change(&s.Min, b.Min)
	change(&s.Max, b.Max)
	change(&s.Emergency, b.Emergency)
	change(&s.Profile, b.Profile)
	change(&s.AutoThreshold, b.AutoThreshold)
	change(&s.ReviewThreshold, b.ReviewThreshold)
	return s.Validate()
}

func (a *API) setSettings(ctx context.Context, in *settingsInput) (vocabulary.Settings, error) {
	if in.Body == (vocabularyConfigRequest{}) {
		return vocabulary.Settings{}, kappa.NewError(kappa.CodeInvalid, "No fields to update")
	}
	return a.cfg.Settings.ChangeVocabularySettings(ctx, in.Body.apply)
}

// change overwrites *to unless the new value is missing.
func change[T any](to *T, value *T) {
	if value != nil {
		*to = *value
	}
}

// What existing clients show that is the same in every installation of Kappa.
const (
	pruningMode  = "hitl" // what is not similar enough to be merged is for a person
	autoExpand   = false
	lowValueType = 0.0 // no type is removed for being of little use
)

type vocabularyConfigDetail struct {
	Min            int         `json:"vocab_min"`
	Max            int         `json:"vocab_max"`
	Emergency      int         `json:"vocab_emergency"`
	PruningMode    string      `json:"pruning_mode" doc:"Always hitl: pairs that are not similar enough to be merged are for a person"`
	Profile        string      `json:"aggressiveness_profile"`
	AutoExpand     bool        `json:"auto_expand_enabled" doc:"Always false"`
	Strong         float64     `json:"synonym_threshold_strong" doc:"From this similarity on types are merged without a person"`
	Moderate       float64     `json:"synonym_threshold_moderate" doc:"From this one on they are proposed to one"`
	LowValue       float64     `json:"low_value_threshold" doc:"Always 0: no type is removed for being of little use"`
	Consolidation  float64     `json:"consolidation_similarity_threshold" doc:"The same as synonym_threshold_strong"`
	EmbeddingModel string      `json:"embedding_model"`
	UpdatedAt      *kappa.Time `json:"updated_at"`
	UpdatedBy      *string     `json:"updated_by"`
	Size           int         `json:"current_size"`
	Zone           string      `json:"zone"`
	Aggressiveness float64     `json:"aggressiveness" doc:"0 to 1"`
}

func (a *API) detail(ctx context.Context, s vocabulary.Settings) (vocabularyConfigDetail, error) {
	status, err := a.cfg.Vocabulary.Status(ctx)
	return vocabularyConfigDetail{
		Min: s.Min, Max: s.Max, Emergency: s.Emergency, PruningMode: pruningMode, Profile: s.Profile, AutoExpand: autoExpand,
		Strong: s.AutoThreshold, Moderate: s.ReviewThreshold, LowValue: lowValueType, Consolidation: s.AutoThreshold,
		EmbeddingModel: a.cfg.Vocabulary.Model(), UpdatedAt: s.UpdatedAt, UpdatedBy: s.UpdatedBy,
		Size: status.Size, Zone: status.Zone, Aggressiveness: status.Aggressiveness,
	}, err
}

type detailInput struct{ Body vocabularyConfigUpdate }

type vocabularyConfigUpdate struct {
	_             struct{} `additionalProperties:"false"`
	Min           *int     `json:"vocab_min,omitempty"`
	Max           *int     `json:"vocab_max,omitempty"`
	Emergency     *int     `json:"vocab_emergency,omitempty"`
	Profile       *string  `json:"aggressiveness_profile,omitempty"`
	Strong        *float64 `json:"synonym_threshold_strong,omitempty"`
	Moderate      *float64 `json:"synonym_threshold_moderate,omitempty"`
	Consolidation *float64 `json:"consolidation_similarity_threshold,omitempty" doc:"Another name for synonym_threshold_strong"`
	PruningMode   *string  `json:"pruning_mode,omitempty" doc:"Only hitl"`
	AutoExpand    *bool    `json:"auto_expand_enabled,omitempty" doc:"Only false"`
	LowValue      *float64 `json:"low_value_threshold,omitempty" doc:"Only 0"`
	UpdatedBy     *string  `json:"updated_by,omitempty" doc:"Does not count: it is the account"`
}

// changes returns what the body changes, with the names of what it sets.
func (b vocabularyConfigUpdate) changes() (c vocabularyConfigRequest, fields []string, err error) {
	var broken []kappa.FieldError
	refuse := func(name, rule string) {
		broken = append(broken, kappa.FieldError{In: "body", Name: name, Rule: rule})
	}
	if b.PruningMode != nil && *b.PruningMode != pruningMode {
		refuse("pruning_mode", "must be "+pruningMode+": pairs that are not similar enough to be merged are for a person")
	}
	if b.AutoExpand != nil && *b.AutoExpand {
		refuse("auto_expand_enabled", "must be false: vocab_max is never raised by itself")
	}
	if b.LowValue != nil && *b.LowValue != lowValueType {
		refuse("low_value_threshold", "must be 0: no type is removed for being of little use")
	}
	if b.Strong != nil && b.Consolidation != nil && *b.Strong != *b.Consolidation {
		refuse("consolidation_similarity_threshold", "must be the same as synonym_threshold_strong: there is one threshold")
	}
	c = vocabularyConfigRequest{Min: b.Min, Max: b.Max, Emergency: b.Emergency, Profile: b.Profile, AutoThreshold: b.Strong, ReviewThreshold: b.Moderate}
	if c.AutoThreshold == nil {
		c.AutoThreshold = b.Consolidation
	}
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"vocab_min", b.Min != nil},
		{"vocab_max", b.Max != nil},
		{"vocab_emergency", b.Emergency != nil},
		{"aggressiveness_profile", b.Profile != nil},
		{"synonym_threshold_strong", b.Strong != nil},
		{"consolidation_similarity_threshold", b.Consolidation != nil},
		{"synonym_threshold_moderate", b.Moderate != nil},
	} {
		if f.set {
			fields = append(fields, f.name)
		}
	}
	return c, fields, kappa.Invalid(broken...)
}

type vocabularyConfigReport struct {
	Success bool                   `json:"success"`
	Fields  []string               `json:"updated_fields"`
	Config  vocabularyConfigDetail `json:"config"`
	Message string                 `json:"message"`
}

func (a *API) setDetail(ctx context.Context, in *detailInput) (vocabularyConfigReport, error) {
	changes, fields, err := in.Body.changes()
	if err != nil {
		return vocabularyConfigReport{}, err
	}
	if len(fields) == 0 {
		return vocabularyConfigReport{}, kappa.NewError(kappa.CodeInvalid, "No fields to update")
	}
	s, err := a.cfg.Settings.ChangeVocabularySettings(ctx, changes.apply)
	if err != nil {
		return vocabularyConfigReport{}, err
	}
	detail, err := a.detail(ctx, s)
	return vocabularyConfigReport{Success: true, Fields: fields, Config: detail, Message: "Updated " + strings.Join(fields, ", ")}, err
}
