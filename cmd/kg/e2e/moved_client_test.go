package e2e

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// asMoved is what the client of the service before sends to curate the vocabulary and to
// anneal: the exact bodies and queries.
const (
	consolidating = `{"target_size":30,"batch_size":1,"auto_execute_threshold":0.5,"dry_run":%t,"prune_unused":true}`
	annealQuery   = "/ontology/annealing-cycle?dry_run=true&demotion_threshold=1&promotion_min_degree=1&max_proposals=5"

	similarType   = `{relationship_type:str similarity:num category:str usage_count:int is_builtin:bool}`
	consolidation = `{initial_size:int final_size:int size_reduction:int auto_executed:[+{deprecated:'WASHES_AWAY' target:'WASH_AWAY' similarity:num reasoning:str edges_updated:int error:null}]
		rejected:[{type1:str type2:str reasoning:str}] pruned_count:int message:str job_id:str}`
	annealing = `{proposals_generated:int demotion_candidates:int promotion_candidates:int scores_updated:int centroids_updated:int edges_created:int edges_deleted:int cycle_epoch:int dry_run:bool
		candidates:{demotions:[{ontology:str protection:num}] promotions:[{concept:str ontology:str degree:int}]}}`
)

// movedClient is one of each command that needs members beyond those of the contract's main
// part. See docs/moving-over.md.
func movedClient() []contractSection {
	ontologyScores := `{ontology:str mass_score:num coherence_score:num raw_exposure:num weighted_exposure:num protection_score:num last_evaluated_epoch:int}`
	return []contractSection{
		{"vocab analyze", []exchange{
			{method: "GET", path: "/vocabulary/analyze/CAUSES", shape: `{category:str category_fit:num potential_miscategorization:bool suggestion:str? most_similar_same_category:[+` + similarType + `] most_similar_other_categories:[+` + similarType + `]}`},
			{method: "GET", path: "/vocabulary/analyze/WASH_AWAY", shape: `{category:'llm_generated' category_fit:num potential_miscategorization:bool most_similar_same_category:[+` + similarType + `]}`},
		}},
		{"vocab similar and opposite", []exchange{
			{method: "GET", path: "/vocabulary/similar/CAUSES?limit=10&reverse=false", shape: `{category:'causation' total_compared:int similar_types:[+` + similarType + `]}`},
			{method: "GET", path: "/vocabulary/similar/CAUSES?limit=5&reverse=true", shape: `{category:'causation' total_compared:int similar_types:[+` + similarType + `]}`},
		}},
		{"vocab category-scores", []exchange{
			{method: "GET", path: "/vocabulary/category-scores/WASH_AWAY", shape: `{category:str confidence:num ambiguous:bool runner_up_category:str runner_up_score:num scores:{*:num}}`},
		}},
		{"vocab generate-embeddings", []exchange{
			{method: "POST", path: "/vocabulary/generate-embeddings", send: `{"force_regenerate":true,"only_missing":true}`, shape: `{success:bool generated:int skipped:int failed:int}`},
			{method: "POST", path: "/vocabulary/generate-embeddings", send: `{"force_regenerate":false,"only_missing":true}`, shape: `{success:bool generated:int skipped:int failed:int}`},
		}},
		{"vocab refresh-categories", []exchange{
			{method: "POST", path: "/vocabulary/refresh-categories", send: `{"only_computed":false}`, shape: `{refreshed_count:int skipped_count:int failed_count:int assignments:[+{relationship_type:str category:str confidence:num ambiguous:bool}]}`},
		}},
		{"ontology scores and score-all", []exchange{
			{method: "POST", path: "/ontology/scores", shape: `{count:int global_epoch:int scores:[+` + ontologyScores + `]}`},
			{method: "GET", path: "/ontology/scores", shape: `{count:int global_epoch:int scores:[+` + ontologyScores + `]}`},
		}},
		{"ontology anneal", []exchange{
			{method: "POST", path: annealQuery, shape: annealing},
			{method: "POST", path: strings.Replace(annealQuery, "dry_run=true", "dry_run=false", 1), shape: annealing},
			{method: "POST", path: "/ontology/annealing-cycle?dry_run=true", shape: annealing}, // as the MCP server without arguments
			{method: "POST", path: "/ontology/annealing-cycle?max_proposals=many", status: 422, shape: problemShape},
		}},
		{"edge create", []exchange{
			{
				method: "POST", path: "/edges", send: `{"from_concept_id": "{concept}", "to_concept_id": "{near}", "relationship_type": "EXTENDS", "confidence": 0.5, "source": "api_creation"}`, status: 201,
				shape: `{edge_id:str from_concept_id:str to_concept_id:str relationship_type:str}`,
			},
		}},
		{"admin rbac role create", []exchange{
			{method: "POST", path: "/rbac/roles", send: `{"role_name":"auditor","display_name":"Auditor","metadata":{"team":"risk"}}`, status: 201, shape: `{role_name:'auditor' display_name:str metadata:{team:'risk'}}`},
			{method: "PUT", path: "/rbac/roles/auditor", send: `{"metadata":{"team":"audit"}}`, shape: `{metadata:{team:'audit'}}`},
			{method: "PUT", path: "/rbac/roles/auditor", send: `{"display_name":"Auditors"}`, shape: `{display_name:'Auditors' metadata:{team:'audit'}}`},
			{method: "POST", path: "/rbac/roles", send: `{"role_name":"x","display_name":"X","metadata":[]}`, status: 422, shape: problemShape},
		}},
		{"admin user list and rbac assign list", []exchange{ // where there is no time, null: what their types say
			{method: "POST", path: "/users", send: `{"username": "ada", "password": "a long password", "role": "contributor"}`, status: 201, keep: map[string]string{"ada": "id"}},
			{method: "GET", path: "/users?skip=0&limit=50", shape: `{users:[+{id:int username:str role:str created_at:ts last_login:ts? disabled:bool}]}`},
			{method: "POST", path: "/rbac/user-roles", send: `{"user_id": {ada}, "role_name": "auditor", "scope_type": "global"}`, status: 201, shape: `{assigned_at:ts expires_at:null}`},
			{method: "GET", path: "/rbac/user-roles/{ada}", shape: `[+{role_name:str scope_type:str? scope_id:str? assigned_at:ts expires_at:null}]`},
		}},
		{"admin user update that is refused", []exchange{ // the reason is read from the detail of a 400 alone
			{method: "GET", path: "/users/me", keep: map[string]string{"me": "id"}},
			{method: "PUT", path: "/users/{me}", send: `{"role": "curator"}`, status: 400, shape: problemShape},
			{method: "PUT", path: "/users/{me}", send: `{"disabled": true}`, status: 400, shape: problemShape},
			{method: "PUT", path: "/users/{ada}", send: `{"password": "short"}`, status: 400, shape: problemShape},
			{method: "POST", path: "/users", send: `{"username": "bob", "password": "short", "role": "curator"}`, status: 400, shape: problemShape},
		}},
		{"group and grants", []exchange{
			{method: "POST", path: "/groups", send: `{"group_name":"reviewers","display_name":"Reviewers","description":"They read"}`, status: 201, keep: map[string]string{"group": "id"}, shape: `{id:int group_name:'reviewers'}`},
			{method: "POST", path: "/groups", send: `{"group_name":"reviewers"}`, status: 409, shape: problemShape},
			{method: "GET", path: "/groups?include_system=true&include_member_count=true", shape: `{total:int groups:[+{id:int group_name:str display_name:str? description:str? is_system:bool member_count:int created_at:ts}]}`},
			{method: "POST", path: "/groups/{group}/members", send: `{"user_id": {ada}}`, status: 201, shape: `{user_id:int username:'ada' added_at:ts added_by:int}`},
			{method: "GET", path: "/groups/{group}/members", shape: `{group_id:int group_name:str total:int members:[+{user_id:int username:str added_at:ts}]}`},
			{method: "GET", path: "/groups/1/members", shape: `{group_id:int group_name:'public' total:int members:[any] implicit_membership:bool}`},
			{method: "POST", path: "/grants", send: `{"resource_type":"role","resource_id":"auditor","principal_type":"group","principal_id":{group},"permission":"read"}`, status: 201, keep: map[string]string{"grant": "id"}, shape: `{id:int resource_type:'role' principal_type:'group' permission:'read' granted_at:ts}`},
			{method: "GET", path: "/resources/role/auditor/grants", shape: `{total:int grants:[+{id:int principal_name:'reviewers' permission:'read' granted_by:int granted_by_name:str}]}`},
			{method: "POST", path: "/grants", send: `{"resource_type":"artifact","resource_id":"999","principal_type":"user","principal_id":{ada},"permission":"read"}`, status: 404, shape: problemShape},
			{method: "POST", path: "/grants", send: `{"resource_type":"query_definition","resource_id":"1","principal_type":"user","principal_id":{ada},"permission":"own"}`, status: 422, shape: problemShape},
			{method: "DELETE", path: "/grants/{grant}", status: 204},
			{method: "DELETE", path: "/groups/{group}/members/{ada}", status: 204},
			{method: "DELETE", path: "/groups/{group}/members/{ada}", status: 404, shape: problemShape},
		}},
		{"storage", []exchange{
			{method: "GET", path: "/admin/storage/health", shape: `{healthy:bool bucket:str endpoint:str}`},
			{method: "GET", path: "/admin/storage/stats", shape: `{total_objects:int total_bytes:int by_category:{documents:{count:int size_bytes:int} images:{count:int size_bytes:int} projections:{count:int size_bytes:int} artifacts:{count:int size_bytes:int}}}`},
			{method: "GET", path: "/admin/storage/objects?prefix=&limit=50&offset=0", keep: map[string]string{"key": "objects.0.key"}, shape: `{total:int prefix:str limit:int offset:int objects:[+{key:str size:int last_modified:ts etag:str}]}`},
			{method: "GET", path: "/admin/storage/objects/metadata?key={key}", shape: `{key:str size:int content_type:str last_modified:ts etag:str metadata:{*:str}}`},
			{method: "GET", path: "/admin/storage/objects/metadata?key=sources/none", status: 404, shape: problemShape},
			{method: "GET", path: "/admin/storage/integrity?category=sources", shape: `{checked_at:ts category:'sources' s3_objects:int graph_references:int orphaned_in_s3:[str] missing_from_s3:[str] is_consistent:bool}`},
			{method: "GET", path: "/admin/storage/retention", shape: `{policies:{completed_jobs:{keep:str}}}`},
		}},
		{"the MCP server's epoch and concept lifetime", []exchange{
			{method: "GET", path: "/epochs?limit=1", keep: map[string]string{"epoch": "events.0.event_id"}, shape: `{limit:int next_cursor:int events:[+{event_id:int kind:str occurred_at:ts actor:str semantic_wallclock:bool counter_after:int metadata:{*:any}}]}`},
			{method: "GET", path: "/epochs?kind=ingestion&since=2020-01-01T00:00:00Z&until=2999-01-01T00:00:00Z&actor=admin&cursor=1000000&limit=500", shape: `{events:[{event_id:int}]}`},
			{method: "GET", path: "/epochs?kind=other", status: 422, shape: problemShape},
			{method: "GET", path: "/epochs/{epoch}", shape: `{event_id:int kind:str}`},
			{method: "GET", path: "/concepts/{concept}/lifetime?limit=50&offset=0", shape: `{concept_id:str label:str total_instances:int returned_instances:int distinct_epochs:int pre_epoch_count:int limit:int offset:int has_more:bool
				instances:[+{quote:str source_id:str event_id:int? kind:str? occurred_at:ts semantic_wallclock:bool? actor:str?}]}`},
		}},
		{"admin extraction config", []exchange{
			{method: "GET", path: "/extraction/config", shape: `{provider:str model:str supports_vision:bool supports_json_mode:bool max_tokens:int config_id:int}`},
		}},
	}
}

// movedClientOfModels are its commands about models: admin keys, extraction, embedding and
// vision.
func movedClientOfModels() []contractSection {
	profile := `{id:int name:str provider:str model_name:str vector_space:str multimodal:bool text_provider:str text_model_name:str text_dimensions:int? text_loader:str active:bool delete_protected:bool change_protected:bool updated_at:ts? updated_by:str}`
	coverage := `{total:int with_embeddings:int without_embeddings:int percentage:num incompatible_embeddings:int stale_embeddings:int}`
	regenerated := `{target_count:int processed_count:int failed_count:int duration_ms:int embedding_model:str embedding_provider:str errors:[str]}`
	return []contractSection{
		{"admin keys", []exchange{
			{method: "GET", path: "/admin/keys", shape: `[+{provider:str configured:bool masked_key:str? validation_status:str? last_validated_at:ts? validation_error:str?}]`},
			{method: "POST", path: "/admin/keys/openai", send: form{"api_key": modelCanary}, shape: `{status:str message:str provider:'openai' validation_status:'valid'}`},
			{method: "POST", path: "/admin/keys/openai", send: `{"api_key":""}`, status: 422, shape: problemShape},
			{method: "POST", path: "/admin/keys/nobody", send: form{"api_key": modelCanary}, status: 404, shape: problemShape},
			{method: "DELETE", path: "/admin/keys/anthropic", status: 404, shape: problemShape},
		}},
		{"admin extraction", []exchange{
			{method: "POST", path: "/admin/extraction/config", send: `{"provider":"openai","model_name":"gpt-moved","supports_vision":true,"max_tokens":4096}`, shape: `{success:bool message:str config_id:int reload_required:bool}`, keep: map[string]string{"read": "config_id"}},
			{method: "GET", path: "/extraction/config", shape: `{provider:'openai' model:'gpt-moved' supports_vision:bool max_tokens:int config_id:int max_concurrent_requests:int base_url:str}`},
			{method: "GET", path: "/admin/extraction/config", shape: `{id:int provider:'openai' model_name:'gpt-moved' max_tokens:int created_at:ts updated_at:ts updated_by:'admin' active:bool}`},
			{method: "POST", path: "/admin/extraction/config", send: `{"provider":"ollama","model_name":"m","temperature":0.1}`, status: 422, shape: problemShape},
			{method: "POST", path: "/admin/extraction/config", send: `{"provider":"vllm","model_name":"m"}`, status: 422, shape: problemShape},
			{method: "POST", path: "/admin/extraction/config", send: `{"provider":"local"}`, shape: `{success:bool config_id:int}`},
		}},
		{"admin embedding", []exchange{
			{method: "GET", path: "/admin/embedding/configs", shape: `[+` + profile + `]`},
			{method: "POST", path: "/admin/embedding/config", send: `{"name":"Large","provider":"openai","model_name":"embed-moved","embedding_dimensions":8}`, shape: `{success:bool message:str config_id:int reload_required:bool}`, keep: map[string]string{"profile": "config_id"}},
			{method: "POST", path: "/admin/embedding/config/{profile}/activate", status: 409, shape: problemShape},
			{method: "POST", path: "/admin/embedding/config/{profile}/activate?force=true", shape: `{success:bool config_id:int provider:'openai' model:'embed-moved' dimensions:int job_id:str}`, keep: map[string]string{"anew": "job_id"}},
			{method: "POST", path: "/admin/embedding/config/reload", waitFor: "anew", shape: `{success:bool provider:'openai' model:'embed-moved' dimensions:int}`},
			{method: "DELETE", path: "/admin/embedding/config/{profile}", status: 409, shape: problemShape},
			{method: "POST", path: "/admin/embedding/config/{profile}/protect?delete_protected=false&change_protected=false", shape: `{success:bool config_id:int}`},
			{method: "GET", path: "/admin/embedding/export/{profile}", shape: `{profile:{name:'Large' vector_space:'openai/embed-moved' text:{provider:'openai' model_name:'embed-moved' dimensions:int loader:'api' precision:'float32'}} metadata:{id:int}}`},
			{method: "GET", path: "/admin/embedding/export/{profile}?profile_only=true", shape: `{name:'Large' vector_space:str multimodal:bool text:{provider:str model_name:str}}`},
			{method: "POST", path: "/admin/embedding/config", send: `{"name":"Large","vector_space":"openai/embed-moved","multimodal":false,"text_provider":"openai","text_model_name":"embed-moved","text_loader":"api","text_dimensions":8,"text_precision":"float32"}`, shape: `{config_id:int}`, keep: map[string]string{"copy": "config_id"}},
			{method: "POST", path: "/admin/embedding/config/{copy}/protect?delete_protected=true", shape: `{success:bool}`},
			{method: "DELETE", path: "/admin/embedding/config/{copy}", status: 409, shape: problemShape},
			{method: "POST", path: "/admin/embedding/config/{copy}/protect?delete_protected=false", shape: `{success:bool}`},
			{method: "DELETE", path: "/admin/embedding/config/{copy}", shape: `{success:bool config_id:int}`},
			{method: "DELETE", path: "/admin/embedding/config/{copy}", status: 404, shape: problemShape},
			{method: "GET", path: "/admin/embedding/status", shape: `{active_config:` + profile + ` concepts:` + coverage + ` sources:` + coverage + ` vocabulary:` + coverage + ` images:{total:int note:str} summary:{total_entities:int total_with_embeddings:int overall_percentage:num total_without_embeddings:int total_incompatible:int}}`},
			{method: "GET", path: "/admin/embedding/status?ontology=ice", shape: `{concepts:` + coverage + `}`},
			{method: "POST", path: "/admin/embedding/regenerate?embedding_type=concept&only_missing=true", shape: regenerated},
			{method: "POST", path: "/admin/embedding/regenerate?embedding_type=all", shape: `{totals:` + regenerated + ` results:{concepts:` + regenerated + ` sources:` + regenerated + ` vocabulary:` + regenerated + `}}`},
			{method: "POST", path: "/admin/embedding/regenerate?embedding_type=concept&limit=5", status: 422, shape: problemShape},
			{method: "POST", path: "/admin/regenerate-concept-embeddings?only_missing=true", shape: regenerated},
		}},
		{"admin vision", []exchange{
			{method: "GET", path: "/vision/config", shape: `{provider:str? model:str? source:'unresolved'}`},
			{method: "GET", path: "/admin/vision/config", shape: `{config:null effective:{provider:null model:null source:'unresolved'}}`},
			{method: "GET", path: "/admin/vision/providers", shape: `{providers:[+{provider:str supports_vision:bool vision_models:[+str]}]}`},
			{method: "POST", path: "/admin/vision/config", send: `{"provider":"openai","active":false,"model_name":"gpt-seer"}`, shape: `{effective:{source:'unresolved'}}`},
			{method: "POST", path: "/admin/vision/config", send: `{"provider":"openai","active":true,"model_name":"gpt-seer"}`, shape: `{status:'success' effective:{provider:'openai' model:'gpt-seer' source:'vision_config'}}`},
			{method: "GET", path: "/admin/vision/config", shape: `{config:{provider:'openai' model_name:'gpt-seer'} effective:{provider:'openai' model:'gpt-seer'}}`},
		}},
		{"admin keys delete", []exchange{
			{method: "DELETE", path: "/admin/keys/openai", shape: `{status:str message:str provider:'openai'}`},
		}},
	}
}

// TestMovedClient sends what the client of the service before sends, and checks that the
// members which it reads are there with the types that it takes them for.
func TestMovedClient(t *testing.T) {
	t.Parallel()
	r := newReplayWith(t, atModels(newModels(t), nil))
	r.sections(t, []contractSection{{"logging in", loginExchanges()}, {"what there is", beforeSubmissions()}})
	conn, err := pgx.Connect(t.Context(), r.server.dsn)
	check(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	_, err = conn.Exec(t.Context(), `
		INSERT INTO kg_api.relationship_types (name, category) VALUES ('WASH_AWAY', 'llm_generated'), ('NOBODY_SAYS', 'llm_generated');
		INSERT INTO kg_api.edges (src, dst, type, confidence)
			SELECT a.id, b.id, t.id, 0.5 FROM kg_api.concepts a, kg_api.concepts b, kg_api.relationship_types t
			WHERE (a.label, b.label, t.name) IN (('Moraine', 'Drumlin', 'WASHES_AWAY'), ('Drumlin', 'Esker', 'WASH_AWAY'), ('Esker', 'Moraine', 'WASH_AWAY'));
		INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, start_byte, end_byte)
			SELECT e.src, e.dst, e.type, s.id, e.confidence, left(s.full_text, 1), 0, 1
			FROM kg_api.edges e JOIN kg_api.relationship_types t ON t.id = e.type, (SELECT id, full_text FROM kg_api.sources LIMIT 1) s
			WHERE t.name IN ('WASHES_AWAY', 'WASH_AWAY')`)
	check(t, err)
	r.sections(t, movedClient())
	t.Run("vocab consolidate", func(t *testing.T) {
		r.t = t
		before := r.vocabulary(conn)
		r.exchange(exchange{method: "POST", path: "/vocabulary/consolidate", send: strings.Replace(consolidating, "%t", "true", 1), shape: consolidation})
		if after := r.vocabulary(conn); after != before {
			t.Errorf("a dry run has changed\n%s\nto\n%s", before, after)
		}
		r.exchange(exchange{method: "POST", path: "/vocabulary/consolidate", send: strings.Replace(consolidating, "%t", "false", 1), shape: consolidation})
		after := r.vocabulary(conn)
		if !strings.Contains(after, "WASHES_AWAY → WASH_AWAY 0") || !strings.Contains(after, "WASH_AWAY →  3") || strings.Contains(after, "NOBODY_SAYS") {
			t.Errorf("the vocabulary is %s", after)
		}
	})
	r.t = t
	r.sections(t, movedClientOfModels())
}

// vocabulary returns the types with what they were merged into and their edges, and how many
// merges, reviews and proposals there are.
func (r *replay) vocabulary(conn *pgx.Conn) (text string) {
	r.t.Helper()
	check(r.t, conn.QueryRow(r.t.Context(), `
		SELECT string_agg(t.name || ' → ' || coalesce(i.name, '') || ' ' || (SELECT count(*) FROM kg_api.edges e WHERE e.type = t.id), ', ' ORDER BY t.name)
			|| '; ' || (SELECT count(*) FROM kg_api.vocabulary_merges) || (SELECT count(*) FROM kg_api.vocabulary_reviews)
		FROM kg_api.relationship_types t LEFT JOIN kg_api.relationship_types i ON i.id = t.merged_into
		WHERE NOT t.is_builtin`).Scan(&text))
	return text
}
