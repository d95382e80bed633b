package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
)

// sound checks every rule of the graph.
func (g *curated) sound(after string) {
	g.t.Helper()
	for _, check := range knowledge.GraphChecks() {
		found, err := g.Checks().CheckGraph(g.t.Context(), check.Name)
		if err != nil {
			g.t.Fatalf("after %s: %s: %v", after, check.Name, err)
		}
		if found.Broken > 0 {
			g.t.Fatalf("after %s it is not so that %s: %d, such as %q", after, check.Rule, found.Broken, found.Examples)
		}
	}
}

// breaks are statements that break each rule of the graph, past what keeps them, and what
// the check names then.
var breaks = map[string]struct {
	sql      string
	names    string
	broken   int64
	repaired bool
}{
	"references":      {sql: `DELETE FROM kg_api.concepts WHERE label = 'lane'`, names: "quote ", broken: 5},
	"chunk-documents": {sql: `DELETE FROM kg_api.documents`, names: "src_", broken: 1},
	"content-hashes":  {sql: `UPDATE kg_api.contents SET body = 'other'`, names: "sha256:", broken: 1},
	"chunk-offsets":   {sql: `UPDATE kg_api.sources SET end_byte = end_byte + 1`, names: "and its text has", broken: 1},
	"quote-offsets":   {sql: `UPDATE kg_api.instances SET start_byte = start_byte + 1, end_byte = end_byte + 1 WHERE quote = 'lane'`, names: "quote ", broken: 1},
	"passages":        {sql: threePassages + `UPDATE kg_api.passages p SET start_byte = 9, start_char = 9, body = substr(s.full_text, 10, 11) FROM kg_api.sources s WHERE p.number = 2; UPDATE kg_api.passages SET body = upper(body) WHERE number = 3`, names: ": passage 3 at 20-30", broken: 2, repaired: true},
	"type-merges":     {sql: `UPDATE kg_api.relationship_types t SET merged_into = o.id FROM kg_api.relationship_types o WHERE t.name = 'GUARDS' AND o.name = 'FENCES'; UPDATE kg_api.relationship_types t SET merged_into = o.id FROM kg_api.relationship_types o WHERE t.name = 'FENCES' AND o.name = 'GUARDS'`, names: "FENCES", broken: 2},
	"retired-types":   {sql: `UPDATE kg_api.relationship_types t SET merged_into = o.id FROM kg_api.relationship_types o WHERE t.name = 'FENCES' AND o.name = 'GUARDS'`, names: "lease_", broken: 1, repaired: true},
	"symmetric-ends":  {sql: `INSERT INTO kg_api.edges SELECT dst, src, type, 1 FROM kg_api.edges e WHERE type = (SELECT id FROM kg_api.relationship_types WHERE name = 'RELATED_TO'); UPDATE kg_api.edge_evidence v SET src = dst, dst = src WHERE type = (SELECT id FROM kg_api.relationship_types WHERE name = 'RELATED_TO')`, names: " RELATED_TO ", broken: 1, repaired: true},
	"evidence":        {sql: `DELETE FROM kg_api.edge_evidence`, names: " GUARDS lane_", broken: 3, repaired: true},
	"confidence":      {sql: `UPDATE kg_api.edges SET confidence = 0.125 WHERE type = (SELECT id FROM kg_api.relationship_types WHERE name = 'GUARDS')`, names: "has 0.125, its best evidence 1", broken: 1, repaired: true},
	"concept-quotes":  {sql: `DELETE FROM kg_api.instances WHERE quote = 'lane'`, names: "lane_", broken: 1},
	"embeddings":      {sql: `UPDATE kg_api.embedding_space SET model = 'other', reembedding = false`, names: "of test", broken: 4},
	"epochs":          {sql: `UPDATE kg_api.ontologies SET creation_epoch = 1000000`, names: "ontology o: epoch 1000000", broken: 1},
	"counters":        {sql: `INSERT INTO kg_api.vocabulary_merges (source, target, made_by) SELECT a.id, b.id, 'test' FROM kg_api.relationship_types a, kg_api.relationship_types b WHERE a.name = 'FENCES' AND b.name = 'GUARDS'; INSERT INTO kg_api.merged_edges (merge, src, dst, confidence, created_at, evidence, target_evidence) SELECT m.id, e.src, e.dst, 1, now(), 0, 0 FROM kg_api.vocabulary_merges m, kg_api.edges e`, names: "merge 1 of types, relationships: 3 are kept, 0 counted", broken: 1},
	"ontology-counts": {sql: `DELETE FROM kg_api.ontology_changes WHERE kind = 'document'`, names: "ontology o: documents, 0 are kept, 1 counted", broken: 1, repaired: true},
	"job-counts":      {sql: `INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, completed_at) VALUES ('job_ffffffffffff', 'x', 'failed', 1, now())`, names: "failed: 0 are kept, 1 counted", broken: 1, repaired: true},
}

// threePassages cuts the beginning of each chunk.
const threePassages = `INSERT INTO kg_api.passages (source, number, start_byte, end_byte, start_char, end_char, class, body)
	SELECT s.id, n, (n - 1) * 10, n * 10, (n - 1) * 10, n * 10, 'prose', substr(s.full_text, (n - 1) * 10 + 1, 10) FROM kg_api.sources s, generate_series(1, 3) n; UPDATE kg_api.sources SET is_cut = true;`

// TestGraphChecks breaks each rule: its check counts what breaks it and names that, and what
// is repaired holds again.
func TestGraphChecks(t *testing.T) {
	t.Parallel()
	for _, check := range knowledge.GraphChecks() {
		t.Run(check.Name, func(t *testing.T) {
			t.Parallel()
			b, known := breaks[check.Name]
			if !known {
				t.Fatal("nothing breaks this rule")
			}
			g := newCurated(t)
			g.document("o", said{"token", "GUARDS", "lane", 1}, said{"lease", "FENCES", "worker", 0.5}, said{"lease", "RELATED_TO", "lane", 0.5})
			g.sound("an ingestion")
			run(t, g.conn, `SET session_replication_role = replica; `+b.sql)
			found, err := g.Checks().CheckGraph(t.Context(), check.Name)
			must(t, err)
			if found.Broken != b.broken || len(found.Examples) == 0 || !strings.Contains(strings.Join(found.Examples, "\n"), b.names) || found.Remedy == "" {
				t.Fatalf("it found %+v", found)
			}
			was := lines(t, g.conn, `SELECT quote FROM kg_api.edge_evidence ORDER BY quote`)
			done, err := g.Checks().RepairGraph(t.Context(), check.Name)
			if b.repaired != (check.Repair != "") || b.repaired != (err == nil) || !b.repaired && kappa.ErrorCode(err) != kappa.CodeConflict {
				t.Fatalf("the repair gives %+v, %v", done, err)
			}
			if !b.repaired {
				return
			}
			if found, err = g.Checks().CheckGraph(t.Context(), check.Name); err != nil || found.Broken > 0 || done.Repaired != b.broken {
				t.Errorf("after repairing %+v it finds %+v, %v", done, found, err)
			}
			if is := lines(t, g.conn, `SELECT quote FROM kg_api.edge_evidence ORDER BY quote`); fmt.Sprint(is) != fmt.Sprint(was) {
				t.Errorf("the evidence was %q and is %q", was, is)
			}
		})
	}
	t.Run("a rule that there is not", func(t *testing.T) {
		g := newCurated(t)
		_, err := g.Checks().CheckGraph(t.Context(), "no")
		_, other := g.Checks().RepairGraph(t.Context(), "no")
		if kappa.ErrorCode(err) != kappa.CodeNotFound || kappa.ErrorCode(other) != kappa.CodeNotFound {
			t.Errorf("%v, %v", err, other)
		}
	})
}
