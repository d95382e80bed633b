package llm

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strings"
)

// Price is what a model costs, in US dollars for a million tokens.
type Price struct {
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
}

// Prices are those of models, by provider and then by the model's name or the beginning
// of it. "" stands for every other model of the provider.
type Prices map[string]map[string]Price

//go:embed prices.json
var builtinPrices []byte

// BuiltinPrices returns the prices that this program came with. They change: whoever
// needs them to the cent keeps a file of their own.
func BuiltinPrices() Prices {
	var p Prices
	if json.Unmarshal(builtinPrices, &p) != nil {
		return Prices{}
	}
	return p
}

// With returns the prices with those of a file over them. The file is JSON:
// {"openai": {"my-model": {"input": 0.5, "output": 1.5}}}. The error names what is wrong.
func (p Prices) With(file []byte) (Prices, error) {
	var over Prices
	if err := json.Unmarshal(file, &over); err != nil {
		return nil, fmt.Errorf(`must be JSON such as {"openai": {"my-model": {"input": 0.5, "output": 1.5}}}: %w`, err)
	}
	all := Prices{}
	for _, from := range []Prices{p, over} {
		for provider, models := range from {
			if all[provider] == nil {
				all[provider] = map[string]Price{}
			}
			for model, price := range models {
				if bad := func(v float64) bool { return v < 0 || math.IsNaN(v) || v > 1e6 }; bad(price.Input) || bad(price.Output) {
					return nil, fmt.Errorf("the price of %s %q must be from 0 to 1000000 US dollars for a million tokens", provider, model)
				}
				all[provider][model] = price
			}
		}
	}
	return all, nil
}

// Set returns the prices with that of one model over them.
func (p Prices) Set(provider, model string, price Price) Prices {
	all := maps.Clone(p)
	of := maps.Clone(p[provider])
	if of == nil {
		of = map[string]Price{}
	}
	of[model] = price
	all[provider] = of
	return all
}

// Of returns the price of a model: that of the longest name that it begins with.
func (p Prices) Of(provider, model string) Price {
	best, length := Price{}, -1
	for name, price := range p[provider] {
		if strings.HasPrefix(model, name) && len(name) > length {
			best, length = price, len(name)
		}
	}
	return best
}
