package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/projection"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

const (
	maintainedOneIn  = 40 // jobs are of a type that maintains the graph
	maintenanceSlots = 4  // of each of the lanes of these types
	graphConcepts    = 40
)

// maintenanceTypes are the types that maintain the graph, with data that has them do all
// of their work again each time.
func maintenanceTypes() map[string]map[string]any {
	return map[string]map[string]any{
		projection.TypeProjection:    {"ontology": projection.AllOntologies, "force": true, "n_components": 2},
		vocabulary.TypeRefresh:       {"only_computed": false},
		vocabulary.TypeEmbedding:     {"only_missing": false},
		vocabulary.TypeConsolidate:   {"target_size": 1, "dry_run": true},
		vocabulary.TypeRemeasurement: {},
		curation.TypeAnnealing:       {},
		corpus.TypeSourceEmbedding:   {"force": true},
		artifacts.TypeCleanup:        {},
	}
}

// maintenanceJob draws the type and the data of job number n.
func maintenanceJob(r *rand.Rand, n int) (name string, data json.RawMessage) {
	types := maintenanceTypes()
	names := slices.Sorted(maps.Keys(types))
	name = names[r.IntN(len(names))]
	types[name]["n"] = n
	data, _ = json.Marshal(types[name]) // numbers and texts by name always encode
	return name, data
}

// smallGraph gives the types that maintain a graph one: two ontologies that share concepts,
// which have embeddings and relationships, and a result that has expired.
const smallGraph = `
	INSERT INTO kg_api.ontologies (name) VALUES ('one'), ('two');
	INSERT INTO kg_api.contents (content_hash, body) SELECT 'sha256:' || encode(sha256(b), 'hex'), b FROM (SELECT convert_to('pumps ' || n, 'UTF8') AS b FROM generate_series(1, 6) n) x;
	INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, job_id)
		SELECT c.content_hash, o.id, 'f' || c.n, 'text/plain', 'job_0' FROM (SELECT content_hash, row_number() OVER (ORDER BY body) AS n FROM kg_api.contents WHERE starts_with(convert_from(body, 'UTF8'), 'pumps ')) c
		JOIN kg_api.ontologies o ON o.name = CASE WHEN c.n < 5 THEN 'one' ELSE 'two' END;
	INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
		SELECT 's_' || d.filename || '_' || n, d.id, n, x.says, 0, length(x.says), 0, length(x.says), 4, 'sentence', 'job_0'
		FROM kg_api.documents d, generate_series(1, 4) n, LATERAL (SELECT 'A pump moves water ' || n || ' of ' || d.filename AS says) x;
	INSERT INTO kg_api.concepts (concept_id, label, term_keys) SELECT 'c_' || n, 'Concept ' || n, ARRAY['concept ' || n] FROM generate_series(1, 40) n;
	INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte)
		SELECT c.id, s.id, 'water', 13, 18 FROM kg_api.concepts c JOIN kg_api.sources s ON (c.id + s.id) % 6 = 0;
	INSERT INTO kg_api.edges (src, dst, type, confidence)
		SELECT a.id, b.id, t.id, 0.5 FROM kg_api.concepts a JOIN kg_api.concepts b ON b.id = a.id % 40 + 1 JOIN kg_api.relationship_types t ON t.name = 'CAUSES' WHERE a.id <> b.id;
	INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, start_byte, end_byte)
		SELECT DISTINCT ON (e.src, e.dst, e.type) e.src, e.dst, e.type, i.source, e.confidence, i.quote, i.start_byte, i.end_byte FROM kg_api.edges e JOIN kg_api.instances i ON i.concept = e.src;
	INSERT INTO kg_api.relationship_types (name, category) VALUES ('PUMPING', 'llm_generated'), ('PUMPINGS', 'llm_generated');
	INSERT INTO kg_api.artifacts (artifact_type, representation, graph_epoch, payload, expires_at) VALUES ('report', 'cli', 0, '{}', now() - interval '1 hour')`

// prepareMaintenance stores the graph, and gives the lanes of these types room.
func prepareMaintenance(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, smallGraph); err != nil {
		return fmt.Errorf("make a graph: %w", err)
	}
	embedder := extract.BuiltinEmbedder()
	for n := 1; n <= graphConcepts; n++ {
		list, err := embedder.Embed(ctx, []string{fmt.Sprintf("Concept %d", n)})
		if err != nil {
			return fmt.Errorf("embed a concept: %w", err)
		}
		// Nothing is searched for: the signature says nothing.
		if _, err := conn.Exec(ctx, `INSERT INTO kg_api.concept_embeddings (concept, model, vector, signature, bands)
			SELECT c.id, $2, $3, 0::bit(768), '{}' FROM kg_api.concepts c WHERE c.concept_id = $1`, fmt.Sprintf("c_%d", n), embedder.Model().Name, []float32(list[0])); err != nil {
			return fmt.Errorf("store an embedding: %w", err)
		}
	}
	if _, err := conn.Exec(ctx, "UPDATE kg_api.worker_lanes SET max_slots = $1, poll_interval_ms = 500 WHERE job_types && $2", maintenanceSlots, slices.Collect(maps.Keys(maintenanceTypes()))); err != nil {
		return fmt.Errorf("widen the lanes of maintenance: %w", err)
	}
	return nil
}
