package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// storedChecker reads what is stored, step by step; see postgres.IntegrityStore.
type storedChecker interface {
	StoredRows(ctx context.Context) (map[string]int, error)
	CheckStored(ctx context.Context, part, after string) (storage.Step, error)
}

// maxFaultsKept is how many faults the result of a check names; all are counted.
const maxFaultsKept = 200

// storageCheckData is the data of a job of the type storage_check.
type storageCheckData struct {
	Parts []string `json:"parts"` // empty: all
}

// storageCheckState is the checkpoint: where the next step begins, and what was found before.
type storageCheckState struct {
	Done    int             `json:"done"`  // parts
	After   string          `json:"after"` // in the part after those
	Checked map[string]int  `json:"checked"`
	Faults  []storage.Fault `json:"faults"`
	Count   int             `json:"fault_count"`
}

// storageCheckResult is the result.
type storageCheckResult struct {
	Success    bool            `json:"success"`
	Consistent bool            `json:"consistent"` // nothing is wrong
	Checked    map[string]int  `json:"checked"`    // rows, by part
	FaultCount int             `json:"fault_count"`
	Faults     []storage.Fault `json:"faults"` // the first 200
}

// NewStorageCheck returns the job type storage_check: it reads all of what is stored and
// checks the hash of every document, the offsets and hashes of every chunk, that every quote
// and every sentence of a relationship stands where it says, that embeddings are of their
// texts, and that files are whole. It changes nothing. It yields after every step, which
// reads a bounded number of rows; an attempt after one that was interrupted goes on there.
func NewStorageCheck(store storedChecker, claims checkpointer, retry work.Retrying) work.JobType {
	read := dataOf(storageCheckData{}, `{"parts": ["documents", "quotes"]}`, func(data storageCheckData) error {
		return storage.CheckParts("body", "data.parts", data.Parts)
	})
	return typed(work.JobType{
		Name: storage.TypeCheck, Summary: "Reads all of what is stored, and says what is damaged.", Lane: "maintenance", Permission: access.StorageRead,
		Schedulable: true, Retryable: true, Resumable: true,
	}, read, func(ctx context.Context, c work.Claim, data storageCheckData) (any, error) {
		run := storageCheck{store: store, claims: claims, retry: retry, claim: c, parts: data.Parts}
		if len(run.parts) == 0 {
			run.parts = storage.Parts()
		}
		_, err := resume(c, &run.state)
		if err == nil {
			err = run.all(ctx)
		}
		s := run.state
		return storageCheckResult{Success: true, Consistent: s.Count == 0, Checked: s.Checked, FaultCount: s.Count, Faults: append([]storage.Fault{}, s.Faults...)}, err
	})
}

// storageCheck is one attempt.
type storageCheck struct {
	store  storedChecker
	claims checkpointer
	retry  work.Retrying
	claim  work.Claim
	parts  []string
	state  storageCheckState
	total  int       // rows of all parts, about
	saved  time.Time // when the last checkpoint was stored
	most   int       // percent that was said
}

func (r *storageCheck) all(ctx context.Context) error {
	rows, err := r.store.StoredRows(ctx)
	if err != nil {
		return err
	}
	for _, part := range r.parts {
		r.total += rows[part]
	}
	if r.state.Checked == nil {
		r.state.Checked = map[string]int{}
	}
	for r.state.Done < len(r.parts) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := r.step(ctx, r.parts[r.state.Done]); err != nil {
			return err
		}
	}
	return r.save(ctx, "done")
}

// step does one step, and stores where the next one begins when some time has passed.
func (r *storageCheck) step(ctx context.Context, part string) error {
	var found storage.Step
	err := r.retry(ctx, "check what is stored", func(ctx context.Context) (err error) {
		found, err = r.store.CheckStored(ctx, part, r.state.After)
		return err
	})
	if err != nil {
		return err
	}
	s := &r.state
	s.Checked[part] += found.Checked
	s.Count += len(found.Faults)
	s.Faults = append(s.Faults, found.Faults[:min(len(found.Faults), maxFaultsKept-len(s.Faults))]...)
	s.After = found.Next
	if found.Next == "" {
		s.Done++
	}
	if time.Since(r.saved) < yieldEvery {
		return nil
	}
	return r.save(ctx, part)
}

// save stores a checkpoint, and says how far the check is.
func (r *storageCheck) save(ctx context.Context, part string) error {
	state, err := json.Marshal(r.state)
	if err != nil {
		return fmt.Errorf("encode the checkpoint: %w", err)
	}
	done := 0
	for _, n := range r.state.Checked {
		done += n
	}
	total := max(r.total, done)
	r.most = max(r.most, min(99, work.PercentDone(done, total)))
	if r.state.Done == len(r.parts) {
		total, r.most = done, 100
	}
	p := work.Progress{Stage: "checking " + part, Percent: r.most, ItemsTotal: total, ItemsProcessed: done}
	if part == "done" {
		p.Stage = part
	}
	p.Counters = work.Counters{{Name: "faults", Value: r.state.Count}}
	r.saved = time.Now()
	return r.retry(ctx, "store a checkpoint", func(ctx context.Context) error {
		return r.claims.Checkpoint(ctx, r.claim, work.Checkpoint{State: state, Progress: p, Emit: true})
	})
}
