package cli

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// NewSearchCommand returns kg search, which asks the graph.
func NewSearchCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "search [PHRASE]",
		Short: "Ask the graph: concepts, their neighbourhoods and paths between them",
		Long: `Ask the graph. A phrase alone finds the concepts nearest to it, as kg search query
does. Where a concept is wanted, give its id, or a phrase: the concept that a search
finds first is taken then, and named on standard error.`,
		Example: "  kg search worker lanes\n  kg search show glacier",
		Args:    cobra.ArbitraryArgs,
	}
	find := a.addSearch(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return find(cmd, args)
	}
	cmd.AddCommand(newSearchQueryCommand(a), newSearchShowCommand(a), newSearchRelatedCommand(a), NewConnectCommand(a))
	return cmd
}

func newSearchQueryCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "query PHRASE",
		Short: "Find the concepts nearest to a phrase",
		Long: `Find the concepts that a phrase means; a concept of that very name comes first.
When none is found, the passages that have all words of the phrase are shown. When
little is found, the last line says which threshold would find more.`,
		Example: "  kg search query \"worker lanes\"\n  kg search query lanes --evidence --limit 3",
		Args:    cobra.MinimumNArgs(1),
	}
	cmd.RunE = a.addSearch(cmd)
	return cmd
}

// addSearch gives a command the flags of a search for a phrase, and returns the search.
func (a *App) addSearch(cmd *cobra.Command) func(*cobra.Command, []string) error {
	var limit int
	var similarity float64
	var ontology string
	var evidence bool
	var measures questions.Measures
	var q questions.SearchQuery
	flags := cmd.Flags()
	flags.IntVar(&limit, "limit", 10, "how many to find at most, 1 to 100")
	flags.Float64Var(&similarity, "min-similarity", questions.DefaultSimilarity, "how near they must be, 0 to 1")
	flags.StringVar(&ontology, "ontology", "", "only concepts of this ontology")
	flags.BoolVar(&evidence, "evidence", false, "show quotes too")
	addMeasures(cmd, &measures)
	return a.withChecked(func(cmd *cobra.Command, args []string) error {
		q = questions.SearchQuery{Query: strings.Join(args, " "), Limit: limit, IncludeEvidence: evidence, Measures: measures}
		if cmd.Flags().Changed("min-similarity") {
			q.MinSimilarity = &similarity
		}
		if ontology != "" {
			q.Ontology = &ontology
		}
		return misused(q.Validate())
	}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		found, err := c.Graph.Search(cmd.Context(), q)
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
		return a.showAnswer("results", func() { a.writeHits(found, measures) })
	})
}

func newSearchShowCommand(a *App) *cobra.Command {
	var q questions.ConceptQuery
	cmd := &cobra.Command{
		Use:   "show CONCEPT",
		Short: "Show a concept with its quotes and its relationships",
		Long: `Show a concept with its relationships and its quotes. The line "is:" says how well
it is supported.`,
		Example: `  kg search show glacier`,
		Args:    cobra.ExactArgs(1),
		RunE: a.withChecked(func(*cobra.Command, []string) error {
			q.ConceptID = "a" // a phrase is no id yet
			return misused(q.Validate())
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			q.ConceptID = args[0]
			return a.showConcept(cmd, c, q)
		}),
	}
	addEvidence(cmd, &q.IncludeEvidence)
	addWithin(cmd, &q.Ontology)
	addMeasures(cmd, &q.Measures)
	return cmd
}

func newSearchRelatedCommand(a *App) *cobra.Command {
	var q questions.RelatedQuery
	cmd := &cobra.Command{
		Use:   "related CONCEPT",
		Short: "Show the neighbourhood of a concept",
		Long: `Show the concepts around one, over relationships in both directions. --type follows
only relationships of these types; --include-status and --exclude-status follow only
those whose type has, or has not, one of these epistemic statuses.`,
		Example: `  kg search related glacier --depth 1
  kg search related glacier --type PRODUCES,CAUSES --depth 3 -o jsonl
  kg search related glacier --ontology energy`,
		Args: cobra.ExactArgs(1),
		RunE: a.withChecked(func(*cobra.Command, []string) error {
			q.ConceptID = "a" // a phrase is no id yet
			return misused(q.Validate())
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			q.ConceptID = args[0]
			if err := a.resolveIn(cmd.Context(), c, q.Ontology, &q.ConceptID); err != nil {
				return err
			}
			found, err := c.Graph.Related(cmd.Context(), q)
			if err != nil {
				return fmt.Errorf("find related concepts: %w", err)
			}
			return a.showAnswer("results", func() { a.writeRelated(found, args[0]) })
		}),
	}
	cmd.Flags().IntVar(&q.MaxDepth, "depth", 2, "how many relationships away at most, 1 to 5")
	cmd.Flags().IntVar(&q.Limit, "limit", 0, "concepts of the page, 1 to 1000 (0: 1000)")
	cmd.Flags().IntVar(&q.Offset, "offset", 0, "concepts before the page")
	addRelationships(cmd, &q.RelationshipFilter)
	addStatistics(cmd, &q.IncludeStatistics)
	addWithin(cmd, &q.Ontology)
	addEvidence(cmd, &q.IncludeEvidence)
	addStatuses(cmd, &q.EpistemicFilter)
	addWeak(cmd, &q.EpistemicFilter)
	addNoGrounding(cmd, &q.Measures)
	return cmd
}

// looksLikeID reports whether word has the form of a concept's id. A phrase may
// have it too.
func looksLikeID(word string) bool {
	return strings.ContainsAny(word, "_-") && regexp.MustCompile(`^[A-Za-z0-9_:-]{1,200}$`).MatchString(word)
}

// resolveWord returns the id of the concept that the user means in an ontology, or in all
// with "": the one of that id, else the one that a search for the phrase finds first.
func (a *App) resolveWord(ctx context.Context, c *client.Client, ontology, word string) (string, error) {
	if looksLikeID(word) {
		_, err := c.Concepts.Ask(ctx, questions.ConceptQuery{ConceptID: word, Ontology: ontology})
		if err == nil {
			return word, nil
		}
		if kappa.ErrorCode(err) != kappa.CodeNotFound {
			return "", fmt.Errorf("look up %s: %w", word, err)
		}
	}
	q := questions.SearchQuery{Query: word, Limit: 1}
	if ontology != "" {
		q.Ontology = &ontology
	}
	found, err := c.Graph.Search(ctx, q)
	if err != nil {
		return "", fmt.Errorf("search %q: %w", word, err)
	}
	if len(found.Results) == 0 {
		return "", &exit.Error{Code: exit.NotFound, Err: fmt.Errorf("no concept matches %q", word), Hint: nearMisses(found, word)}
	}
	hit := found.Results[0]
	a.note("%q is taken as %s (%s, similarity %.2f)", show.OneLine(word), show.OneLine(hit.Label), hit.ConceptID, hit.Score)
	return hit.ConceptID, nil
}

// resolveAll replaces each word by the id of the concept that the user means.
func (a *App) resolveAll(ctx context.Context, c *client.Client, words ...*string) error {
	return a.resolveIn(ctx, c, "", words...)
}

// resolveIn is resolveAll within an ontology; "" stands for all.
func (a *App) resolveIn(ctx context.Context, c *client.Client, ontology string, words ...*string) error {
	for _, word := range words {
		id, err := a.resolveWord(ctx, c, ontology, *word)
		if err != nil {
			return err
		}
		*word = id
	}
	return nil
}

// nearMisses says how to find what lies below the threshold; it may be empty.
func nearMisses(found questions.SearchResult, phrase string) string {
	if found.BelowThreshold == nil || *found.BelowThreshold == 0 || found.Suggested == nil {
		return ""
	}
	return fmt.Sprintf("less similar: kg search query %q --min-similarity %.2f", show.OneLine(phrase), *found.Suggested)
}
