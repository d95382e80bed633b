package graph

import (
	"context"
	"sync"
	"time"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// thresholdAge is for how long a threshold is taken as it was read: another server may
// set one.
const thresholdAge = time.Second

// thresholds keep the threshold of searches.
type thresholds interface {
	SearchThreshold(ctx context.Context) (*float64, error)
	SetSearchThreshold(ctx context.Context, threshold float64) error
}

// Threshold is the threshold of searches, which is set while servers run. What one server
// sets holds there at once, and on the others a second later at the most.
type Threshold struct {
	store thresholds

	mu     sync.Mutex
	known  questions.SearchThreshold
	readAt time.Time
}

// NewThreshold returns the threshold that a store keeps.
func NewThreshold(store thresholds) *Threshold { return &Threshold{store: store} }

// Show returns the threshold as it is stored.
func (t *Threshold) Show(ctx context.Context) (questions.SearchThreshold, error) {
	began := time.Now()
	set, err := t.store.SearchThreshold(ctx)
	if err != nil {
		return questions.SearchThreshold{}, err
	}
	known := questions.SearchThreshold{Key: questions.SearchThresholdKey, Threshold: set, Fallback: questions.DefaultSimilarity}
	t.remember(known, began)
	return known, nil
}

// Set stores another threshold. It returns a CodeInvalid Error unless it is 0 to 1.
func (t *Threshold) Set(ctx context.Context, threshold float64) (questions.SearchThreshold, error) {
	if err := questions.CheckSearchThreshold(threshold); err != nil {
		return questions.SearchThreshold{}, err
	}
	if err := t.store.SetSearchThreshold(ctx, threshold); err != nil {
		return questions.SearchThreshold{}, err
	}
	return t.Show(ctx)
}

// inForce returns the threshold that holds for a search that begins now.
func (t *Threshold) inForce(ctx context.Context) (float64, error) {
	if t == nil {
		return questions.DefaultSimilarity, nil
	}
	t.mu.Lock()
	known, age := t.known, time.Since(t.readAt)
	t.mu.Unlock()
	if age < thresholdAge {
		return known.InForce(), nil
	}
	known, err := t.Show(ctx)
	return known.InForce(), err
}

// remember keeps what was read, unless something was read that began later.
func (t *Threshold) remember(known questions.SearchThreshold, began time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if began.After(t.readAt) {
		t.known, t.readAt = known, began
	}
}
