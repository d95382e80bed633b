package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// candidates returns, for each draft, the known concepts that it may be: those that
// bear its label and, unless the matcher is certain with them, those whose embedding is
// near. Both come from an index; the rest of the graph is not read.
func (w *chunkWriter) candidates(ctx context.Context) ([][]kappa.Candidate, error) {
	if err := w.q.BandIndexOnly(ctx, "off"); err != nil {
		return nil, err
	}
	all, err := w.namesakes(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.addNear(ctx, all); err != nil {
		return nil, err
	}
	return all, w.q.BandIndexOnly(ctx, "on")
}

// namesakes returns, for each draft, the known concepts that bear its label.
func (w *chunkWriter) namesakes(ctx context.Context) ([][]kappa.Candidate, error) {
	keys := make([]string, len(w.graph.Drafts))
	for i, d := range w.graph.Drafts {
		keys[i] = kappa.LabelKey(d.Label)
	}
	named, err := w.q.ConceptsByTerm(ctx, keys, w.graph.Model)
	if err != nil {
		return nil, err
	}
	byKey := map[string][]kappa.Candidate{}
	for _, r := range named {
		key := kappa.LabelKey(r.Label)
		byKey[key] = append(byKey[key], kappa.Candidate{ID: int(r.ID), Label: r.Label, Embedding: r.Vector})
	}
	all := make([][]kappa.Candidate, len(keys))
	for i, key := range keys {
		all[i] = slices.Clone(byKey[key])
	}
	return all, nil
}

// addNear adds to each draft's candidates those whose embedding is near, unless the
// matcher is certain already.
func (w *chunkWriter) addNear(ctx context.Context, all [][]kappa.Candidate) error {
	var near []db.ConceptsNearParams
	var places []int // of the drafts
	most := int32(kappa.SignatureDistance(w.matcher.LeastSimilarity()))
	for i, d := range w.graph.Drafts {
		if w.matcher.Certain(d, all[i]) {
			continue
		}
		signature := d.Embedding.Signature()
		near = append(near, db.ConceptsNearParams{
			Bands: signature.Bands(), Model: w.graph.Model, Signature: signatureBits(signature), MaxDistance: most,
		})
		places = append(places, i)
	}
	if len(near) == 0 {
		return nil
	}
	var failed error
	w.q.ConceptsNear(ctx, near).Query(func(n int, rows []db.ConceptsNearRow, err error) {
		if err != nil {
			failed = err
			return
		}
		for _, r := range rows {
			all[places[n]] = append(all[places[n]], kappa.Candidate{ID: int(r.ID), Label: r.Label, Embedding: r.Vector})
		}
	})
	return failed
}

// signatureBits is a signature as PostgreSQL takes it: bit(768).
func signatureBits(s kappa.Signature) pgtype.Bits {
	b := pgtype.Bits{Bytes: make([]byte, kappa.SignatureBits/8), Len: kappa.SignatureBits, Valid: true}
	for i := range b.Bytes {
		b.Bytes[i] = byte(s[i/8] >> (i % 8 * 8))
	}
	return b
}
