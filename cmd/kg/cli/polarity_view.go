package cli

import (
	"fmt"
	"math"
	"strings"

	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// axisWidth is how many characters an axis is drawn with; the middle one is 0.
const axisWidth = 21

// writePolarity draws an axis and the concepts on it, the most positive first.
func (a *App) writePolarity(r questions.PolarityResult) {
	p := a.paint(a.out)
	fmt.Fprintf(a.out, "%s ├%s┤ %s\n", p.Bold("-1 "+show.OneLine(r.Axis.Negative.Label)), strings.Repeat("─", axisWidth), p.Bold(show.OneLine(r.Axis.Positive.Label)+" 1"))
	fmt.Fprintf(a.out, "%s axis, the poles are %.2f apart\n", r.Axis.Quality, r.Axis.Magnitude)
	if len(r.Projections) > 0 {
		fmt.Fprintln(a.out)
		g := show.NewGrid(show.Column{Name: "position", Right: true}, show.Column{Name: "-1         0         1"}, show.Column{Name: "concept", Flex: true},
			show.Column{Name: "beside", Right: true}, show.Column{Name: "grounding", Right: true}, show.Column{Name: "id"})
		for _, c := range r.Projections {
			g.Add(fmt.Sprintf("%.2f", c.Position), drawPosition(c.Position), c.Label, fmt.Sprintf("%.2f", c.AxisDistance), fmt.Sprintf("%.2f", c.Grounding), c.ConceptID)
		}
		a.writeGrid(g, nil)
	}
	a.writePolaritySummary(r)
}

func (a *App) writePolaritySummary(r questions.PolarityResult) {
	s := r.Statistics
	fmt.Fprintf(a.out, "\n%d positive, %d neutral, %d negative; mean position %.2f, mean distance from the axis %.2f\n",
		s.Directions.Positive, s.Directions.Neutral, s.Directions.Negative, s.MeanPosition, s.MeanAxisDistance)
	if r.Correlation.Strength == nil {
		fmt.Fprintln(a.out, r.Correlation.Interpretation)
	} else {
		fmt.Fprintf(a.out, "%s (r = %.2f, p = %.2g)\n", r.Correlation.Interpretation, r.Correlation.R, r.Correlation.P)
	}
	if len(r.Skipped) > 0 {
		a.note("Left out, unknown or without an embedding: %s", show.OneLine(strings.Join(r.Skipped, ", ")))
	}
	if !r.Complete {
		a.note("Not complete: %s.", show.OneLine(r.Missing))
	}
}

// drawPosition draws the axis with a mark where a position is, and an arrow at the end
// beyond which it lies.
func drawPosition(position float64) string {
	line := []rune(strings.Repeat("·", axisWidth))
	line[axisWidth/2] = '|'
	switch {
	case position < -1:
		line[0] = '◀'
	case position > 1:
		line[axisWidth-1] = '▶'
	default:
		line[int(math.Round((position+1)/2*(axisWidth-1)))] = '●'
	}
	return string(line)
}
