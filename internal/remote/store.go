package remote

import (
	"context"

	"github.com/kappagraph/kappa/work"
)

// store is what a Server keeps in the database.
type store interface {
	workers
	queue
	runs
	results
}

// workers are the connections of workers, and their leases.
type workers interface {
	Connect(ctx context.Context, h work.RemoteHello) (work.RemoteOpened, error)
	Known(ctx context.Context, identity string) (work.KnownWorker, error)
	Join(ctx context.Context, c work.RemoteConnection, j work.RemoteProfile) error
	Extend(ctx context.Context, connections []work.RemoteConnection) (map[string]work.RemoteExtended, error)
	Seen(ctx context.Context, seen []work.RemoteSeen) (map[string]work.RemoteOrders, error)
	Orders(ctx context.Context, workerID string) (work.RemoteOrders, error)
	Disconnect(ctx context.Context, c work.RemoteConnection) error
	Held(ctx context.Context, workers ...string) ([]work.HeldRun, error)
}

// queue is what waits, and claims of it.
type queue interface {
	Marks(ctx context.Context) ([]work.WaitingPair, error)
	Claim(ctx context.Context, r work.RemoteClaimRequest) ([]work.RemoteClaimed, error)
	Confirm(ctx context.Context, runs []work.RunKey) (map[int64]work.ConfirmedRun, error)
	Finish(ctx context.Context, outcomes []work.RunOutcome) (map[int64]work.RunEnd, error)
}

// runs are the attempts that workers hold.
type runs interface {
	RunState(ctx context.Context, identity, jobID string, token int64) (work.RunState, error)
	Input(ctx context.Context, run work.RunKey) (work.RunInput, error)
	Checkpoint(ctx context.Context, run work.RunKey, seq int64, p work.Checkpoint) error
	Progress(ctx context.Context, run work.RunKey, p work.Progress) error
	Late(ctx context.Context, token int64, reason string) error
	AddLog(ctx context.Context, run work.RunKey, lines []work.RunLogLine) error
	LastLogLine(ctx context.Context, run work.RunKey) (int, error)
}

// results are what runs of the compatible profile leave behind.
type results interface {
	StartStep(ctx context.Context, run work.RunKey, step work.RunStep) error
	CompleteStep(ctx context.Context, run work.RunKey, step work.RunStep) error
	OpenStep(ctx context.Context, run work.RunKey, planJob string) (string, error)
	AddDataclip(ctx context.Context, run work.RunKey, id, body string, isJSON bool) error
	Dataclip(ctx context.Context, jobID, id string) (string, error)
	UploadedDataclip(ctx context.Context, jobID, id string) ([]byte, error)
	Steps(ctx context.Context, jobID string) ([]work.RunStep, error)
	Secret(ctx context.Context, name string) ([]byte, error)
}
