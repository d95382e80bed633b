package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/llm/llmtest"
	"github.com/kappagraph/kappa/work"
)

// made is all that submissions make or change, one line a row. What goes on by itself, such
// as the states of jobs, is left out.
const made = `
	SELECT 'job', job_id::text FROM kg_api.jobs UNION ALL
	SELECT 'ontology', name FROM kg_api.ontologies UNION ALL
	SELECT 'source', d.ontology_id || ' ' || s.source_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document UNION ALL
	SELECT 'concept', concept_id || label FROM kg_api.concepts UNION ALL
	SELECT 'quote', concept || ' ' || source || quote FROM kg_api.instances UNION ALL
	SELECT 'edge', src || ' ' || dst || ' ' || type FROM kg_api.edges UNION ALL
	SELECT 'schedule', name FROM kg_api.scheduled_jobs UNION ALL
	SELECT 'lane', name FROM kg_api.worker_lanes UNION ALL
	SELECT 'artifact', id::text FROM kg_api.artifacts UNION ALL
	SELECT 'file', id::text FROM kg_api.artifact_files UNION ALL
	SELECT 'type', t::text FROM (SELECT name, merged_into FROM kg_api.relationship_types) t UNION ALL
	SELECT 'profile', t::text FROM kg_api.vocabulary_profiles t UNION ALL
	SELECT 'merge of types', t::text FROM kg_api.vocabulary_merges t UNION ALL
	SELECT 'merge', t::text FROM kg_api.concept_merges t UNION ALL
	SELECT 'block', t::text FROM kg_api.concept_blocks t UNION ALL
	SELECT 'apart', t::text FROM kg_api.concepts_apart t UNION ALL
	SELECT 'proposal', t::text FROM kg_api.ontology_proposals t UNION ALL
	SELECT 'query', id::text FROM kg_api.saved_queries`

// submission is a route that takes an Idempotency-Key, with a request to it, and another
// one: another body, or for a route without one another path.
type submission struct {
	route, path string // of the OpenAPI document, and of the request
	send        any
	other       any
	otherPath   string
}

// TestSubmissionsAreMadeOnce sends a request to every route that takes an Idempotency-Key,
// again with its key, and another one under that key: each makes one thing, the second has
// the answer of the first, and the third is refused.
func TestSubmissionsAreMadeOnce(t *testing.T) {
	t.Parallel()
	models := newModels(t)
	models.Answer = func(c llmtest.Call) llmtest.Reply { return llmtest.Reply{Text: llmtest.Read(c.Passage())} }
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, glaciers) }))
	defer web.Close()
	r := newReplayWith(t, withModels(models, map[string]string{"KG_EXTRACTOR": "local", "KG_VISION": "openai", "KG_VISION_MODEL": "gpt-4.1-mini", "KG_URL_PRIVATE": "allow"}))
	r.kept["web"] = web.URL
	r.sections(t, []contractSection{{"logging in", loginExchanges()}, {"what there is", beforeSubmissions()}})
	r.t = t
	for _, lane := range []string{"actions", "interactive", "maintenance", "pictures", "system"} { // so that only submissions change anything
		_, err := r.server.client.Workers.UpdateLane(t.Context(), lane, work.LaneUpdate{Enabled: new(false)})
		check(t, err)
	}
	resp, archive, err := r.ask("POST", "/admin/backup", nil, "")
	check(t, err)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("no backup: %d %s", resp.StatusCode, archive)
	}
	conn, err := pgx.Connect(t.Context(), r.server.dsn)
	check(t, err)
	defer conn.Close(t.Context())
	tried := map[string]bool{}
	for _, s := range submissions(string(archive)) {
		tried[s.route] = true
		t.Run(s.route, func(t *testing.T) {
			r.t = t
			r.submitThrice(s, conn)
		})
	}
	r.t = t
	_, document, err := r.ask("GET", "/openapi.json", nil, "-")
	check(t, err)
	for _, route := range keyedRoutes(t, document) {
		if !tried[route] {
			t.Errorf("%s takes a key and is not tried", route)
		}
	}
}

// keyedRoutes returns the routes that take an Idempotency-Key.
func keyedRoutes(t *testing.T, document []byte) (routes []string) {
	t.Helper()
	operations, _ := readOperations(t, document)
	for _, op := range operations {
		for _, p := range op.Parameters {
			if p.Name == "Idempotency-Key" {
				routes = append(routes, op.method+" "+op.path)
			}
		}
	}
	if len(routes) < 30 {
		t.Fatalf("only %d routes take a key", len(routes))
	}
	return routes
}

// submitThrice sends a request, the same one, and another one under one key.
func (r *replay) submitThrice(s submission, conn *pgx.Conn) {
	r.t.Helper()
	key, path := "key of "+s.route, r.fill(s.path, true)
	key = strings.ReplaceAll(key, " ", "-")
	before := r.rows(conn)
	first, answer := r.submit(path, s.send, key)
	after := r.rows(conn)
	if first.StatusCode >= 300 || slices.Equal(before, after) {
		r.t.Fatalf("%d %s, and changed %v", first.StatusCode, answer, !slices.Equal(before, after))
	}
	again, same := r.submit(path, s.send, key)
	if again.StatusCode != first.StatusCode || !bytes.Equal(answer, same) || first.Header.Get("Idempotent-Replayed") != "" || again.Header.Get("Idempotent-Replayed") != "true" {
		r.t.Errorf("again: %d %s, replayed %q; first it was %d %s", again.StatusCode, same, again.Header.Get("Idempotent-Replayed"), first.StatusCode, answer)
	}
	otherPath := path
	if s.otherPath != "" {
		otherPath = r.fill(s.otherPath, true)
	}
	other, refusal := r.submit(otherPath, s.other, key)
	if other.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(refusal), `"detail":"Idempotency-Key: was used for another`) {
		r.t.Errorf("another request under the key: %d %s", other.StatusCode, refusal)
	}
	if now := r.rows(conn); !slices.Equal(after, now) {
		r.t.Errorf("made %d rows the first time, and %d then", len(after)-len(before), len(now)-len(after))
	}
}

// submit posts a body under a key.
func (r *replay) submit(path string, send any, key string) (*http.Response, []byte) {
	r.t.Helper()
	resp, answer, err := r.askWith("POST", path, send, http.Header{"Idempotency-Key": {key}, "Authorization": {"Bearer " + r.kept["token"]}})
	check(r.t, err)
	return resp, answer
}

// rows returns what is made, in order.
func (r *replay) rows(conn *pgx.Conn) []string {
	r.t.Helper()
	rows, err := conn.Query(r.t.Context(), made)
	check(r.t, err)
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var kind, text string
		err := row.Scan(&kind, &text)
		return kind + " " + text, err
	})
	check(r.t, err)
	slices.Sort(list)
	return list
}

// beforeSubmissions makes what submissions are about.
func beforeSubmissions() []exchange {
	list := []exchange{
		{method: "POST", path: "/ingest/text", send: form{"text": volcanoes, "ontology": "fire", "auto_approve": "true"}, keep: map[string]string{"fire": "job_id"}},
		{method: "POST", path: "/ingest/text", send: form{"text": glaciers, "ontology": "ice", "auto_approve": "true"}, keep: map[string]string{"ice": "job_id"}},
		{method: "POST", path: "/ingest/text", send: form{"text": "Fjords are deep. Fjords are cold.", "ontology": "sea", "auto_approve": "true"}, keep: map[string]string{"sea": "job_id"}},
		{method: "POST", path: "/jobs", send: `{"job_type":"noop"}`, keep: map[string]string{"cancelled": "job_id"}},
		{method: "DELETE", path: "/jobs/{cancelled}"},
		{method: "GET", path: "/sources?ontology=ice", waitFor: "ice", keep: map[string]string{"source": "sources.0.source_id"}},
		{method: "GET", path: "/sources?ontology=sea", waitFor: "sea"},
		{method: "POST", path: "/query/search", waitFor: "fire", send: `{"query": "acid rain", "min_similarity": 0.3}`, keep: map[string]string{"concept": "results.0.concept_id"}},
		{method: "GET", path: "/query/concept/{concept}", keep: map[string]string{"near": "relationships.0.to_id"}},
		{method: "POST", path: "/query/polarity-axis/jobs", send: `{"positive_pole_id": "{concept}", "negative_pole_id": "{near}"}`, keep: map[string]string{"polarity": "job_id"}},
		{method: "GET", path: "/jobs/{polarity}", waitFor: "polarity", keep: map[string]string{"artifact": "result.artifact_id"}},
		{method: "POST", path: "/vocabulary/types", send: `{"relationship_type":"ERODES","category":"causation"}`, status: 201},
		{method: "POST", path: "/vocabulary/types", send: `{"relationship_type":"WASHES_AWAY","category":"causation"}`, status: 201},
		{method: "POST", path: "/edges", send: `{"from_concept_id": "{concept}", "to_concept_id": "{near}", "relationship_type": "ERODES"}`, status: 201},
	}
	for as, label := range map[string]string{"one": "Moraine", "two": "Drumlin", "three": "Esker", "four": "Kettle pond"} {
		list = append(list, exchange{method: "POST", path: "/concepts", send: `{"ontology":"hills","label":"` + label + `","matching_mode":"force_create"}`, status: 201, keep: map[string]string{as: "concept_id"}})
	}
	return append(list, exchange{method: "POST", path: "/concepts/merges", send: `{"keep":"{three}","merge":"{four}"}`, status: 201})
}

// submissions returns one of each.
func submissions(archive string) []submission {
	const none = "/jobs/job_000000000000"
	file := func(filename, ontology, body string) sentFile {
		return sentFile{fields: map[string]string{"ontology": ontology}, filename: filename, body: body}
	}
	restore := func(mode string) sentFile {
		return sentFile{fields: map[string]string{"mode": mode}, filename: "a.zst", body: archive}
	}
	picture := "\x89PNG\r\n\x1a\n" + strings.Repeat("\xff\x01", 100)
	return []submission{
		{route: "POST /jobs", path: "/jobs", send: `{"job_type":"noop"}`, other: `{"job_type":"sleep"}`},
		{route: "POST /jobs/{id}/retry", path: "/jobs/{cancelled}/retry", otherPath: none + "/retry"},
		{route: "POST /jobs/actions", path: "/jobs/actions", send: `{"act":"retry","ids":["{cancelled}"]}`, other: `{"act":"retry","ids":["job_000000000000"]}`},
		{route: "POST /ingest", path: "/ingest", send: file("a.txt", "o", "Ada met Byron."), other: file("a.txt", "o", "Ada met Babbage.")},
		{route: "POST /ingest/text", path: "/ingest/text", send: form{"text": "Byron wrote.", "ontology": "o"}, other: form{"text": "Byron wrote.", "ontology": "other"}},
		{route: "POST /ingest/url", path: "/ingest/url", send: form{"url": "{web}/a", "ontology": "o"}, other: form{"url": "{web}/b", "ontology": "o"}},
		{route: "POST /ingest/image", path: "/ingest/image", send: file("a.png", "o", picture), other: file("a.png", "o", picture+"x")},
		{route: "POST /datasets/jobs", path: "/datasets/jobs", send: `{"sql":"SELECT 1"}`, other: `{"sql":"SELECT 2"}`},
		{route: "POST /query/polarity-axis/jobs", path: "/query/polarity-axis/jobs", send: `{"positive_pole_id": "{concept}", "negative_pole_id": "{near}"}`, other: `{"positive_pole_id": "{near}", "negative_pole_id": "{concept}"}`},
		{route: "POST /projection/{ontology}/regenerate", path: "/projection/__all__/regenerate", send: `{"force":true}`, other: `{"force":true,"n_components":2}`},
		{route: "POST /artifacts", path: "/artifacts", send: `{"artifact_type":"search_result","representation":"cli","parameters":{},"payload":{"a":1}}`, other: `{"artifact_type":"search_result","representation":"cli","parameters":{},"payload":{"a":2}}`},
		{route: "POST /artifacts/{id}/regenerate", path: "/artifacts/{artifact}/regenerate", otherPath: "/artifacts/999999/regenerate"},
		{route: "POST /admin/schedules", path: "/admin/schedules", send: `{"name":"nightly","job_type":"artifact_cleanup","cron":"0 3 1 1 *"}`, other: `{"name":"nightly","job_type":"artifact_cleanup","cron":"0 4 1 1 *"}`},
		{route: "POST /admin/schedules/{name}/run", path: "/admin/schedules/nightly/run", otherPath: "/admin/schedules/other/run"},
		{route: "POST /admin/workers/lanes", path: "/admin/workers/lanes", send: `{"name":"slow","job_types":[],"enabled":false}`, other: `{"name":"slower","job_types":[],"enabled":false}`},
		{route: "POST /admin/restore", path: "/admin/restore", send: restore("merge"), other: restore("replace")},
		{route: "POST /concepts", path: "/concepts", send: `{"ontology":"hills","label":"Cirque"}`, other: `{"ontology":"hills","label":"Corrie"}`},
		{route: "POST /concepts/{id}/evidence", path: "/concepts/{one}/evidence", send: `{"text":"Moraines are made of till."}`, other: `{"text":"Moraines move."}`},
		{route: "POST /edges", path: "/edges", send: `{"from_concept_id":"{one}","to_concept_id":"{two}","relationship_type":"INFLUENCES"}`, other: `{"from_concept_id":"{two}","to_concept_id":"{one}","relationship_type":"INFLUENCES"}`},
		{route: "POST /graph/batch", path: "/graph/batch", send: `{"ontology":"hills","concepts":[{"label":"Tarn"}]}`, other: `{"ontology":"hills","concepts":[{"label":"Col"}]}`},
		{route: "POST /concepts/blocks", path: "/concepts/blocks", send: `{"a":"Esker","b":"Cirque"}`, other: `{"a":"Esker","b":"Tarn"}`},
		{route: "POST /concepts/namesakes", path: "/concepts/namesakes", send: `{"a":"{one}","b":"{two}"}`, other: `{"a":"{one}","b":"{three}"}`},
		{route: "POST /concepts/merges", path: "/concepts/merges", send: `{"keep":"{one}","merge":"{two}"}`, other: `{"keep":"{two}","merge":"{one}"}`},
		{route: "POST /concepts/merges/{id}/undo", path: "/concepts/merges/2/undo", send: `{}`, other: `{"block":true}`},
		{route: "POST /concepts/{id}/split", path: "/concepts/{three}/split", send: `{"labels":["Kettle pond"]}`, other: `{"labels":["Esker"]}`},
		{route: "POST /vocabulary/types", path: "/vocabulary/types", send: `{"relationship_type":"MELTS","category":"causation"}`, other: `{"relationship_type":"FREEZES","category":"causation"}`},
		{route: "POST /admin/vocabulary/profiles", path: "/admin/vocabulary/profiles", send: profileNamed("slow"), other: profileNamed("slower")},
		{route: "POST /vocabulary/merge", path: "/vocabulary/merge", send: `{"deprecated_type":"ERODES","target_type":"WASHES_AWAY"}`, other: `{"deprecated_type":"WASHES_AWAY","target_type":"ERODES"}`},
		{route: "POST /vocabulary/merges/{id}/undo", path: "/vocabulary/merges/1/undo", otherPath: "/vocabulary/merges/2/undo"},
		{route: "POST /vocabulary/consolidate", path: "/vocabulary/consolidate", send: `{"dry_run":true,"wait":false}`, other: `{"dry_run":false,"wait":false}`},
		{route: "POST /vocabulary/generate-embeddings", path: "/vocabulary/generate-embeddings", send: `{"only_missing":true,"wait":false}`, other: `{"only_missing":false,"wait":false}`},
		{route: "POST /vocabulary/refresh-categories", path: "/vocabulary/refresh-categories", send: `{"only_computed":true,"wait":false}`, other: `{"only_computed":false,"wait":false}`},
		{route: "POST /ontology/", path: "/ontology/", send: `{"name":"lakes"}`, other: `{"name":"rivers"}`},
		{route: "POST /ontology/annealing-cycle", path: "/ontology/annealing-cycle", send: `{"dry_run":true,"wait":false}`, other: `{"wait":false}`},
		{route: "POST /ontology/{name}/reassign", path: "/ontology/ice/reassign", send: `{"target_ontology":"fire","source_ids":["{source}"]}`, other: `{"target_ontology":"lakes","source_ids":["{source}"]}`},
		{route: "POST /ontology/{name}/dissolve", path: "/ontology/sea/dissolve", send: `{"target_ontology":"fire"}`, other: `{"target_ontology":"lakes"}`},
		{route: "POST /query-definitions", path: "/query-definitions", send: `{"name":"a","definition_type":"search","definition":{"query":"ice"}}`, other: `{"name":"b","definition_type":"search","definition":{"query":"ice"}}`},
		{route: "POST /programs", path: "/programs", send: `{"name":"c","program":{"version":1,"statements":[{"op":"+","operation":{"type":"api","endpoint":"/search/concepts","params":{"query":"ice"}}}]}}`, other: `{"name":"d","program":{"version":1,"statements":[{"op":"+","operation":{"type":"api","endpoint":"/search/concepts","params":{"query":"sea"}}}]}}`},
		{route: "POST /jobs/{id}/undo", path: "/jobs/{fire}/undo", otherPath: none + "/undo"},
	}
}

func profileNamed(name string) string {
	return `{"profile_name":"` + name + `","control_x1":0.1,"control_y1":0.2,"control_x2":0.8,"control_y2":0.9}`
}
