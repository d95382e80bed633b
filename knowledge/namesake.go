package knowledge

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// MaxNamesakes is how many pairs of namesakes an answer has at most.
const MaxNamesakes = 1000

// Namesakes are two concepts of one name: homonyms, which stay two, or one thing that was
// not seen to be one, which a merge mends.
type Namesakes struct {
	A     Namesake   `json:"a" doc:"The one that is known for longer"`
	B     Namesake   `json:"b"`
	Apart *KeptApart `json:"kept_apart" doc:"Who said that they stay two; null: nobody"`
}

// Namesake is a concept, with what tells it from another one of its name.
type Namesake struct {
	ConceptID   string   `json:"concept_id"`
	Label       string   `json:"label"`
	Description string   `json:"description"`
	Quotes      int      `json:"quotes"`
	Ontologies  []string `json:"ontologies"`
	Neighbors   []string `json:"neighbors" doc:"What it is related with, the surest first, at most 5"`
}

// KeptApart says that two concepts stay two.
type KeptApart struct {
	Reason string     `json:"reason"`
	By     string     `json:"made_by"`
	At     kappa.Time `json:"at"`
}

// NewKeptApart says of two concepts that they stay two.
type NewKeptApart struct {
	A      string `json:"a" doc:"The id of a concept"`
	B      string `json:"b" doc:"The id of the other one"`
	Reason string `json:"reason,omitempty" doc:"Why, at most 500 characters"`
	By     string `json:"-"` // a user name
}

// Validate reports every rule that k breaks.
func (k NewKeptApart) Validate() error {
	var r check.Rules
	if k.A == k.B {
		r.Add("body", "b", "must be another concept than a")
	}
	r.Add("body", "reason", check.OptionalName(k.Reason, 500))
	return kappa.JoinInvalid(CheckConceptID("body", "a", k.A), CheckConceptID("body", "b", k.B), r.Err())
}
