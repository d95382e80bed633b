package remote

import (
	"context"

	"github.com/kappagraph/kappa"
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
	Connect(ctx context.Context, h kappa.RemoteHello) (kappa.RemoteOpened, error)
	Known(ctx context.Context, identity string) (kappa.KnownWorker, error)
	Join(ctx context.Context, c kappa.RemoteConnection, j kappa.RemoteProfile) error
	Extend(ctx context.Context, connections []kappa.RemoteConnection) (map[string]kappa.RemoteExtended, error)
	Seen(ctx context.Context, seen []kappa.RemoteSeen) (map[string]kappa.RemoteOrders, error)
	Orders(ctx context.Context, workerID string) (kappa.RemoteOrders, error)
	Disconnect(ctx context.Context, c kappa.RemoteConnection) error
	Held(ctx context.Context, workers ...string) ([]kappa.HeldRun, error)
}

// queue is what waits, and claims of it.
type queue interface {
	Marks(ctx context.Context) ([]kappa.WaitingPair, error)
	Claim(ctx context.Context, r kappa.RemoteClaimRequest) ([]kappa.RemoteClaimed, error)
	Confirm(ctx context.Context, runs []kappa.RunKey) (map[int64]kappa.ConfirmedRun, error)
	Finish(ctx context.Context, outcomes []kappa.RunOutcome) (map[int64]kappa.Status, error)
}

// runs are the attempts that workers hold.
type runs interface {
	RunState(ctx context.Context, identity, jobID string, token int64) (kappa.RunState, error)
	Input(ctx context.Context, run kappa.RunKey) (kappa.RunInput, error)
	Checkpoint(ctx context.Context, run kappa.RunKey, seq int64, p kappa.Checkpoint) error
	Progress(ctx context.Context, run kappa.RunKey, p kappa.Progress) error
	Late(ctx context.Context, token int64, reason string) error
	AddLog(ctx context.Context, run kappa.RunKey, lines []kappa.RunLogLine) error
	LastLogLine(ctx context.Context, run kappa.RunKey) (int, error)
}

// results are what runs of the compatible profile leave behind.
type results interface {
	StartStep(ctx context.Context, run kappa.RunKey, step kappa.RunStep) error
	CompleteStep(ctx context.Context, run kappa.RunKey, step kappa.RunStep) error
	OpenStep(ctx context.Context, run kappa.RunKey, planJob string) (string, error)
	AddDataclip(ctx context.Context, run kappa.RunKey, id, body string, isJSON bool) error
	Dataclip(ctx context.Context, jobID, id string) (string, error)
	UploadedDataclip(ctx context.Context, jobID, id string) ([]byte, error)
	Steps(ctx context.Context, jobID string) ([]kappa.RunStep, error)
	Secret(ctx context.Context, name string) ([]byte, error)
}
