package graphgen

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func TestMake(t *testing.T) {
	for name, s := range map[string]Shape{"small": Small, "medium": Medium, "tiny": {Concepts: 10, Edges: 12, Seed: 3}} {
		begin := time.Now()
		edges := s.Make()
		t.Logf("%s after %s", name, time.Since(begin))
		if !slices.Equal(edges, s.Make()) {
			t.Errorf("%s: a second graph of the same seed differs", name)
		}
		if len(edges) != s.Edges {
			t.Errorf("%s: got %d edges, want %d", name, len(edges), s.Edges)
		}
		for i, e := range edges {
			if e.Src == e.Dst || min(e.Src, e.Dst) < 1 || int(max(e.Src, e.Dst)) > s.Concepts || e.Type < 1 || int(e.Type) > max(1, s.Types) {
				t.Fatalf("%s: edge %+v is not one of the graph", name, e)
			}
			if i > 0 && edges[i-1].Src == e.Src && edges[i-1].Dst == e.Dst {
				t.Fatalf("%s: edge %+v is there twice", name, e)
			}
		}
	}
	t.Run("degrees follow a power law, with hubs of thousands", func(t *testing.T) {
		degrees := Degrees(Medium.Make(), Medium.Concepts)[1:]
		for _, wanted := range []int{80, 70} {
			if found := degrees[WithDegree(append([]int{0}, degrees...), wanted)-1]; found != wanted {
				t.Errorf("no concept has %d neighbours: %d is the nearest", wanted, found)
			}
		}
		slices.Sort(degrees)
		t.Logf("median %d, largest %d", degrees[len(degrees)/2], degrees[len(degrees)-1])
		if largest := degrees[len(degrees)-1]; largest < 2000 || largest > 10_000 || degrees[len(degrees)/2] > 15 {
			t.Errorf("median %d, largest %d", degrees[len(degrees)/2], largest)
		}
	})
}

func TestFill(t *testing.T) {
	dsn := pgtest.NewDSN(t)
	s := Shape{Concepts: 50, Edges: 200, Types: 3, Seed: 1}
	if err := Fill(t.Context(), dsn, s.Concepts, s.Make()); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	var concepts, edges int
	if err := conn.QueryRow(t.Context(), `SELECT count(DISTINCT c.id), count(*) FROM kg_api.edges e
		JOIN kg_api.concepts c ON c.id IN (e.src, e.dst) JOIN kg_api.relationship_types t ON t.id = e.type`).Scan(&concepts, &edges); err != nil {
		t.Fatal(err)
	}
	if edges != 2*s.Edges || concepts < s.Concepts/2 {
		t.Errorf("%d ends of edges at %d concepts", edges, concepts)
	}
}
