package lanes

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// fakeCounts counts how often it folds, and fails the first time.
type fakeCounts struct{ folds, jobs int }

func (f *fakeCounts) FoldOntologyCounts(context.Context) (int, error) {
	if f.folds++; f.folds == 1 {
		return 0, errors.New("the database is away")
	}
	return 1, nil
}

func (f *fakeCounts) FoldJobCounts(context.Context) (int, error) {
	f.jobs++
	return 1, nil
}

func TestFolding(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCounts{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := NewFolding(FoldingConfig{Store: f, Log: quiet}).Run(ctx, 1); err != nil {
			t.Error(err)
		}
		if f.folds < 6 || f.folds > 60 || f.jobs != f.folds {
			t.Errorf("it has folded %d times within a minute, and jobs %d times", f.folds, f.jobs)
		}
	})
}
