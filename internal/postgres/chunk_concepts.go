package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
)

// resolveConcepts has the matcher decide which drafts are known concepts, links those,
// and creates the others.
func (w *chunkWriter) resolveConcepts(ctx context.Context) error {
	w.concepts = make(map[string]int32, len(w.graph.Drafts))
	if len(w.graph.Drafts) == 0 {
		return nil
	}
	candidates, err := w.candidates(ctx)
	if err != nil {
		return err
	}
	matches := w.matcher.Match(w.graph.Drafts, candidates)
	if len(matches) != len(w.graph.Drafts) {
		return fmt.Errorf("the matcher decided about %d of %d drafts", len(matches), len(w.graph.Drafts))
	}
	w.part(matches)
	rows, err := w.create(ctx, matches)
	if err != nil {
		return err
	}
	if err := w.link(ctx, matches, rows); err != nil {
		return err
	}
	return w.writeMentions(ctx, matches)
}

// writeMentions keeps what the chunk says of each concept.
func (w *chunkWriter) writeMentions(ctx context.Context, matches []knowledge.ConceptMatch) error {
	p := db.MentionInsertParams{Source: w.source}
	for i, d := range w.graph.Drafts {
		p.Concepts = append(p.Concepts, w.concepts[d.Key])
		p.Places = append(p.Places, int32(i))
		p.MatchedBy, p.Scores = append(p.MatchedBy, matches[i].By), append(p.Scores, float32(matches[i].Score))
		p.Labels = append(p.Labels, d.Label)
		p.Descriptions = append(p.Descriptions, d.Description)
		p.Terms = append(p.Terms, strings.Join(d.SearchTerms, termSeparator))
		p.Weights = append(p.Weights, float32(max(d.Weight, 0)))
	}
	return w.q.MentionInsert(ctx, p)
}

// termSeparator stands between names that are sent together. No name has a control
// character.
const termSeparator = "\x1f"

// create stores the drafts that become concepts, with their embeddings, and returns
// the rows' ids by the place of the draft.
func (w *chunkWriter) create(ctx context.Context, matches []knowledge.ConceptMatch) (map[int]int32, error) {
	var places []int
	for i, m := range matches {
		if m.Known == 0 && m.Draft == i {
			places = append(places, i)
		}
	}
	ids := make(map[int]int32, len(places))
	if len(places) == 0 {
		return ids, nil
	}
	concepts := make([]db.ConceptInsertParams, len(places))
	for n, i := range places {
		d := w.graph.Drafts[i]
		concepts[n] = db.ConceptInsertParams{
			Slug: naming.ConceptSlug(d.Label), Label: d.Label, Description: d.Description,
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
	for _, id := range ids {
		w.made = append(w.made, id)
	}
	return ids, failed
}

// link keeps the row of every draft, and adds to a concept that is known, from the graph
// or from an earlier draft, what this mention says of it.
func (w *chunkWriter) link(ctx context.Context, matches []knowledge.ConceptMatch, rows map[int]int32) error {
	var mentions []db.ConceptLinkParams
	linked := map[int]bool{}
	for i, d := range w.graph.Drafts {
		m := matches[i]
		row := rows[m.Draft]
		if m.Known != 0 {
			row = int32(m.Known)
			linked[m.Known] = true
		}
		w.concepts[d.Key] = row
		if m.Known == 0 && m.Draft == i {
			continue
		}
		keys := termKeys(d.ExtractedConcept)
		if names, ok := w.known[row]; ok && !names.gain(keys, d.Description) {
			continue
		}
		mentions = append(mentions, db.ConceptLinkParams{
			ID: row, Description: d.Description, SearchTerms: orEmpty(d.SearchTerms), TermKeys: keys,
		})
	}
	w.counts.ConceptsLinked = len(linked)
	mentions, err := w.ownMentions(ctx, mentions)
	if err != nil || len(mentions) == 0 {
		return err
	}
	slices.SortStableFunc(mentions, func(a, b db.ConceptLinkParams) int { return cmp.Compare(a.ID, b.ID) })
	var failed error
	w.q.ConceptLink(ctx, mentions).Exec(func(_ int, err error) {
		if err != nil {
			failed = err
		}
	})
	return failed
}

// ownMentions leaves out what a note says of concepts that other ontologies alone show: who
// writes into one does not change another.
func (w *chunkWriter) ownMentions(ctx context.Context, mentions []db.ConceptLinkParams) ([]db.ConceptLinkParams, error) {
	if !w.byHand || !w.others || len(mentions) == 0 {
		return mentions, nil
	}
	var ids []int32
	for _, m := range mentions {
		ids = append(ids, m.ID)
	}
	rows, err := w.q.ConceptsStanding(ctx, w.document, nil, ids)
	if err != nil {
		return nil, err
	}
	own := map[int32]bool{}
	for _, id := range w.made {
		own[id] = true
	}
	for _, r := range rows {
		own[r.ID] = own[r.ID] || r.Here
	}
	return slices.DeleteFunc(mentions, func(m db.ConceptLinkParams) bool { return !own[m.ID] }), nil
}

// gain reports whether ConceptLink would add something to a concept. Nothing that it has is
// lost while a chunk is written: others may only add.
func (n knownNames) gain(keys []string, description string) bool {
	if n.terms >= mostSearchTerms {
		return false
	}
	return description != "" && !n.described || slices.ContainsFunc(keys, func(k string) bool { return !slices.Contains(n.keys, k) })
}

// mostSearchTerms is how many a concept has from which on ConceptLink adds none.
const mostSearchTerms = 20

// identityMark begins the key by which names of one thing are equal; see
// naming.IdentityKey. No name that is searched for begins with it.
const identityMark = "="

// termKeys returns the label and the search terms as searches compare them, and what the
// label names.
func termKeys(c knowledge.ExtractedConcept) []string {
	keys := []string{naming.LabelKey(c.Label)}
	for _, t := range c.SearchTerms {
		if key := naming.LabelKey(t); key != "" && key != keys[0] {
			keys = append(keys, key)
		}
	}
	return append(keys, identityMark+naming.IdentityKey(c.Label))
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
