package postgres

import (
	"context"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/work"
)

// AnnealingStore measures ontologies, keeps what is proposed about them, and moves what
// they hold.
type AnnealingStore struct{ *base }

// Annealing returns the store of the scores and proposals of ontologies.
func (d *DB) Annealing() AnnealingStore { return AnnealingStore{&d.base} }

// AnnealingOntologies returns the ontologies without what they hold, by their numbers, and
// the graph's epoch; for a name only that one, or CodeNotFound.
func (s AnnealingStore) AnnealingOntologies(ctx context.Context, name string) (list []curation.Measures, epoch int64, err error) {
	if inNoRow(name) {
		return nil, 0, ontologyNotFound(name)
	}
	q := db.New(s.graph)
	if epoch, err = q.GraphEpoch(ctx); err != nil {
		return nil, 0, translate(err, "read the epoch")
	}
	rows, err := q.AnnealingOntologies(ctx, name)
	for _, r := range rows {
		list = append(list, curation.Measures{ID: int(r.ID), Name: r.Name, Lifecycle: r.LifecycleState, Created: r.CreationEpoch})
	}
	if err == nil && name != "" && len(list) == 0 {
		return nil, 0, ontologyNotFound(name)
	}
	return list, epoch, translate(err, "list ontologies")
}

// GraphEpoch returns how often the graph has changed.
func (s AnnealingStore) GraphEpoch(ctx context.Context) (int64, error) {
	epoch, err := db.New(s.graph).GraphEpoch(ctx)
	return epoch, translate(err, "read the epoch of the graph")
}

// MeasureOntology returns what an ontology holds, and embeddings of up to most of its
// concepts by a model, always of the same ones.
func (s AnnealingStore) MeasureOntology(ctx context.Context, o curation.Measures, model string, most int) (curation.Measures, []models.Embedding, error) {
	q := db.New(s.graph)
	m, err := q.OntologyMeasures(ctx, int32(o.ID))
	if err != nil {
		return o, nil, translate(err, "measure an ontology")
	}
	o.Files, o.Sources, o.Concepts, o.Evidence = int(m.Files), int(m.Sources), int(m.Concepts), int(m.Evidence)
	o.Internal, o.Crossing = int(m.InternalEdges), int(m.CrossingEdges)
	rows, err := q.OntologyVectors(ctx, model, int32(o.ID), int32(most))
	vectors := make([]models.Embedding, len(rows))
	for i, v := range rows {
		vectors[i] = v
	}
	return o, vectors, translate(err, "read the embeddings of an ontology")
}

// Affinities returns how many concepts every two ontologies share, from both sides, those
// that share the most first; of one ontology, or for 0 of all.
func (s AnnealingStore) Affinities(ctx context.Context, id int) ([]curation.Affinity, error) {
	rows, err := db.New(s.graph).OntologyAffinities(ctx, int32(id))
	list := make([]curation.Affinity, len(rows))
	for i, r := range rows {
		list[i] = curation.Affinity{
			Ontology: int(r.Ontology), Other: int(r.Other), OtherName: r.OtherName, Shared: int(r.Shared), Concepts: int(r.Concepts), OfOther: int(r.OfOther),
			Similarity: float64(r.Shared) / float64(r.Concepts),
		}
	}
	return list, translate(err, "compare ontologies")
}

// mostDegrees is how many concepts of an ontology are remembered with their degrees.
const mostDegrees = 100

// Degrees returns the concepts of an ontology with the most relationships within it, up to 100.
// They are counted again only when the graph has changed.
func (s AnnealingStore) Degrees(ctx context.Context, id, most int) ([]curation.ConceptDegree, error) {
	var rows []db.OntologyDegreesRow
	err := GraphStore(s).View(ctx, func(view *GraphSnapshot) (err error) {
		rows, err = s.memory.degrees.of(int32(id)).at(ctx, view, func(*[]db.OntologyDegreesRow, graphTouch) ([]db.OntologyDegreesRow, error) {
			return view.q.OntologyDegrees(ctx, mostDegrees, int32(id))
		})
		return err
	})
	rows = rows[:min(most, len(rows))]
	list := make([]curation.ConceptDegree, len(rows))
	for i, r := range rows {
		list[i] = curation.ConceptDegree{
			ID: int(r.ID), ConceptID: r.ConceptID, Label: r.Label, Degree: int(r.Degree), Out: int(r.Leaves), In: int(r.Degree - r.Leaves),
			Centrality: float64(r.Neighbours) / float64(max(1, r.Concepts-1)),
		}
	}
	return list, translate(err, "rank concepts")
}

// DocumentsAbout returns how many documents of an ontology are about a concept.
func (s AnnealingStore) DocumentsAbout(ctx context.Context, id int, conceptID string) (int, error) {
	list, err := db.New(s.graph).PromotedDocuments(ctx, int32(id), conceptID)
	return len(list), translate(err, "find the documents about a concept")
}

// StoreScores keeps the scores of an ontology, unless newer ones are kept or it is gone.
func (s AnnealingStore) StoreScores(ctx context.Context, o curation.Scores) error {
	return translate(db.New(s.graph).ScoresStore(ctx, db.ScoresStoreParams{
		ID: int32(o.ID), Files: int32(o.Files), Sources: int32(o.Sources), Concepts: int32(o.Concepts), Evidence: int32(o.Evidence),
		InternalEdges: int32(o.Internal), CrossingEdges: int32(o.Crossing), Mass: o.Mass, Coherence: o.Coherence, RawExposure: o.RawExposure,
		WeightedExposure: o.WeightedExposure, Protection: o.Protection, Epoch: o.Epoch,
	}), "keep the scores of an ontology")
}

// Scores returns the scores that are kept, the best protected first, of one ontology or for
// "" of all.
func (s AnnealingStore) Scores(ctx context.Context, name string) ([]curation.Scores, error) {
	rows, err := db.New(s.graph).ScoresList(ctx, name)
	list := make([]curation.Scores, len(rows))
	for i, r := range rows {
		list[i] = curation.Scores{
			Measures: curation.Measures{
				Name: r.Name, Lifecycle: r.LifecycleState, Files: int(r.Files), Sources: int(r.Sources), Concepts: int(r.Concepts),
				Evidence: int(r.Evidence), Internal: int(r.InternalEdges), Crossing: int(r.CrossingEdges),
			},
			Mass: r.Mass, Coherence: r.Coherence, RawExposure: r.RawExposure, WeightedExposure: r.WeightedExposure, Protection: r.Protection, Epoch: r.Epoch,
		}
	}
	return list, translate(err, "read the scores of ontologies")
}

// OntologyEdgesOf returns how an ontology overlaps with others, as of the last annealing.
func (s AnnealingStore) OntologyEdgesOf(ctx context.Context, id int) ([]curation.Edge, error) {
	rows, err := db.New(s.graph).OntologyEdgesOf(ctx, int32(id))
	list := make([]curation.Edge, len(rows))
	for i, r := range rows {
		list[i] = curation.Edge{From: r.FromName, To: r.ToName, Kind: r.Kind, Score: r.Score, Shared: int(r.Shared), Epoch: r.Epoch, Source: "annealing", Direction: "incoming"}
		if r.Leaves {
			list[i].Direction = "outgoing"
		}
	}
	return list, translate(err, "read the edges of an ontology")
}

// FinishAnnealing keeps what an annealing has found besides the scores, in one transaction
// with the checkpoint that next makes of it: the edges between ontologies replace those
// before, and what is proposed is added unless it is open or was rejected. It returns
// ErrStale and ErrCancelled as Checkpoint does.
func (s AnnealingStore) FinishAnnealing(ctx context.Context, c work.Claim, edges []curation.NewEdge, found curation.Annealed, next func(curation.Annealed) work.Checkpoint) (curation.Annealed, error) {
	out := found
	var done saved
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		out = found
		if err := fence(ctx, q, c); err != nil {
			return err
		}
		if err := replaceEdges(ctx, q, edges, &out); err != nil {
			return err
		}
		if err := q.ProposalsExpire(ctx); err != nil {
			return err
		}
		out.Proposals = nil
		for _, p := range found.Proposals {
			id, err := addProposal(ctx, q, p)
			if isNoRows(err) {
				continue
			}
			if err != nil {
				return err
			}
			p.ID = int(id)
			out.IDs, out.Proposals = append(out.IDs, p.ID), append(out.Proposals, p)
		}
		out.Generated = len(out.IDs)
		if err := q.AnnealingDone(ctx, found.Epoch); err != nil {
			return err
		}
		var err error
		done, err = checkpoint(ctx, q, c, next(out))
		return err
	})
	if err != nil {
		return found, translate(err, "keep what an annealing has found")
	}
	_ = s.announce(done) // the next call says it when the job was asked to stop meanwhile
	return out, nil
}

func replaceEdges(ctx context.Context, q *db.Queries, edges []curation.NewEdge, out *curation.Annealed) error {
	p := db.OntologyEdgesStoreParams{Epoch: out.Epoch}
	for _, e := range edges {
		p.Srcs, p.Dsts, p.Kinds = append(p.Srcs, int32(e.Source)), append(p.Dsts, int32(e.Target)), append(p.Kinds, e.Kind)
		p.Scores, p.Shares = append(p.Scores, e.Score), append(p.Shares, int32(e.Shared))
	}
	deleted, err := q.OntologyEdgesOutdated(ctx, p.Srcs, p.Dsts)
	if err != nil {
		return err
	}
	created, err := q.OntologyEdgesStore(ctx, p)
	out.Created, out.Deleted = int(created), int(deleted)
	return err
}
