package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/work"
)

// moveAtOnce is how many documents are moved in one transaction of a job.
const moveAtOnce = 200

// ExecuteProposal does the next part of an approved proposal under the claim, in one
// transaction with the checkpoint that next makes: up to 200 documents are moved, and in
// the last one the ontology that is empty goes. An executed proposal is finished. It
// returns ErrStale and ErrCancelled as Checkpoint does, CodeNotFound for an unknown
// proposal, CodeConflict when it is not to be executed or a job is reading into one of the
// ontologies, and CodeForbidden when one of them is frozen or pinned.
func (s AnnealingStore) ExecuteProposal(ctx context.Context, c work.Claim, id int, so curation.ProposalStep, next func(curation.ProposalStep) work.Checkpoint) (curation.ProposalStep, error) {
	step := so
	var done saved
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		step = so
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		p, err := holdProposal(ctx, q, id)
		if err != nil {
			return err
		}
		p.JobID = &c.JobID
		if err := executeNext(ctx, q, p, &step); err != nil {
			return err
		}
		// Only now: the row of the job is held from here on, and a cancel waits for it.
		if err := fence(ctx, q, c); err != nil {
			return err
		}
		done, err = checkpoint(ctx, q, c, next(step))
		return err
	})
	if err != nil {
		return so, translate(err, "execute a proposal")
	}
	_ = s.announce(done) // the next call says it when the job was asked to stop meanwhile
	return step, nil
}

func executeNext(ctx context.Context, q *db.Queries, p db.ProposalHoldRow, step *curation.ProposalStep) error {
	switch p.Status {
	case curation.ProposalExecuted:
		step.Finished = true
		return json.Unmarshal(p.Result, step)
	case curation.ProposalApproved, curation.ProposalExecuting:
	default:
		return kappa.Permanent(conflict("Proposal %d is %s and is not to be executed", p.ID, p.Status))
	}
	m, err := beginMove(ctx, q, p, step)
	if err != nil {
		return err
	}
	var documents []int32
	if p.Kind == curation.ProposalPromotion {
		documents, err = q.PromotedDocuments(ctx, p.Ontology, *p.Anchor)
	} else {
		documents, err = q.MoveDocumentsNext(ctx, p.Ontology, moveAtOnce+1)
	}
	if err != nil {
		return err
	}
	step.Left = max(0, len(documents)-moveAtOnce)
	if err := m.documents(ctx, documents[:min(moveAtOnce, len(documents))], step); err != nil {
		return err
	}
	if step.Left > 0 {
		return m.raise(ctx)
	}
	return m.finish(ctx, step)
}

// mover moves documents from an ontology to another one within a transaction that holds
// the graph lock.
type mover struct {
	q          *db.Queries
	proposal   int32
	kind       string
	from, into db.OntologyHoldRow
}

// beginMove finds both ontologies, and makes the one of a promotion.
func beginMove(ctx context.Context, q *db.Queries, p db.ProposalHoldRow, step *curation.ProposalStep) (mover, error) {
	from, err := heldOntology(ctx, q, p.Ontology, p.OntologyName)
	if err != nil {
		return mover{}, err
	}
	made := false
	if p.Target == nil {
		if made, err = true, makeOntology(ctx, q, &p); err != nil {
			return mover{}, err
		}
	}
	into, err := heldOntology(ctx, q, *p.Target, "")
	if err != nil {
		return mover{}, err
	}
	if from.LifecycleState == ontologies.LifecyclePinned && p.Kind != curation.ProposalReassignment {
		return mover{}, kappa.Permanent(kappa.NewError(kappa.CodeForbidden, "Ontology '"+from.Name+"' is pinned. Set lifecycle state to 'active' first."))
	}
	for _, o := range []db.OntologyHoldRow{from, into} {
		if err := movable(ctx, q, o); err != nil {
			return mover{}, kappa.Permanent(err)
		}
	}
	step.Kind, step.From, step.To, step.Created = p.Kind, from.Name, into.Name, step.Created || made
	return mover{q, p.ID, p.Kind, from, into}, q.ProposalBegin(ctx, db.ProposalBeginParams{ID: p.ID, JobID: p.JobID, Target: into.ID, TargetName: into.Name, Made: made})
}

// makeOntology makes the ontology of a promotion.
func makeOntology(ctx context.Context, q *db.Queries, p *db.ProposalHoldRow) error {
	if p.SuggestedName == nil {
		return kappa.Permanent(conflict("Proposal %d names no ontology to move to", p.ID))
	}
	buried, err := q.TombstoneExists(ctx, *p.SuggestedName)
	if err != nil || buried {
		return orConflict(err, "Ontology '%s' was deleted and its name is blocked. Clear the tombstone first.", *p.SuggestedName)
	}
	description := ""
	if p.SuggestedDescription != nil {
		description = *p.SuggestedDescription
	}
	id, err := q.OntologyCreate(ctx, *p.SuggestedName, description, nil)
	if isNoRows(err) {
		return kappa.Permanent(conflict("Ontology '%s' already exists", *p.SuggestedName))
	}
	p.Target = &id
	return err
}

func heldOntology(ctx context.Context, q *db.Queries, id int32, name string) (db.OntologyHoldRow, error) {
	row, err := q.OntologyHold(ctx, id)
	if isNoRows(err) {
		return row, kappa.Permanent(conflict("Ontology '%s' is gone", name))
	}
	return row, err
}

// documents moves documents with all of their chunks.
func (m mover) documents(ctx context.Context, ids []int32, step *curation.ProposalStep) error {
	whole, err := m.q.MoveWhole(ctx, db.MoveWholeParams{Target: m.into.ID, Documents: ids, Ontology: m.from.ID, Proposal: m.proposal})
	if err != nil {
		return err
	}
	for _, w := range whole {
		step.Moved += int(w.Sources)
	}
	step.Files += len(whole)
	if len(whole) == len(ids) {
		return nil
	}
	return m.chunks(ctx, ids, nil, step)
}

// chunks moves the chunks of documents that are still in the old ontology, all or those
// that are named, to documents of the same content.
func (m mover) chunks(ctx context.Context, documents, sources []int32, step *curation.ProposalStep) error {
	left, err := m.q.DocumentsIn(ctx, documents, m.from.ID)
	if err != nil || len(left) == 0 {
		return err
	}
	if err := m.q.MoveMakeDocuments(ctx, m.proposal, m.into.ID, left); err != nil {
		return err
	}
	n, err := m.q.MoveSources(ctx, db.MoveSourcesParams{Target: m.into.ID, Documents: left, OnlyNamed: sources != nil, Sources: sources, Proposal: m.proposal})
	if err != nil {
		return err
	}
	step.Moved += int(n)
	step.Files += len(left)
	return m.q.MoveRemoveDocuments(ctx, m.proposal, left)
}

// finish removes the ontology that is empty, and closes the proposal.
func (m mover) finish(ctx context.Context, step *curation.ProposalStep) error {
	if m.kind == curation.ProposalDemotion || m.kind == curation.ProposalMerge {
		if err := m.q.MoveJobs(ctx, m.into.Name, m.from.Name); err != nil {
			if violates(err, documentJobConstraint) {
				return kappa.Permanent(conflict("Jobs for the same document wait in '%s' and '%s'; cancel one of them first", m.from.Name, m.into.Name))
			}
			return err
		}
		if err := m.q.LimitsRetell(ctx); err != nil {
			return err
		}
		if err := m.q.MoveRemoveOntology(ctx, m.proposal, m.from.ID); err != nil {
			return err
		}
		step.Removed = true
	}
	step.Finished = true
	result, err := json.Marshal(step)
	if err != nil {
		return fmt.Errorf("encode a result: %w", err)
	}
	if err := m.q.ProposalEnd(ctx, curation.ProposalExecuted, result, m.proposal); err != nil {
		return err
	}
	return m.raise(ctx)
}

func (m *mover) raise(ctx context.Context) error {
	return raiseEpoch(ctx, m.q, change{kind: knowledge.EpochBreathing, act: "ontology." + m.kind, object: m.from.Name})
}

// errDryRun rolls a transaction back.
var errDryRun = errors.New("dry run")

// Reassign moves chunks of an ontology to another one at once, or all of it, and then the
// ontology goes. It is kept as a proposal that was executed, so that it can be undone, and
// recorded. A dry run is rolled back, and its proposal is 0. It returns the errors of ExecuteProposal, and CodeNotFound for an unknown
// ontology or chunk.
func (s AnnealingStore) Reassign(ctx context.Context, r curation.Reassignment) (step curation.ProposalStep, proposal int, err error) {
	err = inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		from, err := OntologyStore(s).find(ctx, q, r.From)
		if err != nil {
			return err
		}
		into, err := OntologyStore(s).find(ctx, q, r.To)
		if err != nil {
			return err
		}
		p := curation.Proposal{
			Kind: curation.ProposalReassignment, OntologyID: int(from.ID), Ontology: from.Name, TargetID: int(into.ID), Target: &into.Name,
			Reasoning: fmt.Sprintf("%s moved %d chunks.", r.By, len(r.SourceIDs)), Status: curation.ProposalFailed, MadeBy: r.By,
		}
		if r.SourceIDs == nil {
			p.Kind, p.Reasoning = curation.ProposalDemotion, r.By+" dissolved it."
		}
		if p.Epoch, err = q.GraphEpoch(ctx); err != nil {
			return err
		}
		id, err := addProposal(ctx, q, p)
		if err != nil {
			return err
		}
		proposal = int(id)
		held, err := holdProposal(ctx, q, proposal)
		if err != nil {
			return err
		}
		if step, err = reassign(ctx, q, held, r.SourceIDs); err != nil {
			return err
		}
		if r.DryRun {
			return errDryRun
		}
		return record(ctx, q, proposalAct("execute", held, step))
	})
	if errors.Is(err, errDryRun) {
		return step, 0, nil
	}
	return step, proposal, translate(err, "move chunks between ontologies")
}

func reassign(ctx context.Context, q *db.Queries, p db.ProposalHoldRow, sourceIDs []string) (step curation.ProposalStep, err error) {
	m, err := beginMove(ctx, q, p, &step)
	if err != nil {
		return step, err
	}
	if sourceIDs == nil {
		documents, err := q.MoveDocumentsNext(ctx, p.Ontology, 1<<30)
		if err == nil {
			err = m.documents(ctx, documents, &step)
		}
		if err != nil {
			return step, err
		}
		return step, m.finish(ctx, &step)
	}
	found, err := q.MoveSourcesOf(ctx, p.Ontology, sourceIDs)
	if err != nil {
		return step, err
	}
	known := map[string]bool{}
	var sources, documents []int32
	for _, f := range found {
		known[f.SourceID] = true
		sources, documents = append(sources, f.ID), append(documents, f.Document)
	}
	for _, id := range sourceIDs {
		if !known[id] {
			return step, notFound("Source not found in ontology '%s': %s", p.OntologyName, id)
		}
	}
	if err := m.chunks(ctx, documents, sources, &step); err != nil {
		return step, err
	}
	return step, m.finish(ctx, &step)
}
