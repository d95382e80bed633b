package cli

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

func newVocabSimilarCommand(a *App) *cobra.Command {
	var limit int
	var least bool
	cmd := &cobra.Command{
		Use:   "similar TYPE",
		Short: "List the relationship types that are most like one",
		Long:  `The types that are most like one, or with --reverse least.`, Example: `  kg vocab similar SUPPORTS --limit 5 --reverse`,
		Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			found, err := c.Vocabulary.Similar(cmd.Context(), args[0], limit, least)
			if err != nil {
				return fmt.Errorf("compare the types: %w", err)
			}
			return a.showAnswer("similar_types", func() { a.writeSimilar(found.Similar) })
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "how many to list at most, 1 to 100")
	cmd.Flags().BoolVar(&least, "reverse", false, "those that are least like it")
	return cmd
}

func (a *App) writeSimilar(types []vocabulary.SimilarType) {
	g := show.NewGrid(show.Column{Name: "type", Flex: true}, show.Column{Name: "category"}, show.Column{Name: "edges", Right: true}, show.Column{Name: "similarity", Right: true})
	for _, t := range types {
		g.Add(t.Name, t.Category, show.Number(t.Edges), fmt.Sprintf("%.2f", t.Similarity))
	}
	a.writeGrid(g, nil)
}

func newVocabAnalyzeCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "analyze TYPE",
		Short:   "Say which category a relationship type is like, and what it might be merged with",
		Example: `  kg vocab analyze SUPPORTS`,
		Args:    cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			t, err := c.Vocabulary.Analyze(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("analyze the type: %w", err)
			}
			return a.showAnswer("", func() {
				fmt.Fprintf(a.out, "%s  %s, %s, fits it by %.0f %%\n", a.paint(a.out).Bold(show.OneLine(t.Type)), show.OneLine(t.Category), show.Counted(t.Edges, "edge"), 100*t.Fit)
				if s := t.Scores; s != nil {
					fmt.Fprintf(a.out, "most like %s (%.2f), then %s (%.2f)\n", show.OneLine(s.Category), s.Confidence, show.OneLine(s.RunnerUp), s.NextScore)
				}
				if t.Suggestion != nil {
					fmt.Fprintln(a.out, show.OneLine(*t.Suggestion))
				}
				a.writeSimilar(t.Similar)
				for _, pair := range t.Candidates {
					fmt.Fprintf(a.out, "%s may be merged into %s (%.2f)\n", show.OneLine(pair.Source), show.OneLine(pair.Target), pair.Similarity)
				}
			})
		}),
	}
}

func newVocabAddCommand(a *App) *cobra.Command {
	var category, description string
	cmd := &cobra.Command{
		Use:     "add TYPE",
		Short:   "Add a relationship type by hand",
		Example: `  kg vocab add HELD_IN --description "Took place somewhere"`,
		Args:    cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			t, err := c.Vocabulary.AddType(cmd.Context(), args[0], category, description)
			if err != nil {
				return fmt.Errorf("add the type: %w", err)
			}
			return a.showAnswer("", func() { fmt.Fprintf(a.out, "Added %s.\n", show.OneLine(t.Name)) })
		}),
	}
	cmd.Flags().StringVar(&category, "category", "", "a word in lower case; without one it is computed")
	cmd.Flags().StringVar(&description, "description", "", "what the type means")
	return cmd
}

func newVocabMergeCommand(a *App) *cobra.Command {
	var m vocabulary.NewMerge
	var dry bool
	cmd := &cobra.Command{
		Use:   "merge TYPE INTO",
		Short: "Merge a relationship type into another one; kg vocab undo reverts it",
		Long: `Merge a relationship type into another one. kg vocab undo brings back every edge with
its evidence, apart from what was deleted since; later merges that build on it are
undone first.`,
		Example: "  kg vocab merge HELPS SUPPORTS --dry-run",
		Args:    cobra.ExactArgs(2),
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			m.Source, m.Target = strings.ToUpper(args[0]), strings.ToUpper(args[1])
			return misused(m.Validate())
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			report, err := c.Vocabulary.Merge(cmd.Context(), m, dry)
			if err != nil {
				return fmt.Errorf("merge the types: %w", err)
			}
			return a.showAnswer("", func() { fmt.Fprintln(a.out, show.OneLine(report.Message)) })
		}),
	}
	cmd.Flags().StringVar(&m.Reason, "reason", "", "why, for those who ask later")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be moved")
	return cmd
}

func newVocabMergesCommand(a *App) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:     "merges",
		Short:   "List the merges of relationship types, newest first",
		Example: `  kg vocab merges --limit 10`,
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			list, err := c.Vocabulary.Merges(cmd.Context(), limit)
			if err != nil {
				return fmt.Errorf("list the merges: %w", err)
			}
			return a.showAnswer("merges", func() {
				if len(list) == 0 {
					a.note("Nothing was merged.")
					return
				}
				g := show.NewGrid(show.Column{Name: "id", Right: true}, show.Column{Name: "type", Flex: true}, show.Column{Name: "into"}, show.Column{Name: "edges", Right: true}, show.Column{Name: "by"}, show.Column{Name: "state"})
				for _, m := range list {
					state := "stands"
					if m.UndoneAt != nil {
						state = "undone"
					}
					g.Add(strconv.Itoa(m.ID), m.Source, m.Target, show.Number(m.Edges), m.By, state)
				}
				a.writeGrid(g, nil)
			})
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "how many to list at most, 1 to 500")
	return cmd
}

func newVocabUndoCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "undo MERGE",
		Short:   "Undo a merge of relationship types",
		Example: `  kg vocab undo 3`,
		Args:    cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			id, err := numberOf(args[0], "the id of a merge", "")
			if err != nil {
				return err
			}
			report, err := c.Vocabulary.UndoMerge(cmd.Context(), id)
			if err != nil {
				return fmt.Errorf("undo the merge: %w", err)
			}
			return a.showAnswer("", func() { fmt.Fprintln(a.out, show.OneLine(report.Message)) })
		}),
	}
}

func newVocabReviewCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "review", Short: "Decide about relationship types that may mean the same", RunE: onlySubcommands}
	var status string
	list := &cobra.Command{
		Use:     "list",
		Short:   "List the pairs that wait for a decision",
		Example: `  kg vocab review list --status all`,
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			reviews, err := c.Vocabulary.Reviews(cmd.Context(), status)
			if err != nil {
				return fmt.Errorf("list the reviews: %w", err)
			}
			return a.showAnswer("reviews", func() {
				if len(reviews) == 0 {
					a.note("No pairs: kg vocab consolidate looks for them.")
					return
				}
				g := show.NewGrid(show.Column{Name: "type", Flex: true}, show.Column{Name: "into"}, show.Column{Name: "similarity", Right: true}, show.Column{Name: "status"}, show.Column{Name: "why"})
				for _, r := range reviews {
					g.Add(r.Source, r.Target, fmt.Sprintf("%.2f", r.Similarity), r.Status, r.Reason)
				}
				a.writeGrid(g, nil)
			})
		}),
	}
	list.Flags().StringVar(&status, "status", vocabulary.ReviewOpen, "open, accepted, rejected or all")
	cmd.AddCommand(list, a.newDecision("accept", "Merge a pair", true), a.newDecision("reject", "Leave a pair as it is, for good", false))
	return cmd
}

func (a *App) newDecision(use, short string, accept bool) *cobra.Command {
	return &cobra.Command{
		Use: use + " TYPE INTO", Short: short, Args: cobra.ExactArgs(2),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			if err := c.Vocabulary.DecideReview(cmd.Context(), args[0], args[1], accept); err != nil {
				return fmt.Errorf("decide the review: %w", err)
			}
			return a.showAnswer("", func() { a.note("Decided: %s %s %s.", use, show.OneLine(args[0]), show.OneLine(args[1])) })
		}),
	}
}

func newVocabRefreshCommand(a *App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:     "refresh-categories",
		Short:   "Sort relationship types into the categories that they are like, in a job",
		Example: `  kg vocab refresh-categories --all`,
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			reply, err := c.Vocabulary.RefreshCategories(cmd.Context(), !all)
			if err != nil {
				return fmt.Errorf("submit the job: %w", err)
			}
			return a.awaitResult(cmd.Context(), c, reply.JobID, func(raw json.RawMessage) {
				var done struct {
					Refreshed int `json:"refreshed_count"`
					Ambiguous int `json:"ambiguous_count"`
					Skipped   int `json:"skipped_count"`
				}
				_ = json.Unmarshal(raw, &done) // zeros say it too
				fmt.Fprintf(a.out, "%s sorted, %d of them like two categories; %d left as they are\n", show.Counted(done.Refreshed, "type"), done.Ambiguous, done.Skipped)
			})
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "also types whose category somebody gave")
	return cmd
}

func newVocabEmbedCommand(a *App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:     "generate-embeddings",
		Short:   "Embed relationship types, in a job",
		Example: `  kg vocab generate-embeddings --all`,
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			reply, err := c.Vocabulary.GenerateEmbeddings(cmd.Context(), !all)
			if err != nil {
				return fmt.Errorf("submit the job: %w", err)
			}
			return a.awaitResult(cmd.Context(), c, reply.JobID, func(raw json.RawMessage) {
				var done struct {
					Processed int `json:"processed_count"`
					Skipped   int `json:"skipped_count"`
				}
				_ = json.Unmarshal(raw, &done) // zeros say it too
				fmt.Fprintf(a.out, "%s embedded, %d left as they are\n", show.Counted(done.Processed, "type"), done.Skipped)
			})
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "all types, and not only those whose embedding is missing or stale")
	return cmd
}

func newVocabConfigCommand(a *App) *cobra.Command {
	var s vocabulary.Settings
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "Show or change how large the vocabulary may be",
		Example: "  kg vocab config --max 120 --profile linear",
		Args:    cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.IntVar(&s.Min, "min", 0, "types from which on there is something to merge")
	flags.IntVar(&s.Max, "max", 0, "types above which the vocabulary is too large")
	flags.IntVar(&s.Emergency, "emergency", 0, "types from which on no new one should be added")
	flags.StringVar(&s.Profile, "profile", "", "how the eagerness rises in between")
	flags.Float64Var(&s.AutoThreshold, "auto-threshold", 0, "from this similarity on types are merged without a person")
	flags.Float64Var(&s.ReviewThreshold, "review-threshold", 0, "from this similarity on they are proposed to one")
	cmd.RunE = a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
		changes := map[string]any{}
		for flag, change := range map[string]struct {
			name  string
			value any
		}{
			"min": {"vocab_min", s.Min}, "max": {"vocab_max", s.Max}, "emergency": {"vocab_emergency", s.Emergency}, "profile": {"aggressiveness_profile", s.Profile},
			"auto-threshold": {"auto_execute_threshold", s.AutoThreshold}, "review-threshold": {"review_threshold", s.ReviewThreshold},
		} {
			if flags.Changed(flag) {
				changes[change.name] = change.value
			}
		}
		now, err := c.Vocabulary.Settings(cmd.Context())
		if len(changes) > 0 {
			now, err = c.Vocabulary.SetSettings(cmd.Context(), changes)
		}
		if err != nil {
			return fmt.Errorf("configure the vocabulary: %w", err)
		}
		return a.showAnswer("", func() {
			fmt.Fprintf(a.out, "merged from %d types on, too large above %d, none is added from %d on (profile %s)\n", now.Min, now.Max, now.Emergency, show.OneLine(now.Profile))
			fmt.Fprintf(a.out, "merged without a person from a similarity of %.2f on, proposed from %.2f on\n", now.AutoThreshold, now.ReviewThreshold)
		})
	})
	return cmd
}
