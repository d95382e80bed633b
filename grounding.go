package kappa

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

// Grounding is what s says about a concept whose grounding strength is not
// computed: the level, the score, and the word to show for them.
func (s Support) Grounding() Grounding {
	level, score := s.Level(), s.Score()
	display := "Unknown"
	if level == LevelInsufficient {
		display = "Unexplored"
	}
	return Grounding{Level: &level, Confidence: &score, Display: &display}
}

// Grounding is how well a concept is supported. The figures that are not
// computed yet are null.
type Grounding struct {
	Strength   *float64 `json:"grounding_strength"`
	Level      *string  `json:"confidence_level"` // confident, tentative or insufficient
	Confidence *float64 `json:"confidence_score"`
	Display    *string  `json:"grounding_display"`
	Diversity  *float64 `json:"diversity_score"`
	Related    *int     `json:"diversity_related_count"`
	Authentic  *float64 `json:"authenticated_diversity"`
}
