package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// EpochStore knows what has changed the graph, and when.
type EpochStore struct{ *base }

// Epochs returns the store of the graph's epochs.
func (d *DB) Epochs() EpochStore { return EpochStore{&d.base} }

// change is what raises the graph's epoch. The counts are what was changed in transactions
// before this one.
type change struct {
	kind, act, object string
	job               string // "": no job does it
	concepts, edges   int
}

// raiseEpoch raises the graph's epoch, and keeps what did. It is the last of the transaction's
// changes of the graph: those before it are counted.
func raiseEpoch(ctx context.Context, q *db.Queries, c change) error {
	actor, _ := access.ActorOf(ctx)
	_, err := q.EpochBump(ctx, db.EpochBumpParams{
		Kind: c.kind, Act: c.act, Actor: actor.Username, JobID: c.job, Object: c.object, ConceptsAdded: int32(c.concepts), EdgesSet: int32(c.edges),
	})
	return err
}

// ListEpochs returns the epochs that f selects, newest first.
func (s EpochStore) ListEpochs(ctx context.Context, f knowledge.EpochFilter) ([]knowledge.Epoch, error) {
	if inNoRow(f.Actor) {
		return nil, nil
	}
	rows, err := db.New(s.graph).EpochList(ctx, db.EpochListParams{
		Before: f.Below(), Kind: f.Kind, Actor: f.Actor, Since: instant(f.Since), Until: instant(f.Until), Most: int32(f.Limit),
	})
	list := make([]knowledge.Epoch, len(rows))
	for i, r := range rows {
		list[i] = toEpoch(r)
	}
	return list, translate(err, "list the epochs of the graph")
}

// FindEpoch returns an epoch. It returns CodeNotFound for one that has not been, and for one
// from before they were kept.
func (s EpochStore) FindEpoch(ctx context.Context, number int64) (knowledge.Epoch, error) {
	row, err := db.New(s.graph).EpochByNumber(ctx, number)
	if isNoRows(err) {
		return knowledge.Epoch{}, notFound("Epoch not found: %d", number)
	}
	return toEpoch(row), translate(err, "read an epoch of the graph")
}

func toEpoch(r db.KgApiEpochLog) knowledge.Epoch {
	e := knowledge.Epoch{
		Number: r.Epoch, Kind: r.Kind, At: kappa.At(r.At), Meaningful: knowledge.MeaningfulTime(r.Kind), Actor: r.Actor, Counter: r.Epoch,
		Details: knowledge.EpochMetadata{
			Act: r.Act, Object: r.Object, ConceptsAdded: int(r.ConceptsAdded), ConceptsRemoved: int(r.ConceptsRemoved),
			EdgesSet: int(r.EdgesSet), EdgesRemoved: int(r.EdgesRemoved),
		},
	}
	if r.JobID != nil {
		e.Details.JobID = *r.JobID
	}
	return e
}

// maxChanges is how many changes of a concept are shown.
const maxChanges = 200

// ConceptLifetime returns a page of what a concept's life was. It returns CodeNotFound for a
// concept that has never been; of one that is gone it says where it went.
func (s EpochStore) ConceptLifetime(ctx context.Context, id string, limit, offset int) (knowledge.ConceptLifetime, error) {
	out := knowledge.ConceptLifetime{ConceptID: id, State: knowledge.ConceptActive, Limit: limit, Offset: offset, Quotes: []knowledge.LifetimeQuote{}}
	q := db.New(s.graph)
	if inNoRow(id) {
		return out, notFound("Concept not found: %s", id)
	}
	if err := lifetimeChanges(ctx, q, &out); err != nil {
		return out, translate(err, "read what was done to a concept")
	}
	row, err := q.ConceptLife(ctx, id)
	if isNoRows(err) {
		return out, gone(&out)
	}
	if err != nil {
		return out, translate(err, "read the life of a concept")
	}
	out.Label, out.CreatedBy, out.CreatedAt, out.LastAt = row.Label, row.CreationMethod, new(kappa.At(row.CreatedAt)), new(kappa.At(row.LastAt))
	out.Total, out.Documents, out.MergedInto = int(row.Quotes), int(row.Documents), nil
	if err := lifetimeQuotes(ctx, q, row.ID, &out); err != nil {
		return out, translate(err, "read the quotes of a concept")
	}
	return out, nil
}

// lifetimeQuotes reads the page of quotes, and the first of all.
func lifetimeQuotes(ctx context.Context, q *db.Queries, concept int32, out *knowledge.ConceptLifetime) error {
	rows, err := q.ConceptLifeQuotes(ctx, concept, int32(out.Offset), int32(out.Limit))
	if err != nil {
		return err
	}
	epochs := map[int64]bool{}
	for _, r := range rows {
		quote := toLifetimeQuote(r)
		if quote.Epoch == nil {
			out.Before++
		} else {
			epochs[r.Epoch] = true
		}
		out.Quotes = append(out.Quotes, quote)
	}
	out.Returned, out.Epochs, out.HasMore = len(rows), len(epochs), out.Offset+len(rows) < out.Total
	if out.Offset > 0 {
		if rows, err = q.ConceptLifeQuotes(ctx, concept, 0, 1); err != nil {
			return err
		}
	}
	if len(rows) > 0 {
		out.First = new(toLifetimeQuote(rows[0]))
	}
	return nil
}

func toLifetimeQuote(r db.ConceptLifeQuotesRow) knowledge.LifetimeQuote {
	quote := knowledge.LifetimeQuote{Quote: r.Quote, SourceID: r.SourceID, DocumentID: r.DocumentID, Filename: r.Filename, Ontology: r.Ontology, At: kappa.At(r.At)}
	if r.JobID != noteJob {
		quote.JobID = &r.JobID
	}
	if r.Epoch > 0 {
		quote.Epoch, quote.Kind, quote.Actor, quote.Meaningful = &r.Epoch, &r.Kind, &r.Actor, new(knowledge.MeaningfulTime(r.Kind))
	}
	return quote
}

// lifetimeChanges reads what was done to a concept by hand, and where it went if it is gone.
func lifetimeChanges(ctx context.Context, q *db.Queries, out *knowledge.ConceptLifetime) error {
	id := out.ConceptID
	merges, err := q.ConceptLifeMerges(ctx, id, maxChanges)
	if err != nil {
		return err
	}
	changes := []knowledge.LifetimeChange{}
	for _, m := range merges {
		c := knowledge.LifetimeChange{At: kappa.At(m.At), Act: "merge", By: m.MadeBy, Other: m.MergedID, Label: m.MergedLabel, Reason: m.Reason}
		if m.MergedID == id {
			c.Act, c.Other, c.Label = "merged_away", m.KeptID, m.KeptLabel
			out.Label = m.MergedLabel
			if m.UndoneAt == nil {
				out.MergedInto = &m.KeptID
			}
		}
		changes = append(changes, c)
		if m.UndoneAt != nil {
			changes = append(changes, knowledge.LifetimeChange{At: kappa.At(*m.UndoneAt), Act: "unmerge", Other: c.Other, Label: c.Label})
		}
	}
	acts, err := q.ConceptLifeActs(ctx, id, maxChanges)
	if err != nil {
		return err
	}
	for _, a := range acts {
		c := knowledge.LifetimeChange{At: kappa.At(a.At), Act: a.Action[len("concept."):], By: a.Username}
		var split knowledge.ConceptSplit
		if c.Act == "split" && json.Unmarshal(a.After, &split) == nil {
			c.Other, c.Label = split.New, split.NewLabel
		}
		changes = append(changes, c)
	}
	slices.SortStableFunc(changes, func(a, b knowledge.LifetimeChange) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	out.Changes = changes[:min(len(changes), maxChanges)]
	return nil
}

// gone says how a concept ended, or that it has never been.
func gone(out *knowledge.ConceptLifetime) error {
	switch {
	case out.MergedInto != nil:
		out.State = knowledge.ConceptMerged
	case len(out.Changes) > 0:
		out.State = knowledge.ConceptGone
	default:
		return notFound("Concept not found: %s", out.ConceptID)
	}
	return nil
}
