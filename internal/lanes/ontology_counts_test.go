package lanes

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// fakeCounts counts how often it folds, and fails the first time.
type fakeCounts struct{ folds int }

func (f *fakeCounts) FoldOntologyCounts(context.Context) (int, error) {
	if f.folds++; f.folds == 1 {
		return 0, errors.New("the database is away")
	}
	return 1, nil
}

func TestOntologyCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCounts{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := NewOntologyCounts(OntologyCountsConfig{Store: f, Log: quiet}).Run(ctx, 1); err != nil {
			t.Error(err)
		}
		if f.folds < 6 || f.folds > 60 {
			t.Errorf("it has folded %d times within a minute", f.folds)
		}
	})
}
