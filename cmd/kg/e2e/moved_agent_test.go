package e2e

import "testing"

// movedProgram is the example that the tool of the service before gives: a search, and what
// its concepts relate to.
const movedProgram = `{"version":1,"metadata":{"name":"explore topic","description":"Acid rain","author":"agent"},"statements":[
	{"op":"!","operation":{"type":"api","endpoint":"/search/concepts","params":{"query":"acid rain","limit":5,"min_similarity":0.3}},"label":"seed"},
	{"op":"+","operation":{"type":"cypher","query":"MATCH (c:Concept)-[r]->(t:Concept) WHERE c.concept_id IN $W_IDS RETURN c, r, t"},"label":"expand relationships"},
	{"op":"?","operation":{"type":"conditional","condition":{"test":"count_gte","value":1},"then":[{"op":"+","operation":{"type":"api","endpoint":"/concepts/details","params":{"concept_id":"{concept}"}}}]}}]}`

const (
	programGraph = `{nodes:[+{concept_id:str label:str ontology:str? properties:obj}] links:[+{from_id:str relationship_type:str to_id:str}]}`
	programSteps = `[+{statement:int op:str operation_type:str nodes_affected:int links_affected:int w_size:{nodes:int links:int} duration_ms:num}]`
)

// movedAgent is each action of the tools of the MCP server of the service before, as the
// requests that it makes. Those that stay on its machine, inspect-file and directory, make
// none.
func movedAgent() []contractSection {
	searches := []exchange{
		{method: "POST", path: "/query/search", send: `{"query":"acid rain","limit":10,"min_similarity":0.3,"offset":0,"include_grounding":true,"include_evidence":true,"include_diversity":true,"diversity_max_hops":2}`, shape: `{count:int results:[+{concept_id:str label:str score:num}]}`},
		{method: "POST", path: "/query/sources/search", send: `{"query":"acid rain","limit":10,"min_similarity":0.3,"include_concepts":true,"include_full_text":true}`, shape: `{count:int results:[+{source_id:str}]}`},
		{method: "POST", path: "/query/documents/search", send: `{"query":"acid rain","limit":10,"min_similarity":0.3}`, shape: `{documents:[+{document_id:str}]}`},
	}
	return []contractSection{
		{"search", searches},
		{"session_context and session_ingest", []exchange{
			{method: "POST", path: "/programs/execute", send: `{"program":{"version":1,"statements":[{"op":"+","operation":{"type":"cypher","query":"MATCH (c:Concept) WHERE c.created_at_epoch IS NOT NULL RETURN c ORDER BY c.created_at_epoch DESC","limit":10},"label":"recent"}]}}`, shape: `{result:{nodes:[+{concept_id:str label:str properties:{created_at_epoch:int}}]} log:` + programSteps + `}`},
			{method: "POST", path: "/ingest/text", send: form{"text": "The session was about ice.", "ontology": "kg CLI (admin)", "filename": "session.md", "auto_approve": "true", "force": "false", "processing_mode": "serial", "target_words": "1000", "overlap_words": "200"}, shape: `{job_id:str status:str}`},
		}},
		{"concept", []exchange{
			{method: "GET", path: "/concepts/{concept}/lifetime?limit=50&offset=0", shape: `{concept_id:str label:str total_instances:int returned_instances:int distinct_epochs:int pre_epoch_count:int limit:int offset:int has_more:bool instances:[+{event_id:int kind:str occurred_at:ts semantic_wallclock:bool actor:str quote:str source_id:str}]}`},
			{method: "GET", path: "/query/concept/{concept}?include_grounding=true&include_diversity=true&diversity_max_hops=2", shape: `{concept_id:str relationships:[+{to_id:str}]}`},
			{method: "POST", path: "/query/related", send: `{"concept_id":"{concept}","max_depth":2}`, shape: `{count:int results:[+{concept_id:str}]}`},
			{method: "POST", path: "/query/connect", send: `{"from_id":"{concept}","to_id":"{near}","max_hops":5,"include_grounding":true,"include_evidence":true}`, shape: `{paths:[+{nodes:[+obj] hops:int}]}`},
			{method: "POST", path: "/query/connect-by-search", send: `{"from_query":"acid rain","to_query":"glacier","max_hops":5,"threshold":0.5,"include_grounding":true,"include_evidence":true}`, shape: `{paths:[any]}`},
		}},
		{"ontology", movedOntologies()},
		{"job", []exchange{
			{method: "GET", path: "/jobs/{ice}", shape: `{job_id:str status:str}`},
			{method: "GET", path: "/jobs?limit=50&offset=0", shape: `[+{job_id:str status:str}]`},
			{method: "POST", path: "/ingest/text", send: form{"text": "Rivers carve valleys.", "ontology": "waiting", "auto_approve": "false"}, keep: map[string]string{"waiting": "job_id"}},
			{method: "POST", path: "/ingest/text", send: form{"text": "Wells reach the ground water.", "ontology": "waiting", "auto_approve": "false"}, keep: map[string]string{"approved": "job_id"}},
			{method: "DELETE", path: "/jobs/{waiting}", shape: `{job_id:str}`},
			{method: "DELETE", path: "/jobs/{waiting}?purge=true&force=false", shape: `{job_id:str}`},
			{method: "POST", path: "/jobs/{approved}/approve", analysed: "approved", shape: `{job_id:str status:'approved' message:str}`},
			{method: "DELETE", path: "/jobs?dry_run=true&confirm=false&system=false", shape: `{dry_run:bool jobs_to_delete:int}`},
		}},
		{"ingest", []exchange{
			{method: "POST", path: "/ingest/text", send: form{"text": "Deltas spread at the coast.", "ontology": "sea", "auto_approve": "true", "force": "false", "processing_mode": "serial", "target_words": "1000", "overlap_words": "200"}, shape: `{job_id:str}`},
			{method: "POST", path: "/ingest", send: sentFile{fields: map[string]string{"ontology": "sea", "filename": "a.md", "auto_approve": "true"}, filename: "a.md", body: "Tides move sand."}, shape: `{job_id:str}`},
		}},
		{"source", []exchange{{method: "GET", path: "/sources/{source}", shape: `{source_id:str document:str paragraph:int full_text:str}`}}},
		{"epistemic_status", []exchange{
			{method: "GET", path: "/vocabulary/epistemic-status", shape: `{types:[any]}`},
			{method: "GET", path: "/vocabulary/epistemic-status/CAUSES", shape: `{relationship_type:str epistemic_status:str}`},
			{method: "POST", path: "/vocabulary/epistemic-status/measure", send: `{"sample_size":100,"store":true,"verbose":false}`},
		}},
		{"analyze_polarity_axis", []exchange{{method: "POST", path: "/query/polarity-axis", send: `{"positive_pole_id":"{concept}","negative_pole_id":"{near}","auto_discover":true,"max_candidates":20,"max_hops":1}`, shape: `{axis:obj projections:[any]}`}}},
		{"artifact", []exchange{
			{method: "GET", path: "/artifacts?limit=20&offset=0", shape: `{artifacts:[+obj] total:int}`},
			{method: "GET", path: "/artifacts/{artifact}", shape: `{id:int artifact_type:str parameters:obj}`},
			{method: "GET", path: "/artifacts/{artifact}/payload", shape: `{id:int payload:obj}`},
		}},
		{"document", []exchange{
			{method: "GET", path: "/documents?limit=50&offset=0", shape: `{documents:[+{document_id:str}]}`, keep: map[string]string{"document": "documents.0.document_id"}},
			{method: "GET", path: "/documents/{document}/content", shape: `{document_id:str}`},
			{method: "GET", path: "/documents/{document}/concepts", shape: `{concepts:[any]}`},
		}},
		{"catalog", []exchange{
			{method: "GET", path: "/catalog/children?sort=name&limit=100&offset=0", shape: `{nodes:[+{id:str kind:str}]}`, keep: map[string]string{"tree": "nodes.0.id"}},
			{method: "GET", path: "/catalog/node/{tree}", shape: `{id:str kind:str}`},
		}},
		{"graph", []exchange{ // queue makes the requests of the others, one after the other
			{method: "POST", path: "/concepts", send: `{"label":"Sastrugi","ontology":"hills","matching_mode":"force_create","creation_method":"mcp"}`, status: 201, keep: map[string]string{"made": "concept_id"}},
			{method: "POST", path: "/query/search", send: `{"query":"Moraine","limit":3,"min_similarity":0.6}`, shape: `{count:int results:[+{concept_id:str score:num}]}`},
			{method: "POST", path: "/edges", send: `{"from_concept_id":"{made}","to_concept_id":"{concept}","relationship_type":"IMPLIES","category":"logical_truth","confidence":1,"source":"api_creation"}`, status: 201},
			{method: "GET", path: "/concepts?offset=0&limit=20", shape: `{concepts:[+obj] total:int}`},
			{method: "GET", path: "/edges?from_concept_id={made}&offset=0&limit=20", shape: `{edges:[+obj] total:int}`},
			{method: "PATCH", path: "/concepts/{made}", send: `{"description":"Waves of snow"}`},
			{method: "PATCH", path: "/edges/{made}/IMPLIES/{concept}", send: `{"confidence":0.5}`},
			{method: "DELETE", path: "/edges/{made}/IMPLIES/{concept}", status: 204},
			{method: "DELETE", path: "/concepts/{made}?cascade=true", status: 422, shape: problemShape}, // what it says to do instead
			{method: "DELETE", path: "/concepts/{made}?cascade=false", status: 204},
		}},
		{"epoch", []exchange{
			{method: "GET", path: "/epochs?limit=50", shape: `{events:[+{event_id:int kind:str occurred_at:ts semantic_wallclock:bool actor:str counter_after:int metadata:obj}] limit:int next_cursor:null}`},
			{method: "GET", path: "/epochs?kind=ingestion&since=2020-01-01T00:00:00Z&until=2120-01-01T00:00:00Z&limit=1", shape: `{events:[+{kind:'ingestion'}] next_cursor:int}`},
			{method: "GET", path: "/epochs?kind=breathing&actor=nobody&cursor=5", shape: `{events:[any] next_cursor:null}`},
		}},
		{"program", movedPrograms()},
		{"resources", []exchange{
			{method: "GET", path: "/database/stats"},
			{method: "GET", path: "/database/info"},
			{method: "GET", path: "/database/health"},
			{method: "GET", path: "/admin/status"},
			{method: "GET", path: "/health"},
		}},
		{"ontologies that go", []exchange{
			{method: "POST", path: "/ontology/spare/dissolve", send: `{"target_ontology":"ice"}`},
			{method: "POST", path: "/ontology/", send: `{"name":"spare","description":""}`, status: 201},
			{method: "DELETE", path: "/ontology/spare?force=true"},
		}},
	}
}

func movedOntologies() []exchange {
	return []exchange{
		{method: "GET", path: "/ontology/", shape: `{count:int ontologies:[+{ontology:str}]}`},
		{method: "GET", path: "/ontology/ice", shape: `{ontology:str}`},
		{method: "GET", path: "/ontology/ice/files"},
		{method: "POST", path: "/ontology/", send: `{"name":"draft","description":"Of a test"}`, status: 201},
		{method: "POST", path: "/ontology/draft/rename", send: `{"new_name":"spare"}`},
		{method: "PUT", path: "/ontology/spare/lifecycle", send: `{"state":"pinned"}`},
		{method: "PUT", path: "/ontology/spare/lifecycle", send: `{"state":"active"}`},
		{method: "POST", path: "/ontology/scores", shape: `{count:int scores:[+obj]}`},
		{method: "GET", path: "/ontology/ice/scores"},
		{method: "POST", path: "/ontology/ice/scores"},
		{method: "GET", path: "/ontology/ice/candidates?limit=20"},
		{method: "GET", path: "/ontology/ice/affinity?limit=10"},
		{method: "GET", path: "/ontology/ice/edges"},
		{method: "POST", path: "/ontology/ice/reassign", send: `{"target_ontology":"spare","source_ids":["{source}"]}`},
		{method: "GET", path: "/ontology/proposals"},
		{method: "GET", path: "/ontology/proposals?status=pending&proposal_type=demotion&ontology=ice&limit=5"},
		{method: "POST", path: "/ontology/proposals/999999/review", send: `{"status":"rejected","notes":"no"}`, status: 404, shape: problemShape}, // there is none yet
		{method: "POST", path: "/ontology/annealing-cycle?dry_run=true&max_proposals=5", shape: `{proposals_generated:int}`},
	}
}

// movedPrograms is each action of the tool program, and the commands query-def.
func movedPrograms() []exchange {
	program := func(rest string) string { return `{"program":` + movedProgram + rest + `}` }
	refused := `{"program":{"version":1,"statements":[{"op":"+","operation":{"type":"cypher","query":"MATCH (n) DETACH DELETE n"}}]}}`
	return []exchange{
		{method: "POST", path: "/programs/validate", send: program(""), shape: `{valid:bool errors:[any] warnings:[any]}`},
		{method: "POST", path: "/programs/validate", send: refused, shape: `{valid:bool errors:[+{rule_id:'V010' severity:'error' statement:int field:str message:str}] warnings:[any]}`},
		{method: "POST", path: "/programs", send: program(`,"name":"rain"`), status: 201, shape: `{id:int name:'rain' program:{version:int statements:[+obj]} valid:bool created_at:ts updated_at:ts}`, keep: map[string]string{"program": "id"}},
		{method: "POST", path: "/programs", send: refused, status: 422, shape: problemShape},
		{method: "GET", path: "/programs/{program}", shape: `{id:int name:'rain' owner_id:int program:{version:int metadata:{description:str} statements:[+{op:str operation:{type:str}}]} created_at:ts updated_at:ts}`},
		{method: "GET", path: "/programs?search=acid&limit=20", shape: `[+{id:int name:'rain' description:str statement_count:int}]`},
		{method: "POST", path: "/programs/execute", send: program(""), shape: `{result:` + programGraph + ` log:` + programSteps + ` aborted:null}`},
		{method: "POST", path: "/programs/execute", send: `{"program_id":{program}}`, shape: `{result:` + programGraph + ` log:` + programSteps + ` aborted:null}`},
		{method: "POST", path: "/programs/execute", send: `{"program":{"version":1,"statements":[{"op":"!","operation":{"type":"api","endpoint":"/concepts/details","params":{"concept_id":"none_1"}}}]}}`, shape: `{result:{nodes:[any] links:[any]} aborted:{statement:int reason:str}}`},
		{method: "POST", path: "/programs/execute", send: refused, status: 422, shape: problemShape},
		{method: "POST", path: "/programs/chain", send: `{"deck":[{"program_id":{program}},` + program("") + `]}`, shape: `{result:` + programGraph + ` programs:[+{result:` + programGraph + ` log:` + programSteps + ` aborted:null}] aborted:null}`},
		{method: "POST", path: "/programs/execute", send: `{"deck":[{"program_id":{program}}]}`, shape: `{result:` + programGraph + ` programs:[+{log:` + programSteps + `}] aborted:null}`},
		{method: "POST", path: "/query-definitions", send: `{"name":"rain search","definition_type":"search","definition":{"query":"acid rain","min_similarity":0.3}}`, status: 201, shape: `{id:int name:str definition_type:'search' created_at:ts updated_at:ts}`, keep: map[string]string{"kept": "id"}},
		{method: "GET", path: "/query-definitions?limit=20", shape: `{definitions:[+{id:int name:str definition_type:str definition:obj owner_id:int updated_at:ts}] total:int limit:int offset:int}`},
		{method: "GET", path: "/query-definitions?definition_type=block_diagram&limit=20", shape: `{definitions:[any] total:int}`},
		{method: "GET", path: "/query-definitions/{kept}", shape: `{id:int name:str definition_type:'search' definition:{query:str} owner_id:int created_at:ts updated_at:ts}`},
		{method: "PUT", path: "/query-definitions/{kept}", send: `{"name":"rain again","definition":{"query":"acid rain","min_similarity":0.2}}`, shape: `{id:int name:'rain again'}`},
		{method: "POST", path: "/query-definitions/{kept}/run", send: `{}`, shape: `{request:obj answer:{results:[+{concept_id:str}]}}`},
		{method: "POST", path: "/query-definitions/run", send: `{"name":"rain again"}`, shape: `{answer:{results:[+{concept_id:str}]}}`},
		{method: "POST", path: "/query-definitions", send: `{"name":"p","definition_type":"cypher","definition":{"query":"MATCH (n) RETURN n"}}`, status: 400, shape: problemShape},
		{method: "DELETE", path: "/query-definitions/{kept}", status: 204},
		{method: "POST", path: "/database/query", send: `{"query":"MATCH (n) RETURN n","params":null,"namespace":null}`, status: 501, shape: problemShape},
	}
}

// TestMovedAgent sends what the MCP server of the service before sends for each of its
// actions, and checks that each is answered.
func TestMovedAgent(t *testing.T) {
	t.Parallel()
	r := newReplay(t)
	r.sections(t, []contractSection{{"logging in", loginExchanges()}, {"what there is", beforeSubmissions()}})
	r.sections(t, movedAgent())
}
