package knowledge

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/internal/check"
)

// The epistemic statuses of a relationship type: what the grounding of the concepts
// that its edges lead to says of it.
const (
	StatusHistorical       = "HISTORICAL"        // the name says that it was so once
	StatusInsufficientData = "INSUFFICIENT_DATA" // fewer than three concepts were measured
	StatusWellGrounded     = "WELL_GROUNDED"     // mean grounding above 0.8
	StatusMixedGrounding   = "MIXED_GROUNDING"   // 0.15 to 0.8
	StatusWeakGrounding    = "WEAK_GROUNDING"    // 0 to 0.15
	StatusPoorlyGrounded   = "POORLY_GROUNDED"   // -0.5 to 0
	StatusContradicted     = "CONTRADICTED"      // below -0.5
)

// EpistemicStatuses returns every status.
func EpistemicStatuses() []string {
	return []string{
		StatusWellGrounded, StatusMixedGrounding, StatusWeakGrounding, StatusPoorlyGrounded,
		StatusContradicted, StatusHistorical, StatusInsufficientData,
	}
}

// leastMeasured is how many concepts it takes to judge a relationship type.
const leastMeasured = 3

// pastWords make a relationship type historical, as tokens of its name.
var pastWords = []string{"WAS", "WERE", "HAD", "HISTORICAL", "FORMER", "PREVIOUS", "PAST", "ANCIENT", "ORIGINALLY"}

// GroundingStats sums up the grounding of the distinct concepts that the sampled
// edges of a type lead to. The standard deviation is that of the sample as a whole
// population. All four are nil when nothing was measured.
type GroundingStats struct {
	Avg      *float64 `json:"avg_grounding"`
	Std      *float64 `json:"std_grounding"`
	Min      *float64 `json:"min_grounding"`
	Max      *float64 `json:"max_grounding"`
	Concepts int      `json:"measured_concepts"`
	Sampled  int      `json:"sampled_edges"`
	Total    int      `json:"total_edges"`
}

// NewGroundingStats sums up groundings.
func NewGroundingStats(groundings []float64, sampled, total int) GroundingStats {
	s := GroundingStats{Concepts: len(groundings), Sampled: sampled, Total: total}
	if len(groundings) == 0 {
		return s
	}
	n, sum, squares := float64(len(groundings)), 0.0, 0.0
	for _, g := range groundings {
		sum += g
	}
	for _, g := range groundings {
		squares += (g - sum/n) * (g - sum/n)
	}
	s.Avg, s.Std = Rounded(sum/n), Rounded(math.Sqrt(squares/n))
	s.Min, s.Max = Rounded(slices.Min(groundings)), Rounded(slices.Max(groundings))
	return s
}

// Status classifies a relationship type; the first rule that applies decides.
func (s GroundingStats) Status(name string) string {
	past := slices.ContainsFunc(strings.Split(name, "_"), func(token string) bool { return slices.Contains(pastWords, token) })
	switch {
	case past:
		return StatusHistorical
	case s.Concepts < leastMeasured || s.Avg == nil:
		return StatusInsufficientData
	case *s.Avg > 0.8:
		return StatusWellGrounded
	case *s.Avg >= 0.15:
		return StatusMixedGrounding
	case *s.Avg >= 0:
		return StatusWeakGrounding
	case *s.Avg >= -0.5:
		return StatusPoorlyGrounded
	}
	return StatusContradicted
}

// Rationale says in one sentence why a type has its status.
func (s GroundingStats) Rationale(status string) string {
	switch {
	case status == StatusHistorical:
		return "The name says that it was so once"
	case s.Concepts < leastMeasured || s.Avg == nil:
		return "Concepts measured: " + strconv.Itoa(s.Concepts) + "; it takes " + strconv.Itoa(leastMeasured)
	}
	return "The mean grounding of " + strconv.Itoa(s.Concepts) + " concepts that " + strconv.Itoa(s.Sampled) +
		" edges of it lead to is " + strconv.FormatFloat(*s.Avg, 'f', 2, 64)
}

// CheckEpistemicStatus returns a kappa.CodeInvalid Error for a word that is no status; in and
// name say where it came from.
func CheckEpistemicStatus(in, name, word string) error {
	var r check.Rules
	r.Add(in, name, check.OneOf(word, EpistemicStatuses()...))
	return r.Err()
}
