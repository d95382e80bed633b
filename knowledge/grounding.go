package knowledge

import "math"

// Support counts what the graph holds about a concept.
type Support struct {
	Relationships int // in both directions
	Types         int // distinct types among them
	Sources       int // distinct chunks that show it
	Instances     int // quotes that show it
}

// The levels of confidence in a concept.
const (
	LevelConfident    = "confident"
	LevelTentative    = "tentative"
	LevelInsufficient = "insufficient"
)

// Level says how much the graph knows about the concept.
func (s Support) Level() string {
	switch {
	case s.Relationships >= 5 && s.Sources >= 3 && s.Instances >= 3:
		return LevelConfident
	case s.Relationships >= 2 || s.Sources >= 1 || s.Instances >= 1:
		return LevelTentative
	}
	return LevelInsufficient
}

// Score is the same knowledge as a number in [0, 1) with three decimals: more
// relationships, chunks, quotes and kinds of relationships bring it nearer to 1.
func (s Support) Score() float64 {
	variety := 0.0
	if s.Relationships > 0 {
		variety = min(1, float64(s.Types)/float64(s.Relationships))
	}
	known := float64(s.Relationships)/10 + float64(s.Sources)/5 + float64(s.Instances)/10 + variety
	return math.Round(known/(known+2)*1000) / 1000
}

// Groundings from which on a concept is called supported, or contested.
const (
	supportedFrom = 0.2
	contestedFrom = -0.2
)

// Grounding is what s says about a concept of that grounding strength, -1 to 1 or
// nil when it could not be computed: the level, the score, and the word to show for
// them.
func (s Support) Grounding(strength *float64) Grounding {
	level, score := s.Level(), s.Score()
	display := groundingWord(strength, level)
	return Grounding{Strength: strength, Level: &level, Confidence: &score, Display: &display}
}

// groundingWord is what a person reads of a grounding strength and a level.
func groundingWord(strength *float64, level string) string {
	words := [3]string{"Balanced perspectives", "Unclear", "Unexplored"}
	switch {
	case strength == nil && level == LevelInsufficient:
		return "Unexplored"
	case strength == nil:
		return "Unknown"
	case *strength >= supportedFrom:
		words = [3]string{"Well-supported", "Some support (limited data)", "Possibly supported (needs exploration)"}
	case *strength <= contestedFrom:
		words = [3]string{"Contested", "Possibly contested", "Unknown (needs exploration)"}
	}
	switch level {
	case LevelConfident:
		return words[0]
	case LevelTentative:
		return words[1]
	}
	return words[2]
}

// Rounded returns a measure with four decimals, so that it does not depend on the
// last bits of a sum, and nil for what is not a finite number.
func Rounded(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	v = math.Round(v*1e4)/1e4 + 0 // and no negative zero
	return &v
}

// Grounding is how well a concept is supported. A figure is null when it was not
// asked for, or cannot be computed.
type Grounding struct {
	Strength   *float64 `json:"grounding_strength"`
	Level      *string  `json:"confidence_level"` // confident, tentative or insufficient
	Confidence *float64 `json:"confidence_score"`
	Display    *string  `json:"grounding_display"`
	Diversity  *float64 `json:"diversity_score"`
	Related    *int     `json:"diversity_related_count"`
	Authentic  *float64 `json:"authenticated_diversity"`
}
