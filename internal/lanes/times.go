package lanes

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// timesEvery is how often it is stored how long attempts took.
const timesEvery = time.Minute

// timesTimeout ends the storing at a stop.
const timesTimeout = 5 * time.Second

// TimesStore keeps how long attempts took.
type TimesStore interface {
	AddAttemptTimes(ctx context.Context, told []work.AttemptTimes) error
}

// Times counts how long the attempts of this process waited and ran, and stores that once a
// minute. Of a minute that could not be stored, the next one tells; a process that is killed
// tells nothing of its last minute.
type Times struct {
	store TimesStore
	log   *slog.Logger

	mu    sync.Mutex // guards taken
	taken map[[2]string]*work.AttemptTimes
}

// NewTimes returns a Times; Run makes it store.
func NewTimes(store TimesStore, log *slog.Logger) *Times {
	return &Times{store: store, log: log, taken: map[[2]string]*work.AttemptTimes{}}
}

// Ended counts an attempt.
func (t *Times) Ended(a work.EndedAttempt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := [2]string{a.Lane, a.JobType}
	of := t.taken[key]
	if of == nil {
		of = &work.AttemptTimes{Lane: a.Lane, JobType: a.JobType, Ended: map[work.AttemptOutcome]int64{}, Waited: work.Durations{}, Ran: work.Durations{}}
		t.taken[key] = of
	}
	of.Ended[a.Outcome]++
	of.Waited[work.BucketOf(a.Waited)]++
	of.Ran[work.BucketOf(a.Ran)]++
}

// Run stores once a minute until ctx ends, and then once more.
func (t *Times) Run(ctx context.Context) error {
	loop := kappa.Loop{Name: "storing how long attempts took", Every: timesEvery, Later: true, Log: t.log}
	err := loop.Run(ctx, t.tell)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), timesTimeout)
	defer cancel()
	if lost := t.tell(last); lost != nil {
		t.log.WarnContext(ctx, "how long the last attempts took is not stored", "err", lost)
	}
	return err
}

// tell stores what was counted since it was stored last.
func (t *Times) tell(ctx context.Context) error {
	t.mu.Lock()
	taken := t.taken
	t.taken = map[[2]string]*work.AttemptTimes{}
	t.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}
	told := make([]work.AttemptTimes, 0, len(taken))
	for _, of := range taken {
		told = append(told, *of)
	}
	err := t.store.AddAttemptTimes(ctx, told)
	if err != nil {
		t.restore(taken)
	}
	return err
}

// restore counts what could not be stored once more.
func (t *Times) restore(taken map[[2]string]*work.AttemptTimes) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, of := range taken {
		now := t.taken[key]
		if now == nil {
			t.taken[key] = of
			continue
		}
		now.Waited.Add(of.Waited)
		now.Ran.Add(of.Ran)
		for outcome, n := range of.Ended {
			now.Ended[outcome] += n
		}
	}
}
