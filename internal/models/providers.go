package models

import (
	"context"
	"fmt"
	"math"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
)

// SetProvider changes how a provider is reached and limited, on every server. It returns a
// CodeConflict Error for what the environment of this server fixes, and a CodeNotFound Error
// for a provider that there is not.
func (s *Service) SetProvider(ctx context.Context, provider string, c models.ProviderChange) (models.ProviderInUse, error) {
	if err := s.checkProviderChange(provider, c); err != nil {
		return models.ProviderInUse{}, err
	}
	if c.URL != nil && *c.URL != s.InUse().Providers[provider].URL {
		if err := s.tryAt(ctx, provider, *c.URL); err != nil {
			return models.ProviderInUse{}, err
		}
	}
	err := s.changed(ctx, s.cfg.Settings.SetProvider(ctx, provider, c))
	return s.InUse().Providers[provider], err
}

// tryAt tries the models that are in use of a provider at another address.
func (s *Service) tryAt(ctx context.Context, provider, url string) error {
	for slot, is := range s.InUse().Slots {
		if is.Provider == provider {
			if err := s.try(ctx, models.Trial{Slot: slot, Provider: provider, Model: is.Model, URL: url}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkProviderChange returns why a provider cannot be changed so.
func (s *Service) checkProviderChange(provider string, c models.ProviderChange) error {
	is, known := s.InUse().Providers[provider]
	if !known {
		return kappa.NewError(kappa.CodeNotFound, fmt.Sprintf("There is no provider %q with settings", provider))
	}
	if err := s.cfg.Rules.checkProvider(c); err != nil {
		return err
	}
	if c.URL != nil && is.Fixed["url"] != "" && *c.URL != is.URL {
		return models.FixedBy("the address of "+provider, is.Fixed["url"])
	}
	if c.URL != nil {
		if err := s.checkKeyStays(provider, *c.URL); err != nil {
			return err
		}
	}
	for member, n := range map[string]struct {
		to *int
		is int
	}{
		"context": {c.Context, is.Context}, "max_calls": {c.Calls, is.Calls},
		"requests_per_minute": {c.RequestsPerMinute, is.RequestsPerMinute}, "tokens_per_minute": {c.TokensPerMinute, is.TokensPerMinute},
	} {
		if n.to != nil && is.Fixed[member] != "" && *n.to != n.is {
			return models.FixedBy(member+" of "+provider, is.Fixed[member])
		}
	}
	return nil
}

// SetMaxCalls changes how many calls to all providers run at once, on every server; nil is
// as the servers begin.
func (s *Service) SetMaxCalls(ctx context.Context, most *int) (models.InUse, error) {
	in := s.InUse()
	if setting := in.Fixed["max_calls"]; setting != "" && (most == nil || *most != in.MaxCalls) {
		return in, models.FixedBy("max_calls", setting)
	}
	if most != nil && (*most < 1 || *most > mostCalls) {
		return in, kappa.Invalid(kappa.FieldError{In: "body", Name: "max_calls", Rule: fmt.Sprintf("must be from 1 to %d, got %d", mostCalls, *most)})
	}
	err := s.changed(ctx, s.cfg.Settings.SetMaxCalls(ctx, most))
	return s.InUse(), err
}

// SetPrice sets what a model costs, on every server. It returns a CodeConflict Error where
// the environment of this server says that.
func (s *Service) SetPrice(ctx context.Context, p models.Price) error {
	bad := func(v float64) bool { return v < 0 || math.IsNaN(v) || v > 1e6 }
	var wrong []kappa.FieldError
	if _, known := s.InUse().Providers[p.Provider]; !known {
		wrong = append(wrong, kappa.FieldError{In: "body", Name: "provider", Rule: fmt.Sprintf("must be a provider with an API, got %q", p.Provider)})
	}
	if bad(p.Input) || bad(p.Output) {
		wrong = append(wrong, kappa.FieldError{In: "body", Name: "input_usd_per_million_tokens", Rule: "must be, as the other one, from 0 to 1000000 US dollars for a million tokens"})
	}
	if len(p.Model) > mostName {
		wrong = append(wrong, kappa.FieldError{In: "body", Name: "model", Rule: fmt.Sprintf("must have at most %d bytes", mostName)})
	}
	if err := kappa.Invalid(wrong...); err != nil {
		return err
	}
	if setting := s.cfg.Rules.Priced(p.Provider, p.Model); setting != "" {
		return models.FixedBy("the price of "+p.Provider+"/"+p.Model, setting)
	}
	return s.changed(ctx, s.cfg.Settings.SetPrice(ctx, p))
}

// DeletePrice has a model cost what it did before a price was set.
func (s *Service) DeletePrice(ctx context.Context, provider, model string) error {
	return s.changed(ctx, s.cfg.Settings.DeletePrice(ctx, provider, model))
}
