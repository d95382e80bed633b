package lanes

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
)

// awayStore answers each call with the next of its errors, and then with none.
type awayStore struct {
	errs   []error
	calls  int
	chunks int             // calls of WriteChunk
	state  json.RawMessage // stored
	hang   bool            // calls end with their contexts only
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

func (s *awayStore) Content(ctx context.Context, _ string) ([]byte, error) {
	return []byte("text"), s.next(ctx)
}

func (s *awayStore) Checkpoint(ctx context.Context, _ kappa.Claim, _ kappa.Checkpoint) error {
	return s.next(ctx)
}

func (s *awayStore) Effect(ctx context.Context, _ kappa.Claim, _ string, _ kappa.Checkpoint) error {
	return s.next(ctx)
}

func (s *awayStore) WriteChunk(ctx context.Context, _ kappa.Claim, _ kappa.ChunkGraph, next func(kappa.Counts) kappa.Checkpoint) (kappa.Counts, error) {
	s.chunks++
	counts := kappa.Counts{SourcesCreated: 1}
	if s.state != nil {
		counts = kappa.Counts{} // it is there already
	}
	s.state = next(counts).State
	return counts, s.next(ctx)
}

func (s *awayStore) FinishDocument(ctx context.Context, _ kappa.Claim, _, _ string) error {
	return s.next(ctx)
}

func (s *awayStore) StoredState(ctx context.Context, _ kappa.Claim) (json.RawMessage, error) {
	return s.state, s.next(ctx)
}

func TestPatient(t *testing.T) {
	away := kappa.NewError(kappa.CodeUnavailable, "away")
	full := &kappa.Error{Code: kappa.CodeUnavailable, Err: kappa.ErrDiskFull}
	checkpoint := func(ctx context.Context, s *awayStore) error {
		return NewPatient(s, quiet).Checkpoint(ctx, kappa.Claim{}, kappa.Checkpoint{})
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
				if err := checkpoint(t.Context(), s); !errors.Is(err, c.want) || s.calls != c.calls {
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
			if err := checkpoint(ctx, s); !errors.Is(err, kappa.ErrLeaseLost) && !errors.Is(context.Cause(ctx), kappa.ErrLeaseLost) {
				t.Errorf("it ended with %v", err)
			}
			if s.calls != 3 { // after 10 s, 20 s and, cut short, 40 s
				t.Errorf("a store that hangs was asked %d times, want 3", s.calls)
			}
		})
	})

	t.Run("a chunk that was written before its answer was lost counts as it did", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &awayStore{errs: []error{away}}
			counts, err := NewPatient(s, quiet).WriteChunk(t.Context(), kappa.Claim{}, kappa.ChunkGraph{}, func(n kappa.Counts) kappa.Checkpoint {
				state, _ := json.Marshal(n)
				return kappa.Checkpoint{State: state}
			})
			if err != nil || counts.SourcesCreated != 1 || s.chunks != 1 {
				t.Errorf("%+v after %d times, %v; want what the first time counted", counts, s.chunks, err)
			}
		})
	})
}
