package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/curation"
)

func newOntologyProposalsCommand(a *App) *cobra.Command {
	f := curation.ProposalFilter{}
	cmd := &cobra.Command{
		Use: "proposals", Short: "List the proposals to join or to split ontologies, newest first", Example: `  kg ontology proposals --status pending --type merge --ontology energy --limit 20`, Args: cobra.NoArgs,
		RunE: a.withChecked(func(*cobra.Command, []string) error { return misused(f.Validate()) },
			func(cmd *cobra.Command, c *client.Client, _ []string) error {
				list, err := c.Proposals.List(cmd.Context(), f)
				if err != nil {
					return fmt.Errorf("list the proposals: %w", err)
				}
				return a.showAnswer("proposals", func() {
					if len(list) == 0 {
						a.note("No such proposals: kg ontology anneal makes them.")
						return
					}
					a.writeProposals(list)
				})
			}),
	}
	cmd.Flags().StringVar(&f.Status, "status", "", "only those in this state, such as pending")
	cmd.Flags().StringVar(&f.Kind, "type", "", "promotion, demotion, merge or reassignment")
	cmd.Flags().StringVar(&f.Ontology, "ontology", "", "only those about this ontology")
	cmd.Flags().IntVar(&f.Limit, "limit", 50, "how many to list at most, 1 to 500")
	completeWith(cmd, "status", curation.ProposalStatuses()...)
	completeWith(cmd, "type", curation.ProposalPromotion, curation.ProposalDemotion, curation.ProposalMerge, curation.ProposalReassignment)
	return cmd
}

func (a *App) writeProposals(list []curation.Proposal) {
	g := show.NewGrid(show.Column{Name: "id", Right: true}, show.Column{Name: "type"}, show.Column{Name: "ontology"}, show.Column{Name: "into"}, show.Column{Name: "state"}, show.Column{Name: "why", Flex: true})
	for _, p := range list {
		id, state := "–", "–" // of a dry run
		if p.ID != 0 {
			id = strconv.Itoa(p.ID)
		}
		if p.Status != "" {
			state = p.Status
		}
		g.Add(id, p.Kind, p.Ontology, intoOntology(p), state, p.Reasoning)
	}
	a.writeGrid(g, nil)
}

// intoOntology is where a proposal moves to: an ontology, or one that is new.
func intoOntology(p curation.Proposal) string {
	if p.Target != nil {
		return *p.Target
	}
	return orEmpty(p.SuggestedName)
}

func newOntologyProposalCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "proposal", Short: "Show, accept, reject or undo a proposal", RunE: onlySubcommands}
	one := &cobra.Command{
		Use: "show ID", Short: "Show a proposal, and what has become of it", Example: `  kg ontology proposal show 3`, Args: cobra.ExactArgs(1),
		RunE: a.withProposal(func(ctx context.Context, c *client.Client, id int) (curation.Proposal, error) {
			return c.Proposals.Get(ctx, id)
		}),
	}
	undo := &cobra.Command{
		Use: "undo ID", Short: "Undo what a proposal has changed", Example: `  kg ontology proposal undo 3`, Args: cobra.ExactArgs(1),
		RunE: a.withProposal(func(ctx context.Context, c *client.Client, id int) (curation.Proposal, error) {
			return c.Proposals.Undo(ctx, id)
		}),
	}
	cmd.AddCommand(one, newProposalReviewCommand(a), undo)
	return cmd
}

// withProposal runs do with the number of a proposal, and shows what it returns.
func (a *App) withProposal(do func(ctx context.Context, c *client.Client, id int) (curation.Proposal, error)) func(*cobra.Command, []string) error {
	return a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
		id, err := numberOf(args[0], "the id of a proposal", "")
		if err != nil {
			return err
		}
		p, err := do(cmd.Context(), c, id)
		if err != nil {
			return fmt.Errorf("%s proposal %d: %w", cmd.Name(), id, err)
		}
		return a.showAnswer("", func() { a.writeProposal(p) })
	})
}

func (a *App) writeProposal(p curation.Proposal) {
	fmt.Fprintf(a.out, "%d  %s of %s into %s: %s\n%s\n", p.ID, show.OneLine(p.Kind), a.paint(a.out).Bold(show.OneLine(p.Ontology)), show.OneLine(intoOntology(p)), show.OneLine(p.Status), show.OneLine(p.Reasoning))
	if p.ReviewedBy != nil {
		fmt.Fprintf(a.out, "reviewed by %s %s\n", show.OneLine(*p.ReviewedBy), show.OneLine(orEmpty(p.Notes)))
	}
	if p.JobID != nil {
		fmt.Fprintf(a.out, "executed by %s\n", show.OneLine(*p.JobID))
	}
	if p.UndoneBy != nil {
		fmt.Fprintf(a.out, "undone by %s\n", show.OneLine(*p.UndoneBy))
	}
}

func newProposalReviewCommand(a *App) *cobra.Command {
	var approve, reject, dry bool
	var notes string
	cmd := &cobra.Command{
		Use: "review ID", Short: "Accept a proposal, which executes it in a job, or reject it", Args: cobra.ExactArgs(1),
		Example: "  kg ontology proposal review 3 --approve",
	}
	run := a.withProposal(func(ctx context.Context, c *client.Client, id int) (curation.Proposal, error) {
		if dry {
			return c.Proposals.Get(ctx, id)
		}
		p, err := c.Proposals.Review(ctx, id, approve, notes)
		if err != nil || !approve || p.JobID == nil {
			return p, err
		}
		if _, err := a.awaitJob(ctx, c, *p.JobID); err != nil {
			return p, err
		}
		return c.Proposals.Get(ctx, id)
	})
	cmd.RunE = run
	cmd.Flags().BoolVar(&approve, "approve", false, "execute it")
	cmd.Flags().BoolVar(&reject, "reject", false, "leave the ontologies as they are; the same is not proposed again")
	cmd.Flags().StringVar(&notes, "notes", "", "why, for those who ask later")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "decide nothing, only show the proposal")
	cmd.MarkFlagsOneRequired("approve", "reject")
	cmd.MarkFlagsMutuallyExclusive("approve", "reject")
	return cmd
}
