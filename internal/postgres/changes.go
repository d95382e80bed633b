package postgres

import (
	"context"
	"math"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// Changes returns what the graph has gained and lost since a moment, as of one moment. It returns
// CodeNotFound for an epoch and a job that are not known, and CodeConflict for a job that has not ended.
func (s EpochStore) Changes(ctx context.Context, c knowledge.ChangesQuery) (knowledge.Changes, error) {
	out := knowledge.Changes{Limit: c.Limit, Offset: c.Offset}
	if c.Ontology != "" {
		out.Ontology = &c.Ontology
	}
	err := GraphStore(s).View(ctx, func(v *GraphSnapshot) error {
		since, err := momentOf(ctx, v.q, c)
		if err != nil {
			return err
		}
		now, err := v.q.ChangesNow(ctx)
		if err != nil {
			return err
		}
		out.Since, out.Until, out.Epoch = kappa.At(since), kappa.At(now.At), now.Epoch
		r := changesReader{q: v.q, since: since, query: c, out: &out}
		for _, read := range []func(context.Context) error{r.totals, r.documents, r.concepts, r.relationships} {
			if err := read(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	return out, translate(err, "read what has changed")
}

// momentOf returns the moment that a question names.
func momentOf(ctx context.Context, q *db.Queries, c knowledge.ChangesQuery) (time.Time, error) {
	at, epoch, job, _ := c.Moment()
	switch {
	case at != nil:
		return at.Time, nil
	case job != "":
		ended, err := q.ChangesOfJob(ctx, job)
		if err == nil && ended.Unix() == 0 {
			return ended, conflict("Job %s is not known, or has not changed the graph yet", job)
		}
		return ended, err
	case epoch == 0:
		return time.Unix(0, 0), nil
	}
	began, err := q.ChangesOfEpoch(ctx, epoch)
	if isNoRows(err) {
		return began, notFound("Epoch not found: %d", epoch)
	}
	return began, err
}

// changesReader reads one answer.
type changesReader struct {
	q     *db.Queries
	since time.Time
	query knowledge.ChangesQuery
	out   *knowledge.Changes
}

func (r changesReader) page() (skip, most int32) { return int32(r.query.Offset), int32(r.query.Limit) }

func (r changesReader) totals(ctx context.Context) error {
	n, err := r.q.ChangesTotals(ctx, r.since, r.query.Ontology)
	r.out.Documents.GainedTotal = int(n.Documents)
	r.out.Concepts.GainedTotal, r.out.Concepts.LostTotal, r.out.Concepts.RemovedIn = int(n.Concepts), int(n.LostConcepts), int(n.ConceptsRemoved)
	r.out.Relationships.GainedTotal, r.out.Relationships.LostTotal, r.out.Relationships.RemovedIn = int(n.Relationships), int(n.LostRelationships), int(n.RelationshipsRemoved)
	most := max(n.Documents, n.Concepts, n.LostConcepts, n.Relationships, n.LostRelationships)
	r.out.HasMore = int(most) > r.query.Offset+r.query.Limit
	return err
}

func (r changesReader) documents(ctx context.Context) error {
	skip, most := r.page()
	rows, err := r.q.ChangesDocuments(ctx, db.ChangesDocumentsParams{Since: r.since, Ontology: r.query.Ontology, Skip: skip, Most: most})
	if err != nil {
		return err
	}
	list := make([]knowledge.ChangedDocument, len(rows))
	for i, d := range rows {
		list[i] = knowledge.ChangedDocument{
			DocumentID: d.DocumentID, Filename: d.Filename, Ontology: d.Ontology, Version: int(d.Version), JobID: d.JobID, At: kappa.At(d.CreatedAt),
		}
		if d.SourcePath != "" {
			list[i].SourcePath = &d.SourcePath
		}
		if d.Before != 0 {
			list[i].Before = new(int(d.Before))
		}
	}
	r.out.Documents.Gained, r.out.Documents.Lost = list, []knowledge.RemovedDocument{}
	if r.query.Ontology != "" {
		return nil
	}
	removed, err := r.q.ChangesRemoved(ctx, r.since, skip, most)
	for _, d := range removed {
		r.out.Documents.Lost = append(r.out.Documents.Lost, knowledge.RemovedDocument{DocumentID: d.DocumentID, At: kappa.At(d.At)})
	}
	r.out.HasMore = r.out.HasMore || len(removed) == r.query.Limit
	return err
}

func (r changesReader) concepts(ctx context.Context) error {
	skip, most := r.page()
	gained, err := r.q.ChangesConcepts(ctx, db.ChangesConceptsParams{Since: r.since, Ontology: r.query.Ontology, Skip: skip, Most: most})
	if err != nil {
		return err
	}
	lost, err := r.q.ChangesConceptsLost(ctx, db.ChangesConceptsLostParams{Since: r.since, Ontology: r.query.Ontology, Skip: skip, Most: most})
	if err != nil {
		return err
	}
	r.out.Concepts.Gained, r.out.Concepts.Lost = []knowledge.GainedConcept{}, []knowledge.LostConcept{}
	for _, c := range gained {
		r.out.Concepts.Gained = append(r.out.Concepts.Gained, knowledge.GainedConcept{ConceptID: c.ConceptID, Label: c.Label, At: kappa.At(c.CreatedAt)})
	}
	for _, c := range lost {
		x := knowledge.LostConcept{GainedConcept: knowledge.GainedConcept{ConceptID: c.ConceptID, Label: c.Label, At: kappa.At(c.At)}, DocumentID: c.DocumentID, Filename: c.Filename}
		if c.MergedInto != "" {
			x.MergedInto = &c.MergedInto
		}
		r.out.Concepts.Lost = append(r.out.Concepts.Lost, x)
	}
	return nil
}

func (r changesReader) relationships(ctx context.Context) error {
	skip, most := r.page()
	gained, err := r.q.ChangesRelationships(ctx, db.ChangesRelationshipsParams{Since: r.since, Ontology: r.query.Ontology, Skip: skip, Most: most})
	if err != nil {
		return err
	}
	lost, err := r.q.ChangesRelationshipsLost(ctx, db.ChangesRelationshipsLostParams{Since: r.since, Ontology: r.query.Ontology, Skip: skip, Most: most})
	if err != nil {
		return err
	}
	r.out.Relationships.Gained, r.out.Relationships.Lost = []knowledge.ChangedRelationship{}, []knowledge.ChangedRelationship{}
	for _, e := range gained {
		r.out.Relationships.Gained = append(r.out.Relationships.Gained, changedRelationship(db.ChangesRelationshipsLostRow{
			FromID: e.FromID, FromLabel: e.FromLabel, Type: e.Type, ToID: e.ToID, ToLabel: e.ToLabel, Confidence: e.Confidence, At: e.CreatedAt,
		}))
	}
	for _, e := range lost {
		r.out.Relationships.Lost = append(r.out.Relationships.Lost, changedRelationship(e))
	}
	return nil
}

func changedRelationship(e db.ChangesRelationshipsLostRow) knowledge.ChangedRelationship {
	return knowledge.ChangedRelationship{
		FromID: e.FromID, FromLabel: e.FromLabel, Type: e.Type, ToID: e.ToID, ToLabel: e.ToLabel, Confidence: math.Round(float64(e.Confidence)*1000) / 1000, At: kappa.At(e.At),
	}
}
