package models

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
)

const (
	mostName  = 200    // bytes of the name of a model
	mostCalls = 1000   // at once
	mostTurns = 65_536 // tokens of an answer
)

// Rules are which models there are.
type Rules struct {
	// Providers are those of each slot.
	Providers map[models.Slot][]string
	// BuiltIn are providers without an API, which have no model to choose, nor anything to
	// be tried.
	BuiltIn []string
	// KeyProviders are the providers that take a key.
	KeyProviders []string
	// NeedsKey reports whether a provider takes no call without a key at a URL.
	NeedsKey func(provider, url string) bool
	// Default returns the model of a provider for a slot unless another one is chosen; ""
	// when it has none.
	Default func(slot models.Slot, provider string) string
	// Vision returns who describes images, of what was chosen for it and for reading; "" is
	// nobody.
	Vision func(chosen, extraction string) string
	// Priced reports whether the environment says what a model costs, and by which setting.
	Priced func(provider, model string) (setting string)
}

// checkChoice returns what is wrong with a model for a slot.
func (r Rules) checkChoice(slot models.Slot, provider, model string, maxTokens int) error {
	var wrong []kappa.FieldError
	add := func(name, rule string) {
		wrong = append(wrong, kappa.FieldError{In: "body", Name: name, Rule: rule})
	}
	names, known := r.Providers[slot]
	switch {
	case !known:
		add("slot", fmt.Sprintf("must be extraction, embedding or vision, got %q", slot))
	case !slices.Contains(names, provider):
		add("provider", fmt.Sprintf("must be one of %s, got %q; a server that speaks the API of OpenAI is reached as openai with its url", strings.Join(names, ", "), provider))
	case slices.Contains(r.BuiltIn, provider) && model != "":
		add("model", fmt.Sprintf("must be left out: %s has none to choose", provider))
	case !slices.Contains(r.BuiltIn, provider) && model == "" && r.Default(slot, provider) == "":
		add("model", fmt.Sprintf("must be given: %s has no usual one for %s", provider, slot))
	}
	if len(model) > mostName || strings.ContainsFunc(model, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		add("model", fmt.Sprintf("must be the name of a model, without spaces, of at most %d bytes", mostName))
	}
	if maxTokens < 0 || maxTokens > mostTurns || maxTokens > 0 && maxTokens < 256 {
		add("max_tokens", fmt.Sprintf("must be 0, or from 256 to %d, got %d", mostTurns, maxTokens))
	}
	return kappa.Invalid(wrong...)
}

// CheckURL returns what is wrong with the address of a provider.
func CheckURL(text string) string {
	at, err := url.Parse(text)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return "must be http://… or https://… without a user, a password or a query"
	}
	return ""
}

// checkProvider returns what is wrong with a change to a provider.
func (r Rules) checkProvider(c models.ProviderChange) error {
	var wrong []kappa.FieldError
	if c.URL != nil {
		if rule := CheckURL(*c.URL); rule != "" {
			wrong = append(wrong, kappa.FieldError{In: "body", Name: "url", Rule: rule})
		}
	}
	for _, n := range []struct {
		name        string
		value       *int
		least, most int
	}{
		{"context", c.Context, 2048, 1 << 20},
		{"max_calls", c.Calls, 1, mostCalls},
		{"requests_per_minute", c.RequestsPerMinute, 0, 1_000_000},
		{"tokens_per_minute", c.TokensPerMinute, 0, 1_000_000_000},
	} {
		if n.value != nil && (*n.value < n.least || *n.value > n.most) {
			wrong = append(wrong, kappa.FieldError{In: "body", Name: n.name, Rule: fmt.Sprintf("must be from %d to %d, got %d", n.least, n.most, *n.value)})
		}
	}
	return kappa.Invalid(wrong...)
}
