package jobs

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
)

// ontologyRemover deletes an ontology in parts; see library.Remover.RemoveOntologyPart.
type ontologyRemover interface {
	RemoveOntologyPart(ctx context.Context, c kappa.Claim, job kappa.OntologyRemovalJob, so kappa.OntologyRemovalStep, next func(kappa.OntologyRemovalStep) kappa.Checkpoint) (kappa.OntologyRemovalStep, error)
}

type ontologyRemovalResult struct {
	Status   string `json:"status"`
	Ontology string `json:"ontology"`
	kappa.OntologyRemovalStep
}

// NewOntologyRemoval returns the job type ontology_removal: it deletes a large ontology,
// each part in a transaction with its checkpoint, and yields after each. An attempt after
// one that was interrupted goes on with what is left. Until it is done the ontology is
// frozen, and stays so when the job is cancelled.
func NewOntologyRemoval(store ontologyRemover, retry kappa.Retrying) kappa.JobType {
	return typed(kappa.JobType{
		Name: kappa.TypeOntologyRemoval, Summary: "Deletes a large ontology, part by part.", Lane: "maintenance", Permission: kappa.OntologiesDelete,
		Retryable: true,
	}, dataOf(kappa.OntologyRemovalJob{}, `{"ontology_id": 1, "ontology": "name"}`, checkOntologyRemoval), func(ctx context.Context, c kappa.Claim, job kappa.OntologyRemovalJob) (any, error) {
		var step kappa.OntologyRemovalStep
		if _, err := resume(c, &step); err != nil {
			return nil, err
		}
		for !step.Finished {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			err := retry(ctx, "delete a part of an ontology", func(ctx context.Context) (err error) {
				step, err = store.RemoveOntologyPart(ctx, c, job, step, removing)
				return err
			})
			if err != nil {
				return nil, err
			}
		}
		return ontologyRemovalResult{"completed", job.Name, step}, nil
	})
}

func checkOntologyRemoval(job kappa.OntologyRemovalJob) error {
	if job.ID < 1 || job.Name == "" {
		return kappa.Invalid(dataField("ontology_id", "must be the number of an ontology that DELETE /ontology/{name} was sent for, which makes the job"))
	}
	return nil
}

// removing is the checkpoint after a part.
func removing(s kappa.OntologyRemovalStep) kappa.Checkpoint {
	state, _ := json.Marshal(s) // always encodes
	return kappa.Checkpoint{State: state, Emit: true, Progress: kappa.Progress{
		Stage: "deleting", Percent: kappa.PercentDone(s.Sources, s.Total), ItemsTotal: s.Total, ItemsProcessed: s.Sources,
	}}
}
