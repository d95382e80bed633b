package e2e

const (
	groundingMembers = ` grounding_strength:num? confidence_level:str? confidence_score:num? grounding_display:str? `
	diversityMembers = ` diversity_score:num? diversity_related_count:int? authenticated_diversity:num? `
	evidenceShape    = `{quote:str document:str paragraph:int source_id:str content_type:str? has_image:bool? image_uri:str?}`
	hitShape         = `{concept_id:str label:str description:str? score:num documents:[+str] evidence_count:int` + groundingMembers + diversityMembers + `sample_evidence:any}`
	pathShape        = `{nodes:[+{id:str label:str description:str?` + groundingMembers + diversityMembers + `sample_evidence:any}] relationships:[str] hops:int}`
	ontologyNode     = `{ontology_id:str name:str description:str lifecycle_state:str creation_epoch:int has_embedding:bool search_terms:[str] created_by:str?}`
)

func searchExchanges() []exchange {
	const ofSearch = `{query:str count:int results:[+` + hitShape + `] below_threshold_count:int? suggested_threshold:num? top_match:any threshold_used:num offset:int}`
	return []exchange{
		{
			method: "POST", path: "/query/search", send: `{"query": "acid rain", "limit": 10, "min_similarity": 0.3, "include_evidence": true, "include_grounding": true, "include_diversity": true, "diversity_max_hops": 2}`,
			shape: ofSearch, keep: map[string]string{"concept": "results.0.concept_id"},
		},
		{method: "POST", path: "/query/search", send: `{"query": "acid rain", "min_similarity": 0.3, "include_evidence": true}`, shape: `{results:[+{sample_evidence:[+` + evidenceShape + `]}]}`},
		{method: "POST", path: "/query/search", send: `{"query": "acid rain", "ontology": "ice", "min_similarity": 0.3}`, shape: ofSearch},
		{method: "POST", path: "/query/search", send: `{"query": "acid rain", "limit": 101}`, status: 422, shape: problemShape},
		{
			method: "GET", path: "/query/concept/{concept}?include_grounding=true&include_diversity=true&diversity_max_hops=2", shape: `{concept_id:str label:str description:str? search_terms:[str] documents:[+str] instances:[+{quote:str document:str paragraph:int source_id:str full_text:str}] relationships:[+{to_id:str to_label:str rel_type:str confidence:num?
			created_at:ts category:str? avg_grounding:num? epistemic_status:str?}]` + groundingMembers + diversityMembers + `
			provenance:{documents:[+{document_id:str filename:str source_type:str? source_path:str? hostname:str? ingested_by:str? ingested_at:ts? job_id:str? source_count:int?}]}}`,
			keep: map[string]string{"near": "relationships.0.to_id"},
		},
		{method: "GET", path: "/query/concept/none_1", status: 404, shape: problemShape},
		{method: "POST", path: "/query/related", send: `{"concept_id": "{concept}", "max_depth": 2, "include_grounding": true}`, shape: `{concept_id:str max_depth:int count:int
			results:[+{concept_id:str label:str distance:int path_types:[+str]` + groundingMembers + `}]}`},
		{method: "POST", path: "/query/related", send: `{"concept_id": "none_1"}`, status: 404, shape: problemShape},
		{
			method: "POST", path: "/query/connect", send: `{"from_id": "{concept}", "to_id": "{near}", "max_hops": 5, "include_evidence": true, "include_grounding": true}`,
			shape: `{from_id:str to_id:str max_hops:int count:int paths:[+` + pathShape + `]}`,
		},
		{
			method: "POST", path: "/query/connect-by-search", send: `{"from_query": "acid rain", "to_query": "forests", "max_hops": 5, "threshold": 0.5, "include_evidence": true, "include_grounding": true}`,
			shape: `{max_hops:int count:int paths:[+` + pathShape + `] from_query:str to_query:str from_concept:obj? to_concept:obj? from_similarity:num? to_similarity:num?
			from_suggested_threshold:num? to_suggested_threshold:num? from_near_misses:any to_near_misses:any}`,
		},
		{method: "POST", path: "/query/connect-by-search", send: `{"from_query": "quarterly dividends", "to_query": "acid rain", "threshold": 0.95}`, status: 404, shape: problemShape},
		{method: "POST", path: "/query/sources/search", send: `{"query": "acid rain damages forests", "limit": 10, "min_similarity": 0.1, "include_concepts": true, "include_full_text": true}`, shape: `{query:str count:int threshold_used:num
			results:[+{source_id:str document:str paragraph:int similarity:num is_stale:bool matched_chunk:{chunk_text:str start_offset:int end_offset:int chunk_index:int similarity:num} full_text:str?
			concepts:[+{concept_id:str label:str description:str? instance_quote:any}]}]}`},
	}
}

func documentExchanges() []exchange {
	return []exchange{
		{method: "POST", path: "/query/documents/search", send: `{"query": "acid rain damages forests", "min_similarity": 0.1, "limit": 20}`, shape: `{returned:int total_matches:int
			documents:[+{document_id:str filename:str ontology:str content_type:str best_similarity:num source_count:int resources:[{type:str garage_key:str}] concept_ids:[+str]}]}`},
		{method: "GET", path: "/documents?ontology=earth%2Fscience&limit=50&offset=0", shape: `{documents:[+{document_id:str filename:str ontology:'earth/science' content_type:str source_count:int concept_count:int}] total:int limit:int offset:int}`},
		{method: "GET", path: "/documents/{document}/content", shape: `{document_id:str content_type:'document' content:{document:str? image:str? prose:str? encoding:str}
			chunks:[+{source_id:str paragraph:int full_text:str char_offset_start:int? char_offset_end:int?}]}`},
		{method: "GET", path: "/documents/{document}/concepts", shape: `{document_id:str filename:str concepts:[+{concept_id:str name:str source_id:str instance_count:int}] total:int}`},
		{method: "GET", path: "/documents/sha256%3A0000000000000000000000000000000000000000000000000000000000000000/content", status: 404, shape: problemShape},
		{method: "GET", path: "/sources?ontology=ice&limit=50", shape: `{sources:[+{source_id:str document:'ice' paragraph:int content_type:str? has_garage_key:bool}] total:int limit:int offset:int}`, keep: map[string]string{"source": "sources.0.source_id"}},
		{method: "GET", path: "/sources/{source}", shape: `{source_id:str document:'ice' paragraph:int full_text:str file_path:str? content_type:str? storage_key:str? garage_key:str? content_hash:str?
			char_offset_start:int? char_offset_end:int? chunk_index:int? has_visual_embedding:bool has_text_embedding:bool}`},
		{method: "GET", path: "/sources/src_none", status: 404, shape: `{detail:'Source not found: src_none'}`},
		{method: "GET", path: "/sources/{source}/document"},
		{method: "GET", path: "/sources/{source}/image", status: 400, shape: problemShape},
	}
}

func databaseExchanges() []exchange {
	return []exchange{
		{method: "GET", path: "/database/stats", shape: `{nodes:{concepts:int sources:int instances:int} relationships:{total:int by_type:[+{rel_type:str count:int}]} metrics:{*:{counter:int delta:int last_measured_at:ts?}}
			concept_count:int source_count:int instance_count:int total_node_count:int total_edge_count:int graph_name:str ontologies:[+{ontology_name:str concept_count:int}]}`},
		{method: "GET", path: "/database/info", shape: `{uri:str user:str connected:bool version:str? edition:str? error:str? database:str graph_name:str}`},
		{method: "GET", path: "/database/health", shape: `{status:'healthy' responsive:bool checks:{*:str} connection:str graph_available:bool}`},
		{method: "GET", path: "/database/counters", shape: `{counters:{snapshot:[+{name:str value:int delta:int last_measured:ts? updated_at:ts? notes:str?}] activity:[+{name:str value:int delta:int}] legacy_structure:[any]}
			current_snapshot:{concepts:int edges:int sources:int vocab_types:int total_objects:int}}`},
		{method: "POST", path: "/database/counters/refresh", shape: `{success:bool changed_count:int changes:[+{name:str old:int new:int changed:bool}]}`},
		{method: "GET", path: "/database/counters", shape: `{counters:{snapshot:[+{last_measured:ts updated_at:ts}]}}`},
		{method: "GET", path: "/database/epoch", shape: `{epoch:int}`},
		{method: "POST", path: "/database/query", send: `{"query": "MATCH (n) RETURN n"}`, status: 501, shape: problemShape},
	}
}

func ontologyExchanges() []exchange {
	return []exchange{
		{method: "GET", path: "/ontology/", shape: `{count:int ontologies:[+{ontology:str source_count:int file_count:int concept_count:int ontology_id:str lifecycle_state:str creation_epoch:int has_embedding:bool created_by:str?}]}`},
		{method: "POST", path: "/ontology/", send: `{"name": "new: one/two", "description": "A new one"}`, status: 201, shape: ontologyNode, keep: map[string]string{"ontology": "name"}},
		{method: "POST", path: "/ontology/", send: `{"name": "new: one/two"}`, status: 409, shape: problemShape},
		{method: "GET", path: "/ontology/earth%2Fscience", shape: `{ontology:'earth/science' statistics:{source_count:int file_count:int concept_count:int instance_count:int relationship_count:int} files:[+str] node:` + ontologyNode + `}`},
		{method: "GET", path: "/ontology/{ontology}/node", shape: ontologyNode},
		{method: "GET", path: "/ontology/earth%2Fscience/files", shape: `{ontology:str count:int files:[+{file_path:str chunk_count:int concept_count:int source_ids:[+str]}]}`},
		{method: "PUT", path: "/ontology/{ontology}/lifecycle", send: `{"state": "pinned"}`, shape: `{ontology:str previous_state:'active' new_state:'pinned' success:bool}`},
		{method: "POST", path: "/ontology/{ontology}/rename", send: `{"new_name": "renamed"}`, shape: `{old_name:str new_name:'renamed' sources_updated:int success:bool error:null}`},
		{method: "POST", path: "/ontology/none/rename", send: `{"new_name": "x"}`, status: 404, shape: `{detail:str}`},
		{method: "DELETE", path: "/ontology/renamed", status: 400, shape: problemShape},
		{method: "DELETE", path: "/ontology/renamed?force=true&keep_tombstone=true", shape: `{ontology:'renamed' deleted:bool sources_deleted:int orphaned_concepts_deleted:int tombstone_cleared:bool error:null}`},
		{method: "GET", path: "/ontology/tombstones", shape: `{tombstones:[+{name:str removed_by:str? removed_at:ts? reason:str?}] count:int}`},
		{method: "DELETE", path: "/ontology/tombstones/renamed", shape: `{flushed:int names:[+str]}`},
		{method: "GET", path: "/ontology/none", status: 404, shape: problemShape},
		{method: "POST", path: "/ontology/ice/scores"},
		{method: "GET", path: "/ontology/ice/scores", shape: `{ontology:str mass_score:num coherence_score:num}`},
	}
}

func vocabularyExchanges() []exchange {
	const typeShape = `{relationship_type:str category:str description:str? is_builtin:bool is_active:bool edge_count:int? category_source:str? category_confidence:num? category_ambiguous:bool? avg_grounding:num? epistemic_status:str?}`
	const status = `{relationship_type:str epistemic_status:str stats:{avg_grounding:num std_grounding:num min_grounding:num max_grounding:num measured_concepts:int sampled_edges:int total_edges:int}? rationale:str? status_measured_at:ts?}`
	return []exchange{
		{method: "GET", path: "/vocabulary/status", shape: `{vocab_size:int vocab_min:int vocab_max:int vocab_emergency:int aggressiveness:num zone:str builtin_types:int custom_types:int categories:int profile:str}`, keep: map[string]string{"profile": "profile"}},
		{method: "GET", path: "/admin/vocabulary/profiles/{profile}", shape: `{profile_name:str control_x1:num control_y1:num control_x2:num control_y2:num is_builtin:bool}`},
		{method: "GET", path: "/vocabulary/types?include_inactive=false&include_builtin=true", shape: `{total:int active:int builtin:int custom:int types:[+` + typeShape + `]}`},
		{method: "POST", path: "/vocabulary/epistemic-status/measure", send: `{"sample_size": 100, "store": true, "verbose": false}`, shape: `{success:bool message:str measurement_timestamp:ts total_types:int stored_count:int classifications:{*:int} sample_results:[any]}`},
		{method: "GET", path: "/vocabulary/epistemic-status", shape: `{total:int types:[+` + status + `] last_measurement_at:ts? vocabulary_changes_since_measurement:int?}`, keep: map[string]string{"type": "types.0.relationship_type"}},
		{method: "GET", path: "/vocabulary/epistemic-status/{type}", shape: status},
		{method: "GET", path: "/vocabulary/epistemic-status/NONE_SUCH", status: 404, shape: problemShape},
		{method: "GET", path: "/vocabulary/similar/CAUSES?limit=10", shape: `{relationship_type:str total_compared:int similar_types:[any]}`},
		{method: "GET", path: "/vocabulary/similar/NONE_SUCH", status: 404, shape: problemShape},
		{method: "GET", path: "/vocabulary/analyze/CAUSES"},
		{method: "GET", path: "/vocabulary/category-scores/CAUSES"},
		{method: "GET", path: "/vocabulary/config"},
	}
}
