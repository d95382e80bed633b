package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
)

// embeddingOf returns an embedding with that first number, which single precision writes long.
func embeddingOf(x float32) models.Embedding { return models.Embedding{x / 3, -1e-7, 0.1} }

func TestPassageEmbeddings(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	c, e := ingestion(t, s, workerA, false), s.PassageEmbeddings()
	with := withPassages(chunkGraph(1, "worker lane", "claim token"))
	with.Model, with.Meanings = "test", []models.Embedding{embeddingOf(1), embeddingOf(2)}
	_, mark := passageKeys(t, s)
	writePassages(t, s, c, with, withPassages(chunkGraph(2, "fence", "lease", "lane")))
	keys, after := passageKeys(t, s)
	ids := idsOf(keys)
	if len(ids) != 5 {
		t.Fatalf("there are %d passages", len(ids))
	}

	// What was written with the chunk is read as it was, and is in the log.
	vectors, err := e.PassageVectors(t.Context(), "test", ids)
	must(t, err)
	if len(vectors) != 2 || !slices.Equal(vectors[ids[0]], embeddingOf(1)) || !slices.Equal(vectors[ids[1]], embeddingOf(2)) {
		t.Errorf("read %v", vectors)
	}
	touched, err := e.PassagesEmbedded(t.Context(), mark, 100)
	must(t, err)
	if slices.Sort(touched.Sources); len(touched.Sources) != 2 {
		t.Errorf("touched %v", touched.Sources)
	}

	// What is embedded later touches its chunk for those who compare embeddings, and for nobody else.
	left, err := e.PassagesToEmbed(t.Context(), "test", 0, 2)
	must(t, err)
	all, err := e.CountPassagesToEmbed(t.Context(), "test", 0)
	must(t, err)
	if all != 3 || len(left) != 2 || left[0].ID != ids[2] || !strings.HasPrefix(left[0].Text, "Top. Below\n") {
		t.Errorf("%d are left: %+v", all, left)
	}
	must(t, e.StorePassageEmbeddings(t.Context(), "test", append(left, corpus.PassageToEmbed{ID: 1 << 30}), []models.Embedding{embeddingOf(3), embeddingOf(4), embeddingOf(5)}))
	if touched, err = e.PassagesEmbedded(t.Context(), after, 100); err != nil || !slices.Equal(touched.Sources, []int32{keys[2].Source}) {
		t.Errorf("touched %v, %v", touched.Sources, err)
	}
	if sources := touchedSince(t, s, after); len(sources) != 0 {
		t.Errorf("the passages of %v are read anew", sources)
	}
	if n, err := e.Unembedded(t.Context(), "test"); err != nil || n != 1 {
		t.Errorf("%d are not embedded, %v", n, err)
	}

	// Signatures are those of the embeddings, of chunks and of all.
	some, err := e.PassageSignatures(t.Context(), "test", []int32{keys[0].Source})
	must(t, err)
	var each []corpus.SignedPassage
	must(t, e.EachPassageSignature(t.Context(), "test", func(p corpus.SignedPassage) error { each = append(each, p); return nil }))
	slices.SortFunc(each, func(a, b corpus.SignedPassage) int { return int(a.ID - b.ID) })
	if len(some) != 2 || len(each) != 4 || each[3].ID != ids[3] || each[3].Source != keys[3].Source || each[3].Signature != embeddingOf(4).Signature() {
		t.Errorf("signatures of a chunk %v, of all %v", some, each)
	}

	// Two models are beside each other until the old one's are removed.
	must(t, e.StorePassageEmbeddings(t.Context(), "new", left, []models.Embedding{embeddingOf(6), embeddingOf(7)}))
	if vectors, err := e.PassageVectors(t.Context(), "test", ids); err != nil || len(vectors) != 4 {
		t.Errorf("beside another model %v, %v", vectors, err)
	}
	if n, err := e.RemoveOutdated(t.Context(), "new", 3); err != nil || n != 0 {
		t.Errorf("removed %d of the model of the graph, %v", n, err)
	}
	must(t, s.Embeddings().ChangeSpace(t.Context(), "new"))
	if n, err := e.RemoveOutdated(t.Context(), "new", 3); err != nil || n != 3 {
		t.Errorf("removed %d, %v", n, err)
	}
	if n, err := e.RemoveOutdated(t.Context(), "new", 3); err != nil || n != 1 {
		t.Errorf("removed %d, %v", n, err)
	}

	// They go with their passages.
	execSQL(t, dsn, "DELETE FROM kg_api.passages")
	if vectors, err := e.PassageVectors(t.Context(), "new", ids); err != nil || len(vectors) != 0 {
		t.Errorf("without passages %v, %v", vectors, err)
	}
	if err := e.StorePassageEmbeddings(t.Context(), "new", left, []models.Embedding{embeddingOf(6), {1}}); err == nil {
		t.Error("embeddings of two lengths are stored")
	}
}
