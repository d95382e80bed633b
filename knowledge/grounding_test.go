package knowledge

import (
	"math"
	"testing"
)

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
			g := c.support.Grounding(nil)
			if *g.Level != c.level || *g.Confidence != c.score || *g.Display != c.display {
				t.Errorf("got %s, %v, %s, want %s, %v, %s", *g.Level, *g.Confidence, *g.Display, c.level, c.score, c.display)
			}
			if g.Strength != nil {
				t.Errorf("strength %v, want none", *g.Strength)
			}
		})
	}
}

func TestGroundingWords(t *testing.T) {
	confident, tentative, none := Support{Relationships: 5, Sources: 3, Instances: 3}, Support{Relationships: 2}, Support{}
	for _, c := range []struct {
		support  Support
		strength float64
		want     string
	}{
		{confident, 0.2, "Well-supported"},
		{confident, 0.1999, "Balanced perspectives"},
		{confident, -0.1999, "Balanced perspectives"},
		{confident, -0.2, "Contested"},
		{tentative, 1, "Some support (limited data)"},
		{tentative, 0, "Unclear"},
		{tentative, -1, "Possibly contested"},
		{none, 0.2, "Possibly supported (needs exploration)"},
		{none, 0, "Unexplored"},
		{none, -0.2, "Unknown (needs exploration)"},
	} {
		if g := c.support.Grounding(&c.strength); *g.Display != c.want || *g.Strength != c.strength {
			t.Errorf("%v at %v: %q, want %q", c.support, c.strength, *g.Display, c.want)
		}
	}
}

func TestRounded(t *testing.T) {
	if v := Rounded(math.NaN()); v != nil {
		t.Errorf("NaN is %v, want nil", *v)
	}
	if v := Rounded(math.Inf(-1)); v != nil {
		t.Errorf("-Inf is %v, want nil", *v)
	}
	if v := Rounded(-0.00001); *v != 0 || math.Signbit(*v) {
		t.Errorf("-0.00001 is %v, want 0", *v)
	}
	if v := Rounded(0.123456); *v != 0.1235 {
		t.Errorf("got %v, want 0.1235", *v)
	}
}
