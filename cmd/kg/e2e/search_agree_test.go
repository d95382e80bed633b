package e2e

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// TestSearchAgrees asks the same of a server that finds concepts in memory and of one
// that reads the tables, before and after changes. Whole answers are the same.
func TestSearchAgrees(t *testing.T) { searchesAgree(t, 15) }

// TestSearchAgrees_Slow asks ten times as much.
func TestSearchAgrees_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	searchesAgree(t, 150)
}

// searchesAgree asks so many questions after each change.
func searchesAgree(t *testing.T, each int) {
	t.Helper()
	t.Parallel()
	dsn := newDSN(t)
	inMemory := startServer(t, map[string]string{"DATABASE_URL": dsn})
	onTables := startServer(t, map[string]string{"DATABASE_URL": dsn, "KG_GRAPH_MEMORY": "0", "KG_SEARCH_MEMORY": "0"})
	for file, ontology := range map[string]string{"moving-over.md": "start", "formats.md": "reading"} {
		body, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", file))
		check(t, err)
		submitted, err := inMemory.client.Documents.Submit(t.Context(), client.Document{Body: body, Filename: file, Ontology: ontology, AutoApprove: true})
		check(t, err)
		await(t, inMemory.client, submitted.JobID, work.StatusCompleted)
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	defer conn.Close(t.Context())
	r := rand.New(rand.NewPCG(1, 14))
	for _, change := range []string{
		"SELECT 1",
		"DELETE FROM kg_api.concepts WHERE id % 3 = 0",
		"UPDATE kg_api.concepts SET label = 'Renamed ' || label, term_keys = term_keys || '{renamed}' WHERE id % 5 = 1",
		"DELETE FROM kg_api.concept_embeddings WHERE concept % 4 = 1",
		"DELETE FROM kg_api.instances WHERE concept % 7 = 1",
	} {
		_, err := conn.Exec(t.Context(), change)
		check(t, err)
		committed := time.Now()
		_, err = conn.Exec(t.Context(), "SELECT pg_notify('kg_graph', '')") // what was read before that moment is read again
		check(t, err)
		searchFollows(t, inMemory, committed)
		phrases := labelsOf(t, conn)
		found := 0
		for range each {
			q := randomSearch(r, phrases)
			want, err := onTables.client.Graph.Search(t.Context(), q)
			check(t, err)
			got, err := inMemory.client.Graph.Search(t.Context(), q)
			check(t, err)
			found += want.Count
			a, err := json.Marshal(got)
			check(t, err)
			b, err := json.Marshal(want)
			check(t, err)
			if string(a) != string(b) {
				t.Fatalf("after %s, %+v\nin memory %s\nin tables %s", change, q, a, b)
			}
		}
		if found < each/5 {
			t.Errorf("after %s only %d concepts were found: the test says little", change, found)
		}
	}
}

// searchFollows waits until a server has read what was committed before a moment.
func searchFollows(t *testing.T, s *testServer, committed time.Time) {
	t.Helper()
	awaitThat(t, "searches to follow the tables", func() bool {
		asked := time.Now()
		status, err := s.client.GraphAdmin.Status(t.Context())
		check(t, err)
		lag := status.Search.Lag
		return lag != nil && asked.Add(-time.Duration(*lag*float64(time.Second))).After(committed)
	})
}

func labelsOf(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), "SELECT label FROM kg_api.concepts ORDER BY id")
	check(t, err)
	labels, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check(t, err)
	return labels
}

// randomSearch asks for one or two labels, within a question or not.
func randomSearch(r *rand.Rand, labels []string) questions.SearchQuery {
	pick := func() string { return labels[r.IntN(len(labels))] }
	q := questions.SearchQuery{Query: pick(), Limit: 1 + r.IntN(30), Offset: r.IntN(3), IncludeEvidence: r.IntN(3) == 0}
	switch r.IntN(3) {
	case 0:
		q.Query = "how does " + q.Query + " change " + pick() + "?"
	case 1:
		q.Query += " and " + pick()
	}
	if runes := []rune(q.Query); len(runes) > 300 {
		q.Query = string(runes[:300])
	}
	q.MinSimilarity = new(r.Float64() / 2)
	switch r.IntN(4) {
	case 0:
		q.Ontology = new("start")
	case 1:
		q.Ontology = new("nothing")
	}
	return q
}
