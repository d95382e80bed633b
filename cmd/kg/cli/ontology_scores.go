package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/curation"
)

func newOntologyScoresCommand(a *App) *cobra.Command {
	var now bool
	cmd := &cobra.Command{
		Use: "scores [NAME]", Short: "Show how well ontologies stand by themselves, as last computed", Example: `  kg ontology scores --now
  kg ontology scores energy`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) (err error) {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			var list []curation.Scores
			switch {
			case now:
				list, err = c.Ontologies.Score(cmd.Context(), name)
			case name != "":
				var one curation.Scores
				one, err = c.Ontologies.ScoresOf(cmd.Context(), name)
				list = append(list, one)
			default:
				list, err = c.Ontologies.Scores(cmd.Context())
			}
			if err != nil {
				return fmt.Errorf("show the scores: %w", err)
			}
			return a.showAnswer("scores", func() { a.writeScores(list) })
		}),
	}
	cmd.Flags().BoolVar(&now, "now", false, "compute them anew")
	return cmd
}

func (a *App) writeScores(list []curation.Scores) {
	if len(list) == 0 {
		a.note("Nothing was scored yet: kg ontology scores --now does it.")
		return
	}
	g := show.NewGrid(show.Column{Name: "ontology", Flex: true}, show.Column{Name: "concepts", Right: true}, show.Column{Name: "mass", Right: true}, show.Column{Name: "coherence", Right: true},
		show.Column{Name: "exposure", Right: true}, show.Column{Name: "protection", Right: true}, show.Column{Name: "state"})
	for _, s := range list {
		g.Add(s.Name, show.Number(s.Concepts), hundredths(s.Mass), hundredths(s.Coherence), hundredths(s.WeightedExposure), hundredths(s.Protection), s.Lifecycle)
	}
	a.writeGrid(g, nil)
}

func hundredths(x float64) string { return fmt.Sprintf("%.2f", x) }

func newOntologyCandidatesCommand(a *App) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "candidates NAME", Short: "List the concepts that could be ontologies of their own", Example: `  kg ontology candidates energy --limit 5`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			list, err := c.Ontologies.Candidates(cmd.Context(), args[0], limit)
			if err != nil {
				return fmt.Errorf("list the candidates: %w", err)
			}
			return a.showAnswer("concepts", func() {
				if len(list) == 0 {
					a.note("None of its concepts has a relationship within it.")
					return
				}
				g := show.NewGrid(show.Column{Name: "concept", Flex: true}, show.Column{Name: "relationships", Right: true}, show.Column{Name: "centrality", Right: true}, show.Column{Name: "id"})
				for _, c := range list {
					g.Add(c.Label, show.Number(c.Degree), hundredths(c.Centrality), c.ConceptID)
				}
				a.writeGrid(g, nil)
			})
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "how many to list at most, 1 to 100")
	return cmd
}

func newOntologyAffinityCommand(a *App) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "affinity NAME", Short: "List the ontologies that share concepts with one", Example: `  kg ontology affinity energy --limit 5`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			list, err := c.Ontologies.Affinity(cmd.Context(), args[0], limit)
			if err != nil {
				return fmt.Errorf("compare the ontologies: %w", err)
			}
			return a.showAnswer("affinities", func() {
				if len(list) == 0 {
					a.note("It shares no concept with another ontology.")
					return
				}
				g := show.NewGrid(show.Column{Name: "ontology", Flex: true}, show.Column{Name: "shared", Right: true}, show.Column{Name: "affinity", Right: true})
				for _, o := range list {
					g.Add(o.OtherName, show.Number(o.Shared), hundredths(o.Similarity))
				}
				a.writeGrid(g, nil)
			})
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "how many to list at most, 1 to 100")
	return cmd
}

func newOntologyAnnealCommand(a *App) *cobra.Command {
	o := curation.NewAnnealing()
	cmd := &cobra.Command{
		Use: "anneal", Short: "Score all ontologies and propose which to join and which to split, in a job", Long: `Score all ontologies and propose which to join or to split, in a job. --dry-run only
says what it would propose, --automatic executes it without a person.`,
		Args:    cobra.NoArgs,
		Example: "  kg ontology anneal --dry-run",
		RunE: a.withChecked(func(*cobra.Command, []string) error { return misused(o.Validate("")) },
			func(cmd *cobra.Command, c *client.Client, _ []string) error {
				reply, err := c.Ontologies.Anneal(cmd.Context(), o)
				if err != nil {
					return fmt.Errorf("submit the job: %w", err)
				}
				return a.awaitResult(cmd.Context(), c, reply.JobID, a.writeAnnealed)
			}),
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.DryRun, "dry-run", false, "only say what would be proposed")
	flags.BoolVar(&o.Automatic, "automatic", false, "execute what is proposed, without a person")
	flags.IntVar(&o.MaxProposals, "max-proposals", o.MaxProposals, "how many to make at most, 0 to 100")
	flags.Float64Var(&o.DemotionThreshold, "demotion-threshold", o.DemotionThreshold, "below this protection an ontology is to go, 0 to 1")
	flags.Float64Var(&o.MergeThreshold, "merge-threshold", o.MergeThreshold, "from this share of its concepts on that another one has it is to join it, 0.1 to 1")
	flags.IntVar(&o.PromotionMinDegree, "promotion-degree", o.PromotionMinDegree, "relationships that the concept of a new ontology has at least")
	flags.Float64Var(&o.PromotionCentrality, "promotion-centrality", o.PromotionCentrality, "the share of the other concepts that it is related to at least, 0 to 1")
	return cmd
}

func (a *App) writeAnnealed(raw json.RawMessage) {
	var done struct {
		curation.Annealed
		Proposals []curation.Proposal `json:"proposals"`
	}
	if json.Unmarshal(raw, &done) != nil {
		return
	}
	for _, c := range done.Candidates.Demotions {
		fmt.Fprintf(a.out, "%s holds little: protection %.2f\n", show.OneLine(c.Ontology), c.Protection)
	}
	for _, c := range done.Candidates.Promotions {
		fmt.Fprintf(a.out, "%s has %d relationships within %s\n", show.OneLine(c.Concept), c.Degree, show.OneLine(c.Ontology))
	}
	for _, c := range done.Candidates.Merges {
		fmt.Fprintf(a.out, "%.0f %% of %s is in %s\n", 100*c.Affinity, show.OneLine(c.Ontology), show.OneLine(c.Target))
	}
	if len(done.Proposals) > 0 {
		a.writeProposals(done.Proposals)
	}
	made := "proposed"
	if done.DryRun {
		made = "would be proposed"
	}
	fmt.Fprintf(a.out, "%s %s", show.Counted(len(done.Proposals), "change"), made)
	if done.Dispatched > 0 {
		fmt.Fprintf(a.out, ", %d accepted at once", done.Dispatched)
	}
	fmt.Fprintln(a.out)
}
