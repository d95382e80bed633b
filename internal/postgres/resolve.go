package postgres

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

const (
	// newConcept is added to the place of a draft to make the number of a
	// concept that has no row yet: above every row's number, so that of two
	// equally similar concepts the known one wins.
	newConcept = 1 << 40
	// maxSignatureDistance is the number of differing bits up to which a
	// concept is looked at: for a cosine of 0.75 it is 177 of 768 on average,
	// and 4 standard deviations more are 224.
	maxSignatureDistance = 224
)

// resolveConcepts decides which drafts are known concepts, links those, and
// creates the others.
func (w *chunkWriter) resolveConcepts(ctx context.Context) error {
	w.concepts = make(map[string]int32, len(w.graph.Drafts))
	if len(w.graph.Drafts) == 0 {
		return nil
	}
	candidates, err := w.candidates(ctx)
	if err != nil {
		return err
	}
	var created []int            // places of the drafts that become concepts
	chosen := make([]int, 0, 32) // for each draft the concept's number
	var fresh []kappa.Candidate  // the concepts that this chunk creates
	for i, d := range w.graph.Drafts {
		if c, ok := d.Match(append(candidates[i], fresh...)); ok {
			chosen = append(chosen, c.ID)
			continue
		}
		chosen = append(chosen, newConcept+i)
		created = append(created, i)
		fresh = append(fresh, kappa.Candidate{ID: newConcept + i, Label: d.Label, Embedding: d.Embedding})
	}
	ids, err := w.create(ctx, created)
	if err != nil {
		return err
	}
	return w.link(ctx, chosen, ids)
}

// candidates returns, for each draft, the known concepts that it may be: those
// that bear its label, and, unless one of those is it for sure, those whose
// embedding is near. Both come from an index; the rest of the graph is not
// looked at.
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

// addNear adds to each draft's candidates those whose embedding is near.
func (w *chunkWriter) addNear(ctx context.Context, all [][]kappa.Candidate) error {
	var near []db.ConceptsNearParams
	var places []int // of the drafts
	for i, d := range w.graph.Drafts {
		if _, sure := d.Namesake(all[i]); sure {
			continue
		}
		signature := d.Embedding.Signature()
		near = append(near, db.ConceptsNearParams{
			Bands: signature.Bands(), Model: w.graph.Model, Signature: signatureBits(signature), MaxDistance: maxSignatureDistance,
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

// create stores the drafts at the given places as concepts with their
// embeddings, and returns the rows' ids by place.
func (w *chunkWriter) create(ctx context.Context, places []int) (map[int]int32, error) {
	ids := make(map[int]int32, len(places))
	if len(places) == 0 {
		return ids, nil
	}
	concepts := make([]db.ConceptInsertParams, len(places))
	for n, i := range places {
		d := w.graph.Drafts[i]
		concepts[n] = db.ConceptInsertParams{
			Slug: kappa.ConceptSlug(d.Label), Label: d.Label, Description: d.Description,
			SearchTerms: orEmpty(d.SearchTerms), TermKeys: termKeys(d.ExtractedConcept),
		}
	}
	var failed error
	w.q.ConceptInsert(ctx, concepts).QueryRow(func(n int, id int32, err error) {
		if err != nil {
			failed = err
			return
		}
		ids[places[n]] = id
	})
	if failed != nil {
		return nil, failed
	}
	embeddings := make([]db.EmbeddingInsertParams, len(places))
	for n, i := range places {
		e := w.graph.Drafts[i].Embedding
		signature := e.Signature()
		embeddings[n] = db.EmbeddingInsertParams{
			Concept: ids[i], Model: w.graph.Model, Vector: e, Signature: signatureBits(signature), Bands: signature.Bands(),
		}
	}
	w.q.EmbeddingInsert(ctx, embeddings).Exec(func(_ int, err error) {
		if err != nil {
			failed = err
		}
	})
	w.counts.ConceptsCreated = len(places)
	return ids, failed
}

// link notes the row of every draft, and tells known concepts what the drafts
// that are them know.
func (w *chunkWriter) link(ctx context.Context, chosen []int, ids map[int]int32) error {
	var known []db.ConceptLinkParams
	linked := map[int]bool{}
	for i, d := range w.graph.Drafts {
		number := chosen[i]
		if number >= newConcept {
			w.concepts[d.Key] = ids[number-newConcept]
			if number == newConcept+i {
				continue
			}
		} else {
			w.concepts[d.Key] = int32(number)
			linked[number] = true
		}
		known = append(known, db.ConceptLinkParams{
			ID: w.concepts[d.Key], Description: d.Description, SearchTerms: orEmpty(d.SearchTerms), TermKeys: termKeys(d.ExtractedConcept),
		})
	}
	w.counts.ConceptsLinked = len(linked)
	if len(known) == 0 {
		return nil
	}
	var failed error
	w.q.ConceptLink(ctx, known).Exec(func(_ int, err error) {
		if err != nil {
			failed = err
		}
	})
	return failed
}

// termKeys returns the label and the search terms as searches compare them.
func termKeys(c kappa.ExtractedConcept) []string {
	keys := []string{kappa.LabelKey(c.Label)}
	for _, t := range c.SearchTerms {
		if key := kappa.LabelKey(t); key != "" && key != keys[0] {
			keys = append(keys, key)
		}
	}
	return keys
}

// signatureBits is a signature as PostgreSQL takes it: bit(768).
func signatureBits(s kappa.Signature) pgtype.Bits {
	b := pgtype.Bits{Bytes: make([]byte, kappa.SignatureBits/8), Len: kappa.SignatureBits, Valid: true}
	for i := range b.Bytes {
		b.Bytes[i] = byte(s[i/8] >> (i % 8 * 8))
	}
	return b
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// clampConfidence keeps a confidence within what the table accepts.
func clampConfidence(c float64) float32 {
	if math.IsNaN(c) {
		return 1
	}
	return float32(min(1, max(0, c)))
}

// typeName returns a relationship type as the table accepts it.
func typeName(t string) string { return strings.ToUpper(strings.TrimSpace(t)) }
