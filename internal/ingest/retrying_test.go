package ingest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/kappagraph/kappa"
)

// lossyStore writes a chunk and loses the first answer.
type lossyStore struct {
	repeatableStore
	state  json.RawMessage // stored
	chunks int             // calls of WriteChunk
}

func (s *lossyStore) WriteChunk(_ context.Context, _ kappa.Claim, _ kappa.ChunkGraph, _ kappa.Matcher, next func(kappa.Counts) kappa.Checkpoint) (kappa.Counts, error) {
	s.chunks++
	counts := kappa.Counts{SourcesCreated: 1}
	if s.state != nil {
		counts = kappa.Counts{} // it is there already
	}
	s.state = next(counts).State
	if s.chunks == 1 {
		return counts, kappa.NewError(kappa.CodeUnavailable, "away")
	}
	return counts, nil
}

func (s *lossyStore) StoredState(context.Context, kappa.Claim) (json.RawMessage, error) {
	return s.state, nil
}

func TestRetryingStore(t *testing.T) {
	t.Parallel()
	untilAnswered := func(ctx context.Context, _ string, call func(context.Context) error) error {
		for {
			if err := call(ctx); kappa.ErrorCode(err) != kappa.CodeUnavailable {
				return err
			}
		}
	}
	t.Run("a chunk that was written before its answer was lost counts as it did", func(t *testing.T) {
		t.Parallel()
		s := &lossyStore{}
		counts, err := NewRetryingStore(s, untilAnswered).WriteChunk(t.Context(), kappa.Claim{}, kappa.ChunkGraph{}, nil, func(n kappa.Counts) kappa.Checkpoint {
			state, _ := json.Marshal(n)
			return kappa.Checkpoint{State: state}
		})
		if err != nil || counts.SourcesCreated != 1 || s.chunks != 1 {
			t.Errorf("%+v after %d calls, %v; want what the first call counted", counts, s.chunks, err)
		}
	})
}
