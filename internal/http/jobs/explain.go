package jobs

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

func (a *API) explainWait(ctx context.Context, in *jobInput) (work.JobWait, error) {
	job, err := http.PermittedJob(ctx, access.JobsRead, in.ID, a.cfg.Jobs.Job)
	if err != nil {
		return work.JobWait{}, err
	}
	facts, err := a.cfg.Jobs.WaitFacts(ctx, job)
	if err != nil {
		return work.JobWait{}, err
	}
	facts.Ceiling = a.cfg.MaxLaneSlots
	return facts.Explain(), nil
}

func (a *API) attempts(ctx context.Context, in *jobInput) (work.JobAttempts, error) {
	job, err := http.PermittedJob(ctx, access.JobsRead, in.ID, a.cfg.Jobs.Job)
	if err != nil {
		return work.JobAttempts{}, err
	}
	return a.cfg.Jobs.Attempts(ctx, job)
}
