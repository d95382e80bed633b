package models

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/kappagraph/kappa"
)

// Slot is one of the uses that a server has for a model.
type Slot string

// The slots.
const (
	SlotExtraction Slot = "extraction" // reads documents
	SlotEmbedding  Slot = "embedding"  // embeds concepts
	SlotVision     Slot = "vision"     // describes images
)

// Slots returns every slot.
func Slots() []Slot { return []Slot{SlotExtraction, SlotEmbedding, SlotVision} }

// Profile is a model that was stored for a slot. At most one of a slot is active. It
// does not change once it is stored, but for its protection.
type Profile struct {
	ID              int        `json:"id"`
	Slot            Slot       `json:"slot"`
	Name            string     `json:"name"`
	Provider        string     `json:"provider"`
	Model           string     `json:"model_name"`
	MaxTokens       int        `json:"max_tokens,omitempty" doc:"Of an answer; left out: as many as the server asks for"`
	Dimensions      int        `json:"dimensions,omitempty" doc:"Of an embedding, as its trial gave"`
	Active          bool       `json:"active"`
	DeleteProtected bool       `json:"delete_protected"`
	ChangeProtected bool       `json:"change_protected" doc:"While it is active, no other one is set in its place; activating one is possible"`
	CreatedAt       kappa.Time `json:"created_at"`
	UpdatedAt       kappa.Time `json:"updated_at"`
	UpdatedBy       string     `json:"updated_by"`
}

// ProviderChange are the settings of a provider that were set at run time, or are to be.
// What is nil is as it was, or as the server begins with.
type ProviderChange struct {
	URL               *string `json:"url,omitempty"`
	Context           *int    `json:"context,omitempty"`
	Calls             *int    `json:"max_calls,omitempty"`
	RequestsPerMinute *int    `json:"requests_per_minute,omitempty"`
	TokensPerMinute   *int    `json:"tokens_per_minute,omitempty"`
}

// With returns c with what other sets over it.
func (c ProviderChange) With(other ProviderChange) ProviderChange {
	return ProviderChange{
		URL: cmp.Or(other.URL, c.URL), Context: cmp.Or(other.Context, c.Context), Calls: cmp.Or(other.Calls, c.Calls),
		RequestsPerMinute: cmp.Or(other.RequestsPerMinute, c.RequestsPerMinute), TokensPerMinute: cmp.Or(other.TokensPerMinute, c.TokensPerMinute),
	}
}

// Price is what a model costs, in US dollars for a million tokens. An empty model
// stands for every other one of the provider.
type Price struct {
	Provider string  `json:"provider"`
	Model    string  `json:"model"`
	Input    float64 `json:"input_usd_per_million_tokens"`
	Output   float64 `json:"output_usd_per_million_tokens"`
}

// SealedKey is the key of a provider as it is stored: encrypted. Nobody reads it but the
// server that calls the provider.
type SealedKey struct {
	Provider    string
	KeyID       string // of the key that it is encrypted with
	Sealed      []byte
	LastFour    string
	ValidatedAt kappa.Time
	UpdatedAt   kappa.Time
	UpdatedBy   string
}

// Stored is all that was set at run time about models.
type Stored struct {
	Revision  int64 // rises with each change
	MaxCalls  *int  // to all providers at once
	Active    []Profile
	Providers map[string]ProviderChange
	Prices    []Price
	Keys      []SealedKey
}

// SlotInUse is the model that a server uses for a slot.
type SlotInUse struct {
	ConfigID  int               `json:"config_id" doc:"Of the stored profile; 0: the environment of the server or a default says"`
	Provider  string            `json:"provider"`
	Model     string            `json:"model" doc:"Empty: none, or the built-in one"`
	MaxTokens int               `json:"max_tokens,omitempty"`
	Fixed     map[string]string `json:"fixed" doc:"Members that the environment of this server sets, with the setting; they cannot be changed here"`
}

// ProviderInUse is how a server reaches a provider.
type ProviderInUse struct {
	URL     string `json:"url"`
	Context int    `json:"context,omitempty" doc:"Tokens, of ollama"`
	ProviderLimits
	Fixed map[string]string `json:"fixed" doc:"Members that the environment of this server sets, with the setting"`
}

// InUse is what a server uses of models: what its environment sets, then what was
// set at run time, then the defaults.
type InUse struct {
	Revision  int64                    `json:"revision" doc:"Rises with each change that is stored"`
	Slots     map[Slot]SlotInUse       `json:"slots"`
	Providers map[string]ProviderInUse `json:"providers"`
	MaxCalls  int                      `json:"max_calls" doc:"To all providers together, at once"`
	Fixed     map[string]string        `json:"fixed" doc:"max_calls, if the environment of this server sets it"`
	Prices    []Price                  `json:"prices" doc:"Those that were set at run time"`
}

// Limits returns the limits of calls.
func (m InUse) Limits() Limits {
	l := Limits{Calls: m.MaxCalls, Providers: map[string]ProviderLimits{}}
	for name, p := range m.Providers {
		l.Providers[name] = p.ProviderLimits
	}
	return l
}

// Uses reports whether a slot uses a provider.
func (m InUse) Uses(provider string) bool {
	for _, s := range m.Slots {
		if s.Provider == provider {
			return true
		}
	}
	return false
}

// With returns m, which is what a server begins with, with what was set at run time over
// it, wherever the environment does not say.
func (m InUse) With(stored Stored) InUse {
	is := m
	is.Revision, is.Prices = stored.Revision, append([]Price{}, stored.Prices...)
	is.Slots, is.Providers = maps.Clone(m.Slots), maps.Clone(m.Providers)
	if stored.MaxCalls != nil && m.Fixed["max_calls"] == "" {
		is.MaxCalls = *stored.MaxCalls
	}
	for _, p := range stored.Active {
		s := is.Slots[p.Slot]
		if s.Fixed["provider"] != "" && s.Provider != p.Provider {
			continue // its model would be that of another provider
		}
		s.ConfigID, s.Provider, s.MaxTokens = p.ID, p.Provider, p.MaxTokens
		if s.Fixed["model"] == "" {
			s.Model = p.Model
		}
		is.Slots[p.Slot] = s
	}
	for name, change := range stored.Providers {
		if p, known := is.Providers[name]; known {
			is.Providers[name] = p.with(change)
		}
	}
	return is
}

func (p ProviderInUse) with(c ProviderChange) ProviderInUse {
	if c.URL != nil && p.Fixed["url"] == "" {
		p.URL = *c.URL
	}
	for member, n := range map[string]struct {
		to   *int
		from *int
	}{
		"context": {&p.Context, c.Context}, "max_calls": {&p.Calls, c.Calls},
		"requests_per_minute": {&p.RequestsPerMinute, c.RequestsPerMinute}, "tokens_per_minute": {&p.TokensPerMinute, c.TokensPerMinute},
	} {
		if n.from != nil && p.Fixed[member] == "" {
			*n.to = *n.from
		}
	}
	return p
}

// FixedBy is the error of a change to what a setting of the server's environment says.
func FixedBy(what, setting string) error {
	return kappa.NewError(kappa.CodeConflict, fmt.Sprintf("%s is fixed by %s in the environment of this server; change it there, or remove it there and restart the server, to set it here", what, setting))
}

// Choice is a model that is to be used for a slot. An empty provider is the one that is
// used, and an empty model the provider's own.
type Choice struct {
	Profile

	URL     *string // where the provider is reached, changed with the model
	Calls   *int    // to it at once, changed likewise
	Reembed bool    // the graph may be embedded anew
}

// Chosen is what became of a choice.
type Chosen struct {
	Profile  Profile
	Previous int    // profile that was active; 0: none
	JobID    string // that embeds the graph anew; "" when that is not needed
}

// Trial is a model that is to be tried.
type Trial struct {
	Slot     Slot    `json:"slot"`
	Provider string  `json:"provider"`
	Model    string  `json:"model,omitempty" doc:"Left out: the provider's own for the slot"`
	URL      string  `json:"url,omitempty" doc:"Left out: where the server reaches the provider"`
	Key      *string `json:"-"` // nil: the one that the server has
}

// KeyStatus is what is shown of the key of a provider.
type KeyStatus struct {
	Provider    string      `json:"provider"`
	Configured  bool        `json:"configured"`
	MaskedKey   *string     `json:"masked_key" doc:"Its last four characters"`
	Source      string      `json:"source" doc:"environment, stored, or none"`
	FixedBy     string      `json:"fixed_by,omitempty" doc:"The setting of the server's environment that has it"`
	Status      *string     `json:"validation_status" doc:"valid: the provider took it when it was stored; invalid: it cannot be read; untested: it is in the environment"`
	ValidatedAt *kappa.Time `json:"last_validated_at"`
	Error       *string     `json:"validation_error"`
	UpdatedAt   *kappa.Time `json:"updated_at"`
	UpdatedBy   string      `json:"updated_by,omitempty"`
}
