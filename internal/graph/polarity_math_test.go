package graph

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// near reports whether two numbers are the same but for rounding.
func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}

// drawEmbedding draws a vector, sometimes short, sometimes long.
func drawEmbedding(t *rapid.T, name string, length int) models.Embedding {
	scale := rapid.SampledFrom([]float32{1, 1e-3, 50}).Draw(t, name+" scale")
	e := make(models.Embedding, length)
	for i := range e {
		e[i] = scale * rapid.Float32Range(-1, 1).Draw(t, name)
	}
	return e
}

// drawAxis draws two poles that have an axis.
func drawAxis(t *rapid.T) axis {
	length := rapid.IntRange(1, 12).Draw(t, "length")
	a, ok := newAxis(drawEmbedding(t, "positive", length), drawEmbedding(t, "negative", length))
	if !ok || a.magnitude < 1e-4 {
		t.Skip("the poles are too similar")
	}
	return a
}

// naive projects by the definition, with vectors and nothing shared.
func naive(positive, negative, e models.Embedding) (position, distance float64) {
	var dd, de float64
	for i := range e {
		d := float64(positive[i]) - float64(negative[i])
		dd += d * d
		de += d * (float64(e[i]) - float64(negative[i]))
	}
	share := de / dd // 0 at the negative pole, 1 at the positive one
	for i := range e {
		d := float64(positive[i]) - float64(negative[i])
		foot := float64(negative[i]) + share*d
		distance += (float64(e[i]) - foot) * (float64(e[i]) - foot)
	}
	return 2*share - 1, math.Sqrt(distance)
}

func TestProjection(t *testing.T) {
	t.Run("the poles stand at 1 and -1, on the axis", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a := drawAxis(t)
			p, n := a.project(a.positive), a.project(a.negative)
			if !near(p.Position, 1, 1e-9) || !near(n.Position, -1, 1e-9) || p.AxisDistance > 1e-9*a.magnitude+1e-12 || n.AxisDistance != 0 {
				t.Fatalf("the poles stand at %+v and %+v", p, n)
			}
		})
	})
	t.Run("it is what the definition says", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a := drawAxis(t)
			e := drawEmbedding(t, "candidate", len(a.unit))
			got := a.project(e)
			position, distance := naive(a.positive, a.negative, e)
			if !near(got.Position, position, 1e-6) || !near(got.AxisDistance, distance, 1e-5) {
				t.Fatalf("got %v and %v, want %v and %v", got.Position, got.AxisDistance, position, distance)
			}
			if got.Direction != side(got.Position) || math.Abs(got.Alignment.Positive) > 1+1e-12 || math.Abs(got.Alignment.Negative) > 1+1e-12 {
				t.Fatalf("got %+v", got)
			}
		})
	})
	t.Run("swapped poles negate the position and keep the distance", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a := drawAxis(t)
			b, _ := newAxis(a.negative, a.positive)
			e := drawEmbedding(t, "candidate", len(a.unit))
			one, other := a.project(e), b.project(e)
			if !near(one.Position, -other.Position, 1e-6) || !near(one.AxisDistance, other.AxisDistance, 1e-5) || one.Alignment.Positive != other.Alignment.Negative {
				t.Fatalf("got %+v and %+v", one, other)
			}
		})
	})
	t.Run("poles that are the same, nearly so, or of different lengths have no axis", func(t *testing.T) {
		for _, poles := range [][2]models.Embedding{
			{{1, 2}, {1, 2}}, {{1, 0}, {1, 9e-9}}, {{1, 2}, {1, 2, 3}}, {nil, nil},
		} {
			if _, ok := newAxis(poles[0], poles[1]); ok {
				t.Errorf("%v have one", poles)
			}
		}
		if a, ok := newAxis(models.Embedding{1, 0}, models.Embedding{1, 2e-8}); !ok || a.quality() != questions.AxisWeak {
			t.Errorf("%+v, %t", a, ok)
		}
		if a, _ := newAxis(models.Embedding{1, 0}, models.Embedding{0, 1}); a.quality() != questions.AxisStrong || !near(a.magnitude, math.Sqrt2, 1e-12) {
			t.Errorf("%+v", a)
		}
	})
	t.Run("the sides end at 0.3", func(t *testing.T) {
		for position, want := range map[float64]string{0.3: questions.SideNeutral, 0.31: questions.SidePositive, -0.3: questions.SideNeutral, -0.31: questions.SideNegative} {
			if got := side(position); got != want {
				t.Errorf("%v is %s, want %s", position, got, want)
			}
		}
	})
	t.Run("what is not a number cannot be placed", func(t *testing.T) {
		a, _ := newAxis(models.Embedding{1, 0}, models.Embedding{0, 1})
		for _, e := range []models.Embedding{nil, {1}, {1, 2, 3}, {float32(math.NaN()), 1}, {1, float32(math.Inf(-1))}} {
			if a.fits(e) {
				t.Errorf("%v fits", e)
			}
		}
	})
}

// drawProjections draws projections with few different values, so that many are the same.
func drawProjections(t *rapid.T) []questions.PolarityProjection {
	value := rapid.OneOf(rapid.SampledFrom([]float64{0, 0.5, -1}), rapid.Float64Range(-1e6, 1e6))
	list := make([]questions.PolarityProjection, rapid.IntRange(0, 12).Draw(t, "concepts"))
	for i := range list {
		position := value.Draw(t, "position")
		list[i] = questions.PolarityProjection{
			Position: position, Direction: side(position), AxisDistance: math.Abs(value.Draw(t, "distance")),
			Grounding: rapid.OneOf(rapid.SampledFrom([]float64{0, 0.5, -1}), rapid.Float64Range(-1, 1)).Draw(t, "grounding"),
		}
	}
	return list
}

func TestPolarityStatistics(t *testing.T) {
	t.Run("all numbers are finite, in their ranges, and what naive sums give", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			list := drawProjections(t)
			s, c := polarityStatistics(list), polarityCorrelation(list)
			var mean, distance float64
			for _, p := range list {
				mean += p.Position / float64(len(list))
				distance += p.AxisDistance / float64(len(list))
			}
			for _, v := range []float64{s.MeanPosition, s.Deviation, s.MeanAxisDistance, s.PositionRange[0], s.PositionRange[1], c.R, c.P} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("not finite: %+v %+v", s, c)
				}
			}
			if !near(s.MeanPosition, mean, 1e-6) || !near(s.MeanAxisDistance, distance, 1e-6) || s.Deviation < 0 {
				t.Fatalf("got %+v, want means %v and %v", s, mean, distance)
			}
			if d := s.Directions; d.Positive+d.Negative+d.Neutral != len(list) || s.Total != len(list) {
				t.Fatalf("got %+v of %d", s, len(list))
			}
			if c.R < -1 || c.R > 1 || c.P < 0 || c.P > 1 || (c.Strength == nil) != (c.Direction == nil) || c.Interpretation == "" {
				t.Fatalf("got %+v", c)
			}
		})
	})
	t.Run("nothing gives zeros", func(t *testing.T) {
		if s := polarityStatistics(nil); s != (questions.PolarityStatistics{}) {
			t.Errorf("got %+v", s)
		}
	})
}

func TestPolarityCorrelation(t *testing.T) {
	points := func(pairs ...[2]float64) []questions.PolarityProjection {
		var list []questions.PolarityProjection
		for _, p := range pairs {
			list = append(list, questions.PolarityProjection{Position: p[0], Grounding: p[1]})
		}
		return list
	}
	t.Run("r and p are what naive sums and the closed form for three degrees of freedom give", func(t *testing.T) {
		list := points([2]float64{-1, .1}, [2]float64{-.5, .4}, [2]float64{0, .3}, [2]float64{.5, .2}, [2]float64{1, .9})
		var x, y, xx, yy, xy float64
		for _, p := range list {
			x, y = x+p.Position, y+p.Grounding
			xx, yy, xy = xx+p.Position*p.Position, yy+p.Grounding*p.Grounding, xy+p.Position*p.Grounding
		}
		r := (5*xy - x*y) / math.Sqrt((5*xx-x*x)*(5*yy-y*y))
		u := r / math.Sqrt(1-r*r)
		p := 1 - 2/math.Pi*(math.Atan(u)+u/(1+u*u))
		c := polarityCorrelation(list)
		if !near(c.R, r, 1e-12) || !near(c.P, p, 1e-12) || *c.Strength != "strong" || *c.Direction != "positive" {
			t.Errorf("got %+v, want %v and %v", c, r, p)
		}
	})
	t.Run("a straight line", func(t *testing.T) {
		c := polarityCorrelation(points([2]float64{0, 1}, [2]float64{1, 0}, [2]float64{2, -1}))
		if !near(c.R, -1, 1e-12) || c.P > 1e-6 || *c.Strength != "strong" || *c.Direction != "negative" {
			t.Errorf("got %+v", c)
		}
	})
	t.Run("too few, or all the same, have none", func(t *testing.T) {
		for name, list := range map[string][]questions.PolarityProjection{
			"none": nil, "two": points([2]float64{0, 0}, [2]float64{1, 1}),
			"the same position":  points([2]float64{1, 0}, [2]float64{1, 1}, [2]float64{1, 2}),
			"the same grounding": points([2]float64{0, 0}, [2]float64{1, 0}, [2]float64{2, 0}),
		} {
			want := questions.PolarityCorrelation{P: 1, Interpretation: "Insufficient data for correlation"}
			if got := polarityCorrelation(list); got != want {
				t.Errorf("%s: got %+v", name, got)
			}
		}
	})
}
