package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// NewPolarityCommand returns kg polarity, which places concepts between two opposite
// ones.
func NewPolarityCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "polarity", Short: "Place concepts between two opposite ones", RunE: onlySubcommands}
	cmd.AddCommand(newPolarityAnalyzeCommand(a))
	return cmd
}

func newPolarityAnalyzeCommand(a *App) *cobra.Command {
	job := questions.NewPolarityJob()
	job.MaxHops = questions.DefaultPolarityHops
	var save bool
	cmd := &cobra.Command{
		Use:   "analyze POSITIVE NEGATIVE",
		Short: "Place concepts on the axis between two poles",
		Long: `Place concepts on the axis between two poles, by their embeddings: 1 is at the
positive pole, -1 at the negative one. A pole is an id, or a phrase. Without
--candidates some are searched for around both poles.

With --save-artifact a job does it, and its answer is kept: see kg artifacts.`,
		Example: "  kg polarity analyze \"pumped storage\" battery\n  kg polarity analyze worker heartbeat --hops 1 --candidates lane,slot --save-artifact",
		Args:    cobra.ExactArgs(2),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			if err := a.resolveAxis(cmd.Context(), c, args, &job.PolarityQuery); err != nil {
				return err
			}
			if save {
				return a.polarityJob(cmd.Context(), c, job)
			}
			result, err := c.Graph.Polarity(cmd.Context(), job.PolarityQuery)
			if err != nil {
				return fmt.Errorf("analyse the axis: %w", err)
			}
			return a.showAnswer("projections", func() { a.writePolarity(result) })
		}),
	}
	cmd.Flags().StringSliceVar(&job.Candidates, "candidates", nil, "the concepts to place, ids or phrases, with commas between them")
	addWithin(cmd, &job.Ontology)
	cmd.Flags().IntVar(&job.MaxHops, "hops", job.MaxHops, "how far the search for candidates goes, 1 to 3 relationships")
	addRelationships(cmd, &job.RelationshipFilter)
	cmd.Flags().IntVar(&job.MaxCandidates, "max-candidates", job.MaxCandidates, "how many candidates it may find, 1 to 100")
	cmd.Flags().Float64Var(&job.RandomShare, "random-share", job.RandomShare, "the share of them that is drawn at random, 0 to 1")
	cmd.Flags().IntVar(&job.TimeoutSeconds, "timeout", job.TimeoutSeconds, "how long the analysis may take, 1 to 600 seconds")
	cmd.Flags().BoolVar(&save, "save-artifact", false, "keep the answer as an artifact")
	return cmd
}

// resolveAxis fills in the concepts that the user means, once the rest is in order.
func (a *App) resolveAxis(ctx context.Context, c *client.Client, poles []string, q *questions.PolarityQuery) (err error) {
	wanted := *q
	wanted.PositivePole, wanted.NegativePole, wanted.Candidates = "a_1", "b_1", make([]string, len(q.Candidates))
	for i := range wanted.Candidates {
		wanted.Candidates[i] = "c_1" // whatever is meant will be the id of a concept
	}
	if err := wanted.Validate(); err != nil {
		return &exit.Error{Code: exit.Misused, Err: err}
	}
	if q.PositivePole, err = a.resolveWord(ctx, c, q.Ontology, poles[0]); err != nil {
		return err
	}
	if q.NegativePole, err = a.resolveWord(ctx, c, q.Ontology, poles[1]); err != nil {
		return err
	}
	for i, word := range q.Candidates {
		if q.Candidates[i], err = a.resolveWord(ctx, c, q.Ontology, word); err != nil {
			return err
		}
	}
	if err := q.Validate(); err != nil {
		return &exit.Error{Code: exit.Misused, Err: err}
	}
	return nil
}

// polarityJob has a job analyse the axis, follows it to its end, and shows what it has
// kept.
func (a *App) polarityJob(ctx context.Context, c *client.Client, job questions.PolarityJob) error {
	reply, err := c.Graph.SubmitPolarity(ctx, job)
	if err != nil {
		return fmt.Errorf("submit the analysis: %w", err)
	}
	return a.awaitArtifact(ctx, c, reply.JobID)
}

// awaitJob follows a job to its end, and returns it when it has completed.
func (a *App) awaitJob(ctx context.Context, c *client.Client, jobID string) (work.Job, error) {
	jobs := []follow.Job{{ID: jobID, Name: jobID}}
	outcomes, err := follow.New(c, follow.NewDisplay(a.screen(a.err), jobs)).Run(ctx, jobs)
	if err != nil {
		return work.Job{}, a.interrupted(err, jobs)
	}
	if err := follow.Broken(outcomes); err != nil {
		return work.Job{}, err
	}
	if err := follow.Verdict(outcomes); err != nil {
		return work.Job{}, err
	}
	done, err := c.Jobs.Get(ctx, jobID)
	if err != nil {
		return work.Job{}, fmt.Errorf("read the job: %w", err)
	}
	return done, nil
}

// awaitArtifact follows a job to its end, and shows the artifact that it has made.
func (a *App) awaitArtifact(ctx context.Context, c *client.Client, jobID string) error {
	done, err := a.awaitJob(ctx, c, jobID)
	if err != nil {
		return err
	}
	var result struct {
		ArtifactID *int `json:"artifact_id"`
	}
	if err := json.Unmarshal(done.Result, &result); err != nil || result.ArtifactID == nil {
		return fmt.Errorf("job %s has made no artifact", jobID)
	}
	a.note("kept as artifact %d", *result.ArtifactID)
	return a.showPayload(ctx, c, *result.ArtifactID)
}
