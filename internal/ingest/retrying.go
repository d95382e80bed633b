package ingest

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// repeatableStore is a store whose calls may be repeated; see package postgres.
type repeatableStore interface {
	handlerStore
	// StoredState returns the state of the last checkpoint, after the writes for
	// the job that are under way. It returns ErrStale and ErrCancelled as WriteChunk
	// does.
	StoredState(ctx context.Context, claim work.Claim) (json.RawMessage, error)
}

// RetryingStore is a Handler's store that waits while the database is away, for as
// long as the context of the job allows.
type RetryingStore struct {
	store repeatableStore
	retry work.Retrying
}

// NewRetryingStore returns a store that makes its calls with retry.
func NewRetryingStore(store repeatableStore, retry work.Retrying) *RetryingStore {
	return &RetryingStore{store: store, retry: retry}
}

// IngestionDocument reads what the submission of a job said about the document.
func (s *RetryingStore) IngestionDocument(ctx context.Context, claim work.Claim) (d work.JobDocument, err error) {
	err = s.retry(ctx, "read the document of a job", func(ctx context.Context) error {
		d, err = s.store.IngestionDocument(ctx, claim)
		return err
	})
	return d, err
}

// Content reads a document.
func (s *RetryingStore) Content(ctx context.Context, contentHash string) (body []byte, err error) {
	err = s.retry(ctx, "read a document", func(ctx context.Context) error {
		body, err = s.store.Content(ctx, contentHash)
		return err
	})
	return body, err
}

// WriteChunk writes a chunk. A call whose answer was lost may have written it, and
// to write it again counts less: so a further call first compares the stored
// checkpoint with its own.
func (s *RetryingStore) WriteChunk(ctx context.Context, claim work.Claim, g knowledge.ChunkGraph, m knowledge.Matcher, next func(corpus.Counts) work.Checkpoint) (counts corpus.Counts, err error) {
	var unconfirmed *work.Checkpoint // of the call whose answer was lost
	var counted corpus.Counts        // by that call
	err = s.retry(ctx, "write a chunk", func(ctx context.Context) error {
		if unconfirmed != nil {
			state, err := s.store.StoredState(ctx, claim)
			if err != nil {
				return err
			}
			if sameJSON(state, unconfirmed.State) {
				counts = counted
				return nil
			}
		}
		counts, err = s.store.WriteChunk(ctx, claim, g, m, func(n corpus.Counts) work.Checkpoint {
			checkpoint := next(n)
			unconfirmed, counted = &checkpoint, n
			return checkpoint
		})
		return err
	})
	return counts, err
}

// Standing says what stands of the document of a job.
func (s *RetryingStore) Standing(ctx context.Context, claim work.Claim, d corpus.Document) (standing corpus.Standing, err error) {
	err = s.retry(ctx, "see what stands of a document", func(ctx context.Context) error {
		standing, err = s.store.Standing(ctx, claim, d)
		return err
	})
	return standing, err
}

// WriteVersion writes a document at once. A call whose answer was lost may have written it; see
// WriteChunk.
func (s *RetryingStore) WriteVersion(ctx context.Context, claim work.Claim, v knowledge.DocumentVersion, next func([]corpus.Counts) work.Checkpoint) (replaced, missing []string, err error) {
	var unconfirmed *work.Checkpoint
	err = s.retry(ctx, "write a document", func(ctx context.Context) error {
		if unconfirmed != nil {
			state, err := s.store.StoredState(ctx, claim)
			if err != nil {
				return err
			}
			if sameJSON(state, unconfirmed.State) {
				replaced, missing = nil, nil // which those were the job does not know any more
				return nil
			}
		}
		replaced, missing, err = s.store.WriteVersion(ctx, claim, v, func(n []corpus.Counts) work.Checkpoint {
			checkpoint := next(n)
			unconfirmed = &checkpoint
			return checkpoint
		})
		return err
	})
	return replaced, missing, err
}

// StoredReading returns what a reader has found before in the same text.
func (s *RetryingStore) StoredReading(ctx context.Context, text, reader string) (found []byte, err error) {
	err = s.retry(ctx, "find an earlier reading", func(ctx context.Context) error {
		found, err = s.store.StoredReading(ctx, text, reader)
		return err
	})
	return found, err
}

// FinishDocument ends the ingestion of a document.
func (s *RetryingStore) FinishDocument(ctx context.Context, claim work.Claim, f corpus.Finishing, embedded knowledge.NewEmbeddings) (replaced, missing []string, err error) {
	err = s.retry(ctx, "finish a document", func(ctx context.Context) error {
		replaced, missing, err = s.store.FinishDocument(ctx, claim, f, embedded)
		return err
	})
	return replaced, missing, err
}

// sameJSON reports whether two texts mean the same.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
