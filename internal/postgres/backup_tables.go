package postgres

import "maps"

// backupTable says how the rows of a table stand in an archive: what the catalogue says
// of its columns, but with natural keys in place of numbers, so that an archive can be
// read by people and restored into a graph that has other numbers.
type backupTable struct {
	name string // also the alias of the table in the statements below

	// Reading: join finds the natural keys, keys says what stands in place of a column,
	// and within limits the rows to the ontology that is $1.
	join   string
	keys   map[string]string
	within string
	only   string // which rows an archive holds at all; "" is every one
	order  string // "" where the order of rows does not count

	// Writing: find finds the numbers of the natural keys of a row x, columns says what
	// is written into a column, and conflict what happens to a row that is there. looksUp
	// says that find finds every row that one of the table refers to, and becomeOne that
	// rows which differ in an archive may be one in the graph.
	types              map[string]string // of what columns has; text without
	find               string
	columns            map[string]string
	conflict           string
	looksUp, becomeOne bool

	omit []string // columns that are not in the archive
}

const inOntology = "d.ontology_id = (SELECT o.id FROM kg_api.ontologies o WHERE o.name = $1)"

// Rows of versions that went name theirs by its key.
const (
	versionIn   = "v.ontology_id = (SELECT o.id FROM kg_api.ontologies o WHERE o.name = $1)"
	versionFind = "JOIN kg_api.document_versions v ON v.version_key = x.version::uuid"
)

var (
	versionKeys    = map[string]string{"version": "v.version_key::text"}
	versionColumns = map[string]string{"version": "v.id"}
)

func versionJoin(table string) string {
	return "JOIN kg_api.document_versions v ON v.id = " + table + ".version"
}

// conceptsWithin are the numbers of the concepts that an ontology shows.
const conceptsWithin = `IN (SELECT i.concept FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document WHERE ` + inOntology + `
	UNION SELECT unnest(ARRAY[v.src, v.dst]) FROM kg_api.edge_evidence v JOIN kg_api.sources s ON s.id = v.source JOIN kg_api.documents d ON d.id = s.document WHERE ` + inOntology + `)`

// conceptAndSource finds both of a row.
const conceptAndSource = "JOIN kg_api.concepts c ON c.concept_id = x.concept " + sourceFind

// sourceFind finds the chunk that a row is of; see placeSources.
const sourceFind = "JOIN restored_at s ON s.archived = x.source"

// edgeJoin and edgeFind translate the ends and the type of a relationship. A type that was
// merged here is what it has become, and the ends of a symmetric one are in the order of
// the numbers that they have here.
const (
	edgeJoin = `JOIN kg_api.concepts f ON f.id = %[1]s.src JOIN kg_api.concepts g ON g.id = %[1]s.dst JOIN kg_api.relationship_types r ON r.id = %[1]s.type`
	edgeFind = `JOIN kg_api.concepts f ON f.concept_id = x.src JOIN kg_api.concepts g ON g.concept_id = x.dst
		JOIN (SELECT t.name, n.id, n.is_symmetric FROM kg_api.relationship_types t JOIN kg_api.relationship_types n ON n.id = kg_api.current_type(t.id) OFFSET 0) r ON r.name = x.type
		CROSS JOIN LATERAL (SELECT r.is_symmetric AND f.id > g.id AS swapped) w
		CROSS JOIN LATERAL (SELECT CASE WHEN w.swapped THEN g.id ELSE f.id END AS src, CASE WHEN w.swapped THEN f.id ELSE g.id END AS dst) p`
)

var edgeKeys = map[string]string{"src": "f.concept_id", "dst": "g.concept_id", "type": "r.name"}

var edgeColumns = map[string]string{"src": "p.src", "dst": "p.dst", "type": "r.id"}

// evidenceColumns are edgeColumns, and the marks of the ends, which go with them.
var evidenceColumns = func() map[string]string {
	columns := map[string]string{"source": "s.id"}
	maps.Copy(columns, edgeColumns)
	for _, what := range []string{"kind", "start", "end"} {
		columns["from_"+what] = "CASE WHEN w.swapped THEN x.to_" + what + " ELSE x.from_" + what + " END"
		columns["to_"+what] = "CASE WHEN w.swapped THEN x.from_" + what + " ELSE x.to_" + what + " END"
	}
	return columns
}()

// backupTables are the tables of an archive, in the order in which they can be restored.
var backupTables = []backupTable{
	{
		name: "ontologies", order: "ontologies.id", within: "ontologies.name = $1", omit: []string{"created_by"},
	},
	{
		// A piece of a document; see contentPieceBytes.
		name: "contents", omit: []string{"body"}, conflict: "(content_hash) DO NOTHING",
		join:   "CROSS JOIN LATERAL generate_series(0, greatest(octet_length(contents.body) - 1, 0) / " + contentPieceBytes + ") AS p(n)",
		types:  map[string]string{"piece": "integer", "bytes": kindBase64},
		keys:   map[string]string{"piece": "p.n", "bytes": "encode(substr(contents.body, p.n * " + contentPieceBytes + " + 1, " + contentPieceBytes + "), 'base64')"},
		within: "contents.content_hash IN (SELECT d.document_id FROM kg_api.documents d WHERE " + inOntology + " UNION SELECT v.document_id FROM kg_api.document_versions v WHERE " + versionIn + ")",
	},
	{
		name: "documents", order: "documents.id", omit: []string{"user_id"}, conflict: "(document_id, ontology_id) DO NOTHING",
		join: "JOIN kg_api.ontologies o ON o.id = documents.ontology_id", keys: map[string]string{"ontology_id": "o.name"}, within: "o.name = $1",
		find: "JOIN restored_into o ON o.name = x.ontology_id", columns: map[string]string{"ontology_id": "o.ontology"},
	},
	{
		name: "sources", order: "sources.id", conflict: "(source_id) DO NOTHING",
		join:   "JOIN kg_api.documents d ON d.id = sources.document JOIN kg_api.ontologies o ON o.id = d.ontology_id",
		keys:   map[string]string{"document": "ARRAY[d.document_id, o.name]"},
		types:  map[string]string{"document": "text[]"},
		within: "o.name = $1",
		find:   "JOIN restored_at a ON a.archived = x.source_id AND a.id IS NULL", columns: map[string]string{"source_id": "a.source_id", "document": "a.document"},
	},
	{
		// What went before documents, which is known by keys of its own.
		name: "document_versions", order: "document_versions.id", omit: []string{"user_id", "document"}, conflict: "(version_key) DO NOTHING",
		join: "JOIN kg_api.ontologies o ON o.id = document_versions.ontology_id", keys: map[string]string{"ontology_id": "o.name"}, within: "o.name = $1",
		find: "JOIN restored_into o ON o.name = x.ontology_id", columns: map[string]string{"ontology_id": "o.ontology"},
	},
	{
		name: "version_chunks", conflict: "(version, chunk_number) DO NOTHING", within: versionIn,
		join: versionJoin("version_chunks"), keys: versionKeys, find: versionFind, columns: versionColumns,
	},
	{
		name: "version_passages", conflict: "(version, number) DO NOTHING", within: versionIn,
		join: versionJoin("version_passages"), keys: versionKeys, find: versionFind, columns: versionColumns,
	},
	{
		name: "source_places", conflict: "DO NOTHING", within: inOntology,
		join: "JOIN kg_api.sources s ON s.id = source_places.source JOIN kg_api.documents d ON d.id = s.document", keys: map[string]string{"source": "s.source_id"},
		find: sourceFind, columns: map[string]string{"source": "s.id"},
	},
	{
		// Of a chunk that had none here. Those of two versions would say everything twice.
		name: "passages", order: "passages.source, passages.number", omit: []string{"id"}, conflict: "(source, number) DO NOTHING", within: inOntology,
		join: "JOIN kg_api.sources s ON s.id = passages.source JOIN kg_api.documents d ON d.id = s.document", keys: map[string]string{"source": "s.source_id"},
		find: sourceFind + " AND NOT s.keeps_passages", columns: map[string]string{"source": "s.id"},
	},
	{
		// Of a passage that is here and says the same under the same headings, which older archives
		// do not name.
		name: "passage_embeddings", conflict: "(passage, model) DO NOTHING", within: inOntology,
		join:  "JOIN kg_api.passages p ON p.id = passage_embeddings.passage JOIN kg_api.sources s ON s.id = p.source JOIN kg_api.documents d ON d.id = s.document",
		keys:  map[string]string{"passage": "ARRAY[s.source_id, p.number::text, md5(p.body), md5(p.section)]"},
		types: map[string]string{"passage": "text[]"},
		find: "JOIN restored_at s ON s.archived = x.passage[1] " +
			"JOIN kg_api.passages p ON p.source = s.id AND p.number = x.passage[2]::int AND md5(p.body) = x.passage[3] AND md5(p.section) = coalesce(x.passage[4], md5(p.section))",
		columns: map[string]string{"passage": "p.id"},
	},
	{
		name: "source_embeddings", conflict: "DO NOTHING", within: inOntology,
		join: "JOIN kg_api.sources s ON s.id = source_embeddings.source JOIN kg_api.documents d ON d.id = s.document", keys: map[string]string{"source": "s.source_id"},
		find: sourceFind, columns: map[string]string{"source": "s.id"},
	},
	{
		name: "relationship_types", omit: []string{"merged_into"}, only: "relationship_types.merged_into IS NULL",
		conflict: "(name) DO UPDATE SET created_at = excluded.created_at WHERE relationship_types.created_at > excluded.created_at",
		within:   "relationship_types.id IN (SELECT v.type FROM kg_api.edge_evidence v JOIN kg_api.sources s ON s.id = v.source JOIN kg_api.documents d ON d.id = s.document WHERE " + inOntology + ")",
	},
	{
		name: "concepts", order: "concepts.id", conflict: "(concept_id) DO NOTHING", within: "concepts.id " + conceptsWithin,
	},
	{
		name: "concept_embeddings", conflict: "(concept) DO NOTHING", within: "concept_embeddings.concept " + conceptsWithin,
		join: "JOIN kg_api.concepts c ON c.id = concept_embeddings.concept", keys: map[string]string{"concept": "c.concept_id"},
		find: "JOIN kg_api.concepts c ON c.concept_id = x.concept", columns: map[string]string{"concept": "c.id"},
	},
	{
		name: "instances", looksUp: true, conflict: "DO NOTHING", within: inOntology,
		join: "JOIN kg_api.concepts c ON c.id = instances.concept JOIN kg_api.sources s ON s.id = instances.source JOIN kg_api.documents d ON d.id = s.document",
		keys: map[string]string{"concept": "c.concept_id", "source": "s.source_id"},
		find: conceptAndSource, columns: map[string]string{"concept": "c.id", "source": "s.id"},
	},
	{
		// What a chunk said of a concept; the first of them names it, so their order counts.
		name: "mentions", looksUp: true, conflict: "DO NOTHING", within: inOntology, order: "mentions.id",
		join: "JOIN kg_api.concepts c ON c.id = mentions.concept JOIN kg_api.sources s ON s.id = mentions.source JOIN kg_api.documents d ON d.id = s.document",
		keys: map[string]string{"concept": "c.concept_id", "source": "s.source_id"},
		find: conceptAndSource, columns: map[string]string{"concept": "c.id", "source": "s.id"},
	},
	{
		// The confidence of a relationship is the best of its evidence: see restore.settle.
		name: "edges", looksUp: true, becomeOne: true, join: edgeJoin, keys: edgeKeys, find: edgeFind, columns: edgeColumns,
		conflict: "(src, dst, type) DO NOTHING",
		within:   "(edges.src, edges.dst, edges.type) IN (SELECT v.src, v.dst, v.type FROM kg_api.edge_evidence v JOIN kg_api.sources s ON s.id = v.source JOIN kg_api.documents d ON d.id = s.document WHERE " + inOntology + ")",
	},
	{
		name: "edge_evidence", looksUp: true, becomeOne: true, conflict: "DO NOTHING", within: inOntology,
		types:   map[string]string{"from_start": "smallint", "from_end": "smallint", "to_start": "smallint", "to_end": "smallint"},
		join:    edgeJoin + " JOIN kg_api.sources s ON s.id = edge_evidence.source JOIN kg_api.documents d ON d.id = s.document",
		keys:    map[string]string{"src": "f.concept_id", "dst": "g.concept_id", "type": "r.name", "source": "s.source_id"},
		find:    edgeFind + " JOIN kg_api.edges e ON (e.src, e.dst, e.type) = (p.src, p.dst, r.id) " + sourceFind,
		columns: evidenceColumns,
	},
}

// contentPieceBytes is how much of a document stands in one line: a whole one may be
// larger than the memory that may be used.
const contentPieceBytes = "4194304"

// notInBackups are the other tables of the schema, with the reason why an archive does
// not hold them.
var notInBackups = map[string]string{
	"users": "accounts", "oauth_clients": "accounts", "revoked_tokens": "accounts", "secrets": "accounts", "stream_tickets": "accounts", "access_epoch": "accounts",
	"jobs": "work", "job_counts": "work", "job_changes": "work", "job_events": "work", "job_effects": "work", "job_action_parts": "work", "workers": "work", "leader": "work", "submissions": "work",
	"attempt_minutes": "work", "worker_lanes": "settings", "pauses": "settings", "job_type_policies": "settings", "limits": "settings", "limit_starts": "work", "scheduled_jobs": "settings", "schedule_runs": "work", "scheduler_state": "work",
	"graph_settings": "settings", "search_settings": "settings", "schema_floor": "of the schema", "schema_migrations": "of the schema",
	"graph_epoch": "restoring raises it", "epoch_log": "of the database", "graph_log": "restoring writes it", "graph_log_floor": "of the database",
	"ontology_tombstones": "names that are blocked here", "embedding_space": "of the model in use", "projections": "computed from the graph",
	"roles": "accounts", "role_grants": "accounts", "role_assignments": "accounts", "resource_types": "accounts", "audit_log": "accounts",
	"groups": "accounts", "group_members": "accounts", "resource_grants": "accounts",
	"vocabulary_merges": "to undo what was merged here", "merged_edges": "to undo what was merged here", "merged_evidence": "to undo what was merged here",
	"ontology_proposals": "work", "moved_documents": "to undo what was moved here", "moved_sources": "to undo what was moved here",
	"ontology_counts": "counted in the graph", "ontology_holdings": "counted in the graph", "ontology_pairs": "counted in the graph", "ontology_changes": "counted in the graph",
	"ontology_scores": "computed from the graph", "ontology_edges": "computed from the graph", "annealing_state": "of the database",
	"vocabulary_reviews": "work", "vocabulary_settings": "settings", "vocabulary_profiles": "settings", "schedule_seeds": "settings", "counter_measurements": "what was counted here",
	"concept_merges": "to undo what was merged here", "concept_merge_rows": "to undo what was merged here", "concept_blocks": "settings", "concepts_apart": "settings",
	"estimates": "work", "kept_readings": "work", "kept_texts": "work", "image_descriptions": "can be made anew",
	"providers": "settings", "model_settings": "settings", "model_profiles": "settings", "provider_settings": "settings", "model_prices": "settings", "provider_keys": "secrets",
	"model_calls": "work", "model_usage": "work", "charged_runs": "work", "charged_calls": "work", "provider_waits": "work", "content_pieces": "work",
	"passage_refusals": "of the model in use", "analyses": "work", "analysis_use": "work",
	"blocked_workers": "work", "run_claims": "work", "run_dataclips": "work", "dataclips": "work", "job_dataclips": "work", "run_logs": "work", "run_steps": "work",
	"artifacts": "results that can be made anew", "artifact_files": "results that can be made anew", "artifact_pieces": "results that can be made anew",
	"saved_queries": "of accounts", "webhooks": "settings", "webhook_secrets": "secrets", "webhook_deliveries": "work",
	"type_embeddings": "computed from the names", "type_measures": "computed from the graph", "vocabulary_measurement": "computed from the graph",
}
