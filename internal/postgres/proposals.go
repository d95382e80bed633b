package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/work"
)

// addProposal adds a proposal. No row: the same is open, or was rejected.
func addProposal(ctx context.Context, q *db.Queries, p curation.Proposal) (int32, error) {
	params := db.ProposalAddParams{
		Kind: p.Kind, Ontology: int32(p.OntologyID), OntologyName: p.Ontology, TargetName: p.Target, Anchor: p.Anchor,
		SuggestedName: p.SuggestedName, SuggestedDescription: p.SuggestedDescription, Reasoning: p.Reasoning,
		Mass: p.Mass, Coherence: p.Coherence, Protection: p.Protection, MadeBy: p.MadeBy, Epoch: p.Epoch, Status: p.Status,
	}
	if p.TargetID != 0 {
		params.Target = new(int32(p.TargetID))
	}
	return q.ProposalAdd(ctx, params)
}

// Proposals returns proposals, newest first.
func (s AnnealingStore) Proposals(ctx context.Context, f curation.ProposalFilter) ([]curation.Proposal, error) {
	if inNoRow(f.Ontology) {
		return nil, nil
	}
	return proposals(ctx, db.New(s.graph), 0, f)
}

// Proposal returns a proposal, or CodeNotFound.
func (s AnnealingStore) Proposal(ctx context.Context, id int) (curation.Proposal, error) {
	if id == 0 {
		return curation.Proposal{}, proposalNotFound(id) // it stands for all of them below
	}
	list, err := proposals(ctx, db.New(s.graph), id, curation.ProposalFilter{Limit: 1})
	if err != nil {
		return curation.Proposal{}, err
	}
	if len(list) == 0 {
		return curation.Proposal{}, proposalNotFound(id)
	}
	return list[0], nil
}

func proposalNotFound(id int) error { return notFound("Proposal not found: %d", id) }

func proposals(ctx context.Context, q *db.Queries, id int, f curation.ProposalFilter) ([]curation.Proposal, error) {
	rows, err := q.ProposalList(ctx, db.ProposalListParams{ID: rowID(id), Status: f.Status, Kind: f.Kind, Ontology: f.Ontology, Most: int32(f.Limit)})
	list := make([]curation.Proposal, len(rows))
	for i, r := range rows {
		list[i] = curation.Proposal{
			ID: int(r.ID), Kind: r.Kind, OntologyID: int(r.Ontology), Ontology: r.OntologyName, Anchor: r.Anchor,
			SuggestedName: r.SuggestedName, SuggestedDescription: r.SuggestedDescription, Reasoning: r.Reasoning,
			Mass: r.Mass, Coherence: r.Coherence, Protection: r.Protection, Status: r.Status, MadeBy: r.MadeBy, Epoch: r.Epoch, At: kappa.At(r.CreatedAt),
			ReviewedAt: kappa.AtPtr(r.ReviewedAt), ReviewedBy: r.ReviewedBy, Notes: r.ReviewerNotes, JobID: r.JobID, ExecutedAt: kappa.AtPtr(r.ExecutedAt),
			Result: r.Result, UndoneAt: kappa.AtPtr(r.UndoneAt), UndoneBy: r.UndoneBy, Target: given(r.TargetName),
		}
		if r.Target != nil {
			list[i].TargetID = int(*r.Target)
		}
		if len(r.Result) == 0 {
			list[i].Result = json.RawMessage("null")
		}
	}
	return list, translate(err, "list proposals")
}

// ReviewProposal stores the decision about a proposal, and records who made it. Approving
// again one whose execution has failed, or was interrupted, has it executed again. It
// returns CodeNotFound for an unknown one, and CodeConflict for one that is decided.
func (s AnnealingStore) ReviewProposal(ctx context.Context, v curation.ProposalReview) (p curation.Proposal, err error) {
	err = inTx(ctx, s.graph, func(q *db.Queries) error {
		held, err := holdProposal(ctx, q, v.ID)
		if err != nil {
			return err
		}
		switch held.Status {
		case curation.ProposalPending:
		case curation.ProposalApproved, curation.ProposalFailed, curation.ProposalExecuting:
			if v.Status != curation.ProposalApproved {
				return conflict("Proposal %d is %s; undo it when it was executed in part", v.ID, held.Status)
			}
			if held.JobID != nil {
				if works, err := q.JobWorks(ctx, *held.JobID); err != nil || works {
					return orConflict(err, "Job %s is executing proposal %d", *held.JobID, v.ID)
				}
			}
		default:
			return conflict("Proposal %d is %s and cannot be reviewed", v.ID, held.Status)
		}
		if err := q.ProposalReview(ctx, db.ProposalReviewParams{ID: held.ID, Status: v.Status, ReviewedBy: v.By, Notes: v.Notes}); err != nil {
			return err
		}
		return record(ctx, q, proposalAct(v.Status, held, nil))
	})
	if err != nil {
		return p, translate(err, "review a proposal")
	}
	return s.Proposal(ctx, v.ID)
}

func proposalAct(verb string, p db.ProposalHoldRow, result any) act {
	return act{
		action: "ontology.proposal-" + verb, object: "ontology_proposal", id: strconv.Itoa(int(p.ID)),
		before: map[string]string{"status": p.Status, "proposal_type": p.Kind, "ontology": p.OntologyName}, after: result,
	}
}

// ProposalJob keeps which job executes a proposal.
func (s AnnealingStore) ProposalJob(ctx context.Context, id int, jobID string) error {
	return translate(db.New(s.graph).ProposalJob(ctx, jobID, rowID(id)), "keep the job of a proposal")
}

// UnsentProposals returns which proposals were accepted longer ago than age and have no
// job, and who accepted them.
func (s AnnealingStore) UnsentProposals(ctx context.Context, age time.Duration) ([]curation.ProposalJob, error) {
	rows, err := db.New(s.graph).ProposalsUnsent(ctx, age.Seconds())
	list := make([]curation.ProposalJob, len(rows))
	for i, r := range rows {
		list[i] = curation.ProposalJob{ProposalID: int(r.ID), TriggeredBy: r.ReviewedBy}
	}
	return list, translate(err, "list proposals without a job")
}

func holdProposal(ctx context.Context, q *db.Queries, id int) (db.ProposalHoldRow, error) {
	row, err := q.ProposalHold(ctx, rowID(id))
	if isNoRows(err) {
		return row, proposalNotFound(id)
	}
	return row, err
}

// FailProposal keeps why an execution has ended, while the claim is current and the
// proposal is neither executed nor being executed by another job.
func (s AnnealingStore) FailProposal(ctx context.Context, c work.Claim, id int, reason string) error {
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := fence(ctx, q, c); err != nil {
			return err
		}
		p, err := holdProposal(ctx, q, id)
		if err != nil || p.Status != curation.ProposalApproved && p.Status != curation.ProposalExecuting {
			return err
		}
		if p.JobID != nil && *p.JobID != c.JobID {
			if works, err := q.JobWorks(ctx, *p.JobID); err != nil || works {
				return err // that one says how it ends
			}
		}
		result, err := json.Marshal(map[string]any{"success": false, "error": reason})
		if err != nil {
			return fmt.Errorf("encode a reason: %w", err)
		}
		return q.ProposalEnd(ctx, curation.ProposalFailed, result, p.ID)
	})
	return translate(err, "keep why a proposal failed")
}

// UndoProposal moves back what a proposal has moved, apart from what was deleted since,
// and puts back the ontology that it removed. What was added since to the target stays
// there. It returns CodeNotFound for an unknown one, and CodeConflict for one that was not
// executed, that a later one builds on, whose name was taken since, or while a job works on
// one of the ontologies.
func (s AnnealingStore) UndoProposal(ctx context.Context, id int, by string) (curation.Proposal, error) {
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		p, err := holdProposal(ctx, q, id)
		if err != nil {
			return err
		}
		if p.ExecutedAt == nil || p.Target == nil || p.Status == curation.ProposalUndone {
			return conflict("Proposal %d is %s: there is nothing to undo", id, p.Status)
		}
		if p.Status == curation.ProposalExecuting && p.JobID != nil {
			if running, err := q.JobWorks(ctx, *p.JobID); err != nil || running {
				return orConflict(err, "Job %s is executing proposal %d; cancel it first", *p.JobID, id)
			}
		}
		later, err := q.ProposalLater(ctx, p.ID)
		if err != nil || len(later) > 0 {
			if err == nil {
				err = conflict("Proposal %d builds on proposal %d: undo that first", later[0], id)
			}
			return err
		}
		if err := undoProposal(ctx, q, p); err != nil {
			return err
		}
		if err := q.ProposalUndone(ctx, by, p.ID); err != nil {
			return err
		}
		return record(ctx, q, proposalAct("undo", p, nil))
	})
	if err != nil {
		return curation.Proposal{}, translate(err, "undo a proposal")
	}
	return s.Proposal(ctx, id)
}

func orConflict(err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	return conflict(format, args...)
}

// undoProposal moves everything back within a transaction that holds the graph lock.
func undoProposal(ctx context.Context, q *db.Queries, p db.ProposalHoldRow) error {
	target, err := q.OntologyHold(ctx, *p.Target)
	if err != nil && !isNoRows(err) {
		return err
	}
	if err == nil {
		if err := movable(ctx, q, target); err != nil {
			return err
		}
	}
	if len(p.Removed) > 0 {
		var was struct {
			Name string `json:"name"`
		}
		if err := json.Unmarshal(p.Removed, &was); err != nil {
			return fmt.Errorf("decode an ontology: %w", err)
		}
		if _, err := q.OntologyFind(ctx, was.Name); !isNoRows(err) {
			return orConflict(err, "There is another ontology '%s' by now: rename or delete it first", was.Name)
		}
		if name, err := q.OntologyOfKey(ctx, p.Removed); !isNoRows(err) {
			return orConflict(err, "The ontology was restored since, and is '%s' now: delete that first", name)
		}
		if err := q.UndoneOntology(ctx, p.Removed); err != nil {
			return err
		}
	} else {
		from, err := q.OntologyHold(ctx, p.Ontology)
		if isNoRows(err) {
			return conflict("Ontology '%s' was deleted since: there is nowhere to move back to", p.OntologyName)
		}
		if err != nil {
			return err
		}
		if err := movable(ctx, q, from); err != nil {
			return err
		}
	}
	steps := []func() error{
		func() error { return q.UndoneDocuments(ctx, p.ID) },
		func() error { return q.UndoneGone(ctx, p.Ontology, p.ID) },
		func() error { return q.UndoneSources(ctx, p.ID, p.Ontology) },
		func() error { return q.UndoneWhole(ctx, p.Ontology, p.ID, *p.Target) },
		func() error { return q.UndoneMade(ctx, p.ID) },
		func() error { return q.UndoneForget(ctx, p.ID) },
		func() error {
			return raiseEpoch(ctx, q, change{kind: knowledge.EpochBreathing, act: "proposal.undo", object: p.OntologyName})
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	if p.Made {
		_, err = q.UndoneEmpty(ctx, *p.Target)
		return err
	}
	return nil
}

// movable returns an error when nothing may be moved from or to an ontology now.
func movable(ctx context.Context, q *db.Queries, o db.OntologyHoldRow) error {
	if o.LifecycleState == ontologies.LifecycleFrozen {
		return frozen(o.Name, "moving")
	}
	if err := notReading(ctx, q, o.Name); err != nil {
		return err
	}
	job, err := q.OntologyHalfRead(ctx, o.ID)
	if isNoRows(err) {
		return nil
	}
	return orConflict(err, "Job %s has read a part of a document into ontology '%s' and is to go on; wait for it, or cancel it first", job, o.Name)
}
