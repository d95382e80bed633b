package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func newEdgesShowCommand(a *App) *cobra.Command {
	q := questions.EdgeEvidenceQuery{}
	cmd := &cobra.Command{
		Use:   "show FROM TYPE TO",
		Short: "Show a relationship with the sentences that state it",
		Long: `Show a relationship with the sentences that state it, the surest first: each with the
words that name both ends, its document, page or section, and bytes, and the job and the
reader that found it, or the user who wrote it by hand. FROM and TO are ids of concepts, or
phrases, and the concepts that they mean are named on standard error.`,
		Example: "  kg edges show lane_1 CLAIMS job_12\n  kg edges show \"worker lane\" CLAIMS job --limit 5",
		Args:    cobra.ExactArgs(3),
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			wanted := q
			wanted.FromID, wanted.Type, wanted.ToID = "a", args[1], "a" // phrases are no ids yet
			return misused(wanted.Validate())
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			q.FromID, q.Type, q.ToID = args[0], args[1], args[2]
			if err := a.resolveIn(cmd.Context(), c, q.Ontology, &q.FromID, &q.ToID); err != nil {
				return err
			}
			found, err := c.Edges.Get(cmd.Context(), q)
			if err != nil {
				return fmt.Errorf("show the relationship: %w", err)
			}
			return a.showAnswer("evidence", func() { a.writeEdgeDetails(found) })
		}),
	}
	cmd.Flags().IntVar(&q.Limit, "limit", 20, "sentences at most, 1 to 200")
	cmd.Flags().IntVar(&q.Offset, "offset", 0, "leave out this many")
	addWithin(cmd, &q.Ontology)
	return cmd
}

// writeEdgeDetails shows a relationship, and of each sentence who found it.
func (a *App) writeEdgeDetails(e questions.EdgeDetails) {
	said := fmt.Sprintf("certain %.2f, %s in %s", e.Confidence, show.Counted(e.Total, "sentence"), show.Counted(e.Documents, "document"))
	a.writeRelationship(e.FromLabel, show.Arrow(e.Type, true), e.ToLabel, said)
	p := a.paint(a.out)
	for _, v := range e.Evidence {
		fmt.Fprintf(a.out, "\n%s\n", show.Statement(v, a.Out().Width(), p, "  "))
		fmt.Fprintln(a.out, p.Dim("    "+foundBy(v)))
	}
	switch shown := e.Offset + len(e.Evidence); {
	case e.Total == 0:
		a.note("No sentence is kept that states it.")
	case len(e.Evidence) == 0:
		a.note("There are only %s.", show.Counted(e.Total, "sentence"))
	case shown < e.Total:
		a.note("%s of %s; the next ones: --offset %d", show.Number(len(e.Evidence)), show.Counted(e.Total, "sentence"), shown)
	}
}

// foundBy says when a sentence was found, by which job and reader, and how certain it is.
func foundBy(e knowledge.EdgeEvidence) string {
	text := fmt.Sprintf("certain %.2f, %s", e.Confidence, show.When(&e.CreatedAt))
	if e.JobID != nil {
		text += ", by " + show.OneLine(*e.JobID)
	}
	if e.Reader != nil {
		text += " with " + show.OneLine(*e.Reader)
	}
	return text
}

// writeRelationship writes a relationship, and what is said of it.
func (a *App) writeRelationship(from, arrow, to, said string) {
	p := a.paint(a.out)
	fmt.Fprintf(a.out, "%s %s %s  %s\n", p.Bold(show.OneLine(from)), arrow, p.Bold(show.OneLine(to)), p.Dim(said))
}

// writeStatements writes the sentences that state a relationship, if there are any.
func (a *App) writeStatements(list []knowledge.EdgeEvidence, margin string) {
	for _, e := range list {
		fmt.Fprintln(a.out, show.Statement(e, a.Out().Width(), a.paint(a.out), margin))
	}
}

// showConcept shows the concept that q asks for by its id or a phrase.
func (a *App) showConcept(cmd *cobra.Command, c *client.Client, q questions.ConceptQuery) error {
	if err := a.resolveIn(cmd.Context(), c, q.Ontology, &q.ConceptID); err != nil {
		return err
	}
	concept, err := c.Concepts.Ask(cmd.Context(), q)
	if err != nil {
		return fmt.Errorf("show the concept: %w", err)
	}
	return a.showAnswer("", func() { a.writeConcept(concept) })
}

// addEvidence lets a command show the sentences that state relationships.
func addEvidence(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "evidence", false, "show the sentences that state each relationship, up to three")
}

// addWithin lets a command ask within one ontology.
func addWithin(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "ontology", "", "only what this ontology says")
}
