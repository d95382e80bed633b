package postgres

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// TellWaits has those who follow jobs know that these have begun to wait for a provider,
// and returns of how many jobs they do now. A job that somebody is writing is left for the
// next time.
func (s ProviderStore) TellWaits(ctx context.Context) (int, error) {
	ids, err := s.q().ProviderWaitsTell(ctx)
	if err != nil {
		return 0, translate(err, "say what jobs wait for")
	}
	if len(ids) > 0 {
		s.committed(ids...)
	}
	return len(ids), nil
}

// WarnWaits warns of jobs that have waited for a provider for longer than patience, of each
// once a wait, and returns them.
func (s ProviderStore) WarnWaits(ctx context.Context, patience time.Duration) ([]models.LateWait, error) {
	rows, err := s.q().ProviderWaitsWarn(ctx, patience)
	if err != nil {
		return nil, translate(err, "warn of jobs that wait for a provider")
	}
	late, ids := make([]models.LateWait, len(rows)), make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.JobID
		late[i] = models.LateWait{JobID: r.JobID, ProviderWait: models.ProviderWait{Provider: r.Provider, Reason: r.Reason, Since: kappa.At(r.Since), Until: kappa.At(r.Until)}}
	}
	if len(ids) > 0 {
		s.committed(ids...)
	}
	return late, nil
}

// ForgetWaits deletes what is of no use any more: the waits of jobs that have ended, and
// which calls were counted some minutes ago.
func (s ProviderStore) ForgetWaits(ctx context.Context) error {
	if err := s.q().ProviderWaitsForget(ctx); err != nil {
		return translate(err, "forget the waits of jobs that have ended")
	}
	return translate(s.q().ModelCallForget(ctx), "forget which calls to models were counted")
}

// addWaits adds to the providers how many jobs wait for them.
func addWaits(ctx context.Context, q *db.Queries, list []models.ProviderStatus, patience time.Duration) error {
	rows, err := q.ProviderWaits(ctx, patience)
	if err != nil {
		return err
	}
	for _, r := range rows {
		for i := range list {
			if list[i].Name == r.Provider {
				list[i].JobsWaiting, list[i].JobsOverdue, list[i].WaitingSince = int(r.Jobs), int(r.Overdue), new(kappa.At(r.Since))
			}
		}
	}
	return nil
}

// addModels adds to jobs what they have spent on calls to models, and for which provider
// they wait. Of jobs that never ran there is nothing to add.
func (s *base) addModels(ctx context.Context, jobs []work.Job) error {
	var ids []string
	for _, j := range jobs {
		if j.StartedAt != nil {
			ids = append(ids, j.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := s.q().JobsAtModels(ctx, ids)
	if err != nil {
		return translate(err, "read what jobs have spent")
	}
	byID := make(map[string]db.JobsAtModelsRow, len(rows))
	for _, r := range rows {
		byID[r.JobID] = r
	}
	for i := range jobs {
		r, found := byID[jobs[i].ID]
		if !found {
			continue
		}
		if r.Calls > 0 {
			jobs[i].Spent = &corpus.JobSpending{USD: r.Usd, Tokens: r.Tokens, Calls: int(r.Calls)}
		}
		active := jobs[i].Status == work.StatusApproved || jobs[i].Status == work.StatusProcessing
		if r.Provider != "" && active {
			jobs[i].WaitingFor = &models.ProviderWait{Provider: r.Provider, Reason: r.Reason, Since: kappa.At(r.Since), Until: kappa.At(r.Until)}
		}
	}
	return nil
}
