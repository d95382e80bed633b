package postgres

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

func conceptIDOf(n int) string { return "c_" + strconv.Itoa(n) }

func TestTermHits(t *testing.T) {
	g := newRandomGraph(t, 30, 1)
	ontology := "apples"

	t.Run("distinguishes the label from other terms", func(t *testing.T) {
		got, err := g.now.TermHits(t.Context(), []string{"concept 7", "other", "nothing"}, nil, 100)
		if err != nil {
			t.Fatal(err)
		}
		labels := 0
		for _, h := range got {
			if h.IsLabel != (h.Term == "concept 7") || h.ConceptID != conceptIDOf(h.ID) {
				t.Errorf("got %+v", h)
			}
			if h.IsLabel {
				labels++
			}
		}
		if len(got) != 31 || labels != 1 {
			t.Errorf("%d hits and %d labels, want 31 and 1", len(got), labels)
		}
	})
	t.Run("an ontology keeps what it shows", func(t *testing.T) {
		got, err := g.now.TermHits(t.Context(), []string{"other"}, &ontology, 100)
		if err != nil {
			t.Fatal(err)
		}
		var ids, want []int
		for _, h := range got {
			ids = append(ids, h.ID)
		}
		for c := 1; c <= g.concepts; c++ {
			if g.shownIn(c, ontology) {
				want = append(want, c)
			}
		}
		if !slices.Equal(ids, want) || len(want) == g.concepts {
			t.Errorf("got %v, want %v", ids, want)
		}
	})
}

func TestNearestConcepts(t *testing.T) {
	g := newRandomGraph(t, 80, 1)
	g.exec(t, `UPDATE kg_api.concept_embeddings SET model = 'another' WHERE concept = 5`)
	near := slices.Clone(g.vectors[40]) // concept 40, a little moved
	near[0], near[1] = near[0]+0.3, near[1]-0.3
	signature := near.Signature()

	for _, ontology := range []*string{nil, new("zebras"), new("bare"), new("missing")} {
		name := "everywhere"
		if ontology != nil {
			name = "in " + *ontology
		}
		t.Run(name, func(t *testing.T) {
			var want []int
			for c := 1; c <= g.concepts; c++ {
				if c != 5 && (ontology == nil || g.shownIn(c, *ontology)) {
					want = append(want, c)
				}
			}
			distance := func(c int) int { return g.vectors[c].Signature().Distance(signature) }
			slices.SortFunc(want, func(a, b int) int { return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(a, b)) })
			want = want[:min(20, len(want))]

			q := knowledge.NearQuery{Model: fixtureModel, Signature: signature, Ontology: ontology, Limit: 20}
			got, err := g.now.NearestConcepts(t.Context(), q)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("nearest: %v, want %v, err %v", got, want, err)
			}
			// Each concept is asked for by its own signature, in one batch.
			all := make([]knowledge.NearQuery, g.concepts)
			for i := range all {
				all[i] = knowledge.NearQuery{Model: fixtureModel, Signature: g.vectors[i+1].Signature(), Ontology: ontology, Limit: 1}
			}
			var closest [][]int
			err = g.store.View(t.Context(), func(s *GraphSnapshot) (err error) {
				closest, err = s.CloseConcepts(t.Context(), append(all, q))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := range all {
				shown := i+1 != 5 && (ontology == nil || g.shownIn(i+1, *ontology))
				if found := slices.Contains(closest[i], i+1); found != shown {
					t.Errorf("close to concept %d: %v, want it in there: %v", i+1, closest[i], shown)
				}
			}
			if found := slices.Contains(closest[g.concepts], 40); found != slices.Contains(want, 40) {
				t.Errorf("close to a vector near 40: %v", closest[g.concepts])
			}
		})
	}

	t.Run("close concepts come from the index, and later statements are free again", func(t *testing.T) {
		tx, err := g.pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
		before := readScans(t, tx)
		_, err = (&GraphSnapshot{q: db.New(tx)}).CloseConcepts(t.Context(), []knowledge.NearQuery{{Model: fixtureModel, Signature: signature, Limit: 20}})
		if err != nil {
			t.Fatal(err)
		}
		after := readScans(t, tx)
		if after.whole != before.whole || after.index != before.index+1 || after.allowed != "on" {
			t.Errorf("before %+v, after %+v, want one more use of an index", before, after)
		}
	})
	t.Run("built-in embeddings have no index, and are found all the same", func(t *testing.T) {
		g := newRandomGraph(t, 300, 1)
		r := rand.New(rand.NewPCG(8, 8))
		var want, got [][]int
		queries := make([]knowledge.NearQuery, 100)
		for i := range queries {
			queries[i] = knowledge.NearQuery{Model: fixtureModel, Limit: 1 + i%5}
			for k := range queries[i].Signature {
				queries[i].Signature[k] = r.Uint64() // near to none
			}
		}
		find := func() (found [][]int) {
			err := g.store.View(t.Context(), func(s *GraphSnapshot) (err error) {
				found, err = s.CloseConcepts(t.Context(), queries)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		want = find()
		g.exec(t, `UPDATE kg_api.concept_embeddings SET model = $1 WHERE model = $2`, models.LocalEmbedding, fixtureModel)
		defer g.exec(t, `UPDATE kg_api.concept_embeddings SET model = $2 WHERE model = $1`, models.LocalEmbedding, fixtureModel)
		for i := range queries {
			queries[i].Model = models.LocalEmbedding
		}
		if got = find(); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("found %v, want %v", got, want)
		}
		var condition string
		err := g.pool.QueryRow(t.Context(), `SELECT pg_get_expr(indpred, indrelid) FROM pg_index WHERE indexrelid = 'kg_api.concept_embeddings_bands_idx'::regclass`).Scan(&condition)
		if err != nil || !strings.Contains(condition, "'"+models.LocalEmbedding+"'") {
			t.Errorf("the index has the embeddings with %q, %v", condition, err)
		}
	})
	t.Run("embeddings of one model", func(t *testing.T) {
		got, err := g.now.ConceptEmbeddings(t.Context(), fixtureModel, []int{4, 5, 6, 999})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(got, func(a, b knowledge.EmbeddedConcept) int { return cmp.Compare(a.ID, b.ID) })
		if len(got) != 2 || got[0].ConceptID != "c_4" || !slices.Equal(got[1].Embedding, g.vectors[6]) {
			t.Errorf("got %v", got)
		}
	})
}

// scans counts how the table of embeddings was read on a connection.
type scans struct {
	whole, index int
	allowed      string // whether the planner may read it as a whole
}

// readScans reads the figures of the transaction.
func readScans(t *testing.T, tx pgx.Tx) (s scans) {
	t.Helper()
	err := tx.QueryRow(t.Context(), `SELECT seq_scan, idx_scan, current_setting('enable_seqscan')
		FROM pg_stat_xact_user_tables WHERE relname = 'concept_embeddings'`).Scan(&s.whole, &s.index, &s.allowed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
