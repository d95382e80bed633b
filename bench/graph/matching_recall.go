package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/bench/signature"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// matchingRecall compares what the index finds near names with the ten nearest of all
// concepts. Those below the similarity from which two may be the same are left out: they
// decide nothing.
func (b *bench) matchingRecall(ctx context.Context, dsn string, l *library) ([]string, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	embedder := extract.BuiltinEmbedder()
	least := ingest.NewMatcher(models.Model{Name: l.model}).LeastSimilarity()
	queries, err := embedder.Embed(ctx, l.otherForms(b.options.matching.queries))
	if err != nil {
		return nil, err
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback(ctx)
	q := db.New(tx)
	if err := q.BandIndexOnly(ctx, "off"); err != nil {
		return nil, err
	}
	before, err := b.cpuSoFar()
	if err != nil {
		return nil, err
	}
	near, err := nearOf(ctx, q, l.model, queries, least)
	if err != nil {
		return nil, err
	}
	after, err := b.cpuSoFar()
	if err != nil {
		return nil, err
	}
	found := l.hits(queries, near, least)
	each := (after.postgres - before.postgres) / time.Duration(len(queries))
	met := found.all > 0 && float64(found.found) >= matchingRecall*float64(found.all)
	return []string{fmt.Sprint(least), found.String(), fmt.Sprintf("≥ %.2f", matchingRecall), b.report.verdict(met), ms(each)}, nil
}

// otherForms returns names of concepts as a text may spell them: as they are, in the plural,
// and with a letter missing.
func (l *library) otherForms(most int) []string {
	forms := make([]string, most)
	for i := range forms {
		name := l.labels[i*len(l.labels)/most]
		switch i % 3 {
		case 1:
			name += "s"
		case 2:
			name = name[:len(name)/2] + name[len(name)/2+1:]
		}
		forms[i] = name
	}
	return forms
}

// nearOf returns the numbers of the concepts that matching compares with each embedding.
func nearOf(ctx context.Context, q *db.Queries, model string, queries []models.Embedding, least float64) ([]map[int]bool, error) {
	near := make([]map[int]bool, len(queries))
	params := make([]db.ConceptsNearParams, len(queries))
	for i, e := range queries {
		s := e.Signature()
		params[i] = db.ConceptsNearParams{Bands: s.Bands(), Model: model, Signature: signature.Bits(s), MaxDistance: int32(models.SignatureDistance(least))}
	}
	var failed error
	q.ConceptsNear(ctx, params).Query(func(i int, rows []db.ConceptsNearRow, err error) {
		if err != nil {
			failed = err
		}
		near[i] = map[int]bool{}
		for _, r := range rows {
			near[i][int(r.ID)] = true
		}
	})
	return near, failed
}

// hits counts how many of the ten nearest concepts of each query, from a similarity on, are
// among those that were found.
func (l *library) hits(queries []models.Embedding, near []map[int]bool, least float64) (h hit) {
	counts := make([]hit, len(queries))
	inParallel(len(queries), func(i int) {
		cosines := make([]float64, len(l.embeddings))
		for n, e := range l.embeddings {
			cosines[n] = queries[i].Cosine(e)
		}
		for _, n := range order(len(cosines), func(a, b int) int { return cmp.Compare(cosines[b], cosines[a]) })[:10] {
			if cosines[n] < least {
				continue
			}
			counts[i].all++
			if near[i][n+1] {
				counts[i].found++
			}
		}
	})
	for _, c := range counts {
		h.all += c.all
		h.found += c.found
	}
	return h
}
