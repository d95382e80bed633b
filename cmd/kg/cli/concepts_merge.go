package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge"
)

func newConceptsMergeCommand(a *App) *cobra.Command {
	var m knowledge.NewConceptMerge
	cmd := &cobra.Command{
		Use:   "merge KEEP MERGE",
		Short: "Merge two concepts into one; it can be undone",
		Long: `Make two concepts one. The quotes, relationships and names of the second one go to
the first, which keeps its label. All that the second one was is kept, so that kg
concepts unmerge brings it back as it was.`,
		Example: "  kg concepts merge replica_7 read-replica_9 --dry-run",
		Args:    cobra.ExactArgs(2),
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			m.Keep, m.Merge = args[0], args[1]
			return misused(m.Validate())
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			made, err := c.Concepts.Merge(cmd.Context(), m)
			if err != nil {
				return fmt.Errorf("merge the concepts: %w", err)
			}
			return a.showAnswer("", func() {
				if made.DryRun {
					fmt.Fprintf(a.out, "%s would be %s from then on, with its %s and %s\n", show.OneLine(made.MergedLabel), show.OneLine(made.KeptLabel),
						show.Counted(orZero(made.InstancesMoved), "quote"), show.Counted(orZero(made.RelationshipsMoved), "relationship"))
					return
				}
				a.writeMerges([]knowledge.ConceptMerge{made})
			})
		}),
	}
	cmd.Flags().StringVar(&m.Reason, "reason", "", "why")
	cmd.Flags().BoolVar(&m.DryRun, "dry-run", false, "only say what would be merged")
	return cmd
}

func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func newConceptsUnmergeCommand(a *App) *cobra.Command {
	var block bool
	var id int
	cmd := &cobra.Command{
		Use:     "unmerge NUMBER",
		Short:   "Undo a merge of concepts",
		Example: `  kg concepts unmerge 3 --block`,
		Long: `Undo a merge: both concepts are as they were, apart from what was deleted since. What
was read since stays with the one that was kept. With --block matching never takes
the two for one again. kg concepts merges lists the numbers.`,
		Args: cobra.ExactArgs(1),
		RunE: a.withChecked(func(_ *cobra.Command, args []string) (err error) {
			id, err = numberOf(args[0], "the id of a merge", "kg concepts merges")
			return err
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			undone, err := c.Concepts.Unmerge(cmd.Context(), id, block)
			if err != nil {
				return fmt.Errorf("undo the merge: %w", err)
			}
			return a.showAnswer("", func() { a.writeMerges([]knowledge.ConceptMerge{undone}) })
		}),
	}
	cmd.Flags().BoolVar(&block, "block", false, "never take the two for one again")
	return cmd
}

func newConceptsMergesCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "merges [CONCEPT]", Short: "List merges of concepts, newest first", Example: `  kg concepts merges`, Args: cobra.MaximumNArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			list, err := c.Concepts.Merges(cmd.Context(), append(args, "")[0])
			if err != nil {
				return fmt.Errorf("list the merges: %w", err)
			}
			return a.showAnswer("merges", func() { a.writeMerges(list) })
		}),
	}
}

func (a *App) writeMerges(list []knowledge.ConceptMerge) {
	if len(list) == 0 {
		a.note("No merges.")
		return
	}
	g := show.NewGrid(columns("merge", "kept", "merged", "by", "undone", "reason")...)
	for _, m := range list {
		g.Add(strconv.Itoa(m.ID), m.Kept, m.Merged, m.By, show.When(m.UndoneAt), m.Reason)
	}
	a.writeGrid(g, nil)
}

func newConceptsSplitCommand(a *App) *cobra.Command {
	var s knowledge.NewConceptSplit
	var noBlock bool
	cmd := &cobra.Command{
		Use:     "split CONCEPT --label LABEL...",
		Short:   "Make a concept of its own of what is said under some labels",
		Example: `  kg concepts split glacier --label "ice sheet"`,
		Long: `Make a concept of its own of what documents say of a concept under some labels, which
kg concepts mentions lists. The quotes and relationships that belong to these labels
go with it. Matching never takes the two for one again, unless --no-block is given.`,
		Args: cobra.ExactArgs(1),
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			s.ConceptID, s.Block = args[0], !noBlock
			return misused(s.Validate())
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			made, err := c.Concepts.Split(cmd.Context(), s)
			if err != nil {
				return fmt.Errorf("split the concept: %w", err)
			}
			return a.showAnswer("", func() {
				if made.DryRun {
					fmt.Fprintf(a.out, "%s would be a concept of its own, with %s; %s stays\n", show.OneLine(made.NewLabel), show.Counted(made.Mentions, "mention"), show.OneLine(made.KeptLabel))
					return
				}
				g := show.NewGrid(columns("concept", "label")...)
				g.Add(made.Kept, made.KeptLabel)
				g.Add(made.New, made.NewLabel)
				a.writeGrid(g, nil)
			})
		}),
	}
	cmd.Flags().StringArrayVar(&s.Labels, "label", nil, "a label that goes; may be given several times")
	cmd.Flags().BoolVar(&s.DryRun, "dry-run", false, "only say what would be parted")
	cmd.Flags().BoolVar(&noBlock, "no-block", false, "let matching take the two for one again")
	cmd.Flags().StringVar(&s.Reason, "reason", "", "why")
	return cmd
}

func newConceptsMentionsCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "mentions CONCEPT", Short: "List what documents call a concept, and how that was found", Example: `  kg concepts mentions glacier`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			list, err := c.Concepts.Mentions(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("list the mentions: %w", err)
			}
			return a.showAnswer("mentions", func() {
				g := show.NewGrid(columns("label", "matched by", "score", "chunk", "ontology", "document")...)
				for _, m := range list {
					by, score := "-", ""
					if m.MatchedBy != nil {
						by = *m.MatchedBy
					}
					if m.Score != nil {
						score = fmt.Sprintf("%.2f", *m.Score)
					}
					g.Add(m.Label, by, score, strconv.Itoa(m.Chunk), m.Ontology, m.Filename)
				}
				a.writeGrid(g, nil)
			})
		}),
	}
}

func newConceptsBlockCommand(a *App) *cobra.Command {
	var b knowledge.NameBlock
	var remove, list bool
	cmd := &cobra.Command{
		Use:   "block [NAME NAME]",
		Short: "Keep two names from being matched as one concept",
		Args: func(_ *cobra.Command, args []string) error {
			if want := 2; len(args) != want && !(list && len(args) == 0) {
				return exit.Usage("two names are needed, or --list alone, got %d", len(args))
			}
			return nil
		},
		Example: "  kg concepts block Mercury 'Mercury (element)'\n  kg concepts block --list",
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			if list {
				blocked, err := c.Concepts.BlockedNames(cmd.Context())
				if err != nil {
					return fmt.Errorf("list blocked names: %w", err)
				}
				return a.showAnswer("blocks", func() {
					g := show.NewGrid(columns("name", "name", "by", "reason")...)
					for _, k := range blocked {
						g.Add(k.A, k.B, k.By, k.Reason)
					}
					a.writeGrid(g, nil)
				})
			}
			b.A, b.B = args[0], args[1]
			if remove {
				if err := c.Concepts.UnblockNames(cmd.Context(), b.A, b.B); err != nil {
					return fmt.Errorf("unblock the names: %w", err)
				}
				a.note("%s and %s may be one concept again.", b.A, b.B)
				return nil
			}
			if _, err := c.Concepts.BlockNames(cmd.Context(), b); err != nil {
				return fmt.Errorf("block the names: %w", err)
			}
			return a.showAnswer("", func() { a.note("%s and %s are never one concept.", b.A, b.B) })
		}),
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "let them be one concept again")
	cmd.Flags().BoolVar(&list, "list", false, "list the pairs that are blocked")
	cmd.Flags().StringVar(&b.Reason, "reason", "", "why")
	return cmd
}
