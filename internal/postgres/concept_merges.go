package postgres

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
)

// MergeConcepts makes two concepts one, in one transaction: the quotes, mentions,
// relationships and names of the one that goes are the other's from then on, and all that
// it was is kept for UnmergeConcepts. A dry run is rolled back. It returns CodeNotFound for an unknown id and
// CodeForbidden when a frozen ontology shows one of them.
func (s NoteStore) MergeConcepts(ctx context.Context, m knowledge.NewConceptMerge) (knowledge.ConceptMerge, error) {
	var out knowledge.ConceptMerge
	err := s.changingConcept(ctx, "concept.merge", m.Keep, func(q *db.Queries, kept int32, _ knowledge.WrittenConcept) error {
		was, err := editable(ctx, q, m.Merge)
		if err != nil {
			return err
		}
		merged, err := conceptNumber(ctx, q, m.Merge)
		if err != nil {
			return err
		}
		p := db.ConceptMergeInsertParams{Reason: m.Reason, MadeBy: m.By, Kept: kept, Merged: merged}
		if m.Score != nil {
			p.Score = new(float32(*m.Score))
		}
		moved, err := q.ConceptHolds(ctx, merged)
		if err != nil {
			return err
		}
		id, err := q.ConceptMergeInsert(ctx, p)
		if err != nil {
			return err
		}
		for _, step := range []func() error{
			func() error { return q.ConceptMergeRecord(ctx, id, merged, kept) },
			func() error { return q.ConceptMergeMoveMentions(ctx, kept, merged) },
			func() error { return q.ConceptMergeMoveInstances(ctx, kept, id) },
			func() error { return q.ConceptMergeMoveEvidence(ctx, merged, kept, id) },
			func() error { return q.ConceptMergeNames(ctx, id) },
			func() error { _, err := q.ConceptRemove(ctx, merged); return err },
		} {
			if err := step(); err != nil {
				return err
			}
		}
		if out, err = conceptMerge(ctx, q, id); err != nil {
			return err
		}
		out.InstancesMoved, out.RelationshipsMoved = new(int(moved.Instances)), new(int(moved.Relationships))
		return undoneIf(m.DryRun, record(ctx, q, act{action: "concept.merge", object: "concept", id: m.Keep, before: conceptFacts(was), after: map[string]any{
			"merge_id": id, "merged_concept_id": m.Merge, "reason": m.Reason,
		}}))
	})
	if out.DryRun = m.DryRun; m.DryRun {
		out.ID = 0
	}
	return out, translate(unlessDry(err), "merge concepts")
}

// editable returns a concept unless a frozen ontology shows it.
func editable(ctx context.Context, q *db.Queries, id string) (knowledge.WrittenConcept, error) {
	c, err := showConcept(ctx, q, id)
	if err != nil {
		return c, err
	}
	return c, checkOntologies(ctx, q, c.Ontologies)
}

// UnmergeConcepts gives a concept back what a merge took from it, apart from what was
// deleted or split off since; what was read since stays with the other one. With block, matching never
// takes the two for one again. It returns CodeNotFound for an unknown merge, and
// CodeConflict for one that was undone, that a later merge builds on, that a restore has
// undone, or of which nothing is left.
func (s NoteStore) UnmergeConcepts(ctx context.Context, id int, block bool, by string) (knowledge.ConceptMerge, error) {
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := beginSubmission(ctx, q); err != nil {
			return err
		}
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		m, err := unmergeable(ctx, q, id)
		if err != nil {
			return err
		}
		if block {
			if err := blockConcepts(ctx, q, *m.Kept, m, by); err != nil {
				return err
			}
		}
		for _, step := range []func(context.Context, int32) error{
			q.ConceptUnmergeConcept, q.ConceptUnmergeKept, q.ConceptUnmergeEmbedding, q.ConceptUnmergeMentions, q.ConceptUnmergeInstances, q.ConceptUnmergeDoubles,
			q.ConceptUnmergeEvidence, func(ctx context.Context, merge int32) error { return unmergeTaken(ctx, q, merge) }, q.ConceptUnmergeNames, q.ConceptMergeMark,
		} {
			if err := step(ctx, m.ID); err != nil {
				return err
			}
		}
		// What showed the one that was kept may be gone since.
		if _, err := q.ConceptPrune(ctx, []int32{*m.Kept}); err != nil {
			return err
		}
		if err := raiseEpoch(ctx, q, change{kind: knowledge.EpochEdit, act: "concept.unmerge", object: m.KeptID}); err != nil {
			return err
		}
		return record(ctx, q, act{action: "concept.unmerge", object: "concept", id: m.KeptID, after: map[string]any{
			"merge_id": id, "concept_id": m.MergedID, "blocked": block,
		}})
	})
	if err != nil {
		return knowledge.ConceptMerge{}, translate(err, "undo a merge of concepts")
	}
	return conceptMerge(ctx, db.New(s.graph), rowID(id))
}

// unmergeTaken takes what was given back from the concept that stayed, which has again
// what had given way to it.
func unmergeTaken(ctx context.Context, q *db.Queries, merge int32) error {
	rows, err := q.ConceptUnmergeTakeEvidence(ctx, merge)
	if err != nil {
		return err
	}
	p := db.ConceptUnmergeGivenWayParams{Merge: merge}
	for _, r := range rows {
		p.Srcs, p.Dsts, p.Types, p.Sources = append(p.Srcs, r.Src), append(p.Dsts, r.Dst), append(p.Types, r.Type), append(p.Sources, r.Source)
	}
	if err := q.ConceptUnmergeGivenWay(ctx, p); err != nil {
		return err
	}
	return q.EdgesSettle(ctx, p.Srcs, p.Dsts, p.Types)
}

// unmergeable returns a merge that can be undone.
func unmergeable(ctx context.Context, q *db.Queries, id int) (m db.ConceptMergeByIDRow, err error) {
	m, err = q.ConceptMergeByID(ctx, rowID(id))
	switch {
	case isNoRows(err):
		return m, notFound("Merge not found: %d", id)
	case err != nil:
		return m, err
	case m.UndoneAt != nil:
		return m, conflict("Merge %d was undone already", id)
	}
	later, err := q.ConceptMergeLater(ctx, m.ID)
	switch {
	case err != nil:
		return m, err
	case len(later) > 0:
		return m, conflict("Merge %d builds on merge %d: undo that first", later[0], id)
	case m.Kept == nil:
		return m, conflict("Concept %s, which merge %d kept, is gone", m.KeptID, id)
	case m.Back:
		return m, conflict("Concept %s is there again: a restore brought it back after merge %d; merge the two once more, or split off what belongs to it", m.MergedID, id)
	case !m.Shown:
		return m, conflict("No document shows concept %s any more", m.MergedID)
	}
	return m, nil
}

// blockConcepts blocks the names of both concepts of a merge, as mentions have them.
func blockConcepts(ctx context.Context, q *db.Queries, kept int32, m db.ConceptMergeByIDRow, by string) error {
	mentions, err := q.MentionsOf(ctx, []int32{kept})
	if err != nil {
		return err
	}
	merged, err := q.ConceptMergedMentions(ctx, m.ID)
	if err != nil {
		return err
	}
	theirs := map[int64]bool{}
	for _, id := range merged {
		theirs[id] = true
	}
	firsts, seconds := []string{naming.LabelKey(m.KeptLabel)}, []string{naming.LabelKey(m.MergedLabel)}
	for _, mention := range mentions {
		if key := naming.LabelKey(mention.Label); theirs[mention.ID] {
			seconds = append(seconds, key)
		} else {
			firsts = append(firsts, key)
		}
	}
	return blockNames(ctx, q, firsts, seconds, "merge undone", by)
}

// blockNames blocks each of the first names with each of the second. A name of both is
// left out: it cannot tell them apart.
func blockNames(ctx context.Context, q *db.Queries, firsts, seconds []string, reason, by string) error {
	const most = 50
	alone := func(list, other []string) (kept []string) {
		for _, name := range list {
			if !slices.Contains(other, name) && !slices.Contains(kept, name) && len(kept) < most {
				kept = append(kept, name)
			}
		}
		return kept
	}
	a, b := alone(firsts, seconds), alone(seconds, firsts)
	p := db.ConceptBlockInsertParams{Reason: reason, MadeBy: by}
	for _, first := range a {
		for _, second := range b {
			p.Firsts, p.Seconds = append(p.Firsts, first), append(p.Seconds, second)
		}
	}
	if len(p.Firsts) == 0 {
		return conflict("The two concepts bear the same name: rename one before they are blocked")
	}
	return q.ConceptBlockInsert(ctx, p)
}

// ConceptMerges returns the last merges, newest first: all of them, or those that a
// concept took part in.
func (s NoteStore) ConceptMerges(ctx context.Context, conceptID string, most int) ([]knowledge.ConceptMerge, error) {
	if inNoRow(conceptID) {
		return nil, nil
	}
	return conceptMerges(ctx, db.New(s.graph), 0, conceptID, most)
}

func conceptMerge(ctx context.Context, q *db.Queries, id int32) (knowledge.ConceptMerge, error) {
	list, err := conceptMerges(ctx, q, id, "", 1)
	if err != nil || len(list) == 0 {
		return knowledge.ConceptMerge{}, err
	}
	return list[0], nil
}

func conceptMerges(ctx context.Context, q *db.Queries, id int32, conceptID string, most int) ([]knowledge.ConceptMerge, error) {
	rows, err := q.ConceptMergeList(ctx, id, conceptID, int32(most))
	list := make([]knowledge.ConceptMerge, len(rows))
	for i, r := range rows {
		list[i] = knowledge.ConceptMerge{
			ID: int(r.ID), Kept: r.KeptID, KeptLabel: r.KeptLabel, Merged: r.MergedID, MergedLabel: r.MergedLabel,
			Reason: r.Reason, Score: realOrNil(r.Score), By: r.MadeBy, At: kappa.At(r.At), UndoneAt: kappa.AtPtr(r.UndoneAt),
		}
	}
	return list, translate(err, "list merges of concepts")
}

func realOrNil(v *float32) *float64 {
	if v == nil {
		return nil
	}
	return new(knowledge.FromReal(*v))
}

// ConceptMentions returns what documents call a concept, and how that was found, in the
// order in which it was read. It returns CodeNotFound for an unknown id.
func (s NoteStore) ConceptMentions(ctx context.Context, conceptID string, most int) ([]knowledge.ConceptMention, error) {
	q := db.New(s.graph)
	if _, err := showConcept(ctx, q, conceptID); err != nil {
		return nil, translate(err, "show a concept")
	}
	row, err := conceptNumber(ctx, q, conceptID)
	if err != nil {
		return nil, translate(err, "find a concept")
	}
	rows, err := q.ConceptMentions(ctx, row, int32(most))
	list := make([]knowledge.ConceptMention, len(rows))
	for i, r := range rows {
		list[i] = knowledge.ConceptMention{
			Label: r.Label, MatchedBy: r.MatchedBy, Score: realOrNil(r.Score), DocumentID: r.DocumentID, Filename: r.Filename,
			Ontology: r.Ontology, SourceID: r.SourceID, Chunk: int(r.ChunkNumber),
		}
	}
	return list, translate(err, "list the mentions of a concept")
}

// BlockNames has matching never take two names for one concept. Doing so again changes
// nothing.
func (s NoteStore) BlockNames(ctx context.Context, b knowledge.NameBlock) error {
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := beginSubmission(ctx, q); err != nil {
			return err
		}
		if err := q.ConceptBlockInsert(ctx, db.ConceptBlockInsertParams{Firsts: []string{b.A}, Seconds: []string{b.B}, Reason: b.Reason, MadeBy: b.By}); err != nil {
			return err
		}
		return record(ctx, q, act{action: "concept.block", object: "concept", id: b.A, after: b})
	})
	return translate(err, "block two names")
}

// UnblockNames ends what BlockNames has begun. It returns CodeNotFound for a pair that is
// not blocked.
func (s NoteStore) UnblockNames(ctx context.Context, b knowledge.NameBlock) error {
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		n, err := q.ConceptBlockDelete(ctx, b.A, b.B)
		if err != nil {
			return err
		}
		if n == 0 {
			return notFound("The names '%s' and '%s' are not blocked", b.A, b.B)
		}
		return record(ctx, q, act{action: "concept.unblock", object: "concept", id: b.A, before: b})
	})
	return translate(err, "unblock two names")
}

// BlockedNames returns the last pairs that were blocked, newest first.
func (s NoteStore) BlockedNames(ctx context.Context, most int) ([]knowledge.NameBlock, error) {
	rows, err := db.New(s.graph).ConceptBlockList(ctx, int32(most))
	list := make([]knowledge.NameBlock, len(rows))
	for i, r := range rows {
		list[i] = knowledge.NameBlock{A: r.A, B: r.B, Reason: r.Reason, By: r.MadeBy, At: new(kappa.At(r.At))}
	}
	return list, translate(err, "list blocked names")
}
