package ingest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// lossyStore writes a chunk and loses the first answer.
type lossyStore struct {
	repeatableStore
	state  json.RawMessage // stored
	chunks int             // calls of WriteChunk
}

func (s *lossyStore) WriteChunk(_ context.Context, _ work.Claim, _ knowledge.ChunkGraph, _ knowledge.Matcher, next func(corpus.Counts) work.Checkpoint) (corpus.Counts, error) {
	s.chunks++
	counts := corpus.Counts{SourcesCreated: 1}
	if s.state != nil {
		counts = corpus.Counts{} // it is there already
	}
	s.state = next(counts).State
	if s.chunks == 1 {
		return counts, kappa.NewError(kappa.CodeUnavailable, "away")
	}
	return counts, nil
}

func (s *lossyStore) StoredState(context.Context, work.Claim) (json.RawMessage, error) {
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
		counts, err := NewRetryingStore(s, untilAnswered).WriteChunk(t.Context(), work.Claim{}, knowledge.ChunkGraph{}, nil, func(n corpus.Counts) work.Checkpoint {
			state, _ := json.Marshal(n)
			return work.Checkpoint{State: state}
		})
		if err != nil || counts.SourcesCreated != 1 || s.chunks != 1 {
			t.Errorf("%+v after %d calls, %v; want what the first call counted", counts, s.chunks, err)
		}
	})
}
