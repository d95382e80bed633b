package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge"
)

func newConceptsNamesakesCommand(a *App) *cobra.Command {
	var apart bool
	var limit int
	cmd := &cobra.Command{
		Use:   "namesakes",
		Short: "List different concepts that have the same name",
		Long: `List concepts that have one name and are two, and behind them those whose names sound
alike in two scripts, as Moscow and Москва, with what tells them apart: where they
are spoken of, and what they are related with. Where both are one thing, kg concepts
merge makes them one; where they are two, as GIN the index and gin the drink, kg
concepts apart says so, and they are not listed again.`,
		Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			list, err := c.Concepts.Namesakes(cmd.Context(), apart, limit)
			if err != nil {
				return fmt.Errorf("list concepts of one name: %w", err)
			}
			return a.showAnswer("namesakes", func() { a.writeNamesakes(list, apart) })
		}),
	}
	cmd.Flags().BoolVar(&apart, "apart", false, "those of which somebody said that they stay two")
	cmd.Flags().IntVar(&limit, "limit", 100, "how many pairs, 1 to 1000")
	return cmd
}

func (a *App) writeNamesakes(list []knowledge.Namesakes, apart bool) {
	switch {
	case len(list) == 0 && apart:
		a.note("Nobody said of two concepts that they stay two.")
		return
	case len(list) == 0:
		a.note("No concepts of one name are left to decide about.")
		return
	}
	g := show.NewGrid(columns("concept", "label", "quotes", "ontologies", "related with", "stay two")...)
	for _, pair := range list {
		why := ""
		if k := pair.Apart; k != nil {
			why = strings.TrimSuffix("says "+k.By+": "+k.Reason, ": ")
		}
		for _, c := range []knowledge.Namesake{pair.A, pair.B} {
			g.Add(c.ConceptID, c.Label, strconv.Itoa(c.Quotes), strings.Join(c.Ontologies, ", "), strings.Join(c.Neighbors, ", "), why)
		}
	}
	a.writeGrid(g, nil)
}

func newConceptsApartCommand(a *App) *cobra.Command {
	var k knowledge.NewKeptApart
	var remove bool
	cmd := &cobra.Command{
		Use:     "apart CONCEPT CONCEPT",
		Short:   "Mark two concepts of the same name as different",
		Example: "  kg concepts apart gin_7 gin_93 --reason 'an index and a drink'",
		Args:    cobra.ExactArgs(2),
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			k.A, k.B = args[0], args[1]
			return misused(k.Validate())
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			if remove {
				if err := c.Concepts.OfferAgain(cmd.Context(), k.A, k.B); err != nil {
					return fmt.Errorf("take back that the concepts stay two: %w", err)
				}
				a.note("%s and %s are listed again.", k.A, k.B)
				return nil
			}
			if _, err := c.Concepts.KeepApart(cmd.Context(), k); err != nil {
				return fmt.Errorf("keep the concepts apart: %w", err)
			}
			return a.showAnswer("", func() { a.note("%s and %s stay two.", k.A, k.B) })
		}),
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "take that back")
	cmd.Flags().StringVar(&k.Reason, "reason", "", "why")
	return cmd
}
