package postgres

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// UnusedTypes returns the types that PruneTypes would remove, by name.
func (s VocabularyStore) UnusedTypes(ctx context.Context) ([]string, error) {
	names, err := db.New(s.graph).UnusedTypes(ctx)
	return names, translate(err, "list the relationship types that nothing uses")
}

// PruneTypes removes the types that documents brought in and that nothing needs any more,
// in one transaction with the checkpoint that next makes, and returns them by name. It
// returns ErrStale or ErrCancelled as Checkpoint does. A document that uses such a type
// again brings it back.
func (s VocabularyStore) PruneTypes(ctx context.Context, c *work.Claim, next func(names []string) work.Checkpoint) ([]string, error) {
	var names []string
	var done saved
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := lockToMerge(ctx, q); err != nil {
			return err
		}
		if c != nil {
			if err := fence(ctx, q, *c); err != nil {
				return err
			}
		}
		var err error
		if names, err = q.UnusedTypesDelete(ctx); err != nil || len(names) == 0 {
			return err
		}
		slices.Sort(names)
		if c != nil {
			done, err = checkpoint(ctx, q, *c, next(names))
		}
		return err
	})
	if err != nil {
		return nil, translate(err, "remove relationship types that nothing uses")
	}
	_ = s.announce(done) // the next call says it when the job was asked to stop meanwhile
	return names, nil
}
