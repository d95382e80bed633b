package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

func newOntologyShowCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Aliases: []string{"info"}, Short: "Show an ontology and what it holds", Example: `  kg ontology show demo`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			o, err := c.Ontologies.Get(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("show the ontology: %w", err)
			}
			return a.showAnswer("", func() {
				n := o.Statistics
				fmt.Fprintf(a.out, "%s  %s\n", a.paint(a.out).Bold(show.OneLine(o.Ontology)), o.Node.LifecycleState)
				if o.Node.Description != "" {
					fmt.Fprintln(a.out, show.OneLine(o.Node.Description))
				}
				fmt.Fprintf(a.out, "%s, %s, %s, %s, %s\n", show.Counted(n.Files, "file"), show.Counted(n.Sources, "chunk"), show.Counted(n.Concepts, "concept"),
					show.Counted(n.Instances, "quote"), show.Counted(n.Relationships, "relationship"))
			})
		}),
	}
}

func newOntologyFilesCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "files NAME", Short: "List the documents of an ontology", Example: `  kg ontology files demo`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			list, err := c.Ontologies.Files(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("list the files of the ontology: %w", err)
			}
			return a.showAnswer("files", func() {
				g := show.NewGrid(show.Column{Name: "file", Flex: true}, show.Column{Name: "chunks", Right: true}, show.Column{Name: "concepts", Right: true}, show.Column{Name: "document"})
				for _, f := range list.Files {
					g.Add(f.FilePath, show.Number(f.Chunks), show.Number(f.Concepts), shortHash(f.DocumentID))
				}
				a.writeGrid(g, nil)
			})
		}),
	}
}

func newOntologyCreateCommand(a *App) *cobra.Command {
	var description string
	cmd := &cobra.Command{Use: "create NAME", Short: "Create an ontology", Example: `  kg ontology create energy --description "Power stations and grids"`, Args: cobra.ExactArgs(1)}
	cmd.Flags().StringVar(&description, "description", "", "what it is about")
	cmd.RunE = a.withChecked(func(_ *cobra.Command, args []string) error {
		return misused(ontologies.NewOntology{Name: args[0], Description: description}.Validate())
	}, func(cmd *cobra.Command, c *client.Client, args []string) error {
		if _, err := c.Ontologies.Create(cmd.Context(), args[0], description); err != nil {
			return fmt.Errorf("create the ontology: %w", err)
		}
		return a.showAnswer("", func() { fmt.Fprintf(a.out, "%s was created\n", show.OneLine(args[0])) })
	})
	return cmd
}

func newOntologyRenameCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "rename NAME NEW_NAME", Short: "Rename an ontology, with its jobs", Example: `  kg ontology rename energy power`, Args: cobra.ExactArgs(2),
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error { return misused(ontologies.CheckRename(args[1])) },
			func(cmd *cobra.Command, c *client.Client, args []string) error {
				r, err := c.Ontologies.Rename(cmd.Context(), args[0], args[1])
				if err != nil {
					return fmt.Errorf("rename the ontology: %w", err)
				}
				return a.showAnswer("", func() {
					fmt.Fprintf(a.out, "%s is %s now, with %s\n", show.OneLine(r.OldName), show.OneLine(r.NewName), show.Counted(r.Sources, "chunk"))
				})
			}),
	}
}

func newOntologyLifecycleCommand(a *App) *cobra.Command {
	states := []string{ontologies.LifecycleActive, ontologies.LifecyclePinned, ontologies.LifecycleFrozen}
	return &cobra.Command{
		Use: "lifecycle NAME STATE", Short: "Freeze, pin or free an ontology: active, pinned or frozen", Example: `  kg ontology lifecycle energy frozen`, Args: cobra.ExactArgs(2), ValidArgs: states,
		Long: `Set the state of an ontology: active, pinned (maintenance leaves it as it is) or
frozen (read-only: nothing is ingested into it, and no document is deleted).`,
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error { return misused(ontologies.CheckLifecycle(args[1])) },
			func(cmd *cobra.Command, c *client.Client, args []string) error {
				change, err := c.Ontologies.SetLifecycle(cmd.Context(), args[0], args[1])
				if err != nil {
					return fmt.Errorf("change the ontology: %w", err)
				}
				return a.showAnswer("", func() {
					fmt.Fprintf(a.out, "%s: %s → %s\n", show.OneLine(change.Ontology), change.Previous, change.New)
				})
			}),
	}
}

func newOntologyKeepVersionsCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "keep-versions NAME NUMBER", Short: "Set how many earlier versions of its documents an ontology keeps", Example: `  kg ontology keep-versions energy 3`, Args: cobra.ExactArgs(2),
		Long: `Set of how many earlier versions of each document the texts stay readable: 0 to 1000, 10
by default. What there is beyond is forgotten at once, the oldest first.`,
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			n, err := strconv.Atoi(args[1])
			if err != nil {
				return exit.Usage("NUMBER must be a number, got %q", args[1])
			}
			return misused(ontologies.CheckKeepVersions(&n))
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			n, _ := strconv.Atoi(args[1]) // checked above
			change, err := c.Ontologies.KeepVersions(cmd.Context(), args[0], n)
			if err != nil {
				return fmt.Errorf("change the ontology: %w", err)
			}
			return a.showAnswer("", func() {
				fmt.Fprintf(a.out, "%s keeps %s (before: %d); %s forgotten\n", show.OneLine(change.Ontology), show.Counted(change.Keep, "earlier version"), change.Previous, show.Counted(change.Forgotten, "version"))
			})
		}),
	}
}

func newOntologyDeleteCommand(a *App) *cobra.Command {
	var yes, tombstone, dry bool
	cmd := &cobra.Command{
		Use: "delete NAME", Short: "Delete an ontology with all that no other one supports", Example: `  kg ontology delete energy --dry-run`, Args: cobra.ExactArgs(1),
		Long: `Delete an ontology: its documents, and every concept and relationship that no
other ontology supports. Jobs of it that have not started are cancelled. Unless
--yes is given, the size is shown first and a "yes" is asked for.`,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			if dry {
				r, err := c.Ontologies.PreviewDelete(cmd.Context(), args[0])
				if err != nil {
					return fmt.Errorf("preview the deletion of the ontology: %w", err)
				}
				return a.showAnswer("", func() {
					fmt.Fprintf(a.out, "%s would go, with %s and %s; %s would be cancelled\n", show.OneLine(r.Ontology), show.Counted(r.SourcesDeleted, "chunk"), show.Counted(r.ConceptsDeleted, "concept"), show.Counted(r.JobsCancelled, "job"))
				})
			}
			if !yes {
				o, err := c.Ontologies.Get(cmd.Context(), args[0])
				if err != nil {
					return fmt.Errorf("show the ontology: %w", err)
				}
				if err := a.confirm(fmt.Sprintf("Delete %s with %s. Type yes to go on: ", show.OneLine(o.Ontology), show.Counted(o.Statistics.Files, "document"))); err != nil {
					return err
				}
			}
			r, err := c.Ontologies.Delete(cmd.Context(), args[0], tombstone)
			if err != nil {
				return fmt.Errorf("delete the ontology: %w", err)
			}
			return a.showAnswer("", func() {
				if r.JobID != nil {
					fmt.Fprintf(a.out, "%s is large: job %s deletes it; see kg job show %s\n", show.OneLine(r.Ontology), *r.JobID, *r.JobID)
					return
				}
				fmt.Fprintf(a.out, "%s is gone, with %s and %s\n", show.OneLine(r.Ontology), show.Counted(r.SourcesDeleted, "chunk"), show.Counted(r.ConceptsDeleted, "concept"))
			})
		}),
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be deleted")
	cmd.Flags().BoolVar(&tombstone, "keep-tombstone", false, "keep the name from being ingested into again")
	return cmd
}

func newOntologyTombstonesCommand(a *App) *cobra.Command {
	var name string
	var all bool
	cmd := &cobra.Command{
		Use: "tombstones", Short: "List the names of deleted ontologies that stay blocked, or free them", Example: `  kg ontology tombstones
  kg ontology tombstones --clear energy`,
		Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			if name != "" || all {
				freed, err := c.Ontologies.ClearTombstones(cmd.Context(), name)
				if err != nil {
					return fmt.Errorf("clear tombstones: %w", err)
				}
				return a.showAnswer("", func() { fmt.Fprintf(a.out, "%s free again\n", show.Counted(freed.Flushed, "name")) })
			}
			list, err := c.Ontologies.Tombstones(cmd.Context())
			if err != nil {
				return fmt.Errorf("list tombstones: %w", err)
			}
			return a.showAnswer("tombstones", func() {
				g := show.NewGrid(show.Column{Name: "name", Flex: true}, show.Column{Name: "deleted by"}, show.Column{Name: "age", Right: true})
				for _, t := range list.Tombstones {
					g.Add(t.Name, orEmpty(t.RemovedBy), show.Age(t.RemovedAt.Time))
				}
				a.writeGrid(g, nil)
			})
		}),
	}
	cmd.Flags().StringVar(&name, "clear", "", "free this name")
	cmd.Flags().BoolVar(&all, "clear-all", false, "free all names")
	cmd.MarkFlagsMutuallyExclusive("clear", "clear-all")
	return cmd
}
