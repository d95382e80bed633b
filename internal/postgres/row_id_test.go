package postgres_test

import (
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// TestRowIDs asks for rows by numbers that are too large for one, each of which is another
// row's in its last 32 bits.
func TestRowIDs(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	ingestDrawn(t, s, conn, twoChunks("paper", "a"))
	ingestDrawn(t, s, conn, twoChunks("another", "b"))
	_, proposal, err := s.Annealing().Reassign(t.Context(), curation.Reassignment{From: "a", To: "b", By: "x"})
	must(t, err)
	concepts := func(label string) (id string) {
		must(t, conn.QueryRow(t.Context(), "SELECT concept_id FROM kg_api.concepts WHERE label = $1", label).Scan(&id))
		return id
	}
	merge, err := s.Notes().MergeConcepts(t.Context(), knowledge.NewConceptMerge{Keep: concepts("paper"), Merge: concepts("another"), Reason: "r", By: "x"})
	must(t, err)
	run(t, conn, "INSERT INTO kg_api.relationship_types (name, category) VALUES ('HELD', 'llm_generated')")
	types, err := s.Vocabulary().MergeTypes(t.Context(), vocabulary.NewMerge{Source: "HELD", Target: "PART_OF", By: "x"}, nil, nil)
	must(t, err)
	const beyond = 1 << 32
	ctx := t.Context()
	for name, do := range map[string]func(id int) error{
		"a proposal":         func(id int) error { _, err := s.Annealing().Proposal(ctx, proposal+id); return err },
		"undo of a proposal": func(id int) error { _, err := s.Annealing().UndoProposal(ctx, proposal+id, "x"); return err },
		"review of a proposal": func(id int) error {
			_, err := s.Annealing().ReviewProposal(ctx, curation.ProposalReview{ID: proposal + id, Status: curation.ProposalApproved, By: "x"})
			return err
		},
		"undo of a merge of concepts": func(id int) error { _, err := s.Notes().UnmergeConcepts(ctx, merge.ID+id, false, "x"); return err },
		"undo of a merge of types":    func(id int) error { _, err := s.Vocabulary().UndoMerge(ctx, types.ID+id); return err },
		"a user":                      func(id int) error { _, err := s.Accounts().User(ctx, access.AdminUserID+id); return err },
		"removal of a user": func(id int) error {
			return s.Accounts().DeleteUser(ctx, access.AdminUserID+id, func(access.User) error { return nil })
		},
		"a grant": func(id int) error { return s.Roles().RemoveGrant(ctx, 1+id) },
		"an assignment": func(id int) error {
			_, err := s.Roles().Assign(ctx, access.NewRoleAssignment{UserID: access.AdminUserID + id, Role: access.RoleCurator})
			return err
		},
	} {
		for _, add := range []int{beyond, 5 * beyond, -beyond, 1 << 30} {
			if err := do(add); kappa.ErrorCode(err) != kappa.CodeNotFound {
				t.Errorf("%s + %d: %v, want that there is none", name, add, err)
			}
		}
	}
	if _, err := s.Annealing().Proposal(ctx, 0); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("proposal 0: %v", err)
	}
}
