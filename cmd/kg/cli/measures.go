package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// addMeasures adds the flags that choose the measures of an answer.
func addMeasures(cmd *cobra.Command, m *questions.Measures) {
	addNoGrounding(cmd, m)
	cmd.Flags().BoolVar(&m.Diversity, "diversity", false, "also how different the concepts around each one are")
	cmd.Flags().Func("diversity-max-hops", "how far around a concept that is, 1 to 3 relationships (default 2)", func(word string) error {
		n, err := strconv.Atoi(word)
		if err != nil {
			return fmt.Errorf("must be a whole number, got %q", word)
		}
		m.Diversity, m.DiversityHops = true, &n
		return nil
	})
}

func addNoGrounding(cmd *cobra.Command, m *questions.Measures) {
	cmd.Flags().BoolVar(&m.NoGrounding, "no-grounding", false, "without how well concepts are supported, which is faster")
}

// addStatuses adds the flags that follow only relationships whose type has, or lacks, an
// epistemic status.
func addStatuses(cmd *cobra.Command, f *questions.EpistemicFilter) {
	cmd.Flags().StringSliceVar(&f.Include, "include-status", nil, "only over relationships whose type has one of these epistemic statuses")
	cmd.Flags().StringSliceVar(&f.Exclude, "exclude-status", nil, "not over relationships whose type has one of these")
	for _, name := range []string{"include-status", "exclude-status"} {
		completeWith(cmd, name, knowledge.EpistemicStatuses()...)
	}
}

// addWeak adds the flag that lets an answer follow weak relationships.
func addWeak(cmd *cobra.Command, f *questions.EpistemicFilter) {
	cmd.Flags().BoolVar(&f.IncludeWeak, "weak", false, "also over relationships of the type RELATED_TO with a confidence below 0.35")
}

// addRelationships adds flags for which relationships are followed.
func addRelationships(cmd *cobra.Command, f *questions.RelationshipFilter) {
	cmd.Flags().StringSliceVar(&f.Types, "type", nil, "only over relationships of these types")
	cmd.Flags().Float64Var(&f.MinConfidence, "min-confidence", 0, "only over relationships that are as certain, 0 to 1")
	cmd.Flags().StringVar((*string)(&f.Direction), "direction", "", "follow relationships as they point (out), against that (in), or both ways (default both)")
	completeWith(cmd, "direction", string(questions.HeadingBoth), string(questions.HeadingOut), string(questions.HeadingIn))
	cmd.Flags().IntVar(&f.PerHop, "limit-per-hop", 0, "concepts taken of those that a hop leads to, the best paths first, 1 to 1000 (0: all)")
}

// addPathPage adds the flags for which of the paths are shown.
func addPathPage(cmd *cobra.Command, p *questions.PathPage) {
	cmd.Flags().IntVar(&p.Limit, "limit", 0, "paths of the page, 1 to 50 (0: 5)")
	cmd.Flags().IntVar(&p.Offset, "offset", 0, "paths before the page")
}

func addStatistics(cmd *cobra.Command, wanted *bool) {
	cmd.Flags().BoolVar(wanted, "statistics", false, "say what was read of the graph")
}

// notePage says how to get the next page of paths.
func (a *App) notePage(p questions.ShownPaths, shown int) {
	if p.More {
		a.note("There are more paths; go on with --offset %d.", p.Offset+shown)
	}
}

// noteStatistics says what an answer has read of the graph; nil says nothing.
func (a *App) noteStatistics(s *questions.QuestionStatistics) {
	if s == nil {
		return
	}
	from := "tables"
	if s.InMemory {
		from = "memory"
	}
	a.note("Read from %s in %s: asked about %v concepts, %d relationships in %d queries, %d workers.",
		from, time.Duration(s.Microseconds)*time.Microsecond, s.Frontier, s.Rows, s.Chunks, s.Workers)
}

// measured says in a line how well a concept is supported; "" when nothing is known.
func measured(g knowledge.Grounding) string {
	var words []string
	if g.Display != nil {
		words = append(words, show.OneLine(*g.Display))
	}
	if g.Strength != nil {
		words = append(words, "grounding "+figure(g.Strength))
	}
	if g.Confidence != nil && g.Level != nil {
		words = append(words, "confidence "+figure(g.Confidence)+" ("+show.OneLine(*g.Level)+")")
	}
	if g.Diversity != nil {
		words = append(words, "diversity "+figure(g.Diversity))
		if g.Authentic != nil {
			words[len(words)-1] += " (authenticated " + figure(g.Authentic) + ")"
		}
	}
	return strings.Join(words, ", ")
}

// figure shows a measure, or a dash for one that is not there.
func figure(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", *v)
}
