package vocabulary

import (
	"context"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// words keeps what curating changes.
type words interface {
	VocabularyWords(ctx context.Context, model string) ([]vocabulary.TypeWord, error)
	StoreCategories(ctx context.Context, words []vocabulary.TypeWord) error
	MergeTypes(ctx context.Context, m vocabulary.NewMerge, c *work.Claim, next func(id int) work.Checkpoint) (vocabulary.Merge, error)
	AddReviews(ctx context.Context, list []vocabulary.Review) error
	Reviews(ctx context.Context, status string) ([]vocabulary.Review, error)
	VocabularySettings(ctx context.Context) (vocabulary.Settings, error)
	// MergesMade returns what the merges of these numbers have done.
	MergesMade(ctx context.Context, ids []int) ([]curation.ExecutedMerge, error)
}

// unused are the types that nothing needs any more.
type unused interface {
	// UnusedTypes returns the types that PruneTypes would remove.
	UnusedTypes(ctx context.Context) ([]string, error)
	// PruneTypes removes them under the claim, with the checkpoint that next makes.
	PruneTypes(ctx context.Context, c *work.Claim, next func(names []string) work.Checkpoint) ([]string, error)
}

// embedAtOnce is how many types are embedded between two yields.
const embedAtOnce = 32

// Words returns the active types with their embeddings, which it makes where they are
// missing.
func (v *Vocabulary) Words(ctx context.Context) ([]vocabulary.TypeWord, error) {
	if _, err := v.Embed(ctx); err != nil {
		return nil, err
	}
	return v.cfg.Store.VocabularyWords(ctx, v.cfg.Embedder.Model().Name)
}

// Word returns an active type, in whatever case, and all of them. An unknown one is
// CodeNotFound.
func (v *Vocabulary) Word(ctx context.Context, name string) (vocabulary.TypeWord, []vocabulary.TypeWord, error) {
	all, err := v.Words(ctx)
	if err != nil {
		return vocabulary.TypeWord{}, nil, err
	}
	for _, w := range all {
		if w.Name == strings.ToUpper(name) {
			return w, all, nil
		}
	}
	return vocabulary.TypeWord{}, nil, kappa.NewError(kappa.CodeNotFound, "Relationship type '"+name+"' not found")
}

// RefreshCategories gives every type that is not built in the category that it is most
// like; with onlyComputed those only whose category is not one that a person gave. It calls
// each before the first type and after every one, whose error ends it: what was assigned
// until then is stored.
func (v *Vocabulary) RefreshCategories(ctx context.Context, onlyComputed bool, each func(done, of int) error) (vocabulary.RefreshedCategories, error) {
	var done vocabulary.RefreshedCategories
	all, err := v.Words(ctx)
	if err != nil {
		return done, err
	}
	var own []vocabulary.TypeWord
	for _, w := range all {
		if !w.Builtin && (!onlyComputed || w.Category == vocabulary.CategoryGenerated || w.Confidence != nil) {
			own = append(own, w)
		}
	}
	done.Skipped = len(all) - len(own)
	if err := each(0, len(own)); err != nil {
		return done, err
	}
	for i, w := range own {
		if err := v.sort(ctx, w, all, &done); err != nil {
			return done, err
		}
		if err := each(i+1, len(own)); err != nil {
			return done, err
		}
	}
	return done, nil
}

// sort gives a type the category that it is most like, and counts it.
func (v *Vocabulary) sort(ctx context.Context, w vocabulary.TypeWord, all []vocabulary.TypeWord, done *vocabulary.RefreshedCategories) error {
	scores, ok := vocabulary.ScoreCategories(w, all)
	if !ok {
		done.Failed++
		return nil
	}
	w.Category, w.Confidence, w.Ambiguous = scores.Category, &scores.Confidence, scores.Ambiguous
	if err := v.cfg.Store.StoreCategories(ctx, []vocabulary.TypeWord{w}); err != nil {
		return err
	}
	if scores.Ambiguous {
		done.Ambiguous++
	}
	done.Assigned = append(done.Assigned, scores)
	return nil
}

// EmbedAll embeds the types that have no embedding of the model, or one of another text,
// or without onlyMissing all of them. It calls each before the first batch and after every
// one; what was embedded until its error is stored. skipped are the types that it left.
func (v *Vocabulary) EmbedAll(ctx context.Context, onlyMissing bool, each func(done, of int) error) (embedded, skipped int, err error) {
	embedder := models.PinnedEmbedder(v.cfg.Embedder)
	model := embedder.Model().Name
	types, err := v.cfg.Store.TypeVectors(ctx, model)
	if err != nil {
		return 0, 0, err
	}
	var stale []vocabulary.TypeVector
	for _, t := range types {
		if !onlyMissing || t.Embedding == nil || t.Text != t.WantedText() {
			stale = append(stale, t)
		}
	}
	skipped = len(types) - len(stale)
	if err := each(0, len(stale)); err != nil {
		return 0, skipped, err
	}
	for embedded < len(stale) {
		batch := stale[embedded:min(len(stale), embedded+embedAtOnce)]
		texts := make([]string, len(batch))
		for i, t := range batch {
			texts[i] = t.WantedText()
		}
		vectors, err := embedder.Embed(ctx, texts)
		if err != nil {
			return embedded, skipped, err
		}
		for i := range batch {
			batch[i].Embedding, batch[i].Text, batch[i].Projection = vectors[i], texts[i], nil
		}
		if err := v.cfg.Store.StoreTypeVectors(ctx, model, batch); err != nil {
			return embedded, skipped, err
		}
		embedded += len(batch)
		if err := each(embedded, len(stale)); err != nil {
			return embedded, skipped, err
		}
	}
	_, err = v.Embed(ctx) // projects all of them on the axis anew
	return embedded, skipped, err
}
