package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/work"
)

// shelvesDump has all of the graph that a move touches, in one text.
const shelvesDump = `SELECT coalesce(string_agg(line, E'\n' ORDER BY line), '') FROM (
	SELECT 'ontology ' || o::text AS line FROM kg_api.ontologies o
	UNION ALL SELECT 'document ' || d::text FROM kg_api.documents d
	UNION ALL SELECT concat_ws('|', 'source', s.id, s.source_id, s.document, s.chunk_number, s.job_id) FROM kg_api.sources s
	UNION ALL SELECT 'instance ' || i::text FROM kg_api.instances i
	UNION ALL SELECT 'edge ' || e::text FROM kg_api.edges e
	UNION ALL SELECT 'evidence ' || v::text FROM kg_api.edge_evidence v
	UNION ALL SELECT 'concept ' || c::text FROM kg_api.concepts c) l`

// shelvesEvidence has all evidence, as a multiset: quotes, relationships, and the document
// that each was read in.
const shelvesEvidence = `SELECT coalesce(string_agg(line, E'\n' ORDER BY line), '') FROM (
	SELECT concat_ws('|', 'instance', i::text, d.document_id) AS line FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document
	UNION ALL SELECT concat_ws('|', 'evidence', v::text, d.document_id) FROM kg_api.edge_evidence v JOIN kg_api.sources s ON s.id = v.source JOIN kg_api.documents d ON d.id = s.document) l`

const shelves, papers = 4, 7

// fillShelves stores four ontologies, o1 to o4, with documents that often are in several.
func fillShelves(t *testing.T, conn *pgx.Conn, random *rand.Rand) {
	t.Helper()
	run := func(sql string, args ...any) {
		t.Helper()
		_, err := conn.Exec(t.Context(), sql, args...)
		must(t, err)
	}
	run(`INSERT INTO kg_api.ontologies (name, description, created_by, implicit) SELECT 'o' || n, 'about ' || n, 1, n % 2 = 0 FROM generate_series(1, $1::int) n`, shelves)
	run(`INSERT INTO kg_api.contents (content_hash, body) SELECT 'sha256:' || lpad(n::text, 64, '0'), '' FROM generate_series(1, $1::int) n`, papers)
	run(`INSERT INTO kg_api.concepts (concept_id, label, term_keys) SELECT 'c_' || n, 'C' || n, '{}' FROM generate_series(1, 12) n`)
	var typ int
	must(t, conn.QueryRow(t.Context(), `SELECT id FROM kg_api.relationship_types WHERE name = 'SUPPORTS'`).Scan(&typ))
	for o := 1; o <= shelves; o++ {
		for d := 1; d <= papers; d++ {
			if random.IntN(3) == 0 {
				continue
			}
			run(`INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, user_id, job_id) SELECT 'sha256:' || lpad($1::int::text, 64, '0'), o.id, 'f' || $1::int, 'text/plain', 1, 'j' FROM kg_api.ontologies o WHERE o.name = 'o' || $2::int`, d, o)
			run(`INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
				SELECT 's_' || $2::int || '_' || $1::int || '_' || n, (SELECT max(id) FROM kg_api.documents), n, 't', 0, 1, 0, 1, 1, 'sentence', 'j' FROM generate_series(1, $3::int) n`, d, o, 1+random.IntN(3))
		}
	}
	for range 120 {
		src, dst := 1+random.IntN(12), 1+random.IntN(12)
		run(`INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte) SELECT $1, s.id, 'q' || $2::int, 0, 1 FROM kg_api.sources s ORDER BY md5(s.id::text || $2::int) LIMIT 1 ON CONFLICT DO NOTHING`, src, dst)
		if src == dst {
			continue
		}
		run(`INSERT INTO kg_api.edges (src, dst, type, confidence) VALUES ($1, $2, $3, 0.5) ON CONFLICT DO NOTHING`, src, dst, typ)
		run(`INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence) SELECT $1, $2, $3, s.id, 0.5 FROM kg_api.sources s ORDER BY md5(s.id::text || $2::int) LIMIT 1 ON CONFLICT DO NOTHING`, src, dst, typ)
	}
}

// shelvesWorker is a worker that claims jobs.
const shelvesWorker = "00000000-0000-4000-8000-0000000000aa"

// executionClaim returns a claim on a job that executes proposals.
func executionClaim(t *testing.T, s *postgres.DB) work.Claim {
	t.Helper()
	_, err := s.Jobs().SubmitJob(t.Context(), work.NewJob{Type: curation.TypeProposalExecution, Queue: work.DefaultQueue, AutoApprove: true, UserID: access.SystemUserID})
	must(t, err)
	batch, err := s.Claims().Claim(t.Context(), work.ClaimRequest{Lane: "maintenance", Worker: shelvesWorker, Types: []string{curation.TypeProposalExecution}, Most: 1})
	must(t, err)
	return batch.Claims[0]
}

func noStep(curation.ProposalStep) work.Checkpoint { return work.Checkpoint{} }

// propose adds an approved proposal, and returns its id.
func propose(t *testing.T, conn *pgx.Conn, kind, from, to, anchor string) (id int) {
	t.Helper()
	must(t, conn.QueryRow(t.Context(), `INSERT INTO kg_api.ontology_proposals (kind, ontology, ontology_name, target, target_name, anchor, suggested_name, reasoning, status, made_by, epoch)
		SELECT $1, o.id, o.name, t.id, t.name, nullif($4, ''), 'new of ' || o.name, 'r', 'approved', 'test', 0
		FROM kg_api.ontologies o LEFT JOIN kg_api.ontologies t ON t.name = $3 WHERE o.name = $2 RETURNING id`, kind, from, to, anchor).Scan(&id))
	return id
}

// TestMovesLoseNothing executes random proposals on random graphs: after each all evidence
// is there as before, of the same documents, and when they are undone the graph is the old
// one, byte for byte.
func TestMovesLoseNothing(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			conn := connect(t, dsn)
			random := rand.New(rand.NewPCG(seed, 47))
			fillShelves(t, conn, random)
			must(t, s.Workers().Register(t.Context(), work.Worker{ID: shelvesWorker, Hostname: "test", PID: 1}, "test", time.Hour))
			c := executionClaim(t, s)
			read := func(sql string) (text string) {
				t.Helper()
				must(t, conn.QueryRow(t.Context(), sql).Scan(&text))
				return text
			}
			evidence, graphs, done := read(shelvesEvidence), []string{read(shelvesDump)}, []int{}
			note := func(id int) {
				t.Helper()
				if got := read(shelvesEvidence); got != evidence {
					t.Fatalf("proposal %d changed the evidence:\n%s", id, differences(evidence, got))
				}
				done, graphs = append(done, id), append(graphs, read(shelvesDump))
			}
			execute := func(id int) {
				t.Helper()
				step := curation.ProposalStep{}
				var err error
				for !step.Finished {
					step, err = s.Annealing().ExecuteProposal(t.Context(), c, id, step, noStep)
					must(t, err)
				}
				again, err := s.Annealing().ExecuteProposal(t.Context(), c, id, curation.ProposalStep{}, noStep)
				if err != nil || !again.Finished || again.Moved != step.Moved {
					t.Fatalf("executed again: %+v, %v, first %+v", again, err, step)
				}
				note(id)
			}
			execute(propose(t, conn, curation.ProposalPromotion, "o1", "", fmt.Sprintf("c_%d", 1+random.IntN(12))))
			var some []string
			must(t, conn.QueryRow(t.Context(), `SELECT array_agg(s.source_id ORDER BY md5(s.source_id)) FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id WHERE o.name = 'o2'`).Scan(&some))
			_, id, err := s.Annealing().Reassign(t.Context(), curation.Reassignment{From: "o2", To: "o3", SourceIDs: some[:1+random.IntN(len(some))], By: "test"})
			must(t, err)
			note(id)
			execute(propose(t, conn, curation.ProposalDemotion, "o3", "o2", ""))
			_, id, err = s.Annealing().Reassign(t.Context(), curation.Reassignment{From: "o2", To: "o1", By: "test"})
			must(t, err)
			note(id)
			execute(propose(t, conn, curation.ProposalMerge, "o1", "o4", ""))
			var left int
			must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM kg_api.ontologies WHERE name LIKE 'o%'`).Scan(&left))
			if left != 1 {
				t.Errorf("%d ontologies are left, want 1", left)
			}
			if _, err := s.Annealing().UndoProposal(t.Context(), done[1], "test"); kappa.ErrorCode(err) != kappa.CodeConflict {
				t.Errorf("an undo under a later proposal gives %v", err)
			}
			for i, id := range slices.Backward(done) {
				p, err := s.Annealing().UndoProposal(t.Context(), id, "test")
				must(t, err)
				if p.Status != curation.ProposalUndone {
					t.Errorf("the proposal is %s", p.Status)
				}
				if got := read(shelvesDump); got != graphs[i] {
					t.Fatalf("after the undo of proposal %d the graph differs in\n%s", id, differences(graphs[i], got))
				}
			}
		})
	}
}

// TestProposalRules holds what is refused, what is kept of it, and what is measured.
func TestProposalRules(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	fillShelves(t, conn, rand.New(rand.NewPCG(9, 47)))
	must(t, s.Workers().Register(t.Context(), work.Worker{ID: shelvesWorker, Hostname: "test", PID: 1}, "test", time.Hour))
	c, a := executionClaim(t, s), s.Annealing()
	run := func(sql string) {
		t.Helper()
		_, err := conn.Exec(t.Context(), sql)
		must(t, err)
	}
	execute := func(id int) error {
		_, err := a.ExecuteProposal(t.Context(), c, id, curation.ProposalStep{}, noStep)
		return err
	}
	review := func(id int, status string) error {
		_, err := a.ReviewProposal(t.Context(), curation.ProposalReview{ID: id, Status: status, By: "anna"})
		return err
	}
	id := propose(t, conn, curation.ProposalMerge, "o1", "o2", "")
	refused := func(what string, err error, code kappa.Code) {
		t.Helper()
		if kappa.ErrorCode(err) != code {
			t.Errorf("%s: %v, want %s", what, err, code)
		}
	}
	run(`UPDATE kg_api.ontologies SET lifecycle_state = 'frozen' WHERE name = 'o2'`)
	refused("into a frozen ontology", execute(id), kappa.CodeForbidden)
	run(`UPDATE kg_api.ontologies SET lifecycle_state = 'active' WHERE name = 'o2'`)
	run(`UPDATE kg_api.ontologies SET lifecycle_state = 'pinned' WHERE name = 'o1'`)
	refused("of a pinned ontology", execute(id), kappa.CodeForbidden)
	_, _, err := a.Reassign(t.Context(), curation.Reassignment{From: "o1", To: "o2", By: "x"})
	refused("to dissolve a pinned ontology", err, kappa.CodeForbidden)
	run(`UPDATE kg_api.ontologies SET lifecycle_state = 'active' WHERE name = 'o1'`)
	run(`INSERT INTO kg_api.jobs (job_id, job_type, status, approved_at, approved_by, ontology, content_hash, user_id) VALUES ('job_aaaaaaaaaaaa', 'ingestion', 'approved', now(), 'x', 'o1', 'sha256:' || lpad('1', 64, '0'), 1)`)
	refused("twice undone", func() error { _, err := a.UndoProposal(t.Context(), id, "x"); return err }(), kappa.CodeConflict)
	refused("an unknown proposal", review(999, curation.ProposalApproved), kappa.CodeNotFound)
	refused("rejected after it was approved", review(id, curation.ProposalRejected), kappa.CodeConflict)
	must(t, execute(id))
	var follows string
	must(t, conn.QueryRow(t.Context(), `SELECT ontology FROM kg_api.jobs WHERE job_id = 'job_aaaaaaaaaaaa'`).Scan(&follows))
	if follows != "o2" {
		t.Errorf("a job that waits for a merged ontology is for %s", follows)
	}
	refused("approved after it was executed", review(id, curation.ProposalApproved), kappa.CodeConflict)
	run(`INSERT INTO kg_api.ontologies (name) VALUES ('o1')`)
	_, err = a.UndoProposal(t.Context(), id, "x")
	refused("an undo whose name is taken", err, kappa.CodeConflict)
	run(`DELETE FROM kg_api.ontologies WHERE name = 'o1'`)
	if _, err = a.UndoProposal(t.Context(), id, "x"); err != nil {
		t.Error(err)
	}
	_, _, err = a.Reassign(t.Context(), curation.Reassignment{From: "o1", To: "o2", SourceIDs: []string{"s_none"}, By: "x"})
	refused("an unknown chunk", err, kappa.CodeNotFound)

	t.Run("a second job does not end what the first one executes", func(t *testing.T) {
		next := propose(t, conn, curation.ProposalMerge, "o3", "o4", "")
		first := submit(t, s, "polarity")
		must(t, review(next, curation.ProposalApproved))
		must(t, a.ProposalJob(t.Context(), next, first.ID))
		must(t, a.FailProposal(t.Context(), c, next, "taken"))
		if p, err := a.Proposal(t.Context(), next); err != nil || p.Status != curation.ProposalApproved {
			t.Errorf("it is %s, %v", p.Status, err)
		}
		run(fmt.Sprintf("UPDATE kg_api.jobs SET status = 'cancelled', completed_at = now() WHERE job_id = '%s'", first.ID))
		must(t, a.FailProposal(t.Context(), c, next, "taken"))
		if p, err := a.Proposal(t.Context(), next); err != nil || p.Status != curation.ProposalFailed {
			t.Errorf("when the first one is over it is %s, %v", p.Status, err)
		}
		run(fmt.Sprintf("DELETE FROM kg_api.ontology_proposals WHERE id = %d", next))
	})
	t.Run("what a dead attempt does", func(t *testing.T) {
		_, err := s.Claims().Finish(t.Context(), shelvesWorker, []work.Outcome{{Claim: c, Status: work.StatusCompleted}})
		must(t, err)
		next := propose(t, conn, curation.ProposalMerge, "o3", "o4", "")
		if err := execute(next); !errors.Is(err, kappa.ErrStale) {
			t.Errorf("executing: %v", err)
		}
		if err := a.FailProposal(t.Context(), c, next, "x"); !errors.Is(err, kappa.ErrStale) {
			t.Errorf("failing: %v", err)
		}
	})
	t.Run("what is proposed once", func(t *testing.T) {
		c := executionClaim(t, s)
		list, epoch, err := a.AnnealingOntologies(t.Context(), "")
		must(t, err)
		p := curation.Proposal{Kind: curation.ProposalMerge, OntologyID: list[2].ID, Ontology: list[2].Name, TargetID: list[0].ID, Target: &list[0].Name, Reasoning: "r", Status: curation.ProposalPending, MadeBy: "j"}
		add := func() curation.Annealed {
			found, err := a.FinishAnnealing(t.Context(), c, []curation.NewEdge{{Source: list[0].ID, Target: list[1].ID, Kind: curation.EdgeOverlaps, Score: 0.5, Shared: 3}},
				curation.Annealed{Epoch: epoch, Proposals: []curation.Proposal{p}}, func(curation.Annealed) work.Checkpoint { return work.Checkpoint{} })
			must(t, err)
			return found
		}
		first := add()
		if first.Generated != 1 || first.Created != 1 {
			t.Fatalf("added %+v", first)
		}
		if again := add(); again.Generated != 0 || again.Created != 0 || again.Deleted != 0 {
			t.Errorf("added again %+v", again)
		}
		must(t, review(first.IDs[0], curation.ProposalRejected))
		if again := add(); again.Generated != 0 {
			t.Errorf("a rejected one was added again %+v", again)
		}
		got, err := a.Proposal(t.Context(), first.IDs[0])
		if err != nil || got.Status != curation.ProposalRejected || deref(got.ReviewedBy) != "anna" || got.Ontology != list[2].Name || deref(got.Target) != list[0].Name {
			t.Errorf("%+v, %v", got, err)
		}
		edges, err := a.OntologyEdgesOf(t.Context(), list[1].ID)
		if err != nil || len(edges) != 1 || edges[0].Direction != "incoming" {
			t.Errorf("%+v, %v", edges, err)
		}
	})
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// TestOntologyMeasures compares what is measured with what was stored by hand.
func TestOntologyMeasures(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn, a := connect(t, dsn), s.Annealing()
	for _, sql := range []string{
		`INSERT INTO kg_api.ontologies (name) VALUES ('a'), ('b')`,
		`INSERT INTO kg_api.contents (content_hash, body) VALUES ('sha256:` + fmt.Sprintf("%064d", 0) + `', '')`,
		`INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, job_id) SELECT c.content_hash, o.id, 'f', 't', 'j' FROM kg_api.contents c, kg_api.ontologies o ORDER BY o.id`,
		`INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id) SELECT 's_' || d.id, d.id, 1, 't', 0, 1, 0, 1, 1, 'x', 'j' FROM kg_api.documents d`,
		`INSERT INTO kg_api.concepts (concept_id, label, term_keys) SELECT 'c_' || n, 'C' || n, '{}' FROM generate_series(1, 6) n`,
		// a shows 1 to 4, b shows 3 to 6.
		`INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte) SELECT n, 1, 'q', 0, 1 FROM generate_series(1, 4) n UNION ALL SELECT n, 2, 'q', 0, 1 FROM generate_series(3, 6) n`,
		`INSERT INTO kg_api.edges (src, dst, type, confidence) VALUES (1, 2, 1, 1), (1, 3, 1, 1), (4, 1, 1, 1), (1, 2, 2, 1), (2, 5, 1, 1), (6, 1, 1, 1), (5, 6, 1, 1)`,
	} {
		_, err := conn.Exec(t.Context(), sql)
		must(t, err)
	}
	list, _, err := a.AnnealingOntologies(t.Context(), "a")
	must(t, err)
	m, _, err := a.MeasureOntology(t.Context(), list[0], "m", 10)
	if err != nil || m.Concepts != 4 || m.Files != 1 || m.Sources != 1 || m.Evidence != 4 || m.Internal != 4 || m.Crossing != 2 {
		t.Errorf("measured %+v, %v", m, err)
	}
	near, err := a.Affinities(t.Context(), list[0].ID)
	if err != nil || len(near) != 1 || near[0].Shared != 2 || near[0].Similarity != 0.5 || near[0].OtherName != "b" || near[0].OfOther != 4 {
		t.Errorf("affinities %+v, %v", near, err)
	}
	degrees, err := a.Degrees(t.Context(), list[0].ID, 2)
	if err != nil || len(degrees) != 2 || degrees[0].ConceptID != "c_1" || degrees[0].Degree != 4 || degrees[0].Out != 3 || degrees[0].In != 1 || degrees[0].Centrality != 1 {
		t.Errorf("degrees %+v, %v", degrees, err)
	}
	if n, err := a.DocumentsAbout(t.Context(), list[0].ID, "c_1"); err != nil || n != 1 {
		t.Errorf("%d documents are about it, %v", n, err)
	}
	for _, epoch := range []int64{5, 3} {
		must(t, a.StoreScores(t.Context(), curation.Scores{Measures: m, Mass: float64(epoch) / 10, Epoch: epoch}))
	}
	scores, err := a.Scores(context.WithoutCancel(t.Context()), "a")
	if err != nil || len(scores) != 1 || scores[0].Mass != 0.5 {
		t.Errorf("older scores replaced newer ones: %+v, %v", scores, err)
	}
}

// TestUnsentProposals finds the proposals that were accepted and have no job.
func TestUnsentProposals(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	add := func(status, age string, job *string) (id int) {
		t.Helper()
		must(t, conn.QueryRow(t.Context(), `INSERT INTO kg_api.ontology_proposals (kind, ontology, ontology_name, reasoning, made_by, epoch, status, reviewed_at, reviewed_by, job_id)
			VALUES ('merge', (SELECT 1 + count(*) FROM kg_api.ontology_proposals), 'o', '', 'job_0', 0, $1, now() - $2::text::interval, 'ada', $3) RETURNING id`, status, age, job).Scan(&id))
		return id
	}
	unsent := func() (ids []int) {
		t.Helper()
		list, err := s.Annealing().UnsentProposals(t.Context(), time.Minute)
		must(t, err)
		for _, j := range list {
			if j.TriggeredBy != "ada" {
				t.Errorf("proposal %d was accepted by %q", j.ProposalID, j.TriggeredBy)
			}
			ids = append(ids, j.ProposalID)
		}
		return ids
	}
	lost := add("approved", "2 minutes", nil)
	add("approved", "10 seconds", nil)
	add("approved", "2 minutes", new("job_1"))
	add("rejected", "2 minutes", nil)
	failed := add("failed", "1 hour", new("job_1"))
	if got := unsent(); !slices.Equal(got, []int{lost}) {
		t.Fatalf("%v have no job, want %d", got, lost)
	}
	if p, err := s.Annealing().ReviewProposal(t.Context(), curation.ProposalReview{ID: failed, Status: curation.ProposalApproved, By: "ada"}); err != nil || p.JobID != nil {
		t.Fatalf("accepted again: %+v, err %v", p, err)
	}
	run(t, conn, "UPDATE kg_api.ontology_proposals SET reviewed_at = now() - interval '2 minutes' WHERE status = 'approved'")
	_, err := s.Jobs().SubmitJob(t.Context(), work.NewJob{
		Type: curation.TypeProposalExecution, Queue: work.DefaultQueue, Data: fmt.Appendf(nil, `{"proposal_id":%d}`, lost), AutoApprove: true, UserID: access.SystemUserID,
	})
	must(t, err)
	if got := unsent(); slices.Contains(got, lost) || !slices.Contains(got, failed) {
		t.Errorf("%v have no job; %d has one that is not named yet, %d was accepted again", got, lost, failed)
	}
}
