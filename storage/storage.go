package storage

import (
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/work"
)

// Use says what the database holds, from its catalogue: what has just been written may
// not be counted yet.
type Use struct {
	Database   string          `json:"database"`
	Total      int64           `json:"total_objects" doc:"Rows of all kinds, about"`
	Bytes      int64           `json:"total_bytes" doc:"Of the whole database, its catalogue included"`
	ByCategory map[string]Size `json:"by_category" doc:"The same as kinds, by their names"`
	Kinds      []KindUse       `json:"kinds" doc:"The largest first"`
}

// Size is how much there is of a kind.
type Size struct {
	Count int64 `json:"count" doc:"Rows, about"`
	Bytes int64 `json:"size_bytes" doc:"With indexes"`
}

// KindUse is how much a kind of things takes.
type KindUse struct {
	Kind       string  `json:"kind"`
	Rows       int64   `json:"rows" doc:"About"`
	TableBytes int64   `json:"table_bytes" doc:"With what is stored out of line"`
	IndexBytes int64   `json:"index_bytes"`
	Tables     []Table `json:"tables" doc:"The largest first"`
}

// Table is how much one table takes.
type Table struct {
	Name       string `json:"table"`
	Rows       int64  `json:"rows" doc:"About"`
	TableBytes int64  `json:"table_bytes"`
	IndexBytes int64  `json:"index_bytes"`
}

// kinds are the kinds of things that the database holds, with their tables. What a
// kind counts are the rows of its first table.
var kinds = map[string][]string{
	"documents":     {"contents", "documents", "content_pieces"},
	"versions":      {"document_versions", "version_chunks", "version_passages"},
	"chunks":        {"sources", "source_places", "passages"},
	"images":        {"image_descriptions"},
	"concepts":      {"concepts", "instances", "mentions", "concept_merges", "concept_merge_rows", "concept_blocks", "concepts_apart"},
	"relationships": {"edges", "edge_evidence"},
	"embeddings":    {"concept_embeddings", "source_embeddings", "passage_embeddings", "passage_refusals", "type_embeddings", "embedding_space"},
	"vocabulary": {
		"relationship_types", "type_measures", "vocabulary_measurement", "vocabulary_merges", "vocabulary_profiles", "vocabulary_reviews", "vocabulary_settings", "merged_edges", "merged_evidence",
	},
	"ontologies": {
		"ontologies", "ontology_changes", "ontology_counts", "ontology_edges", "ontology_holdings", "ontology_pairs", "ontology_proposals", "ontology_scores", "ontology_tombstones", "annealing_state", "moved_documents", "moved_sources",
	},
	"artifacts":   {"artifacts", "artifact_files", "artifact_pieces"},
	"projections": {"projections"},
	"dataclips":   {"dataclips", "job_dataclips", "run_dataclips"},
	"jobs": {
		"jobs", "job_events", "job_effects", "job_action_parts", "pauses", "job_type_policies", "limits", "limit_starts", "job_counts", "job_changes", "analyses", "analysis_use", "charged_calls", "charged_runs", "estimates", "kept_readings", "kept_texts", "model_calls", "model_usage", "provider_waits",
		"attempt_minutes", "run_claims", "run_steps", "schedule_runs", "scheduled_jobs", "schedule_seeds", "scheduler_state", "submissions",
	},
	"logs":     {"audit_log", "graph_log", "run_logs", "epoch_log", "graph_log_floor"},
	"queries":  {"saved_queries"},
	"webhooks": {"webhook_deliveries", "webhooks", "webhook_secrets"},
	"models":   {"model_settings", "model_profiles", "model_prices", "provider_keys", "provider_settings"},
	"accounts": {"users", "oauth_clients", "revoked_tokens", "roles", "role_grants", "role_assignments", "groups", "group_members", "resource_grants", "resource_types", "stream_tickets", "secrets", "access_epoch"},
}

// KindOf returns of what kind the rows of a table are; "other" is what keeps the server
// itself running.
func KindOf(table string) (kind string, counts bool) {
	for kind, tables := range kinds {
		if i := slices.Index(tables, table); i >= 0 {
			return kind, i == 0
		}
	}
	return "other", true
}

// NewUse sums tables up by their kinds.
func NewUse(database string, bytes int64, tables []Table) Use {
	use := Use{Database: database, Bytes: bytes, ByCategory: map[string]Size{}, Kinds: []KindUse{}}
	for kind := range kinds {
		use.Kinds = append(use.Kinds, KindUse{Kind: kind, Tables: []Table{}})
	}
	use.Kinds = append(use.Kinds, KindUse{Kind: "other", Tables: []Table{}})
	for _, t := range tables {
		kind, counts := KindOf(t.Name)
		k := &use.Kinds[slices.IndexFunc(use.Kinds, func(k KindUse) bool { return k.Kind == kind })]
		if counts {
			k.Rows += t.Rows
		}
		k.TableBytes, k.IndexBytes, k.Tables = k.TableBytes+t.TableBytes, k.IndexBytes+t.IndexBytes, append(k.Tables, t)
	}
	for i := range use.Kinds {
		k := &use.Kinds[i]
		slices.SortStableFunc(k.Tables, func(a, b Table) int { return compareSizes(a.TableBytes+a.IndexBytes, b.TableBytes+b.IndexBytes) })
		use.ByCategory[k.Kind] = Size{Count: k.Rows, Bytes: k.TableBytes + k.IndexBytes}
		use.Total += k.Rows
	}
	slices.SortFunc(use.Kinds, func(a, b KindUse) int {
		if c := compareSizes(a.TableBytes+a.IndexBytes, b.TableBytes+b.IndexBytes); c != 0 {
			return c
		}
		return strings.Compare(a.Kind, b.Kind)
	})
	return use
}

// compareSizes puts what is larger first.
func compareSizes(a, b int64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

// StoredObject is a stored document, as its bytes came.
type StoredObject struct {
	Key          string     `json:"key" doc:"sources/ and the hash of its bytes, which is the id of the document"`
	Size         int64      `json:"size" doc:"Bytes"`
	LastModified kappa.Time `json:"last_modified"`
	ETag         string     `json:"etag" doc:"The hash"`
}

// StoredObjectDetails is what is known of one.
type StoredObjectDetails struct {
	StoredObject
	ContentType string            `json:"content_type" doc:"Empty while no document in the graph has it"`
	Metadata    map[string]string `json:"metadata" doc:"filename, and how many documents and jobs refer to it"`
}

// ObjectPrefix begins the keys of stored documents.
const ObjectPrefix = "sources/"

// StoredObjectPage asks for a page of the stored documents.
type StoredObjectPage struct {
	Prefix        string
	Limit, Offset int
}

// Validate reports every rule that p breaks.
func (p StoredObjectPage) Validate() error {
	var r check.Rules
	r.Add("query", "prefix", check.OptionalName(p.Prefix, 200))
	r.Add("query", "limit", check.Range(p.Limit, 1, 500))
	r.Add("query", "offset", check.Range(p.Offset, 0, check.MaxOffset))
	return r.Err()
}

// References says whether what the graph refers to is stored, and what is stored that
// nothing refers to.
type References struct {
	CheckedAt  kappa.Time `json:"checked_at"`
	Ontology   *string    `json:"ontology"`
	Category   string     `json:"category"`
	Objects    int        `json:"s3_objects" doc:"Stored documents"`
	References int        `json:"graph_references" doc:"Documents in the graph"`
	Orphaned   []string   `json:"orphaned_in_s3" doc:"Keys of stored documents that no document and no job refers to; the next cleanup removes them. At most 100"`
	Missing    []string   `json:"missing_from_s3" doc:"Keys of documents that are not stored. At most 100"`
	Consistent bool       `json:"is_consistent" doc:"Both lists are empty"`
}

// Retention says what is kept for how long, and what the next cleanup would remove.
type Retention struct {
	Policies    map[string]RetentionPolicy `json:"policies"`
	NextCleanup *kappa.Time                `json:"next_cleanup"`
}

// RetentionPolicy is how long something is kept.
type RetentionPolicy struct {
	Keep    string `json:"keep" doc:"A time such as 48h0m0s, or when it ends"`
	Setting string `json:"setting" doc:"Which setting of the server says so; empty for none"`
	DueNow  int64  `json:"due_now" doc:"How much the next cleanup would remove, counted to 10,000"`
}

// MostDue is how far is counted what a cleanup would remove.
const MostDue = 10_000

// RetentionSettings are how long things are kept.
type RetentionSettings struct {
	Jobs  work.Retention
	Audit time.Duration
	Keys  time.Duration // of submissions
}
