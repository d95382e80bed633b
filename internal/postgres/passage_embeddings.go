package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// PassageEmbeddingStore keeps the embeddings of passages, by model.
type PassageEmbeddingStore struct{ *base }

// PassageEmbeddings returns the store of the embeddings of passages.
func (d *DB) PassageEmbeddings() PassageEmbeddingStore { return PassageEmbeddingStore{&d.base} }

// written are embeddings as a statement takes them: their signatures, and the text of each.
type written struct {
	signatures [][]byte
	vectors    []string
}

// write returns an error when the embeddings are empty or of several lengths.
func write(embeddings []models.Embedding) (w written, err error) {
	for _, e := range embeddings {
		if len(e) == 0 || len(e) != len(embeddings[0]) {
			return w, fmt.Errorf("embeddings of %d and of %d numbers", len(embeddings[0]), len(e))
		}
		signature := e.Signature()
		w.signatures = append(w.signatures, signature.Bytes())
		text := []byte{'{'}
		for i, x := range e {
			if i > 0 {
				text = append(text, ',')
			}
			text = strconv.AppendFloat(text, float64(x), 'g', -1, 32)
		}
		w.vectors = append(w.vectors, string(append(text, '}')))
	}
	return w, nil
}

// writeMeanings stores the embeddings of a chunk's passages. A passage that has one already
// keeps it: it is of the same text.
func writeMeanings(ctx context.Context, q *db.Queries, source int32, g knowledge.ChunkGraph) error {
	if len(g.Meanings) == 0 || len(g.Meanings) != len(g.Passages) {
		return nil
	}
	w, err := write(g.Meanings)
	if err != nil {
		return err
	}
	numbers := make([]int32, len(g.Passages))
	for i, p := range g.Passages {
		numbers[i] = int32(p.Number)
	}
	return q.PassageEmbeddingsWrite(ctx, db.PassageEmbeddingsWriteParams{
		Model: g.Model, Numbers: numbers, Signatures: w.signatures, Vectors: w.vectors, Source: source,
	})
}

// refusalRest is how long a passage that a model has refused is not given to it again: another
// version of it may take it.
const refusalRest = 24 * time.Hour

// PassagesToEmbed returns the next passages after a number that have no embedding by a model,
// and that it has not refused within a day.
func (s PassageEmbeddingStore) PassagesToEmbed(ctx context.Context, model string, after int32, most int) ([]corpus.PassageToEmbed, error) {
	rows, err := db.New(s.graph).PassagesToEmbed(ctx, db.PassagesToEmbedParams{After: after, Model: model, Rest: refusalRest, Most: int32(most)})
	list := make([]corpus.PassageToEmbed, len(rows))
	for i, r := range rows {
		list[i] = corpus.PassageToEmbed{ID: r.ID, Text: corpus.Passage{Text: r.Body, Section: r.Section}.EmbeddingText()}
	}
	return list, translate(err, "read the passages to embed")
}

// CountPassagesToEmbed returns how many passages PassagesToEmbed would return without a limit.
func (s PassageEmbeddingStore) CountPassagesToEmbed(ctx context.Context, model string, after int32) (int, error) {
	n, err := db.New(s.graph).PassagesToEmbedCount(ctx, after, model, refusalRest)
	return int(n), translate(err, "count the passages to embed")
}

// Unembedded returns how many passages wait for their embedding by a model, counted up to 1,000.
func (s PassageEmbeddingStore) Unembedded(ctx context.Context, model string) (int, error) {
	n, err := db.New(s.graph).PassagesUnembedded(ctx, model, refusalRest)
	return int(n), translate(err, "count the passages without an embedding")
}

// StorePassageEmbeddings stores embeddings of passages by a model. A passage that has gone
// meanwhile gets none, and one that has an embedding by the model keeps it.
func (s PassageEmbeddingStore) StorePassageEmbeddings(ctx context.Context, model string, passages []corpus.PassageToEmbed, embeddings []models.Embedding) error {
	w, err := write(embeddings)
	if err != nil {
		return err
	}
	ids := make([]int32, len(passages))
	for i, p := range passages {
		ids[i] = p.ID
	}
	err = inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := q.GraphLockShared(ctx); err != nil {
			return err
		}
		return q.PassageEmbeddingsAdd(ctx, db.PassageEmbeddingsAddParams{
			Model: model, Ids: ids, Signatures: w.signatures, Vectors: w.vectors,
		})
	})
	return translate(err, "store embeddings of passages")
}

// RefusePassages keeps that a model refuses passages, and why: for a day they are not among those
// that are to be embedded.
func (s PassageEmbeddingStore) RefusePassages(ctx context.Context, model string, passages []corpus.PassageToEmbed, reason string) error {
	ids := make([]int32, len(passages))
	for i, p := range passages {
		ids[i] = p.ID
	}
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := q.GraphLockShared(ctx); err != nil {
			return err
		}
		return q.PassagesRefuse(ctx, model, reason, ids)
	})
	return translate(err, "store which passages a model refuses")
}

// RemoveOutdated removes some embeddings by other models than one, if that is the model of the
// graph, and returns how many.
func (s PassageEmbeddingStore) RemoveOutdated(ctx context.Context, model string, most int) (int, error) {
	n, err := db.New(s.graph).PassageEmbeddingsOutdated(ctx, model, int32(most))
	return int(n), translate(err, "remove embeddings of passages by other models")
}

// GraphMark returns the present moment of the log of the graph.
func (s PassageEmbeddingStore) GraphMark(ctx context.Context) (knowledge.GraphMark, error) {
	return GraphStore(s).GraphMark(ctx)
}

// PassageSignatures returns the signatures of the passages of chunks by a model, in no order.
func (s PassageEmbeddingStore) PassageSignatures(ctx context.Context, model string, sources []int32) ([]corpus.SignedPassage, error) {
	rows, err := db.New(s.graph).PassageSignatures(ctx, sources, model)
	list := make([]corpus.SignedPassage, 0, len(rows))
	for _, r := range rows {
		if signature, ok := models.SignatureOf(r.Signature); ok {
			list = append(list, corpus.SignedPassage{ID: r.ID, Source: r.Source, Signature: signature})
		}
	}
	return list, translate(err, "read signatures of passages")
}

// EachPassageSignature yields the signatures of all passages by a model, in no order. It holds
// one connection, and takes as long as ctx allows. An error of yield ends it and is returned as
// it is.
func (s PassageEmbeddingStore) EachPassageSignature(ctx context.Context, model string, yield func(corpus.SignedPassage) error) error {
	err := s.eachSignature(ctx, model, yield)
	if refused := (*sinkError)(nil); errors.As(err, &refused) {
		return refused.err
	}
	return translate(err, "read the signatures of all passages")
}

func (s PassageEmbeddingStore) eachSignature(ctx context.Context, model string, yield func(corpus.SignedPassage) error) error {
	tx, err := s.graph.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer endView(ctx, tx)
	if err := db.New(tx).GraphReadBegin(ctx); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, db.PassageSignaturesAll, model)
	if err != nil {
		return err
	}
	var p corpus.SignedPassage
	var bytes []byte
	_, err = pgx.ForEachRow(rows, []any{&p.Source, &p.ID, &bytes}, func() error {
		signature, ok := models.SignatureOf(bytes)
		if !ok {
			return nil
		}
		p.Signature = signature
		if err := yield(p); err != nil {
			return &sinkError{err}
		}
		return nil
	})
	return err
}

// PassageVectors returns the embeddings of passages by a model, by their numbers. A passage
// without one is left out.
func (s PassageEmbeddingStore) PassageVectors(ctx context.Context, model string, ids []int32) (map[int32]models.Embedding, error) {
	rows, err := db.New(s.graph).PassageVectors(ctx, ids, model)
	all := make(map[int32]models.Embedding, len(rows))
	for _, r := range rows {
		all[r.Passage] = r.Vector
	}
	return all, translate(err, "read embeddings of passages")
}
