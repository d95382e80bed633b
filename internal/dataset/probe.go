package dataset

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/frame"
	"github.com/kappagraph/kappa/internal/sandbox"
)

// How long a worker may take to answer a question that costs nothing, and how long the
// outcome is given to whoever asks after it.
const (
	probeTime   = 5 * time.Second
	probedLasts = time.Second
)

// probe is the outcome of the last question that was asked in order to see whether one is
// answered. One is asked at a time, however many want to know.
type probe struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

// Probe asks a worker a question, as a user would, and returns what keeps questions from
// being answered, in words that say what to do; or nil.
func (p *Pool) Probe(ctx context.Context) error {
	if err := p.available(); err != nil {
		return err
	}
	p.probe.mu.Lock()
	defer p.probe.mu.Unlock()
	if !p.probe.at.IsZero() && time.Since(p.probe.at) < probedLasts {
		return p.probe.err
	}
	limited, cancel := context.WithTimeout(ctx, p.cfg.probe)
	defer cancel()
	a, err := p.Do(limited, frame.Request{Op: frame.OpQuery, SQL: "SELECT 1 AS one", Limit: 1})
	if err == nil && a.Rows == nil {
		err = errNothing
	}
	if ctx.Err() != nil {
		return context.Cause(ctx) // who asked has gone, which says nothing
	}
	p.probe.at, p.probe.err = time.Now(), p.mend(err)
	return p.probe.err
}

// mend says of a question of ours that failed what to do about it.
func (p *Pool) mend(err error) error {
	var todo string
	known, ok := errors.AsType[*datasets.Error](err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sandbox.ErrNotStarted):
		return kappa.NewError(kappa.CodeUnavailable, "a dataset worker could not be started: "+err.Error()+
			"; see whether "+p.cfg.Bin+" runs here, and build it with make build or set KG_DATASET_BIN")
	case ok && known.Code == kappa.CodeUnavailable:
		todo = "the workers are busy with questions of others; raise KG_DATASET_WORKERS, or lower KG_DATASET_SECONDS"
	case ok && known.Type == datasets.ErrTimeout:
		todo = "the machine is short of processors or memory, or a worker hangs; read the server's log, and restart the server"
	case ok && known.Type == datasets.ErrMemory:
		todo = "raise KG_DATASET_MEMORY_BYTES, or give the server more memory"
	default:
		todo = "read the server's log"
	}
	return kappa.NewError(kappa.CodeUnavailable, "a question to no dataset, SELECT 1, was not answered: "+kappa.ErrorMessage(err)+"; "+todo)
}
