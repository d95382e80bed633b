package vocabulary

import (
	"math"
	"testing"
)

func TestAggressiveness(t *testing.T) {
	l := DefaultLimits()
	for _, c := range []struct {
		size int
		a    float64
		zone string
	}{
		{0, 0, "comfort"},
		{30, 0, "comfort"},
		{31, 0.0054, "comfort"},
		{60, 0.5, "merge"}, // the curve is symmetric
		{90, 1, "emergency"},
		{299, 1, "emergency"},
		{300, 1, ZoneBlock},
		{1000, 1, ZoneBlock},
	} {
		if a, zone := l.Aggressiveness(c.size); math.Abs(a-c.a) > 0.002 || zone != c.zone {
			t.Errorf("%d types: %.4f %s, want %.4f %s", c.size, a, zone, c.a, c.zone)
		}
	}
	t.Run("a straight profile is the share of the way", func(t *testing.T) {
		l.Profile = Profile{"linear", 1. / 3, 1. / 3, 2. / 3, 2. / 3}
		for size := l.Min; size <= l.Max; size++ {
			want := float64(size-l.Min) / float64(l.Max-l.Min)
			if a, _ := l.Aggressiveness(size); math.Abs(a-want) > 1e-6 {
				t.Errorf("%d types: %.6f, want %.6f", size, a, want)
			}
		}
	})
	t.Run("above the maximum it rises from the end of the curve to 1", func(t *testing.T) {
		l.Profile = Profile{"low", 0, 0, 1, 0}
		last := -1.0
		for size := range l.Emergency {
			a, _ := l.Aggressiveness(size)
			if a < last || a > 1 {
				t.Fatalf("%d types: %.4f after %.4f", size, a, last)
			}
			last = a
		}
	})
	t.Run("the zones in their order", func(t *testing.T) {
		l.Profile = Profile{"linear", 1. / 3, 1. / 3, 2. / 3, 2. / 3}
		for size, zone := range map[int]string{41: "comfort", 43: "watch", 59: "watch", 61: "merge", 71: "merge", 73: "mixed", 83: "mixed", 85: "emergency"} {
			if _, got := l.Aggressiveness(size); got != zone {
				t.Errorf("%d types: %s, want %s", size, got, zone)
			}
		}
	})
}

func TestVocabularyLimits(t *testing.T) {
	good := DefaultLimits()
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(l *Limits){
		"min above max":           func(l *Limits) { l.Min = 90 },
		"max above emergency":     func(l *Limits) { l.Max = 300 },
		"a curve that bends back": func(l *Limits) { l.Profile.X2 = 1.5 },
	} {
		l := good
		change(&l)
		if l.Validate() == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestVocabularyStatus(t *testing.T) {
	types := append(BuiltinTypes(), RelationshipType{Name: "HELD_BY", Category: CategoryGenerated})
	s := DefaultLimits().Status(types)
	if s.Size != len(types) || s.Builtin != len(types)-1 || s.Custom != 1 || s.Categories != 11 || s.Zone != "comfort" || s.Profile != "aggressive" {
		t.Errorf("got %+v", s)
	}
}
