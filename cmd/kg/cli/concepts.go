package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// NewConceptsCommand returns kg concepts, which writes concepts by hand.
func NewConceptsCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "concepts", Aliases: []string{"concept"}, Short: "Create, edit, merge, split and delete concepts by hand", RunE: onlySubcommands}
	cmd.AddCommand(newConceptsCreateCommand(a), newConceptsShowCommand(a), newConceptsEditCommand(a), newConceptsDeleteCommand(a), newConceptsEvidenceCommand(a),
		newConceptsMergeCommand(a), newConceptsUnmergeCommand(a), newConceptsMergesCommand(a), newConceptsSplitCommand(a), newConceptsMentionsCommand(a), newConceptsLifetimeCommand(a), newConceptsBlockCommand(a),
		newConceptsNamesakesCommand(a), newConceptsApartCommand(a))
	return cmd
}

func (a *App) writeMadeConcept(c knowledge.WrittenConcept) {
	g := show.NewGrid(columns("concept", "made by", "ontologies", "label")...)
	g.Add(c.ConceptID, c.CreationMethod, strings.Join(c.Ontologies, ", "), c.Label)
	a.writeGrid(g, nil)
}

// provenanceFlag lets a command say who writes.
func provenanceFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "provenance", knowledge.CreatedByHuman, "who writes it: human or agent")
	completeWith(cmd, "provenance", knowledge.CreatedByHuman, knowledge.CreatedByAgent)
}

func newConceptsCreateCommand(a *App) *cobra.Command {
	var n client.NewConcept
	cmd := &cobra.Command{
		Use: "create LABEL", Short: "Create a concept, or find the one that is the same", Args: cobra.ExactArgs(1),
		Example: "  kg concepts create 'Write-ahead log' --ontology notes --description 'Records changes first' --term WAL",
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			n.Label = args[0]
			return misused(knowledge.Note{Ontology: n.Ontology, Provenance: n.Provenance, Concepts: []knowledge.NewConcept{n.NewConcept}}.Validate())
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			made, err := c.Concepts.Create(cmd.Context(), n)
			if err != nil {
				return fmt.Errorf("make the concept: %w", err)
			}
			return a.showAnswer("", func() {
				a.writeMadeConcept(made)
				if made.MatchedExisting {
					a.note("It was there before.")
				}
			})
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&n.Ontology, "ontology", "notes", "where it is kept; made when it is new")
	flags.StringVar(&n.Description, "description", "", "what it is")
	flags.StringArrayVar(&n.SearchTerms, "term", nil, "another name; may be given several times")
	flags.StringVar(&n.MatchingMode, "matching", knowledge.MatchAuto, "auto, force_create or match_only")
	completeWith(cmd, "matching", knowledge.MatchAuto, knowledge.MatchForce, knowledge.MatchOnly)
	provenanceFlag(cmd, &n.Provenance)
	return cmd
}

func newConceptsShowCommand(a *App) *cobra.Command {
	var evidence bool
	cmd := &cobra.Command{
		Use: "show CONCEPT", Short: "Show a concept as it can be edited", Example: `  kg concepts show glacier --evidence`, Args: cobra.ExactArgs(1),
		Long: `Show a concept as it can be edited. With --evidence it is shown as kg search show does,
with the sentences that state each of its relationships; CONCEPT may then be a phrase.`,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			if evidence {
				return a.showConcept(cmd, c, questions.ConceptQuery{ConceptID: args[0], IncludeEvidence: true})
			}
			found, err := c.Concepts.Written(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("show the concept: %w", err)
			}
			return a.showAnswer("", func() { a.writeMadeConcept(found) })
		}),
	}
	addEvidence(cmd, &evidence)
	return cmd
}

func newConceptsEditCommand(a *App) *cobra.Command {
	var label, description string
	var terms []string
	var edit knowledge.ConceptEdit
	cmd := &cobra.Command{
		Use: "edit CONCEPT", Short: "Change the label, the description or the other names of a concept", Example: `  kg concepts edit glacier --description "A body of ice that moves"`, Args: cobra.ExactArgs(1),
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("label") {
				edit.Label = &label
			}
			if cmd.Flags().Changed("description") {
				edit.Description = &description
			}
			if cmd.Flags().Changed("term") {
				edit.SearchTerms = &terms
			}
			return misused(edit.Validate())
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			changed, err := c.Concepts.Edit(cmd.Context(), args[0], edit)
			if err != nil {
				return fmt.Errorf("change the concept: %w", err)
			}
			return a.showAnswer("", func() { a.writeMadeConcept(changed) })
		}),
	}
	cmd.Flags().StringVar(&label, "label", "", "its name")
	cmd.Flags().StringVar(&description, "description", "", `what it is; "" for nothing`)
	cmd.Flags().StringArrayVar(&terms, "term", nil, "another name, in place of those that it has; may be given several times")
	return cmd
}

func newConceptsDeleteCommand(a *App) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use: "delete CONCEPT", Short: "Delete a concept with its quotes and relationships", Args: cobra.ExactArgs(1),
		Example: "  kg concepts delete replica_7 --dry-run",
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			if dry {
				r, err := c.Concepts.PreviewDelete(cmd.Context(), args[0])
				if err != nil {
					return fmt.Errorf("preview the deletion of the concept: %w", err)
				}
				return a.showAnswer("", func() {
					fmt.Fprintf(a.out, "%s would go, with %s and %s\n", show.OneLine(r.Label), show.Counted(r.InstancesDeleted, "quote"), show.Counted(r.RelationshipsDeleted, "relationship"))
				})
			}
			if err := c.Concepts.Delete(cmd.Context(), args[0]); err != nil {
				return fmt.Errorf("delete the concept: %w", err)
			}
			a.note("Deleted the concept %s.", show.Printable(args[0]))
			return nil
		}),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be deleted")
	return cmd
}

func newConceptsEvidenceCommand(a *App) *cobra.Command {
	var e client.Evidence
	cmd := &cobra.Command{
		Use: "evidence CONCEPT TEXT", Short: "Add a quote that shows a concept", Args: cobra.ExactArgs(2),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			e.Text = args[1]
			found, err := c.Concepts.AddEvidence(cmd.Context(), args[0], e)
			if err != nil {
				return fmt.Errorf("add the quote: %w", err)
			}
			return a.showAnswer("", func() { a.writeMadeConcept(found) })
		}),
	}
	cmd.Flags().StringVar(&e.Ontology, "ontology", "", "where it is kept (default that of the concept)")
	provenanceFlag(cmd, &e.Provenance)
	return cmd
}

// NewEdgesCommand returns kg edges, which shows relationships and writes them by hand.
func NewEdgesCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "edges", Aliases: []string{"edge"}, Short: "Show relationships with the sentences that state them; create, edit and delete them by hand", RunE: onlySubcommands}
	cmd.AddCommand(newEdgesShowCommand(a), newEdgeListCommand(a, "list"), newEdgesCreateCommand(a), newEdgesEditCommand(a), newEdgesDeleteCommand(a))
	return cmd
}

func (a *App) writeEdge(e knowledge.WrittenEdge) {
	g := show.NewGrid(columns("from", "type", "to", "confidence")...)
	g.Add(e.FromID, e.Type, e.ToID, fmt.Sprintf("%.2f", e.Confidence))
	a.writeGrid(g, nil)
}

func newEdgesCreateCommand(a *App) *cobra.Command {
	var n client.NewEdge
	var labels bool
	confidence := 1.0
	cmd := &cobra.Command{
		Use: "create FROM TYPE TO", Short: "Make a relationship between two concepts", Args: cobra.ExactArgs(3),
		Example: "  kg edges create replica_7 DEPENDS_ON write-ahead-log_3\n  kg edges create --labels Replica DEPENDS_ON 'Write-ahead log'",
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			n.Type, n.Confidence = args[1], &confidence
			if labels {
				n.FromLabel, n.ToLabel = args[0], args[2]
			} else {
				n.FromID, n.ToID = args[0], args[2]
			}
			return misused(knowledge.Note{Ontology: "x", Provenance: n.Provenance, Edges: []knowledge.NewEdge{n.NewEdge}}.Validate())
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			made, err := c.Edges.Create(cmd.Context(), n)
			if err != nil {
				return fmt.Errorf("make the relationship: %w", err)
			}
			return a.showAnswer("", func() { a.writeEdge(made.WrittenEdge) })
		}),
	}
	cmd.Flags().BoolVar(&labels, "labels", false, "FROM and TO are labels and not ids")
	cmd.Flags().Float64Var(&confidence, "confidence", 1, "0 to 1")
	cmd.Flags().StringVar(&n.Category, "category", "", "of a type that is new")
	cmd.Flags().StringVar(&n.Ontology, "ontology", "", "where it is kept (default that of the concept FROM)")
	provenanceFlag(cmd, &n.Provenance)
	return cmd
}

func newEdgesEditCommand(a *App) *cobra.Command {
	var confidence float64
	cmd := &cobra.Command{
		Use: "edit FROM TYPE TO", Short: "Set the confidence of a relationship", Example: `  kg edges edit battery PREVENTS blackout --confidence 0.9`, Args: cobra.ExactArgs(3),
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("confidence") {
				return exit.Usage("nothing to change: give --confidence")
			}
			return nil
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			changed, err := c.Edges.Edit(cmd.Context(), knowledge.WrittenEdge{FromID: args[0], Type: args[1], ToID: args[2], Confidence: confidence})
			if err != nil {
				return fmt.Errorf("change the relationship: %w", err)
			}
			return a.showAnswer("", func() { a.writeEdge(changed) })
		}),
	}
	cmd.Flags().Float64Var(&confidence, "confidence", 1, "0 to 1")
	return cmd
}

func newEdgesDeleteCommand(a *App) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use: "delete FROM TYPE TO", Short: "Delete a relationship", Args: cobra.ExactArgs(3),
		Example: "  kg edges delete replica_7 DEPENDS_ON write-ahead-log_3 --dry-run",
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			e := knowledge.WrittenEdge{FromID: args[0], Type: args[1], ToID: args[2]}
			if dry {
				r, err := c.Edges.PreviewDelete(cmd.Context(), e)
				if err != nil {
					return fmt.Errorf("preview the deletion of the relationship: %w", err)
				}
				return a.showAnswer("", func() {
					fmt.Fprintf(a.out, "%s %s %s would go, which %s\n", show.OneLine(r.FromID), show.Arrow(r.Type, true), show.OneLine(r.ToID), shows(r.EvidenceDeleted))
				})
			}
			if err := c.Edges.Delete(cmd.Context(), e); err != nil {
				return fmt.Errorf("delete the relationship: %w", err)
			}
			a.note("Deleted.")
			return nil
		}),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be deleted")
	return cmd
}

// shows says how many chunks show something.
func shows(chunks int) string {
	if chunks == 1 {
		return "1 chunk shows"
	}
	return show.Counted(chunks, "chunk") + " show"
}
