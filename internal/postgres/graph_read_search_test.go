package postgres

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/kappagraph/kappa"
)

func conceptIDOf(n int) string { return "c_" + strconv.Itoa(n) }

func TestTermHits(t *testing.T) {
	g := newRandomGraph(t, 30, 1)
	ontology := "apples"

	t.Run("tells the label from other terms", func(t *testing.T) {
		got, err := g.store.TermHits(t.Context(), []string{"concept 7", "other", "nothing"}, nil, 100)
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
		got, err := g.store.TermHits(t.Context(), []string{"other"}, &ontology, 100)
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

	for _, ontology := range []*string{nil, ptr("zebras"), ptr("bare"), ptr("missing")} {
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

			q := kappa.NearQuery{Model: fixtureModel, Signature: signature, Ontology: ontology, Limit: 20}
			got, err := g.store.NearestConcepts(t.Context(), q)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("nearest: %v, want %v, err %v", got, want, err)
			}
			other := kappa.Embedding(make([]float32, 64))
			other[3] = 1
			shared, err := g.store.CloseConcepts(t.Context(), []kappa.NearQuery{{Model: fixtureModel, Signature: other.Signature(), Limit: 20}, q})
			if err != nil {
				t.Fatal(err)
			}
			if found := slices.Contains(shared[1], 40); found != slices.Contains(want, 40) {
				t.Errorf("close: %v, 40 is in it: %v", shared[1], found)
			}
			if fmt.Sprint(shared[0]) == fmt.Sprint(shared[1]) && len(want) > 0 {
				t.Errorf("both questions have the same answer %v", shared[0])
			}
		})
	}

	t.Run("embeddings of one model", func(t *testing.T) {
		got, err := g.store.ConceptEmbeddings(t.Context(), fixtureModel, []int{4, 5, 6, 999})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(got, func(a, b kappa.EmbeddedConcept) int { return cmp.Compare(a.ID, b.ID) })
		if len(got) != 2 || got[0].ConceptID != "c_4" || !slices.Equal(got[1].Embedding, g.vectors[6]) {
			t.Errorf("got %v", got)
		}
	})
}
