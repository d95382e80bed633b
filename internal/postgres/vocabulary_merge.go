package postgres

import (
	"context"
	"errors"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// VocabularyWords returns the active relationship types with their embeddings by a model.
func (s VocabularyStore) VocabularyWords(ctx context.Context, model string) ([]vocabulary.TypeWord, error) {
	rows, err := db.New(s.graph).VocabularyWords(ctx, model)
	if err != nil {
		return nil, translate(err, "read the relationship types")
	}
	edges, err := s.typeCounts(ctx)
	list := make([]vocabulary.TypeWord, len(rows))
	for i, r := range rows {
		list[i] = vocabulary.TypeWord{
			ID: int(r.ID), RelationshipType: vocabulary.RelationshipType{Name: r.Name, Category: r.Category, Builtin: r.IsBuiltin},
			Confidence: r.CategoryConfidence, Ambiguous: r.CategoryAmbiguous, Embedding: r.Vector, Edges: edges[r.ID],
		}
	}
	return list, translate(err, "read the relationship types")
}

// StoreCategories stores the categories of types that are not built in.
func (s VocabularyStore) StoreCategories(ctx context.Context, words []vocabulary.TypeWord) error {
	params := make([]db.CategoryStoreParams, len(words))
	for i, w := range words {
		params[i] = db.CategoryStoreParams{ID: int32(w.ID), Category: w.Category, Ambiguous: w.Ambiguous}
		if w.Confidence != nil {
			params[i].Confidence = min(1, max(0, *w.Confidence))
		}
	}
	var failed error
	db.New(s.graph).CategoryStore(ctx, params).Exec(func(_ int, err error) { failed = errors.Join(failed, err) })
	return translate(failed, "store the categories of relationship types")
}

// MergeTypes merges a relationship type into another one, in one transaction: its edges
// become edges of the target, with all of their evidence, and what it was is kept for
// UndoMerge. It may be repeated when its answer was lost. With a claim it stores the
// checkpoint that next makes in the same transaction, and returns ErrStale or ErrCancelled
// as Checkpoint does. It returns CodeNotFound for an unknown type, and CodeConflict for a
// built-in source and for types that were merged already.
func (s VocabularyStore) MergeTypes(ctx context.Context, m vocabulary.NewMerge, c *work.Claim, next func(id int) work.Checkpoint) (vocabulary.Merge, error) {
	if err := m.Validate(); err != nil {
		return vocabulary.Merge{}, err
	}
	var id int32
	var done saved
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := lockToMerge(ctx, q); err != nil {
			return err
		}
		if c != nil {
			if err := fence(ctx, q, *c); err != nil {
				return err
			}
		}
		var err error
		if id, err = mergeTypes(ctx, q, m); err != nil || c == nil {
			return err
		}
		done, err = checkpoint(ctx, q, *c, next(int(id)))
		return err
	})
	if err != nil {
		return vocabulary.Merge{}, translate(err, "merge relationship types")
	}
	_ = s.announce(done) // the next call says it when the job was asked to stop meanwhile
	return s.typeMerge(ctx, id)
}

func (s VocabularyStore) typeMerge(ctx context.Context, id int32) (vocabulary.Merge, error) {
	list, err := s.Merges(ctx, int(id), 1)
	if err != nil || len(list) == 0 {
		return vocabulary.Merge{}, err
	}
	return list[0], nil
}

func lockToMerge(ctx context.Context, q *db.Queries) error {
	if err := beginSubmission(ctx, q); err != nil {
		return err
	}
	return q.GraphLock(ctx)
}

// mergeTypes merges under the graph lock, which the transaction holds.
func mergeTypes(ctx context.Context, q *db.Queries, m vocabulary.NewMerge) (int32, error) {
	source, target, err := mergeable(ctx, q, m)
	if err != nil {
		return 0, err
	}
	if source.MergedInto != nil && *source.MergedInto == target.ID {
		return q.MergeStanding(ctx, source.ID, target.ID)
	}
	switch {
	case source.MergedInto != nil:
		return 0, conflict("Relationship type '%s' was merged already", m.Source)
	case target.MergedInto != nil:
		return 0, conflict("Relationship type '%s' was merged into another one: merge into that", m.Target)
	case source.IsBuiltin:
		return 0, conflict("Relationship type '%s' is built in and stays", m.Source)
	}
	id, err := q.MergeInsert(ctx, db.MergeInsertParams{Source: source.ID, Target: target.ID, Similarity: m.Similarity, Reason: m.Reason, MadeBy: m.By})
	if err != nil {
		return 0, err
	}
	edges, err := q.MergeRecordEdges(ctx, id, source.ID)
	if err != nil {
		return 0, err
	}
	evidence, err := q.MergeRecordEvidence(ctx, id, target.ID, source.ID)
	if err != nil {
		return 0, err
	}
	for _, step := range []func() error{
		func() error { return q.MergeMoveEvidence(ctx, target.ID, id) },
		func() error { return q.MergeRemoveEdges(ctx, source.ID) },
		func() error { return q.MergeRetire(ctx, &target.ID, source.ID) },
		func() error { return q.MergeCount(ctx, int32(edges), int32(evidence), id) },
		func() error {
			return raiseEpoch(ctx, q, change{kind: knowledge.EpochReasoning, act: "vocabulary.merge", object: m.Source})
		},
	} {
		if err := step(); err != nil {
			return 0, err
		}
	}
	return id, record(ctx, q, vocabularyAct("merge", m.Source, map[string]any{"merge_id": id, "target": m.Target, "reason": m.Reason}))
}

func vocabularyAct(verb, name string, after any) act {
	return act{action: "vocabulary." + verb, object: "relationship_type", id: name, after: after}
}

// mergeable returns the two types, held in the order of their names.
func mergeable(ctx context.Context, q *db.Queries, m vocabulary.NewMerge) (source, target db.TypeForMergeRow, err error) {
	found := map[string]db.TypeForMergeRow{}
	for _, name := range []string{min(m.Source, m.Target), max(m.Source, m.Target)} {
		row, err := q.TypeForMerge(ctx, name)
		if isNoRows(err) {
			return source, target, notFound("Relationship type '%s' not found", name)
		}
		if err != nil {
			return source, target, err
		}
		found[name] = row
	}
	return found[m.Source], found[m.Target], nil
}

// PreviewMerge says what a merge would move, and returns the errors that it would.
func (s VocabularyStore) PreviewMerge(ctx context.Context, m vocabulary.NewMerge) (found vocabulary.Merge, err error) {
	if err := m.Validate(); err != nil {
		return found, err
	}
	err = inTx(ctx, s.graph, func(q *db.Queries) error {
		source, target, err := mergeable(ctx, q, m)
		switch {
		case err != nil:
			return err
		case source.IsBuiltin:
			return conflict("Relationship type '%s' is built in and stays", m.Source)
		case source.MergedInto != nil:
			return conflict("Relationship type '%s' was merged already", m.Source)
		case target.MergedInto != nil:
			return conflict("Relationship type '%s' was merged into another one: merge into that", m.Target)
		}
		row, err := q.MergePreview(ctx, source.ID)
		found = vocabulary.Merge{Source: m.Source, Target: m.Target, Reason: m.Reason, By: m.By, Edges: int(row.Edges), Evidence: int(row.Evidence)}
		return err
	})
	return found, translate(err, "preview a merge")
}

// UndoMerge gives a type back what a merge took from it, apart from what was deleted
// since; what was read of it since stays with the target. It returns CodeNotFound for an
// unknown merge, and CodeConflict for one that was undone, or that a later merge builds
// on.
func (s VocabularyStore) UndoMerge(ctx context.Context, id int) (vocabulary.Merge, error) {
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := lockToMerge(ctx, q); err != nil {
			return err
		}
		m, err := q.MergeByID(ctx, rowID(id))
		switch {
		case isNoRows(err):
			return notFound("Merge not found: %d", id)
		case err != nil:
			return err
		case m.UndoneAt != nil:
			return conflict("Merge %d was undone already", id)
		}
		later, err := q.MergeLater(ctx, m.ID)
		if err != nil {
			return err
		}
		if len(later) > 0 {
			return conflict("Merge %d builds on merge %d: undo that first", later[0], id)
		}
		if err := undoMerge(ctx, q, m); err != nil {
			return err
		}
		return record(ctx, q, vocabularyAct("unmerge", m.SourceName, map[string]any{"merge_id": id, "target": m.TargetName}))
	})
	if err != nil {
		return vocabulary.Merge{}, translate(err, "undo a merge")
	}
	list, err := s.Merges(ctx, id, 1)
	if err != nil || len(list) == 0 {
		return vocabulary.Merge{}, err
	}
	return list[0], nil
}

func undoMerge(ctx context.Context, q *db.Queries, m db.MergeByIDRow) error {
	for _, step := range []func() error{
		func() error { return q.MergeRetire(ctx, nil, m.Source) },
		func() error { return q.UndoRestoreEvidence(ctx, m.Source, m.Target, m.ID) },
		func() error { return undoTaken(ctx, q, m) },
		func() error { return q.UndoForget(ctx, m.ID) },
		func() error { return q.UndoMark(ctx, m.ID) },
		func() error {
			return raiseEpoch(ctx, q, change{kind: knowledge.EpochReasoning, act: "vocabulary.unmerge"})
		},
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// undoTaken takes what was given back from the target's edges, which have again what had
// given way to it.
func undoTaken(ctx context.Context, q *db.Queries, m db.MergeByIDRow) error {
	taken, err := q.UndoTakeEvidence(ctx, m.ID, m.Target)
	if err != nil {
		return err
	}
	if err := q.UndoGivenWay(ctx, m.Source, m.ID); err != nil {
		return err
	}
	return settle(ctx, q, taken)
}

// Merges returns the last merges, newest first, or for an id other than 0 that one.
func (s VocabularyStore) Merges(ctx context.Context, id, most int) ([]vocabulary.Merge, error) {
	rows, err := db.New(s.graph).MergeList(ctx, rowID(id), int32(most))
	list := make([]vocabulary.Merge, len(rows))
	for i, r := range rows {
		list[i] = vocabulary.Merge{
			ID: int(r.ID), Source: r.Source, Target: r.Target, Similarity: r.Similarity, Reason: r.Reason, By: r.MadeBy,
			Edges: int(r.Edges), Evidence: int(r.Evidence), At: kappa.At(r.At), UndoneAt: kappa.AtPtr(r.UndoneAt),
		}
	}
	return list, translate(err, "list the merges of relationship types")
}

// MergesMade returns what the merges of these numbers have done, in the order in which they
// were made.
func (s VocabularyStore) MergesMade(ctx context.Context, ids []int) ([]curation.ExecutedMerge, error) {
	wanted := make([]int32, len(ids))
	for i, id := range ids {
		wanted[i] = rowID(id)
	}
	rows, err := db.New(s.graph).MergesMade(ctx, wanted)
	list := make([]curation.ExecutedMerge, len(rows))
	for i, r := range rows {
		list[i] = curation.ExecutedMerge{MergeID: int(r.ID), Source: r.Source, Target: r.Target, Reason: r.Reason, Edges: int(r.Edges)}
		if r.Similarity != nil {
			list[i].Similarity = *r.Similarity
		}
	}
	return list, translate(err, "read the merges of relationship types")
}

// AddReviews proposes pairs to a person. Those that somebody has decided about stay
// decided.
func (s VocabularyStore) AddReviews(ctx context.Context, list []vocabulary.Review) error {
	params := make([]db.ReviewAddParams, len(list))
	for i, r := range list {
		params[i] = db.ReviewAddParams{Similarity: r.Similarity, Reason: r.Reason, Source: r.Source, Target: r.Target}
	}
	var failed error
	db.New(s.graph).ReviewAdd(ctx, params).Exec(func(_ int, err error) { failed = errors.Join(failed, err) })
	return translate(failed, "store reviews of relationship types")
}

// Reviews returns the pairs of a status, all for "", the most similar first.
func (s VocabularyStore) Reviews(ctx context.Context, status string) ([]vocabulary.Review, error) {
	rows, err := db.New(s.graph).ReviewList(ctx, status)
	list := make([]vocabulary.Review, len(rows))
	for i, r := range rows {
		list[i] = vocabulary.Review{
			Source: r.Source, Target: r.Target, Similarity: r.Similarity, Reason: r.Reason, Status: r.Status, At: kappa.At(r.At),
			DecidedBy: r.DecidedBy, DecidedAt: kappa.AtPtr(r.DecidedAt),
		}
	}
	return list, translate(err, "list the reviews of relationship types")
}

// AcceptReview merges a pair and closes its review, both or neither. It returns
// CodeNotFound where none is open, and else the errors of MergeTypes.
func (s VocabularyStore) AcceptReview(ctx context.Context, m vocabulary.NewMerge) (vocabulary.Merge, error) {
	if err := m.Validate(); err != nil {
		return vocabulary.Merge{}, err
	}
	var id int32
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		err := lockToMerge(ctx, q)
		if err != nil {
			return err
		}
		if id, err = mergeTypes(ctx, q, m); err != nil {
			return err
		}
		return decideReview(ctx, q, m.Source, m.Target, vocabulary.ReviewAccepted, m.By)
	})
	if err != nil {
		return vocabulary.Merge{}, translate(err, "accept a review")
	}
	return s.typeMerge(ctx, id)
}

// RejectReview closes an open review: its pair is not proposed again. It returns
// CodeNotFound where none is open.
func (s VocabularyStore) RejectReview(ctx context.Context, source, target, by string) error {
	return translate(inTx(ctx, s.graph, func(q *db.Queries) error {
		return decideReview(ctx, q, source, target, vocabulary.ReviewRejected, by)
	}), "reject a review")
}

func decideReview(ctx context.Context, q *db.Queries, source, target, status, by string) error {
	n, err := q.ReviewDecide(ctx, db.ReviewDecideParams{Status: status, DecidedBy: &by, Source: source, Target: target})
	if err == nil && n == 0 {
		return notFound("No review of '%s' and '%s' is open", source, target)
	}
	if err != nil {
		return err
	}
	return record(ctx, q, vocabularyAct("review", source, map[string]any{"target": target, "status": status}))
}
