package jobs

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/work"
)

// ontologyRemover deletes an ontology in parts; see library.Remover.RemoveOntologyPart.
type ontologyRemover interface {
	RemoveOntologyPart(ctx context.Context, c work.Claim, job ontologies.RemovalJob, so ontologies.RemovalStep, next func(ontologies.RemovalStep) work.Checkpoint) (ontologies.RemovalStep, error)
}

type ontologyRemovalResult struct {
	Status   string `json:"status"`
	Ontology string `json:"ontology"`
	ontologies.RemovalStep
}

// NewOntologyRemoval returns the job type ontology_removal: it deletes a large ontology,
// each part in a transaction with its checkpoint, and yields after each. An attempt after
// one that was interrupted goes on with what is left. Until it is done the ontology is
// frozen, and stays so when the job is cancelled.
func NewOntologyRemoval(store ontologyRemover, retry work.Retrying) work.JobType {
	return typed(work.JobType{
		Name: ontologies.TypeRemoval, Summary: "Deletes a large ontology, part by part.", Lane: "maintenance", Permission: access.OntologiesDelete,
		Retryable: true,
	}, dataOf(ontologies.RemovalJob{}, `{"ontology_id": 1, "ontology": "name"}`, checkOntologyRemoval), func(ctx context.Context, c work.Claim, job ontologies.RemovalJob) (any, error) {
		var step ontologies.RemovalStep
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

func checkOntologyRemoval(job ontologies.RemovalJob) error {
	if job.ID < 1 || job.Name == "" {
		return kappa.Invalid(dataField("ontology_id", "must be the number of an ontology that DELETE /ontology/{name} was sent for, which makes the job"))
	}
	return nil
}

// removing is the checkpoint after a part.
func removing(s ontologies.RemovalStep) work.Checkpoint {
	state, _ := json.Marshal(s) // always encodes
	return work.Checkpoint{State: state, Emit: true, Progress: work.Progress{
		Stage: "deleting", Percent: work.PercentDone(s.Sources, s.Total), ItemsTotal: s.Total, ItemsProcessed: s.Sources,
	}}
}
