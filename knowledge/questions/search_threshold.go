package questions

import "github.com/kappagraph/kappa/internal/check"

// SearchThresholdKey is what answers call the threshold of searches.
const SearchThresholdKey = "search_similarity_threshold"

// SearchThreshold is the similarity from which on a search shows concepts unless it says
// otherwise.
type SearchThreshold struct {
	Key       string   `json:"key"`
	Threshold *float64 `json:"threshold"` // nil: nobody has set it
	Fallback  float64  `json:"fallback"`  // what holds then
}

// InForce returns the threshold that holds.
func (t SearchThreshold) InForce() float64 {
	if t.Threshold != nil {
		return *t.Threshold
	}
	return t.Fallback
}

// CheckSearchThreshold returns a kappa.CodeInvalid Error unless a threshold is 0 to 1.
func CheckSearchThreshold(threshold float64) error {
	var r check.Rules
	r.Add("body", "threshold", check.Share(threshold))
	return r.Err()
}
