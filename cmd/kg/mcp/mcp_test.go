package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/inprocess"
)

// fakeAPI answers requests by method and path, and keeps what it was sent.
type fakeAPI struct {
	t       *testing.T
	answers map[string]string
	refusal string // of what has no answer; that there is no such concept, if empty
	mu      sync.Mutex
	sent    []string // method, path with query, body
	tokens  []string
}

// last returns the last request.
func (f *fakeAPI) last() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent[len(f.sent)-1]
}

// ServeHTTP answers, or says that there is no such thing.
func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = append(f.sent, r.Method+" "+r.URL.String()+" "+string(body))
	f.tokens = append(f.tokens, r.Header.Get("Authorization"))
	answer, ok := f.answers[r.Method+" "+r.URL.Path]
	if !ok {
		w.Header().Set("Content-Type", "application/problem+json")
		if f.refusal != "" {
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, f.refusal)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"status":404,"detail":"Concept 'x_1' not found"}`)
		return
	}
	_, _ = io.WriteString(w, answer)
}

// connect returns an agent's session with a server whose calls go to the fake.
func connect(t *testing.T, f *fakeAPI) *mcp.ClientSession {
	t.Helper()
	f.t = t
	c, err := client.New(client.Config{BaseURL: "http://kappa.test", HTTPClient: &http.Client{Transport: inprocess.Transport{API: f}}})
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := mcp.NewInMemoryTransports()
	asked := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", http.NoBody)
	go func() { _ = New(c, "1").Run(inprocess.For(t.Context(), asked), ours) }()
	return session(t, theirs)
}

func session(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// call uses a tool and returns its text, and whether that is an error.
func call(t *testing.T, s *mcp.ClientSession, name, arguments string) (string, bool) {
	t.Helper()
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", name, arguments, err)
	}
	var all []string
	for _, c := range result.Content {
		all = append(all, c.(*mcp.TextContent).Text)
	}
	return strings.Join(all, "\n"), result.IsError
}

const (
	evidence = `{"quote":"A lane\nis a group.","document":"demo","paragraph":2,"source_id":"src_1","filename":"a.md","start_byte":3,"end_byte":20}`
	stating  = `{"quote":"It\nhas slots.","document":"demo","paragraph":2,"source_id":"src_1","filename":"a.md","start_byte":21,"end_byte":34,"confidence":0.8,"before":{"quote":"A lane is a group."},"job_id":"job_1","reader":"local"}`
	byHand   = `{"quote":"lane HAS_PART slot","document":"demo","source_id":"src_2","filename":"note by ada","start_byte":7,"end_byte":25,"made_by":"ada"}`
	job      = `{"job_id":"job_1","job_type":"ingestion","status":"awaiting_approval","created_at":"2026-01-31T08:00:00.000Z","filename":"a.md","ontology":"demo",
		"analysis":{"file_stats":{"word_count":10,"estimated_chunks":1},"cost_estimate":{"total":{"cost_low":0.5,"cost_high":1.5,"currency":"USD"}},"warnings":["Very small file"]}}`
)

// TestSentencesLeaveRoom wants all relationships in an answer that is too long for the
// sentences of all of them.
func TestSentencesLeaveRoom(t *testing.T) {
	t.Parallel()
	var results []string
	for i := range 200 {
		results = append(results, fmt.Sprintf(`{"concept_id":"c_%d","label":"slot","distance":1,"path_types":["HAS_PART"],"via":{"evidence":[{"quote":%q,"filename":"a.md"}]}}`, i, strings.Repeat("slot ", 200)))
	}
	f := &fakeAPI{answers: map[string]string{"POST /query/related": `{"concept_id":"c_1","max_depth":1,"count":200,"results":[` + strings.Join(results, ",") + `]}`}}
	got, _ := call(t, connect(t, f), "related", `{"id":"c_1","limit":200}`)
	if !strings.Contains(got, "id c_199") || strings.Contains(got, "lines were cut") || !strings.Contains(got, "relationships had no room. The tool edge shows them.") {
		t.Errorf("%d bytes, end with %s", len(got), got[len(got)-300:])
	}
	if n := strings.Count(got, "slot slot"); n == 0 || len(got) > maxTextBytes+200 {
		t.Errorf("%d bytes without a sentence", len(got))
	}
}

// TestTools checks for each tool what it asks the API, and what a model reads.
func TestTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, tool, arguments, answer, request, text string }{
		{
			"search", "search", `{"query":"lane","ontology":"demo","limit":1,"quotes":true}`,
			`{"query":"lane","results":[{"concept_id":"c_1","label":"lane","description":"a group","score":0.91,"documents":["demo"],"evidence_count":3,"sample_evidence":[` + evidence + `],"grounding_display":"Balanced perspectives"}]}`,
			`POST /query/search {"query":"lane","limit":1,"ontology":"demo","include_evidence":true}`,
			"\"lane\"  id c_1  similarity 0.91, 3 quotes, in \"demo\", balanced perspectives\n  \"a group\"\n  \"A lane is a group.\"\n    in \"a.md\" (\"demo\"), chunk 2, bytes 3-20, source src_1\nThere may be more; the next ones: offset 1.",
		},
		{
			"ask", "ask", `{"question":"what is a lane?","ontology":"demo","thread":["what is a job?"]}`,
			`{"found":false,"nearest":true,"has_more":true,"mended":[{"written":"laen","taken_as":"lane"}],"index":{"ready":true},"passages":[{"text":"A lane\nis a group. It has slots.","filename":"a.md","document":"demo","page":3,"section":"Lanes","source_id":"src_1","start_byte":3,"end_byte":31,"nearest":true,"sentence":{"text":"A lane\nis a group."},"also_in":["b.md"]}],"relationships":[{"from_id":"c_1","from_label":"lane","relationship_type":"HAS_PART","to_id":"c_2","to_label":"slot"}]}`,
			`POST /query/ask {"question":"what is a lane?","limit":5,"ontology":"demo","thread":["what is a job?"],"include_evidence":true}`,
			"“laen” stands in no document; “lane” was looked for.\nThe nearest passages, but probably not an answer.\n1. \"A lane is a group.\"\n   \"a.md\" (\"demo\"), section \"Lanes\", page 3, nearest, but probably no answer, bytes 3-31, source src_1\n   A lane is a group. It has slots.\n   also in \"b.md\"\nThere are more; the next ones: offset 1.\n\"lane\" [c_1] -HAS_PART-> \"slot\" [c_2]",
		},
		{
			"documents", "documents", `{"ontology":"demo","limit":1}`, `{"documents":[{"filename":"a.md","ontology":"demo","source_count":2,"concept_count":9,"document_id":"sha256:0"}],"total":3}`,
			"GET /documents?limit=1&ontology=demo", "\"a.md\" (\"demo\"): 2 chunks, 9 concepts, id sha256:0\n1 to 1 of 3 are shown; the next ones: offset 1.",
		},
		{
			"source", "source", `{"id":"src_1"}`, `{"source_id":"src_1","filename":"a.md","document":"demo","paragraph":2,"document_id":"sha256:0","full_text":"One.\nTwo.","start_byte":3,"end_byte":12}`,
			"GET /sources/src_1", "\"a.md\" (\"demo\"), chunk 2, bytes 3-12 of document sha256:0\nOne.\nTwo.",
		},
		{
			"search without a hit", "search", `{"query":"zzz"}`, `{"query":"zzz","results":[],"threshold_used":0.6,"below_threshold_count":2,"suggested_threshold":0.4}`, `POST /query/search {"query":"zzz","limit":10}`,
			"No concept is that near to \"zzz\" (min_similarity 0.60).\n2 more with min_similarity 0.40.",
		},
		{
			"concept", "concept", `{"id":"c_1","quotes":1}`,
			`{"concept_id":"c_1","label":"lane","search_terms":["lanes"],"documents":["demo"],"instances":[` + evidence + `,` + evidence + `],"relationships":[{"to_id":"c_2","to_label":"slot","rel_type":"HAS_PART","evidence":[` + stating + `]}]}`,
			"GET /query/concept/c_1?include_evidence=true", "\"lane\"  id c_1\nalso: \"lanes\"\nin: \"demo\"\nQuotes (1 of 2):\n  \"A lane is a group.\"\n    in \"a.md\" (\"demo\"), chunk 2, bytes 3-20, source src_1\nRelationships (1):\n  HAS_PART \"slot\"  id c_2\n    \"It has slots.\" (before it: \"A lane is a group.\") in \"a.md\" (\"demo\"), bytes 21-34, source src_1",
		},
		{
			"related", "related", `{"id":"c_1","types":["HAS_PART"],"limit":1}`,
			`{"concept_id":"c_1","max_depth":1,"total":9,"count":1,"truncated":false,"results":[{"concept_id":"c_2","label":"slot","distance":1,"path_types":["HAS_PART"],"via":{"concept_id":"c_1","forward":true,"evidence":[` + byHand + `]}}]}`,
			`POST /query/related {"concept_id":"c_1","max_depth":1,"limit":1,"include_evidence":true,"relationship_types":["HAS_PART"]}`, "1 away, HAS_PART: \"slot\"  id c_2\n    \"lane HAS_PART slot\" in \"note by ada\" (\"demo\"), bytes 7-25, source src_2, written by hand by \"ada\"\n1 to 1 of 9 are shown; the next ones: offset 1.",
		},
		{
			"epochs", "epochs", `{"kind":"edit","limit":1}`,
			`{"events":[{"event_id":7,"kind":"edit","occurred_at":"2026-01-02T03:04:05.000Z","semantic_wallclock":true,"actor":"ada","counter_after":7,"metadata":{"act":"concept.delete","object":"lane_1","concepts_added":0,"concepts_removed":1,"edges_set":0,"edges_removed":2}}],"limit":1,"next_cursor":7}`,
			"GET /epochs?kind=edit&limit=1", "7  2026-01-02T03:04:05.000Z  concept.delete by \"ada\": +0 -1 concepts, +0 -2 relationships\n    of \"lane_1\"\nThere are more; the next ones: cursor 7",
		},
		{
			"namesakes", "namesakes", `{"apart":true}`,
			`{"namesakes":[{"a":{"concept_id":"gin_1","label":"GIN","description":"","quotes":1,"ontologies":["db"],"neighbors":["posting list","PostgreSQL"]},"b":{"concept_id":"gin_2","label":"gin","description":"","quotes":2,"ontologies":["bar"],"neighbors":[]},"kept_apart":{"reason":"an index","made_by":"ada","at":"2026-01-02T03:04:05.000Z"}}]}`,
			"GET /concepts/namesakes?apart=true&limit=20", "\"GIN\"  id gin_1  1 quote in \"db\"\n    related with \"posting list\", \"PostgreSQL\"\n\"gin\"  id gin_2  2 quotes in \"bar\"\n    they stay two, says \"ada\": \"an index\"",
		},
		{
			"no namesakes", "namesakes", `{}`, `{"namesakes":[]}`,
			"GET /concepts/namesakes?apart=false&limit=20", "No concepts of one name are left to decide about.",
		},
		{
			"keep apart", "keep_apart", `{"a":"gin_1","b":"gin_2","reason":"a drink"}`, `{"a":"gin_1","b":"gin_2"}`,
			`POST /concepts/namesakes {"a":"gin_1","b":"gin_2","reason":"a drink"}`, "gin_1 and gin_2 stay two.",
		},
		{
			"a lifetime", "lifetime", `{"id":"lane_1"}`,
			`{"concept_id":"lane_1","label":"lane","state":"active","created_at":"2026-01-02T03:04:05.000Z","creation_method":"llm_extraction","documents":1,"changes":[],"total_instances":2,"returned_instances":1,"limit":20,"offset":0,"has_more":true,"instances":[{"quote":"A lane.","source_id":"src_1","filename":"a.md","ontology":"demo","event_id":3,"occurred_at":"2026-01-02T03:04:06.000Z"}]}`,
			"GET /concepts/lane_1/lifetime?limit=20&offset=0", "\"lane\" [lane_1] is active, 2 quotes in 1 document\nIt was made 2026-01-02T03:04:05.000Z (llm_extraction).\n  2026-01-02T03:04:06.000Z  epoch 3  \"A lane.\"\n    in \"a.md\" (\"demo\"), source src_1\n1 to 1 of 2 are shown; the next ones: offset 1.",
		},
		{
			"edge", "edge", `{"from":"c_1","type":"HAS_PART","to":"c_2","limit":1}`,
			`{"from_concept_id":"c_1","relationship_type":"HAS_PART","to_concept_id":"c_2","confidence":0.9,"from_label":"lane","to_label":"slot","document_count":1,"total":2,"evidence":[` + stating + `]}`,
			"GET /edges/c_1/HAS_PART/c_2?limit=1", "\"lane\" [c_1] -HAS_PART-> \"slot\" [c_2], confidence 0.90, 2 sentences in 1 document\n  \"It has slots.\"\n    in \"a.md\" (\"demo\"), chunk 2, bytes 21-34, source src_1\n    before it: \"A lane is a group.\"\n    confidence 0.80, read by job_1 with local\n1 to 1 of 2 are shown; the next ones: offset 1.",
		},
		{
			"weak ones", "related", `{"id":"c_1","include_weak":true}`, `{"concept_id":"c_1","max_depth":1,"count":0,"results":[]}`,
			`POST /query/related {"concept_id":"c_1","max_depth":1,"limit":40,"include_evidence":true,"include_weak":true`, "Nothing is related to c_1 within 1 relationship.",
		},
		{
			"nothing", "related", `{"id":"c_1"}`, `{"concept_id":"c_1","max_depth":1,"count":0,"results":[]}`,
			`POST /query/related {"concept_id":"c_1","max_depth":1`, "Nothing is related to c_1 within 1 relationship; include_weak may find more.",
		},
		{
			"connect by weak ones", "connect", `{"from":"c_1","to":"c_3","include_weak":true}`, `{"max_hops":5,"paths":[]}`,
			`POST /query/connect-by-search {"from_query":"c_1","to_query":"c_3","max_hops":5,"threshold":0.5,"include_evidence":true,"limit":5,"include_weak":true`, "No path of at most 5 relationships joins them.",
		},
		{
			"connect", "connect", `{"from":"lane","to":"c_3"}`,
			`{"from_concept":{"id":"c_1","label":"lane"},"to_concept":{"id":"c_3","label":"job"},"max_hops":5,"paths":[{"hops":2,"nodes":[{"id":"c_1","label":"lane"},{"id":"c_2","label":"slot"},{"id":"c_3","label":"job"}],"relationships":["HAS_PART","REQUIRES"],"forward":[true,false]}]}`,
			`POST /query/connect-by-search {"from_query":"lane","to_query":"c_3","max_hops":5,"threshold":0.5`,
			"\"lane\" is \"lane\"  id c_1\n\"c_3\" is \"job\"  id c_3\n2 relationships: \"lane\" [c_1] -HAS_PART-> \"slot\" [c_2] <-REQUIRES- \"job\" [c_3]",
		},
		{
			"polarity", "polarity", `{"positive_id":"c_1","negative_id":"c_2"}`,
			`{"axis":{"positive_pole":{"label":"hot"},"negative_pole":{"label":"cold"},"axis_quality":"strong"},"projections":[{"concept_id":"c_3","label":"warm","position":0.5,"axis_distance":0.25}],"complete":true}`,
			`POST /query/polarity-axis {"positive_pole_id":"c_1","negative_pole_id":"c_2"`, "Between \"hot\" (1) and \"cold\" (-1); the axis is strong.\n+0.50  \"warm\"  id c_3  (0.25 from the axis)",
		},
		{
			"ontologies", "ontologies", `{}`, `{"ontologies":[{"ontology":"demo","file_count":2,"concept_count":30,"lifecycle_state":"active"}]}`, "GET /ontology/", `"demo": 2 documents, 30 concepts, active`,
		},
		{
			"about", "about", `{"ontology":"demo"}`, `{"concepts":30,"count":13,"communities":[{"name":"lane, slot","size":9,"concepts":[{"concept_id":"c_1","label":"lane"}]}]}`,
			"GET /ontology/demo/about", "\"demo\": 30 concepts in 13 groups.\n\"lane, slot\" (9 concepts)\n  \"lane\"  id c_1\n12 smaller groups are not shown.",
		},
		{
			"ingest", "ingest", `{"text":"Lanes.","ontology":"demo","name":"a.md"}`, `{"job_id":"job_1","status":"pending","message":"Job queued."}`, "POST /ingest", "job job_1\nIt is being analysed, which takes a moment; job then shows its estimate, and approve_job has it read.",
		},
		{
			"ingest at once", "ingest", `{"text":"Lanes.","ontology":"demo","approve":true}`, `{"job_id":"job_1","status":"pending","message":"Job queued."}`, "POST /ingest",
			"job job_1\nIt is read as soon as a slot is free; job shows how far it is.",
		},
		{
			"ingest again", "ingest", `{"text":"Lanes.","ontology":"demo"}`, `{"duplicate":true,"existing_job_id":"job_1","status":"completed","message":"Use force=true"}`, "POST /ingest",
			"job job_1\nThe same document was submitted before, by this job, which is completed; it is not read again. job shows what came of it.",
		},
		{
			"job", "job", `{"id":"job_1"}`, job, "GET /jobs/job_1",
			"job_1  ingestion  awaiting_approval  created 2026-01-31T08:00:00Z  \"a.md\"  \"demo\"\nestimate: 10 words, 1 chunks, $0.50 to $1.50\nwarning: Very small file\nIt costs nothing until approve_job.",
		},
		{"jobs", "jobs", `{"status":"failed"}`, `[` + job + `]`, "GET /jobs?limit=20&status=failed", `job_1  ingestion  awaiting_approval  created 2026-01-31T08:00:00Z  "a.md"  "demo"`},
		{"approve", "approve_job", `{"id":"job_1"}`, `{"job_id":"job_1","message":"Job approved."}`, "POST /jobs/job_1/approve", "job_1: Job approved."},
		{
			"create a concept", "create_concept", `{"label":"lane","ontology":"memory","description":"a group"}`, `{"concept_id":"lane_1","label":"lane","matched_existing":false}`,
			`POST /concepts {"label":"lane","description":"a group","ontology":"memory","provenance":"agent"}`, `"lane"  id lane_1  was made`,
		},
		{
			"create a concept that is there", "create_concept", `{"label":"lanes","ontology":"memory","matching_mode":"match_only"}`, `{"concept_id":"lane_1","label":"lane","matched_existing":true}`,
			`POST /concepts {"label":"lanes","matching_mode":"match_only","ontology":"memory","provenance":"agent"}`, `"lane"  id lane_1  was there already`,
		},
		{
			"create an edge", "create_edge", `{"from_id":"lane_1","type":"HAS_PART","to_label":"slot","confidence":0.5}`, `{"from_concept_id":"lane_1","relationship_type":"HAS_PART","to_concept_id":"slot_2","created":true}`,
			`POST /edges {"from_concept_id":"lane_1","to_label":"slot","relationship_type":"HAS_PART","confidence":0.5,"provenance":"agent"}`, "lane_1 -HAS_PART-> slot_2  was made",
		},
		{
			"add evidence", "add_evidence", `{"id":"lane_1","text":"Lanes have slots."}`, `{"concept_id":"lane_1","label":"lane"}`,
			`POST /concepts/lane_1/evidence {"text":"Lanes have slots.","provenance":"agent"}`, `"lane"  id lane_1  is shown by it now`,
		},
		{
			"a dry run", "act_on_jobs", `{"act":"cancel","filter":{"status":"approved","ontology":"letters"},"dry_run":true}`, `{"act":"cancel","dry_run":true,"selected":12,"jobs":[` + job + `],"message":"12 jobs are selected"}`,
			`POST /jobs/actions {"act":"cancel","filter":{"ontology":["letters"],"status":["approved"]},"dry_run":true}`, "12 jobs are selected\njob_1  ingestion  awaiting_approval  created 2026-01-31T08:00:00Z  \"a.md\"  \"demo\"",
		},
		{
			"act on many", "act_on_jobs", `{"act":"retry","filter":{"status":"failed"},"expect":12,"from":"start"}`,
			`{"act":"retry","selected":2,"outcomes":[{"job_id":"job_1","outcome":"done"},{"job_id":"job_2","outcome":"refused","reason":"it runs"}],"message":"1 done, 1 refused"}`,
			`POST /jobs/actions {"act":"retry","filter":{"status":["failed"]},"expect":12,"from":"start"}`, "1 done, 1 refused\njob_2  refused  it runs",
		},
		{
			"act on more", "act_on_jobs", `{"act":"cancel","filter":{"status":"failed,approved"},"expect":900}`, `{"act":"cancel","selected":900,"job_id":"job_3","message":"900 jobs are acted on"}`,
			"POST /jobs/actions", "900 jobs are acted on\njob job_3 does it; job shows how far it is.",
		},
		{"cancel", "cancel_job", `{"id":"job_1"}`, `{"job_id":"job_1","message":"Job cancelled."}`, "DELETE /jobs/job_1", "job_1: Job cancelled."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			method, rest, _ := strings.Cut(tt.request, " ")
			path, _, _ := strings.Cut(strings.Fields(rest)[0], "?")
			f := &fakeAPI{answers: map[string]string{method + " " + path: tt.answer}}
			text, failed := call(t, connect(t, f), tt.tool, tt.arguments)
			if failed || text != tt.text {
				t.Errorf("failed %t, got\n%s\nwant\n%s", failed, text, tt.text)
			}
			if len(f.sent) != 1 || !strings.HasPrefix(f.sent[0], tt.request) {
				t.Errorf("sent %q, want %q", f.sent, tt.request)
			}
		})
	}
}

// TestLargeConcept checks that a concept with many relationships is shown in part, and
// says how to go on.
func TestLargeConcept(t *testing.T) {
	t.Parallel()
	links := strings.TrimSuffix(strings.Repeat(`{"to_id":"c_2","to_label":"slot","rel_type":"HAS_PART"},`, 900), ",")
	f := &fakeAPI{answers: map[string]string{"GET /query/concept/c_1": `{"concept_id":"c_1","label":"lane","documents":[],"instances":[],"relationships":[` + links + `]}`}}
	text, failed := call(t, connect(t, f), "concept", `{"id":"c_1"}`)
	if failed || !strings.Contains(text, "Relationships (40 of 900; related shows the others):") || strings.Count(text, "HAS_PART") != 40 {
		t.Errorf("failed %t, %d bytes:\n%.400s", failed, len(text), text)
	}
}

// TestErrors checks that what the API refuses reaches the model as an answer, and that
// arguments which are not in a tool's schema are refused without a call.
func TestErrors(t *testing.T) {
	t.Parallel()
	f := &fakeAPI{}
	s := connect(t, f)
	if text, failed := call(t, s, "concept", `{"id":"x_1"}`); !failed || text != "concept: Concept 'x_1' not found; search finds the ids of concepts" {
		t.Errorf("failed %t: %s", failed, text)
	}
	for _, arguments := range []string{`{}`, `{"id":7}`, `{"id":"x_1","colour":"red"}`} {
		text, failed := "", false
		result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "concept", Arguments: json.RawMessage(arguments)})
		if err == nil {
			text, failed = result.Content[0].(*mcp.TextContent).Text, result.IsError
		}
		if err == nil && !failed {
			t.Errorf("%s was taken: %s", arguments, text)
		}
	}
	if len(f.sent) != 1 {
		t.Errorf("sent %q", f.sent)
	}
}

// TestRefusals has the API refuse what tools ask: a model reads the names of its own
// arguments.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for tool, tt := range map[string]struct{ arguments, detail, text string }{
		"related":        {`{"id":"c_1","depth":5}`, "max_depth: must be at most 4, got 5", "related: depth: must be at most 4, got 5"},
		"create_concept": {`{"label":"l","ontology":"o"}`, "concepts[0].label: must be shorter", "create_concept: label: must be shorter"},
		"create_edge":    {`{"type":"CAUSES"}`, "edges[0].from_concept_id: give it or from_label, and not both", "create_edge: from_id: give it or from_label, and not both"},
		"polarity":       {`{"positive_id":"a","negative_id":"a"}`, "negative_pole_id: must be another one", "polarity: negative_id: must be another one"},
	} {
		f := &fakeAPI{refusal: `{"status":422,"detail":"` + tt.detail + `"}`}
		if text, failed := call(t, connect(t, f), tool, tt.arguments); !failed || text != tt.text {
			t.Errorf("failed %t: %s, want %s", failed, text, tt.text)
		}
	}
}

// TestUnknownOntology asks about an ontology that there is not, and about one in which
// nothing is found.
func TestUnknownOntology(t *testing.T) {
	t.Parallel()
	for tool, tt := range map[string]struct{ arguments, request, answer, nothing string }{
		"search":    {`{"query":"x","ontology":"o"}`, "POST /query/search", `{"query":"x","results":[],"threshold_used":0.6}`, `No concept is that near to "x" (min_similarity 0.60).`},
		"ask":       {`{"question":"x","ontology":"o"}`, "POST /query/ask", `{"passages":[],"relationships":[]}`, "The documents say nothing about that."},
		"documents": {`{"ontology":"o"}`, "GET /documents", `{"documents":[],"total":0}`, "There are no documents. ingest takes one."},
		"jobs":      {`{"ontology":"o"}`, "GET /jobs", `[]`, "No jobs."},
	} {
		for want, answers := range map[string]map[string]string{
			tt.nothing: {tt.request: tt.answer, "GET /ontology/o": `{"ontology":"o"}`},
			`There is no ontology "o"; ontologies lists what there is.`: {tt.request: tt.answer},
		} {
			if text, failed := call(t, connect(t, &fakeAPI{answers: answers}), tool, tt.arguments); failed || text != want {
				t.Errorf("%s: failed %t: %s, want %s", tool, failed, text, want)
			}
		}
	}
}

// TestLongAnswer checks that an answer is bounded, and says what is missing.
func TestLongAnswer(t *testing.T) {
	t.Parallel()
	out := newText()
	for range 2 * maxTextBytes / 100 {
		out.line("%s", strings.Repeat("x", 99))
	}
	if text := out.String(); len(text) > maxTextBytes+200 || !strings.Contains(text, "240 more lines were cut here") {
		t.Errorf("%d bytes, ends with %q", len(text), text[len(text)-120:])
	}
	if got := oneLine(strings.Repeat("é", maxQuoteBytes)); len(got) > maxQuoteBytes+4 || strings.ContainsRune(got, '\uFFFD') {
		t.Errorf("a quote of %d bytes", len(got))
	}
}

// TestDocs checks that the documentation names every tool and every prompt.
func TestDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	s := connect(t, &fakeAPI{})
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) < 10 {
		t.Fatalf("%v, err %v", tools, err)
	}
	for _, tool := range tools.Tools {
		if !strings.Contains(string(page), "`"+tool.Name+"`") || tool.Description == "" {
			t.Errorf("docs/agents.md lacks %s", tool.Name)
		}
	}
	for _, p := range promptTexts {
		if !strings.Contains(string(page), "`"+p.name+"`") {
			t.Errorf("docs/agents.md lacks the prompt %s", p.name)
		}
	}
}

// TestPrompts checks that each prompt takes its arguments and no fewer.
func TestPrompts(t *testing.T) {
	t.Parallel()
	s := connect(t, &fakeAPI{})
	list, err := s.ListPrompts(t.Context(), nil)
	if err != nil || len(list.Prompts) != len(promptTexts) {
		t.Fatalf("%v, err %v", list, err)
	}
	for _, p := range list.Prompts {
		arguments := map[string]string{}
		for _, a := range p.Arguments {
			if _, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name, Arguments: arguments}); err == nil {
				t.Errorf("%s was given without %s", p.Name, a.Name)
			}
			arguments[a.Name] = "{" + a.Name + "} of a person"
		}
		got, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name, Arguments: arguments})
		if err != nil || !strings.Contains(got.Messages[0].Content.(*mcp.TextContent).Text, "} of a person") {
			t.Errorf("%s: %v, err %v", p.Name, got, err)
		}
	}
}

// TestOverHTTP checks that a request's own token makes its calls, and that nothing is
// kept for the next one.
func TestOverHTTP(t *testing.T) {
	t.Parallel()
	f := &fakeAPI{answers: map[string]string{"POST /concepts": `{"concept_id":"lane_1","label":"lane"}`, "GET /jobs": `[]`, "GET /admin/workers/status": `{"total_slots":3}`, "GET /admin/workers/lanes": `{"lanes":[]}`}}
	server := serveAgents(t, f)
	for _, token := range []string{"Bearer one", "Bearer two"} {
		s := session(t, &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp", HTTPClient: &http.Client{Transport: withToken(token)}, DisableStandaloneSSE: true})
		if text, failed := call(t, s, "jobs", `{}`); failed || text != "No jobs." {
			t.Errorf("failed %t: %s", failed, text)
		}
		if last := f.tokens[len(f.tokens)-1]; last != token {
			t.Errorf("called with %q, want %q", last, token)
		}
		if text, failed := call(t, s, "create_concept", `{"label":"lane","ontology":"memory"}`); failed || text != `"lane"  id lane_1  was made` {
			t.Errorf("failed %t: %s", failed, text)
		}
		read, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: workersURI})
		if err != nil || !strings.Contains(read.Contents[0].Text, `"total_slots":3`) {
			t.Errorf("%v, err %v", read, err)
		}
	}
}

// serveAgents serves the tools over HTTP, with an API of the test behind them.
func serveAgents(t *testing.T, api http.Handler) *httptest.Server {
	t.Helper()
	agents, err := Handler(api, "1", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(agents)
	t.Cleanup(server.Close)
	return server
}

// TestManyAgentsAtOnce has many agents call tools at the same time: each call is made with
// the token and to the host of its own agent.
func TestManyAgentsAtOnce(t *testing.T) {
	t.Parallel()
	server := serveAgents(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"concept_id":"c_1","label":"%s at %s"}`, r.Header.Get("Authorization"), r.Host)
	}))
	var agents sync.WaitGroup
	for n := range 8 {
		agents.Go(func() {
			token := fmt.Sprintf("Bearer %d", n)
			s := session(t, &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp", HTTPClient: &http.Client{Transport: withToken(token)}, DisableStandaloneSSE: true})
			for range 10 {
				text, failed := call(t, s, "create_concept", `{"label":"lane","ontology":"memory"}`)
				if want := token + " at " + server.Listener.Addr().String(); failed || !strings.Contains(text, want) {
					t.Errorf("failed %t: %q, want what was called as %q", failed, text, want)
				}
			}
		})
	}
	agents.Wait()
}

// TestOverStdio starts a program that serves an agent over its standard input and output,
// as kg mcp does, and uses each tool that writes.
func TestOverStdio(t *testing.T) {
	t.Parallel()
	f := &fakeAPI{answers: map[string]string{
		"POST /concepts": `{"concept_id":"lane_1","label":"lane"}`, "POST /edges": `{"from_concept_id":"lane_1","relationship_type":"HAS_PART","to_concept_id":"slot_2","created":true}`,
		"POST /concepts/lane_1/evidence": `{"concept_id":"lane_1","label":"lane"}`, "POST /ingest": `{"job_id":"job_1","status":"pending","message":"Job queued."}`,
		"POST /jobs/job_1/approve": `{"job_id":"job_1","message":"Job approved."}`, "DELETE /jobs/job_1": `{"job_id":"job_1","message":"Job cancelled."}`,
	}}
	api := httptest.NewServer(f)
	t.Cleanup(api.Close)
	program := exec.CommandContext(t.Context(), os.Args[0])
	program.Env = append(os.Environ(), stdioURL+"="+api.URL)
	program.Stderr = os.Stderr
	s := session(t, &mcp.CommandTransport{Command: program})
	for _, c := range []struct{ tool, arguments, text, sent string }{
		{"create_concept", `{"label":"lane","ontology":"memory"}`, `"lane"  id lane_1  was made`, `POST /concepts {"label":"lane","ontology":"memory","provenance":"agent"}`},
		{"create_edge", `{"from_id":"lane_1","type":"HAS_PART","to_label":"slot"}`, "lane_1 -HAS_PART-> slot_2  was made", `POST /edges {"from_concept_id":"lane_1","to_label":"slot","relationship_type":"HAS_PART","provenance":"agent"}`},
		{"add_evidence", `{"id":"lane_1","text":"Lanes have slots."}`, `"lane"  id lane_1  is shown by it now`, `POST /concepts/lane_1/evidence {"text":"Lanes have slots.","provenance":"agent"}`},
		{"ingest", `{"text":"Lanes.","ontology":"demo","name":"a.md"}`, "job job_1\nIt is being analysed, which takes a moment; job then shows its estimate, and approve_job has it read.", "POST /ingest"},
		{"approve_job", `{"id":"job_1"}`, "job_1: Job approved.", "POST /jobs/job_1/approve"},
		{"cancel_job", `{"id":"job_1"}`, "job_1: Job cancelled.", "DELETE /jobs/job_1"},
	} {
		text, failed := call(t, s, c.tool, c.arguments)
		if sent := f.last(); failed || text != c.text || !strings.HasPrefix(sent, c.sent) {
			t.Errorf("%s: failed %t, %q, sent %q; want %q by %q", c.tool, failed, text, sent, c.text, c.sent)
		}
	}
}

// stdioURL has the program of these tests be an agent's server instead, which calls the API
// at that address.
const stdioURL = "KAPPA_TEST_MCP_API"

func TestMain(m *testing.M) {
	url := os.Getenv(stdioURL)
	if url == "" {
		os.Exit(m.Run())
	}
	c, err := client.New(client.Config{BaseURL: url})
	if err == nil {
		err = Serve(context.Background(), c, "1", os.Stdin, os.Stdout)
	}
	if err != nil {
		_, _ = io.WriteString(os.Stderr, err.Error()+"\n")
		os.Exit(1)
	}
}

// withToken adds a header to each request.
type withToken string

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(context.WithoutCancel(r.Context()))
	r.Header.Set("Authorization", string(w))
	return http.DefaultTransport.RoundTrip(r)
}
