package kappa

import "testing"

func TestSupport(t *testing.T) {
	for _, c := range []struct {
		name    string
		support Support
		level   string
		score   float64
		display string
	}{
		{"nothing is known", Support{}, LevelInsufficient, 0, "Unexplored"},
		{"one relationship alone is too little", Support{Relationships: 1, Types: 1}, LevelInsufficient, 0.355, "Unexplored"},
		{"two relationships suffice", Support{Relationships: 2, Types: 1}, LevelTentative, 0.259, "Unknown"},
		{"one quote suffices", Support{Sources: 1, Instances: 1}, LevelTentative, 0.13, "Unknown"},
		{"all three limits make it confident", Support{Relationships: 5, Types: 2, Sources: 3, Instances: 3}, LevelConfident, 0.474, "Unknown"},
		{"too few chunks keep it tentative", Support{Relationships: 9, Types: 9, Sources: 2, Instances: 30}, LevelTentative, 0.726, "Unknown"},
		{"more types than relationships count once", Support{Relationships: 1, Types: 4}, LevelInsufficient, 0.355, "Unexplored"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := c.support.Grounding()
			if *g.Level != c.level || *g.Confidence != c.score || *g.Display != c.display {
				t.Errorf("got %s, %v, %s, want %s, %v, %s", *g.Level, *g.Confidence, *g.Display, c.level, c.score, c.display)
			}
			if g.Strength != nil {
				t.Errorf("strength %v, want none", *g.Strength)
			}
		})
	}
}
