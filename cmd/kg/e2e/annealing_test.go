package e2e

import (
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/work"
)

// TestAnnealing has ontologies annealed whose overlap was stored by hand: small has three
// concepts, which large has too. The proposal to merge them is accepted, executed, and
// undone; then an automatic annealing leaves alone what was undone.
func TestAnnealing(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	conn, err := pgx.Connect(t.Context(), s.dsn)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	_, err = conn.Exec(t.Context(), `
		INSERT INTO kg_api.ontologies (name) VALUES ('large'), ('small');
		INSERT INTO kg_api.contents (content_hash, body) SELECT 'sha256:' || lpad(n::text, 64, '0'), '' FROM generate_series(1, 3) n;
		INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, job_id)
			SELECT 'sha256:' || lpad(n::text, 64, '0'), (SELECT o.id FROM kg_api.ontologies o WHERE o.name = CASE WHEN n < 3 THEN 'large' ELSE 'small' END), 'f' || n, 'text/plain', 'j' FROM generate_series(1, 3) n;
		INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
			SELECT 's_' || d.filename, d.id, 1, 't', 0, 1, 0, 1, 1, 'sentence', 'j' FROM kg_api.documents d;
		INSERT INTO kg_api.concepts (concept_id, label, term_keys) SELECT 'c_' || n, 'C' || n, '{}' FROM generate_series(1, 8) n;
		INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte)
			SELECT c.id, s.id, 'q', 0, 1 FROM kg_api.concepts c, kg_api.sources s WHERE s.source_id <> 's_f3' OR c.concept_id IN ('c_1', 'c_2', 'c_3')`)
	must(t, err)
	where := func() (text string) {
		t.Helper()
		must(t, conn.QueryRow(t.Context(), `SELECT string_agg(o.name || ' ' || d.filename || ' ' || s.source_id, ', ' ORDER BY s.source_id)
			FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id`).Scan(&text))
		return text
	}
	anneal := func(o curation.Annealing) (found curation.Annealed) {
		t.Helper()
		reply, err := s.client.Ontologies.Anneal(t.Context(), o)
		must(t, err)
		must(t, json.Unmarshal(await(t, s.client, reply.JobID, work.StatusCompleted).Result, &found))
		return found
	}
	const apart, joined = "large f1 s_f1, large f2 s_f2, small f3 s_f3", "large f1 s_f1, large f2 s_f2, large f3 s_f3"
	o := curation.NewAnnealing()
	o.DryRun = true
	if dry := anneal(o); dry.Generated != 0 || dry.Merges != 1 || len(dry.Candidates.Merges) != 1 || len(dry.IDs) != 0 || !dry.DryRun {
		t.Fatalf("a dry run proposes %+v", dry)
	}
	if list, err := s.client.Proposals.List(t.Context(), curation.ProposalFilter{}); err != nil || len(list) != 0 {
		t.Fatalf("a dry run has stored %+v, %v", list, err)
	}
	o.DryRun = false
	found := anneal(o)
	if found.Generated != 1 || found.Merges != 1 || found.Scores != 2 || found.Created != 1 || where() != apart {
		t.Fatalf("proposed %+v; %s", found, where())
	}
	scores, err := s.client.Ontologies.Scores(t.Context())
	if err != nil || len(scores) != 2 || scores[0].Name != "large" || scores[0].Protection <= scores[1].Protection {
		t.Errorf("scores %+v, %v", scores, err)
	}
	p, err := s.client.Proposals.Review(t.Context(), found.IDs[0], true, "the same")
	must(t, err)
	if p.Ontology != "small" || p.JobID == nil {
		t.Fatalf("accepted %+v", p)
	}
	await(t, s.client, *p.JobID, work.StatusCompleted)
	p, err = s.client.Proposals.Get(t.Context(), p.ID)
	if err != nil || p.Status != curation.ProposalExecuted || where() != joined {
		t.Fatalf("executed %+v, %v: %s", p, err, where())
	}
	if _, err := s.client.Ontologies.Get(t.Context(), "small"); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("the merged ontology is there: %v", err)
	}
	p, err = s.client.Proposals.Undo(t.Context(), p.ID)
	if err != nil || p.Status != curation.ProposalUndone || where() != apart {
		t.Fatalf("undone %+v, %v: %s", p, err, where())
	}
	o.Automatic = true
	if again := anneal(o); again.Generated != 0 || again.Dispatched != 0 || where() != apart {
		t.Errorf("what was undone was proposed again: %+v; %s", again, where())
	}
	if _, err := conn.Exec(t.Context(), `DELETE FROM kg_api.ontology_proposals`); err != nil {
		t.Fatal(err)
	}
	if auto := anneal(o); auto.Dispatched != 1 {
		t.Errorf("not accepted by itself: %+v", auto)
	}
	awaitThat(t, "the proposal is executed by itself", func() bool { return where() == joined })
}
