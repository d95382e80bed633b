package jobs

import (
	"context"
	"fmt"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
)

const (
	// mostRefused is how many texts a model may refuse, one after the other and as the first
	// ones that it is given, before it is taken to refuse everything.
	mostRefused = 8
	// leastEmbedded is how short a text becomes, in bytes, that a model refuses for its length.
	leastEmbedded = 200
)

// embedEach embeds texts as far as a model takes them. One text that it refuses, as one longer
// than it reads, keeps no other from being embedded: it is tried by itself, and then by ever
// less of its beginning. What is refused all the same is nil in the list, and refused is why.
// The error is one that another try may mend, or that of a model that takes none of the texts.
func embedEach(ctx context.Context, e models.Embedder, texts []string) (all []models.Embedding, refused, err error) {
	x := eachEmbedding{embedder: e, texts: texts, all: make([]models.Embedding, len(texts))}
	err = x.between(ctx, 0, len(texts))
	return x.all, x.why, err
}

// eachEmbedding is one call of embedEach.
type eachEmbedding struct {
	embedder models.Embedder
	texts    []string
	all      []models.Embedding
	taken    bool // at least one
	refused  int
	why      error // the last one was refused
}

// between embeds the texts from one place to before another.
func (x *eachEmbedding) between(ctx context.Context, from, to int) error {
	embeddings, err := x.embed(ctx, x.texts[from:to])
	switch {
	case err == nil:
		copy(x.all[from:to], embeddings)
		x.taken = true
		return nil
	case !isRefusal(err):
		return err
	case to-from == 1:
		return x.shorter(ctx, from, err)
	}
	middle := from + (to-from)/2
	if err := x.between(ctx, from, middle); err != nil {
		return err
	}
	return x.between(ctx, middle, to)
}

// shorter embeds as much of the beginning of a text as the model takes.
func (x *eachEmbedding) shorter(ctx context.Context, at int, why error) error {
	for text := x.texts[at]; len(text) > leastEmbedded; {
		text = strings.ToValidUTF8(text[:len(text)/2], "")
		embeddings, err := x.embed(ctx, []string{text})
		if err == nil {
			x.all[at], x.taken = embeddings[0], true
			return nil
		}
		if why = err; !isRefusal(err) {
			return err
		}
	}
	x.refused, x.why = x.refused+1, why
	if !x.taken && x.refused >= min(mostRefused, len(x.texts)) {
		return why
	}
	return nil
}

func (x *eachEmbedding) embed(ctx context.Context, texts []string) ([]models.Embedding, error) {
	embeddings, err := x.embedder.Embed(ctx, texts)
	if err == nil && len(embeddings) != len(texts) {
		err = kappa.Permanent(fmt.Errorf("model %s returned %d embeddings for %d texts", x.embedder.Model().Name, len(embeddings), len(texts)))
	}
	return embeddings, err
}

// isRefusal reports whether a model refuses what it was given, or answers it with what cannot
// be used: it does so again, and takes other texts.
func isRefusal(err error) bool {
	return kappa.ErrorCode(err) == kappa.CodeUpstream && !kappa.Retryable(err)
}
