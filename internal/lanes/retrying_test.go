package lanes

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
)

// awayStore answers each call with the next of its errors, and then with none.
type awayStore struct {
	errs  []error
	calls int
	hang  bool // calls end with their contexts only
}

func (s *awayStore) next(ctx context.Context) error {
	s.calls++
	if s.hang {
		<-ctx.Done()
		return kappa.NewError(kappa.CodeUnavailable, "took too long")
	}
	if len(s.errs) == 0 {
		return nil
	}
	err := s.errs[0]
	s.errs = s.errs[1:]
	return err
}

func TestRetrying(t *testing.T) {
	away := kappa.NewError(kappa.CodeUnavailable, "away")
	full := &kappa.Error{Code: kappa.CodeUnavailable, Err: kappa.ErrDiskFull}
	store := func(ctx context.Context, s *awayStore) error {
		return Retrying(quiet)(ctx, "store a checkpoint", s.next)
	}
	for _, c := range []struct {
		name        string
		errs        []error
		want        error
		calls       int
		least, most time.Duration
	}{
		{"what works is asked once", nil, nil, 1, 0, 0},
		{"while the database is away it tries again", []error{away, away, away}, nil, 4, 600 * time.Millisecond, 800 * time.Millisecond},
		{"while the disk is full it tries again rarely", []error{full, full}, nil, 3, 9 * time.Second, 11 * time.Second},
		{"after the disk was full it is away", []error{full, away}, nil, 3, 5 * time.Second, 7 * time.Second},
		{"a stale claim is an answer", []error{away, kappa.ErrStale}, kappa.ErrStale, 2, 0, time.Second},
		{"a cancel is an answer", []error{kappa.ErrCancelled}, kappa.ErrCancelled, 1, 0, 0},
		{"what is refused is not tried again", []error{errors.ErrUnsupported}, errors.ErrUnsupported, 1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &awayStore{errs: c.errs}
				began := time.Now()
				if err := store(t.Context(), s); !errors.Is(err, c.want) || s.calls != c.calls {
					t.Errorf("%d calls and %v, want %d and %v", s.calls, err, c.calls, c.want)
				}
				if took := time.Since(began); took < c.least || took > c.most {
					t.Errorf("took %s, want %s to %s", took, c.least, c.most)
				}
			})
		})
	}

	t.Run("it waits until the worker gives the job up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, giveUp := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Minute, func() { giveUp(kappa.ErrLeaseLost) })
			s := &awayStore{hang: true}
			if err := store(ctx, s); !errors.Is(err, kappa.ErrLeaseLost) && !errors.Is(context.Cause(ctx), kappa.ErrLeaseLost) {
				t.Errorf("it ended with %v", err)
			}
			if s.calls != 3 { // after 10 s, 20 s and, cut short, 40 s
				t.Errorf("a store that hangs was asked %d times, want 3", s.calls)
			}
		})
	})
}
