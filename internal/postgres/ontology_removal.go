package postgres

import (
	"context"
	"math"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/work"
)

// BeginRemoval returns the job that is to delete an ontology with more than
// ontologies.RemovedAtOnce chunks, and how many of its jobs that had not started it has
// cancelled; nil for a smaller one, which it leaves as it is. Until the job has deleted it,
// the ontology is frozen. It returns the errors of RemoveOntology.
func (s OntologyStore) BeginRemoval(ctx context.Context, r ontologies.Removal) (job *ontologies.RemovalJob, out ontologies.Removed, err error) {
	out = ontologies.Removed{Ontology: r.Name}
	var cancelled []string
	err = inTx(ctx, s.graph, func(q *db.Queries) error {
		job = nil
		row, err := s.find(ctx, q, r.Name)
		if err != nil {
			return err
		}
		chunks, err := q.OntologyChunks(ctx, row.ID, ontologies.RemovedAtOnce+1)
		if err != nil || chunks <= ontologies.RemovedAtOnce {
			return err
		}
		job = &ontologies.RemovalJob{ID: int(row.ID), Name: r.Name, KeepTombstone: r.KeepTombstone, RemovedBy: r.RemovedBy}
		if r.DryRun {
			return countRemoval(ctx, q, row.ID, &out)
		}
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		if cancelled, err = cancelQueued(ctx, q, r.Name); err != nil {
			return err
		}
		if err := notReading(ctx, q, r.Name); err != nil {
			return err
		}
		if _, err := q.OntologyLifecycle(ctx, ontologies.LifecycleFrozen, r.Name); err != nil {
			return err
		}
		return record(ctx, q, ontologyAct("delete", r.Name, toNode(row), map[string]bool{"by_job": true}))
	})
	if err != nil {
		return nil, out, translate(err, "delete an ontology")
	}
	if !r.DryRun {
		out.JobsCancelled = len(cancelled)
	}
	s.committed(cancelled...)
	return job, out, nil
}

// countRemoval counts what would go with a large ontology, without a lock.
func countRemoval(ctx context.Context, q *db.Queries, id int32, out *ontologies.Removed) error {
	chunks, err := q.OntologyChunks(ctx, id, math.MaxInt32)
	if err != nil {
		return err
	}
	concepts, err := q.OntologyAlone(ctx, id)
	if err != nil {
		return err
	}
	queued, err := q.OntologyQueued(ctx, out.Ontology)
	out.SourcesDeleted, out.ConceptsDeleted, out.JobsCancelled = int(chunks), int(concepts), len(queued)
	return err
}

// RemoveOntologyPart deletes the next part of an ontology under the claim, in one
// transaction with the checkpoint that next makes: up to ontologies.RemovedAtOnce chunks with
// what nothing else shows, and with the last of them the ontology. Like RemoveDocument it
// changes nothing and returns texts when it needs their embeddings. One that is gone is
// finished. It returns ErrStale and ErrCancelled as Checkpoint does, and CodeConflict when
// the ontology was unfrozen: its deletion was given up.
func (s OntologyStore) RemoveOntologyPart(ctx context.Context, c work.Claim, job ontologies.RemovalJob, so ontologies.RemovalStep, embedded knowledge.NewEmbeddings, next func(ontologies.RemovalStep) work.Checkpoint) (step ontologies.RemovalStep, missing []string, err error) {
	var done saved
	err = inTx(ctx, s.graph, func(q *db.Queries) error {
		step = so
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		w := remover{q: q, embedded: embedded}
		if err := removePart(ctx, &w, job, &step); err != nil {
			return err
		}
		if missing = w.missing; len(missing) > 0 {
			return errMissingEmbeddings
		}
		if err := raiseEpoch(ctx, q, change{kind: knowledge.EpochEdit, act: "ontology.delete", object: job.Name, job: c.JobID}); err != nil {
			return err
		}
		if err := fence(ctx, q, c); err != nil {
			return err
		}
		done, err = checkpoint(ctx, q, c, next(step))
		return err
	})
	switch {
	case len(missing) > 0:
		return so, missing, nil
	case err != nil:
		return so, nil, translate(err, "delete a part of an ontology")
	}
	_ = s.announce(done) // the next call says it when the job was asked to stop meanwhile
	return step, nil, nil
}

func removePart(ctx context.Context, w *remover, job ontologies.RemovalJob, step *ontologies.RemovalStep) error {
	row, err := w.q.OntologyHold(ctx, rowID(job.ID))
	switch {
	case isNoRows(err):
		step.Finished = true
		return nil
	case err != nil:
		return err
	case row.LifecycleState != ontologies.LifecycleFrozen:
		return kappa.Permanent(conflict("Ontology '%s' is %s: its deletion was given up. Delete it again if it is to go.", row.Name, row.LifecycleState))
	}
	if step.Total == 0 {
		total, err := w.q.OntologyChunks(ctx, row.ID, math.MaxInt32)
		if err != nil {
			return err
		}
		step.Total = int(total)
	}
	sources, err := w.q.OntologyLastSources(ctx, row.ID, ontologies.RemovedAtOnce)
	if err != nil {
		return err
	}
	if err := w.chunks(ctx, sources); err != nil {
		return err
	}
	if err := w.q.OntologyPruneDocuments(ctx, row.ID); err != nil {
		return err
	}
	step.Sources, step.Concepts = step.Sources+w.sources, step.Concepts+w.concepts
	if len(sources) == ontologies.RemovedAtOnce {
		return nil
	}
	step.Finished = true
	if err := w.q.OntologyDelete(ctx, row.ID); err != nil {
		return err
	}
	step.TombstoneCleared, err = bury(ctx, w.q, ontologies.Removal{Name: row.Name, KeepTombstone: job.KeepTombstone, RemovedBy: job.RemovedBy})
	return err
}
