package e2e

const (
	poleShape     = `{concept_id:str label:str grounding:num description:str?}`
	polarityShape = `{success:bool axis:{positive_pole:` + poleShape + ` negative_pole:` + poleShape + ` magnitude:num axis_quality:str}
		projections:[{concept_id:str label:str position:num axis_distance:num direction:str grounding:num alignment:{positive_pole_similarity:num negative_pole_similarity:num}}]
		statistics:{total_concepts:int position_range:[+num] mean_position:num std_deviation:num mean_axis_distance:num direction_distribution:{positive:int negative:int neutral:int}}
		grounding_correlation:{pearson_r:num p_value:num interpretation:str strength:str? direction:str?}}`
	metaShape = `{id:int artifact_type:str representation:str name:str? owner_id:int? graph_epoch:int is_fresh:bool created_at:ts expires_at:ts? parameters:obj metadata:any ontology:str? concept_ids:any
		query_definition_id:any has_inline_result:bool garage_key:str?}`
)

func polarityExchanges() []exchange {
	const poles = `"positive_pole_id": "{concept}", "negative_pole_id": "{near}", "auto_discover": true, "max_candidates": 20, "max_hops": 1`
	return []exchange{
		{method: "POST", path: "/query/polarity-axis", send: `{` + poles + `}`, shape: polarityShape},
		{method: "POST", path: "/query/polarity-axis", send: `{"positive_pole_id": "{concept}", "negative_pole_id": "{concept}"}`, status: 400, shape: problemShape},
		{method: "POST", path: "/query/polarity-axis/jobs", send: `{` + poles + `, "create_artifact": true}`, shape: `{job_id:str status:'approved' message:str}`, keep: map[string]string{"polarity": "job_id"}},
		{method: "GET", path: "/jobs/{polarity}", waitFor: "polarity", shape: `{job_type:'polarity' result:{success:bool positive_pole_id:str negative_pole_id:str concept_count:int axis_quality:str artifact_id:int}}`, keep: map[string]string{"artifact": "result.artifact_id"}},
		{method: "GET", path: "/artifacts/{artifact}/payload", shape: `{id:int payload:` + polarityShape + `}`},
	}
}

func projectionExchanges() []exchange {
	return []exchange{
		{method: "GET", path: "/projection/algorithms", shape: `{available:[+str] default:str}`},
		{method: "GET", path: "/projection/ice", status: 404, shape: problemShape},
		{method: "POST", path: "/projection/__all__/regenerate", send: `{"force": false, "algorithm": "tsne", "n_components": 3, "perplexity": 30, "create_artifact": false}`, shape: `{status:str job_id:str message:str changelist_id:str? artifact_id:int?}`, keep: map[string]string{"projection": "job_id"}},
		{method: "POST", path: "/projection/none/regenerate", send: `{}`, status: 404, shape: problemShape},
	}
}

func projectedExchanges() []exchange {
	return []exchange{
		{method: "GET", path: "/projection/__all__", waitFor: "projection", shape: `{ontology:str changelist_id:str algorithm:str parameters:{n_components:int perplexity:num? n_neighbors:int? min_dist:num?} computed_at:ts
			concepts:[+{concept_id:str label:str x:num y:num z:num grounding_strength:num?}] statistics:{concept_count:int computation_time_ms:int embedding_dims:int grounding_range:[num]?}}`},
		{method: "DELETE", path: "/projection/__all__", shape: `{message:str}`},
	}
}

func artifactExchanges() []exchange {
	return []exchange{
		{method: "GET", path: "/artifacts?limit=50&offset=0", shape: `{artifacts:[+` + metaShape + `] total:int limit:int offset:int}`},
		{method: "GET", path: "/artifacts/{artifact}", shape: metaShape},
		{
			method: "POST", path: "/artifacts", send: `{"artifact_type": "search_result", "representation": "cli", "name": "rain", "parameters": {"query": "rain"}, "payload": {"results": []}, "concept_ids": ["{concept}"]}`, status: 201,
			shape: `{id:int artifact_type:str representation:str name:str? graph_epoch:int storage_location:str garage_key:str? created_at:ts}`, keep: map[string]string{"mine": "id"},
		},
		{method: "POST", path: "/artifacts", send: `{"artifact_type": "nonsense", "representation": "cli", "parameters": {}, "payload": {}}`, status: 400, shape: problemShape},
		{method: "GET", path: "/artifacts/{mine}/payload", shape: `{id:int payload:obj}`},
		{method: "POST", path: "/artifacts/{artifact}/regenerate", shape: `{job_id:str status:'approved' message:str}`},
		{method: "DELETE", path: "/artifacts/{mine}", status: 204},
		{method: "GET", path: "/artifacts/{mine}", status: 404, shape: problemShape},
	}
}

func editingExchanges() []exchange {
	const edge = `{created:bool}`
	return []exchange{
		{method: "GET", path: "/concepts?ontology=ice&limit=50&offset=0", shape: `{concepts:[+{concept_id:str label:str description:str? search_terms:[str] ontology:str? creation_method:str? has_embedding:bool matched_existing:bool}] total:int offset:int limit:int}`},
		{
			method: "POST", path: "/concepts", send: `{"label": "Fjord ecology", "description": "How fjords live", "search_terms": ["fjords"], "ontology": "notes", "matching_mode": "force_create"}`, status: 201,
			shape: `{concept_id:str label:str description:str? search_terms:[str] matched_existing:bool}`, keep: map[string]string{"made": "concept_id"},
		},
		{method: "GET", path: "/concepts/{made}", shape: `{concept_id:str label:str description:str? search_terms:[str]}`},
		{method: "PATCH", path: "/concepts/{made}", send: `{"label": "Ecology of fjords"}`, shape: `{concept_id:str label:'Ecology of fjords'}`},
		{method: "POST", path: "/concepts/{made}/evidence", send: `{"text": "Fjords are cold."}`, status: 201},
		{method: "POST", path: "/edges", send: `{"from_concept_id": "{made}", "to_concept_id": "{concept}", "relationship_type": "INFLUENCES", "confidence": 0.9}`, status: 201, shape: edge},
		{method: "GET", path: "/edges?limit=10"},
		{method: "PATCH", path: "/edges/{made}/INFLUENCES/{concept}", send: `{"confidence": 0.5}`},
		{method: "DELETE", path: "/edges/{made}/INFLUENCES/{concept}", status: 204},
		{method: "POST", path: "/graph/batch", send: `{"ontology": "notes", "concepts": [{"label": "Kelp forests"}], "edges": [{"from_label": "Kelp forests", "to_label": "Ecology of fjords", "relationship_type": "PART_OF"}]}`, status: 201},
		{method: "DELETE", path: "/concepts/{made}", status: 204},
		{method: "GET", path: "/concepts/{made}", status: 404, shape: problemShape},
		{method: "POST", path: "/vocabulary/types", send: `{"relationship_type": "EROSION", "category": "causation"}`, status: 201, shape: `{relationship_type:'EROSION' category:'causation' is_builtin:bool is_active:bool edge_count:int}`},
		{method: "GET", path: "/vocabulary/similar/EROSION"},
		{method: "GET", path: "/vocabulary/similar/NONE", status: 404, shape: problemShape},
	}
}

func agentExchanges() []exchange {
	return []exchange{
		{method: "GET", path: "/extraction/config", shape: `{provider:str model:str}`},
		{method: "GET", path: "/embedding/config", shape: `{provider:str model:str}`},
		{method: "GET", path: "/catalog/children?sort=name&limit=100&offset=0", shape: `{nodes:[+{id:str kind:'ontology' name:str child_count:int parent_id:null}] child_kind:'ontology' total:int offset:int query:str? stale:bool}`, keep: map[string]string{"tree": "nodes.0.id"}},
		{method: "GET", path: "/catalog/children?parent={tree}&q=vol", shape: `{nodes:[+{id:str kind:'document' name:str child_count:int parent_id:str content_type:str}] child_kind:'document' total:int query:str}`, keep: map[string]string{"leaf": "nodes.0.id"}},
		{method: "GET", path: "/catalog/children?parent={leaf}", shape: `{nodes:[+{id:str kind:'source' name:str parent_id:str}] child_kind:'source'}`},
		{method: "GET", path: "/catalog/node/{leaf}", shape: `{id:str kind:'document' name:str parent_id:str child_count:int content_type:str graph_epoch:int properties:obj}`},
		{method: "GET", path: "/catalog/node/none", status: 404, shape: problemShape},
		{
			method: "POST", path: "/programs/execute", send: `{"program": {"version": 1, "statements": [{"op": "+", "operation": {"type": "cypher", "limit": 5, "query": "MATCH (c:Concept) WHERE c.created_at_epoch IS NOT NULL AND c.ontology = 'ice' RETURN c ORDER BY c.created_at_epoch DESC"}}]}}`,
			shape: `{result:{nodes:[+{concept_id:str label:str ontology:'ice' description:str? properties:{created_at_epoch:int}}] links:[any]} log:[+obj]}`,
		},
		{method: "POST", path: "/programs/execute", send: `{"program": {"version": 1, "statements": [{"op": "+", "operation": {"type": "cypher", "query": "MATCH (n) RETURN n"}}]}}`, status: 422, shape: problemShape},
	}
}

func backupExchanges() []exchange {
	return []exchange{
		{method: "GET", path: "/admin/backups"},
		{method: "POST", path: "/admin/backup", send: `{"backup_type": "ontology", "ontology_name": "ice", "format": "archive"}`},
	}
}

func notBuiltExchanges() []exchange {
	return []exchange{
		{method: "POST", path: "/database/query", send: `{"query": "MATCH (n) RETURN n"}`, status: 501, shape: problemShape},
		{method: "PATCH", path: "/concepts", status: 501, shape: problemShape},
		{method: "POST", path: "/auth/login", status: 404, shape: problemShape},
	}
}
