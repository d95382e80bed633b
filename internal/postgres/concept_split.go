package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
)

// SplitConcept makes a concept of its own of what is said of one under some labels. The
// quotes and the evidence of chunks that use only these labels go with them, and of the
// other chunks those that have one of these labels and none of the others; so each piece
// of evidence stays with one of the two. A concept that would have no quote then is shown
// by those of the other one in the chunks that speak of both. embed returns the embedding of the new concept.
// A dry run is rolled back.
//
// It returns CodeNotFound for an unknown id, CodeInvalid when no mention has one of the
// labels or all of them do, and CodeForbidden when a frozen ontology shows the concept.
func (s NoteStore) SplitConcept(ctx context.Context, p knowledge.NewConceptSplit, model string, embed func(ctx context.Context, text string) (models.Embedding, error)) (knowledge.ConceptSplit, error) {
	var out knowledge.ConceptSplit
	var err error
	for range splitTries {
		if out, err = s.split(ctx, p, model, embed); !errors.Is(err, errSpokenOfMeanwhile) {
			break
		}
	}
	if errors.Is(err, errSpokenOfMeanwhile) {
		err = conflict("Concept '%s' keeps changing; try again", p.ConceptID)
	}
	if out.DryRun = p.DryRun; p.DryRun {
		out.New = "" // the split will make another one
	}
	return out, translate(unlessDry(err), "split a concept")
}

// splitTries is how often a split is begun that others come before.
const splitTries = 5

// errSpokenOfMeanwhile ends a split whose two concepts would be called otherwise than when
// they were embedded.
var errSpokenOfMeanwhile = errors.New("the mentions of the concept have changed")

// split parts the concept, unless its mentions change meanwhile.
func (s NoteStore) split(ctx context.Context, p knowledge.NewConceptSplit, model string, embed func(ctx context.Context, text string) (models.Embedding, error)) (out knowledge.ConceptSplit, err error) {
	draft, embedded, err := s.splitDraft(ctx, p, embed)
	if err != nil {
		return out, err
	}
	err = s.changingConcept(ctx, "concept.split", p.ConceptID, func(q *db.Queries, row int32, was knowledge.WrittenConcept) error {
		parts, err := partMentions(ctx, q, row, p.Labels)
		if err != nil {
			return err
		}
		if _, known := embedded[extracted(parts.stays).EmbeddingText()]; !known || extracted(parts.made).EmbeddingText() != draft.EmbeddingText() {
			return errSpokenOfMeanwhile
		}
		w := chunkWriter{q: q, graph: knowledge.ChunkGraph{Model: model, Drafts: []knowledge.ConceptDraft{draft}}}
		ids, err := w.create(ctx, []knowledge.ConceptMatch{{}})
		if err != nil {
			return err
		}
		if err := parts.move(ctx, q, row, ids[0]); err != nil {
			return err
		}
		if p.Block {
			if err := blockNames(ctx, q, parts.others, parts.names, p.Reason, p.By); err != nil {
				return err
			}
		}
		// What is left makes both concepts anew: names that only the other one has go.
		if err := (&remover{q: q, lenient: true, embedded: knowledge.NewEmbeddings{Model: model, ByText: embedded}}).remake(ctx, []int32{row, ids[0]}, parts.first); err != nil {
			return err
		}
		made, err := q.ConceptsPublic(ctx, []int32{row, ids[0]})
		if err != nil {
			return err
		}
		out = knowledge.ConceptSplit{Kept: p.ConceptID, Mentions: len(parts.ids), Blocked: p.Block}
		for _, c := range made {
			if c.ID == row {
				out.KeptLabel = c.Label
			} else {
				out.New, out.NewLabel = c.ConceptID, c.Label
			}
		}
		return undoneIf(p.DryRun, record(ctx, q, act{action: "concept.split", object: "concept", id: p.ConceptID, before: conceptFacts(was), after: out}))
	})
	return out, err
}

// splitDraft returns the new concept: what its first mention says, and the embeddings of
// both concepts by their texts.
func (s NoteStore) splitDraft(ctx context.Context, p knowledge.NewConceptSplit, embed func(ctx context.Context, text string) (models.Embedding, error)) (d knowledge.ConceptDraft, embedded map[string]models.Embedding, err error) {
	q := db.New(s.graph)
	if _, err := showConcept(ctx, q, p.ConceptID); err != nil {
		return d, nil, err
	}
	row, err := conceptNumber(ctx, q, p.ConceptID)
	if err != nil {
		return d, nil, err
	}
	parts, err := partMentions(ctx, q, row, p.Labels)
	if err != nil {
		return d, nil, err
	}
	d.ExtractedConcept = extracted(parts.made)
	embedded = map[string]models.Embedding{}
	for _, text := range []string{d.EmbeddingText(), extracted(parts.stays).EmbeddingText()} {
		if embedded[text], err = embed(ctx, text); err != nil {
			return d, nil, err
		}
	}
	d.Embedding = embedded[d.EmbeddingText()]
	return d, embedded, nil
}

// mentionParts are the mentions of a concept, as a split parts them.
type mentionParts struct {
	ids    []int64
	made   mention  // the first of those that go
	stays  mention  // the first of those that stay
	names  []string // labels of those that go
	others []string // labels of those that stay
	first  []db.MentionsFirstRow
}

func partMentions(ctx context.Context, q *db.Queries, row int32, labels []string) (parts mentionParts, err error) {
	rows, err := q.MentionsOf(ctx, []int32{row})
	if err != nil {
		return parts, err
	}
	var going []string
	for _, l := range labels {
		going = append(going, naming.LabelKey(l))
	}
	for _, m := range rows {
		key := naming.LabelKey(m.Label)
		if !slices.Contains(going, key) {
			if len(parts.others) == 0 {
				parts.stays = m
			}
			parts.others = append(parts.others, key)
			continue
		}
		if len(parts.ids) == 0 {
			parts.made = m
		}
		parts.ids, parts.names = append(parts.ids, m.ID), append(parts.names, key)
	}
	switch {
	case len(parts.ids) == 0:
		return parts, kappa.Invalid(kappa.FieldError{In: "body", Name: "labels", Rule: "must have a label under which a document speaks of the concept; kg concepts mentions lists them"})
	case len(parts.others) == 0:
		return parts, kappa.Invalid(kappa.FieldError{In: "body", Name: "labels", Rule: "must leave a label to the concept; rename it instead"})
	}
	parts.first = []db.MentionsFirstRow{db.MentionsFirstRow(rows[0])}
	return parts, nil
}

// move moves what goes from one concept to another.
func (parts mentionParts) move(ctx context.Context, q *db.Queries, from, into int32) error {
	if err := q.ConceptSplitMentions(ctx, into, from, parts.ids); err != nil {
		return err
	}
	if err := q.ConceptSplitInstances(ctx, db.ConceptSplitInstancesParams{IntoConcept: into, FromConcept: from, Names: parts.names, Others: parts.others}); err != nil {
		return err
	}
	for _, shared := range [][2]int32{{into, from}, {from, into}} {
		if err := q.ConceptSplitInstancesShared(ctx, shared[0], shared[1]); err != nil {
			return err
		}
		if holds, err := q.ConceptHolds(ctx, shared[0]); err != nil || holds.Instances == 0 {
			return cmp.Or(err, conflict("No quote would show one of the two concepts: the chunks that speak of it quote it elsewhere"))
		}
	}
	p := db.ConceptSplitTakeEvidenceParams{FromConcept: from, IntoConcept: into, Names: parts.names, Others: parts.others}
	if err := q.ConceptSplitEvidence(ctx, db.ConceptSplitEvidenceParams(p)); err != nil {
		return err
	}
	taken, err := q.ConceptSplitTakeEvidence(ctx, p)
	if err != nil {
		return err
	}
	return settle(ctx, q, taken)
}
