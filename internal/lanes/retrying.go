package lanes

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	patientCall     = 10 * time.Second // limit of the first try; doubled each time, so that what takes long gets its time
	patientCallMost = 80 * time.Second
	patientRetry    = 100 * time.Millisecond // after a try that failed; doubled each time
	patientRetryMax = time.Second
	diskRetry       = 5 * time.Second // while the database's disk is full
)

// claimStore is what handlers ask of the store under their claims; see
// postgres.Store. All of it may be asked again.
type claimStore interface {
	Content(ctx context.Context, contentHash string) ([]byte, error)
	Checkpoint(ctx context.Context, c kappa.Claim, p kappa.Checkpoint) error
	Effect(ctx context.Context, c kappa.Claim, step string, p kappa.Checkpoint) error
	WriteChunk(ctx context.Context, c kappa.Claim, g kappa.ChunkGraph, next func(kappa.Counts) kappa.Checkpoint) (kappa.Counts, error)
	FinishDocument(ctx context.Context, c kappa.Claim, documentID, ontology string) error
	// StoredState returns the state of the last checkpoint, after what is on its
	// way for the job. It returns ErrStale and ErrCancelled as Checkpoint does.
	StoredState(ctx context.Context, c kappa.Claim) (json.RawMessage, error)
}

// Patient is the store for handlers: while the database is away, busy or full it
// tries again, and the handler waits instead of failing. How long is up to the
// context: that of a job ends when the worker has to give it up.
type Patient struct {
	store claimStore
	log   *slog.Logger
}

// NewPatient returns a Patient for handlers that work under claims.
func NewPatient(store claimStore, log *slog.Logger) *Patient {
	return &Patient{store: store, log: log}
}

// Content reads a document.
func (p *Patient) Content(ctx context.Context, contentHash string) (body []byte, err error) {
	err = p.try(ctx, "read a document", func(ctx context.Context) error {
		body, err = p.store.Content(ctx, contentHash)
		return err
	})
	return body, err
}

// Checkpoint stores a handler's state and progress.
func (p *Patient) Checkpoint(ctx context.Context, c kappa.Claim, checkpoint kappa.Checkpoint) error {
	return p.try(ctx, "store a checkpoint", func(ctx context.Context) error {
		return p.store.Checkpoint(ctx, c, checkpoint)
	})
}

// Effect records a step.
func (p *Patient) Effect(ctx context.Context, c kappa.Claim, step string, checkpoint kappa.Checkpoint) error {
	return p.try(ctx, "record an effect", func(ctx context.Context) error {
		return p.store.Effect(ctx, c, step, checkpoint)
	})
}

// WriteChunk writes a chunk. A try whose answer was lost may have written it:
// another one would count less, so it looks first whether its checkpoint is there.
func (p *Patient) WriteChunk(ctx context.Context, c kappa.Claim, g kappa.ChunkGraph, next func(kappa.Counts) kappa.Checkpoint) (counts kappa.Counts, err error) {
	var written *kappa.Checkpoint // perhaps, with tried
	var tried kappa.Counts
	err = p.try(ctx, "write a chunk", func(ctx context.Context) error {
		if written != nil {
			state, err := p.store.StoredState(ctx, c)
			if err != nil {
				return err
			}
			if sameJSON(state, written.State) {
				counts = tried
				return nil
			}
		}
		counts, err = p.store.WriteChunk(ctx, c, g, func(n kappa.Counts) kappa.Checkpoint {
			checkpoint := next(n)
			written, tried = &checkpoint, n
			return checkpoint
		})
		return err
	})
	return counts, err
}

// FinishDocument ends the ingestion of a document.
func (p *Patient) FinishDocument(ctx context.Context, c kappa.Claim, documentID, ontology string) error {
	return p.try(ctx, "finish a document", func(ctx context.Context) error {
		return p.store.FinishDocument(ctx, c, documentID, ontology)
	})
}

// try calls the store until it answers or ctx ends. It says once that it waits.
func (p *Patient) try(ctx context.Context, what string, call func(ctx context.Context) error) error {
	limit, wait := patientCall, patientRetry
	for first := true; ; first = false {
		callCtx, cancel := context.WithTimeout(ctx, limit)
		err := call(callCtx)
		cancel()
		if kappa.ErrorCode(err) != kappa.CodeUnavailable || ctx.Err() != nil {
			return err
		}
		if first {
			p.log.WarnContext(ctx, "a job waits for the database", "what", what, "err", err)
		}
		if errors.Is(err, kappa.ErrDiskFull) {
			wait = diskRetry
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(kappa.Jitter(wait)):
		}
		limit, wait = min(2*limit, patientCallMost), min(2*wait, patientRetryMax)
	}
}

// sameJSON reports whether two texts mean the same.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
