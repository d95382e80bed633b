package models

import "github.com/kappagraph/kappa"

// Model describes a model that reads or embeds text. An extractor and an embedder
// describe their own, so that prices and warnings follow from the choice.
type Model struct {
	// Name is what results call the model. Embeddings that models of different
	// names made are never compared.
	Name            string
	Provider        string  // whose API answers; "" for a model in this process
	PricePerMillion float64 // US dollars for a million tokens that are sent to it
	OutputPrice     float64 // US dollars for a million tokens that it answers with; 0 for one that embeds
	CallPrice       float64 // US dollars for a call that is answered; 0 for one that charges tokens
	// Local says that the model runs in this process: it charges no tokens, and it
	// reads many chunks a second.
	Local bool
	// NamesOnly says of a model that embeds that it compares how texts are written and
	// knows nothing of meaning: names decide then, and no similarity says otherwise.
	NamesOnly bool
}

// LocalEmbedding is the name of the built-in model that embeds, which compares names only.
// The index on the bands of signatures leaves its embeddings out: another name needs
// another index.
const LocalEmbedding = "local-ngram-768"

// Cost returns what so many tokens cost that are sent to the model, as kappa.RoundMoney rounds.
func (m Model) Cost(tokens int) float64 {
	return kappa.RoundMoney(m.CostOf(TokenUsage{Input: tokens}))
}

// CostOf returns what calls cost that used so many tokens, in US dollars, not rounded:
// a call costs a fraction of a cent.
func (m Model) CostOf(u TokenUsage) float64 {
	return (float64(u.Input)*m.PricePerMillion + float64(u.Output)*m.OutputPrice) / 1e6
}
