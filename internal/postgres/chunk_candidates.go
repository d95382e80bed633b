package postgres

import (
	"context"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
)

// candidates returns, for each draft, the known concepts that it may be: those that
// are called so and, unless the matcher is certain with them, those whose embedding is
// near. Both come from an index; the rest of the graph is not read.
func (w *chunkWriter) candidates(ctx context.Context) ([][]knowledge.Candidate, error) {
	if err := w.q.BandIndexOnly(ctx, "off"); err != nil {
		return nil, err
	}
	if err := w.readBlocks(ctx); err != nil {
		return nil, err
	}
	w.known = map[int32]knownNames{}
	all := make([][]knowledge.Candidate, len(w.graph.Drafts))
	every := make([]int, len(all))
	for i := range every {
		every[i] = i
	}
	if err := w.namesakes(ctx, every, all); err != nil {
		return nil, err
	}
	if fresh, names := w.newNames(all); len(fresh) > 0 {
		if err := w.q.NameLocks(ctx, names); err != nil {
			return nil, err
		}
		if err := w.namesakes(ctx, fresh, all); err != nil { // another chunk may have made some meanwhile
			return nil, err
		}
	}
	if err := w.addNear(ctx, all); err != nil {
		return nil, err
	}
	return all, w.q.BandIndexOnly(ctx, "on")
}

// namePair is two names in the form of naming.LabelKey, in order.
type namePair struct{ a, b string }

// readBlocks finds the names that are never one concept with a draft.
func (w *chunkWriter) readBlocks(ctx context.Context) error {
	keys := make([]string, len(w.graph.Drafts))
	for i, d := range w.graph.Drafts {
		keys[i] = naming.LabelKey(d.Label)
	}
	rows, err := w.q.ConceptBlocksOf(ctx, keys)
	w.blocks = make(map[namePair]bool, len(rows))
	for _, r := range rows {
		w.blocks[namePair{r.A, r.B}] = true
	}
	return err
}

// blocked reports whether somebody has said that two names are never one concept.
func (w *chunkWriter) blocked(label, other string) bool {
	if len(w.blocks) == 0 {
		return false
	}
	a, b := naming.LabelKey(label), naming.LabelKey(other)
	return w.blocks[namePair{min(a, b), max(a, b)}]
}

// part has drafts become concepts of their own that would become one with another draft of
// the chunk, and are blocked with it.
func (w *chunkWriter) part(matches []knowledge.ConceptMatch) {
	for i, d := range w.graph.Drafts {
		if m := matches[i]; m.Known == 0 && m.Draft != i && w.blocked(d.Label, w.graph.Drafts[m.Draft].Label) {
			matches[i] = knowledge.ConceptMatch{Draft: i}
		}
	}
}

// newNames returns the places of the drafts whose name no known concept bears, and a number
// for each such name, sorted. Names of one thing have the same number; others may share
// one. A short name that a draft explains is one of its names.
func (w *chunkWriter) newNames(known [][]knowledge.Candidate) (fresh []int, names []int32) {
	number := func(name string) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(strings.ToLower(naming.IdentityKey(name))))
		names = append(names, int32(h.Sum32())) // any number will do
	}
	for i, d := range w.graph.Drafts {
		if slices.ContainsFunc(known[i], func(c knowledge.Candidate) bool { return !c.Elsewhere && naming.SameName(c.Label, d.Label) }) ||
			len(known[i]) > 0 && w.matcher.Certain(d, known[i]) {
			continue
		}
		fresh = append(fresh, i)
		number(d.Label)
		for _, short := range shortNames(d.ExtractedConcept) {
			number(short)
		}
	}
	slices.Sort(names)
	return fresh, slices.Compact(names)
}

// shortNames returns the abbreviations and surnames among the search terms of c.
func shortNames(c knowledge.ExtractedConcept) []string {
	var names []string
	for _, t := range c.SearchTerms {
		if knowledge.AliasOf(knowledge.ExtractedConcept{Label: t}, c.Label, c.SearchTerms) != knowledge.NoAlias {
			names = append(names, t)
		}
	}
	return names
}

// nameKeys returns what a draft's namesakes have among their keys: its label, also
// without the s of a plural, what that names, and the short names that it explains.
func nameKeys(c knowledge.ExtractedConcept) []string {
	keys := []string{naming.LabelKey(c.Label), identityMark + naming.IdentityKey(c.Label)}
	if singular, plural := strings.CutSuffix(c.Label, "s"); plural {
		keys = append(keys, naming.LabelKey(singular))
	}
	for _, short := range shortNames(c) {
		keys = append(keys, naming.LabelKey(short))
	}
	return keys
}

// knownNames is what a known concept is called.
type knownNames struct {
	keys      []string // as termKeys makes them
	terms     int      // search terms
	described bool     // it has a description
}

// namesakes finds, for the drafts at the given places, the known concepts that are called
// so: by a name of the same thing, or by a short name that the one explains for the other.
func (w *chunkWriter) namesakes(ctx context.Context, places []int, all [][]knowledge.Candidate) error {
	var keys []string
	for _, i := range places {
		keys = append(keys, nameKeys(w.graph.Drafts[i].ExtractedConcept)...)
	}
	slices.Sort(keys)
	named, err := w.q.ConceptsByTerm(ctx, slices.Compact(keys), w.graph.Model)
	if err != nil {
		return err
	}
	byKey := map[string][]knowledge.Candidate{}
	for _, r := range named {
		w.known[r.ID] = knownNames{r.TermKeys, len(r.SearchTerms), r.Described}
		for _, key := range r.TermKeys {
			byKey[key] = append(byKey[key], knowledge.Candidate{ID: int(r.ID), Label: r.Label, Embedding: r.Vector, Terms: r.SearchTerms})
		}
	}
	found := make([][]knowledge.Candidate, len(places))
	aliased := map[int32]bool{} // candidates of drafts that may be meant by a short name
	for n, i := range places {
		d, alias := w.graph.Drafts[i], false
		for _, key := range nameKeys(d.ExtractedConcept) {
			for _, c := range byKey[key] {
				kind := knowledge.AliasOf(d.ExtractedConcept, c.Label, c.Terms)
				if kind == knowledge.NoAlias && !naming.SameName(c.Label, d.Label) && naming.LabelKey(c.Label) != naming.LabelKey(d.Label) ||
					w.blocked(c.Label, d.Label) ||
					slices.ContainsFunc(found[n], func(o knowledge.Candidate) bool { return o.ID == c.ID }) {
					continue
				}
				found[n] = append(found[n], c)
				alias = alias || kind != knowledge.NoAlias
			}
		}
		for _, c := range found[n] {
			aliased[int32(c.ID)] = aliased[int32(c.ID)] || alias
		}
		all[i] = found[n]
	}
	if err := w.addShown(ctx, found, aliased); err != nil {
		return err
	}
	return w.addElsewhere(ctx, places, all)
}

// addShown says of candidates where they are shown, so far as that decides about a short
// name.
func (w *chunkWriter) addShown(ctx context.Context, all [][]knowledge.Candidate, aliased map[int32]bool) error {
	var ids []int32
	for id, counts := range aliased {
		if counts {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := w.q.ConceptsShown(ctx, w.document, ids)
	if err != nil {
		return err
	}
	shown := make(map[int]db.ConceptsShownRow, len(rows))
	for _, r := range rows {
		shown[int(r.ID)] = r
	}
	for _, list := range all {
		for i := range list {
			list[i].InDocument, list[i].InOntology = shown[list[i].ID].InDocument, shown[list[i].ID].InOntology
		}
	}
	return nil
}

// addNear adds to each draft's candidates those whose embedding is near, unless the
// matcher is certain already.
func (w *chunkWriter) addNear(ctx context.Context, all [][]knowledge.Candidate) error {
	var near []db.ConceptsNearParams
	var places []int // of the drafts
	least := w.matcher.LeastSimilarity()
	if least > 1 { // the embeddings have no say
		return nil
	}
	most := int32(models.SignatureDistance(least))
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
			if w.blocked(r.Label, w.graph.Drafts[places[n]].Label) ||
				slices.ContainsFunc(all[places[n]], func(c knowledge.Candidate) bool { return c.ID == int(r.ID) }) {
				continue
			}
			all[places[n]] = append(all[places[n]], knowledge.Candidate{ID: int(r.ID), Label: r.Label, Embedding: r.Vector})
		}
	})
	return failed
}

// signatureBits is a signature as PostgreSQL takes it: bit(768).
func signatureBits(s models.Signature) pgtype.Bits {
	b := pgtype.Bits{Bytes: make([]byte, models.SignatureBits/8), Len: models.SignatureBits, Valid: true}
	for i := range b.Bytes {
		b.Bytes[i] = byte(s[i/8] >> (i % 8 * 8))
	}
	return b
}
