package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/knowledge/programs"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func newQueriesRunCommand(a *App) *cobra.Command {
	var values []string
	cmd := &cobra.Command{
		Use:     "run NAME|ID",
		Short:   "Ask a saved query",
		Example: `  kg queries run lanes --param about="worker lanes"`,
		Args:    cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			q, err := a.savedQuery(cmd, c, args[0])
			if err != nil {
				return fmt.Errorf("run the query: %w", err)
			}
			bound, err := boundValues(q.Parameters, values)
			if err != nil {
				return err
			}
			answer, err := c.Queries.Run(cmd.Context(), q.ID, bound)
			if err != nil {
				return fmt.Errorf("run the query: %w", err)
			}
			return a.showAnswer("", func() { a.writeQueryAnswer(answer) })
		}),
	}
	cmd.Flags().StringArrayVar(&values, "param", nil, "the value of a parameter, as name=value")
	return cmd
}

// boundValues reads values as the types of parameters say.
func boundValues(parameters []programs.QueryParameter, values []string) (map[string]json.RawMessage, error) {
	bound := map[string]json.RawMessage{}
	for _, text := range values {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, exit.Usage("--param must be name=value, got %q", text)
		}
		kind := ""
		for _, p := range parameters {
			if p.Name == name {
				kind = p.Type
			}
		}
		bound[name] = parameterValue(kind, value)
	}
	return bound, nil
}

// writeQueryAnswer draws the answer to a question that kg draws elsewhere, and shows others as
// JSON.
func (a *App) writeQueryAnswer(answer api.SavedQueryAnswer) {
	draw := map[string]func(text json.RawMessage) bool{
		programs.QuerySearch:       drawnAs(func(found questions.SearchResult) { a.writeHits(found, questions.Measures{}) }),
		programs.QueryNeighborhood: drawnAs(a.writeNeighborhood),
		programs.QueryPath:         drawnAs(a.writeEnrichedPath),
		programs.QueryPolarity:     drawnAs(a.writePolarity),
		programs.QuerySources:      drawnAs(a.writeSourceHits),
		programs.QueryRelated:      drawnAs(func(found questions.RelatedResult) { a.writeRelated(found, found.ConceptID) }),
		programs.QueryConnection:   drawnAs(a.writePaths),
		programs.QueryProgram:      drawnAs(a.writeProgramResult),
	}[answer.Type]
	if draw == nil || !draw(answer.Answer) {
		a.writeObject(answer.Answer)
	}
}

// drawnAs returns what draws an answer of a type, false when it is of another one.
func drawnAs[T any](draw func(T)) func(json.RawMessage) bool {
	return func(text json.RawMessage) bool {
		var v T
		if json.Unmarshal(text, &v) != nil {
			return false
		}
		draw(v)
		return true
	}
}
