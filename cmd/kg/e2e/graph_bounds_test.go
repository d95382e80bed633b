package e2e

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/graphgen"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge"
)

// smallMemory has a server read the tables: its graph does not fit.
var smallMemory = map[string]string{"KG_GRAPH_MEMORY": "16KiB", "KG_SEARCH_MEMORY": "16KiB"}

// graphServers starts one server that keeps the graph of a database in memory, and one
// that has no room for it, and waits until both know that.
func graphServers(t *testing.T, dsn string) map[string]*testServer {
	t.Helper()
	small := map[string]string{"DATABASE_URL": dsn}
	maps.Copy(small, smallMemory)
	servers := map[string]*testServer{
		"in memory": startServer(t, map[string]string{"DATABASE_URL": dsn}),
		"on tables": startServer(t, small),
	}
	for name, want := range map[string]knowledge.GraphState{"in memory": knowledge.GraphReady, "on tables": knowledge.GraphTooLarge} {
		var status knowledge.GraphStatus
		settled := func() bool {
			var err error
			status, err = servers[name].client.GraphAdmin.Status(t.Context())
			check(t, err)
			return status.State == want && (status.Search.Ready || status.Search.Reason == knowledge.SearchIndexTooLarge)
		}
		until(t, settled, func() string { return fmt.Sprintf("%s: the graph is %+v, searches %+v", name, status, status.Search) })
		if name == "on tables" && (status.Reason == "" || status.Search.Ready) {
			t.Errorf("it does not say why: %+v, %+v", status, status.Search)
		}
	}
	if says := servers["on tables"].logs.String(); !strings.Contains(says, "raise KG_GRAPH_MEMORY") || !strings.Contains(says, "raise KG_SEARCH_MEMORY") {
		t.Error("the log does not say what to do about the memory")
	}
	return servers
}

// graphQuestion is one request, and what its answer must be.
type graphQuestion struct {
	path, body string // no body: a GET
	status     int
	says       string
}

// ask sends a question, and returns the status and the answer.
func (q graphQuestion) ask(t *testing.T, s *testServer, bearer string) (int, string) {
	t.Helper()
	method := "POST"
	if q.body == "" {
		method = "GET"
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+q.path, strings.NewReader(q.body))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+bearer)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Errorf("%s: %v", q.path, err)
		return 0, ""
	}
	defer resp.Body.Close()
	var text bytes.Buffer
	_, err = io.Copy(&text, resp.Body)
	if err != nil {
		t.Errorf("%s: %v", q.path, err)
	}
	return resp.StatusCode, text.String()
}

// answerAll asks questions, and fails when an answer is not the one that is wanted, or
// takes longer than limit.
func answerAll(t *testing.T, s *testServer, limit time.Duration, questions map[string]graphQuestion) {
	t.Helper()
	bearer := token(t, s)
	for name, q := range questions {
		began := time.Now()
		status, text := q.ask(t, s, bearer)
		if status != q.status || !strings.Contains(text, q.says) {
			t.Errorf("%s: got %d %.300s, want %d that says %q", name, status, text, q.status, q.says)
		}
		if took := time.Since(began); took > limit {
			t.Errorf("%s: took %s", name, took)
		}
	}
}

// TestGraphBadInput asks what cannot be answered, or is nearly nothing, of a server
// with the graph in memory and of one that reads the tables.
func TestGraphBadInput(t *testing.T) {
	t.Parallel()
	defer http.DefaultClient.CloseIdleConnections()
	dsn := newDSN(t)
	check(t, graphgen.Fill(t.Context(), dsn, graphgen.Small.Concepts, graphgen.Small.Make()))
	questions := map[string]graphQuestion{
		"an unknown concept":           {"/query/concept/c_99999", "", 404, "c_99999"},
		"the neighbours of an unknown": {"/query/related", `{"concept_id":"c_99999","max_depth":2}`, 404, "c_99999"},
		"a path from an unknown":       {"/query/connect", `{"from_id":"c_99999","to_id":"c_1"}`, 404, "c_99999"},
		"a path to an unknown":         {"/query/enriched-path", `{"from_id":"c_1","to_id":"c_99999"}`, 404, "c_99999"},
		"a ball around an unknown":     {"/query/neighborhood", `{"concept_id":"c_99999"}`, 404, "c_99999"},
		"an unknown pole":              {"/query/polarity-axis", `{"positive_pole_id":"c_1","negative_pole_id":"c_99999"}`, 400, "c_99999"},
		"the same pole twice":          {"/query/polarity-axis", `{"positive_pole_id":"c_1","negative_pole_id":"c_1"}`, 400, "same concept"},
		"a path to itself":             {"/query/connect", `{"from_id":"c_1","to_id":"c_1"}`, 200, `"count":1`},
		"no hops":                      {"/query/related", `{"concept_id":"c_1","max_depth":0}`, 422, "max_depth"},
		"six hops":                     {"/query/related", `{"concept_id":"c_1","max_depth":6}`, 422, "max_depth"},
		"a ball of no hops":            {"/query/neighborhood", `{"concept_id":"c_1","max_hops":0}`, 422, "max_hops"},
		"a ball of six hops":           {"/query/neighborhood", `{"concept_id":"c_1","max_hops":6}`, 422, "max_hops"},
		"a path of no hops":            {"/query/connect", `{"from_id":"c_1","to_id":"c_2","max_hops":0}`, 422, "max_hops"},
		"a type that nobody has":       {"/query/related", `{"concept_id":"c_1","relationship_types":["NOBODY_HAS_THIS"]}`, 200, `"count":0`},
		"a ball of such a type":        {"/query/neighborhood", `{"concept_id":"c_1","relationship_types":["NOBODY_HAS_THIS"]}`, 200, `"node_count":1`},
		"a status that nobody has":     {"/query/related", `{"concept_id":"c_1","include_epistemic_status":["CONTRADICTED"]}`, 200, `"count":0`},
		"a phrase for nothing":         {"/query/connect-by-search", `{"from_query":"xylophone quartz","to_query":"concept 1"}`, 404, "xylophone quartz"},
		"a search for nothing":         {"/query/search", `{"query":"xylophone quartz"}`, 200, `"count":0`},
		"an id that is none":           {"/query/related", `{"concept_id":"c_1'; DROP TABLE kg_api.edges --"}`, 422, "concept_id"},
		"an epoch that is to come":     {"/query/related", `{"concept_id":"c_1","min_epoch":999999}`, 422, "min_epoch"},
	}
	for name, s := range graphServers(t, dsn) {
		t.Run(name, func(t *testing.T) { answerAll(t, s, 10*time.Second, questions) })
	}
}

// TestGraphEmpty asks a graph without anything.
func TestGraphEmpty(t *testing.T) {
	t.Parallel()
	defer http.DefaultClient.CloseIdleConnections()
	answerAll(t, startServer(t, nil), 10*time.Second, map[string]graphQuestion{
		"search":        {"/query/search", `{"query":"anything"}`, 200, `"count":0`},
		"related":       {"/query/related", `{"concept_id":"c_1"}`, 404, "c_1"},
		"connect":       {"/query/connect", `{"from_id":"c_1","to_id":"c_2"}`, 404, "c_1"},
		"by search":     {"/query/connect-by-search", `{"from_query":"one","to_query":"two"}`, 404, "one"},
		"polarity":      {"/query/polarity-axis", `{"positive_pole_id":"c_1","negative_pole_id":"c_2"}`, 400, "c_1"},
		"concepts":      {"/concepts", "", 200, `"total":0`},
		"relationships": {"/edges", "", 200, `"total":0`},
		"status":        {"/admin/graph/status", "", 200, `"concepts":0`},
	})
}

// TestGraphCrowd asks many times more questions at once than there are connections for
// the graph. Every one is answered, or asked to come back; then nothing is left over.
func TestGraphCrowd(t *testing.T) {
	t.Parallel()
	defer http.DefaultClient.CloseIdleConnections()
	dsn := newDSN(t)
	check(t, graphgen.Fill(t.Context(), dsn, graphgen.Small.Concepts, graphgen.Small.Make()))
	for name, s := range graphServers(t, dsn) {
		t.Run(name, func(t *testing.T) {
			bearer := token(t, s)
			var crowd sync.WaitGroup
			for n := range 60 {
				crowd.Go(func() {
					q := []graphQuestion{
						{path: "/query/related", body: fmt.Sprintf(`{"concept_id":"c_%d","max_depth":3}`, n+1)},
						{path: "/query/connect", body: fmt.Sprintf(`{"from_id":"c_%d","to_id":"c_%d"}`, n+1, n+2)},
						{path: "/query/neighborhood", body: fmt.Sprintf(`{"concept_id":"c_%d","max_hops":2}`, n+1)},
						{path: "/query/search", body: fmt.Sprintf(`{"query":"concept %d","include_diversity":true}`, n+1)},
					}[n%4]
					began := time.Now()
					status, text := q.ask(t, s, bearer)
					if status != http.StatusOK && status != http.StatusServiceUnavailable {
						t.Errorf("%s: got %d %.200s", q.path, status, text)
					}
					if took := time.Since(began); took > time.Minute {
						t.Errorf("%s took %s", q.path, took)
					}
				})
			}
			crowd.Wait()
			answerAll(t, s, 10*time.Second, map[string]graphQuestion{"afterwards": {"/query/related", `{"concept_id":"c_1"}`, 200, `"results"`}})
		})
	}
	nothingOpen(t, dsn)
}

// nothingOpen fails when transactions stay open in a database.
func nothingOpen(t *testing.T, dsn string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	defer conn.Close(t.Context())
	open := 0
	until(t, func() bool { // those of the servers' own reads end at once
		check(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity a WHERE a.datname = current_database()
			AND a.state LIKE 'idle in transaction%' AND a.state_change < clock_timestamp() - interval '2 seconds'`).Scan(&open))
		return open == 0
	}, func() string { return fmt.Sprintf("%d transactions stay open", open) })
}

// TestGraphHub_Slow asks around a concept with 100,000 neighbours.
func TestGraphHub_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	defer http.DefaultClient.CloseIdleConnections()
	const neighbours = 100_000
	dsn := newDSN(t)
	edges := make([]graphgen.Edge, 0, 2*neighbours)
	for n := int32(2); n <= neighbours+1; n++ {
		edges = append(edges, graphgen.Edge{Src: 1, Dst: n, Type: 1, Confidence: 0.5})
		if n > 2 {
			edges = append(edges, graphgen.Edge{Src: n - 1, Dst: n, Type: 1, Confidence: 0.5})
		}
	}
	check(t, graphgen.Fill(t.Context(), dsn, neighbours+1, edges))
	servers := graphServers(t, dsn)
	before := runtime.NumGoroutine()
	for name, s := range servers {
		t.Run(name, func(t *testing.T) {
			answerAll(t, s, 30*time.Second, map[string]graphQuestion{
				"concept":       {"/query/concept/c_1", "", 200, `"c_1"`},
				"related":       {"/query/related", `{"concept_id":"c_1","max_depth":2}`, 200, `"truncated":true`},
				"through it":    {"/query/related", `{"concept_id":"c_500","max_depth":3}`, 200, `"truncated":true`},
				"connect":       {"/query/connect", `{"from_id":"c_500","to_id":"c_90000"}`, 200, `"count":`},
				"enriched path": {"/query/enriched-path", `{"from_id":"c_500","to_id":"c_90000"}`, 200, `"c_1"`},
				"neighborhood":  {"/query/neighborhood", `{"concept_id":"c_1","max_hops":2,"limit":100}`, 200, `"node_count":100`},
				"with a filter": {"/query/related", `{"concept_id":"c_1","relationship_types":["NOBODY_HAS_THIS"]}`, 200, `"count":0`},
			})
		})
	}
	http.DefaultClient.CloseIdleConnections()
	nothingOpen(t, dsn)
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
