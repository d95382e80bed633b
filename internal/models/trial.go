package models

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
)

// Reach is how a model is called that is tried.
type Reach struct {
	models.Trial

	Key func() (string, error)
}

// Trials are calls of models that are not in use.
type Trials struct {
	// Try makes one call within a limit of its own, and counts it.
	Try func(ctx context.Context, r Reach) models.ProviderCheck
	// EmbeddingName returns what the embeddings of a model are known by.
	EmbeddingName func(provider, model string) string
}

// Try makes a call of a model that need not be in use, and changes nothing. It returns a
// CodeInvalid Error for a model that there cannot be; what the call gave is no error.
func (s *Service) Try(ctx context.Context, t models.Trial) (models.ProviderCheck, error) {
	if err := s.cfg.Rules.checkChoice(t.Slot, t.Provider, t.Model, 0); err != nil {
		return models.ProviderCheck{}, err
	}
	t.Model = cmp.Or(t.Model, s.cfg.Rules.Default(t.Slot, t.Provider))
	if s.untried(t.Provider) {
		return models.ProviderCheck{Provider: t.Provider, Model: t.Model, Purpose: purposeOf(t.Slot), OK: true}, nil
	}
	if t.URL != "" {
		if rule := CheckURL(t.URL); rule != "" {
			return models.ProviderCheck{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "url", Rule: rule})
		}
		if err := s.checkKeyStays(t.Provider, t.URL); err != nil && t.Key == nil {
			return models.ProviderCheck{}, err
		}
	}
	t.URL = cmp.Or(t.URL, s.InUse().Providers[t.Provider].URL)
	key := func() (string, error) { return s.Key(t.Provider) }
	if t.Key != nil {
		key = func() (string, error) { return *t.Key, nil }
	}
	value, err := key()
	if err != nil {
		return models.ProviderCheck{}, err
	}
	if value == "" && s.cfg.Rules.NeedsKey(t.Provider, t.URL) {
		return models.ProviderCheck{}, kappa.NewError(kappa.CodeConflict, fmt.Sprintf("there is no key of %s yet; set one first: kg admin models keys set %s", t.Provider, t.Provider))
	}
	return s.cfg.Trials.Try(ctx, Reach{t, key}), nil
}

// checkKeyStays returns an error when the key of a provider would be sent to another address
// than the one that it was set for: whoever may set addresses must not read keys by that.
func (s *Service) checkKeyStays(provider, url string) error {
	status := s.keyStatus(provider)
	switch {
	case !status.Configured || url == s.InUse().Providers[provider].URL:
		return nil
	case status.FixedBy != "":
		return models.FixedBy("the key of "+provider+", which is sent to no other address,", status.FixedBy)
	}
	return kappa.NewError(kappa.CodeConflict, fmt.Sprintf("the stored key of %s is sent to no other address than the one that it was set for; delete it (kg admin models keys delete %s), set the address, and set the key again", provider, provider))
}

// untried reports whether there is nothing to try of a provider.
func (s *Service) untried(provider string) bool {
	return slices.Contains(s.cfg.Rules.BuiltIn, provider)
}

// try is Try whose failure is a CodeConflict Error.
func (s *Service) try(ctx context.Context, t models.Trial, dimensions *int) error {
	check, err := s.Try(ctx, t)
	if err != nil {
		return err
	}
	if !check.OK {
		return kappa.NewError(kappa.CodeConflict, fmt.Sprintf("%s %s was tried and does not work, so nothing was changed: %s", t.Provider, check.Model, check.Error))
	}
	if dimensions != nil {
		*dimensions = check.Dimensions
	}
	return nil
}

// purposeOf is what calls for a slot are for.
func purposeOf(slot models.Slot) models.Purpose {
	switch slot {
	case models.SlotEmbedding:
		return models.ForEmbedding
	case models.SlotVision:
		return models.ForImage
	}
	return models.ForExtraction
}
