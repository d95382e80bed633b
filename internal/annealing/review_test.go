package annealing

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
)

// decisions are proposals, and the jobs that execute them.
type decisions struct {
	mu     sync.Mutex
	unsent []kappa.ProposalJob
	linked map[int]string
	sent   []kappa.NewJob
	err    error // of SubmitJob
}

func (d *decisions) Proposal(context.Context, int) (kappa.OntologyProposal, error) {
	return kappa.OntologyProposal{}, nil
}

func (d *decisions) ReviewProposal(_ context.Context, v kappa.ProposalReview) (kappa.OntologyProposal, error) {
	return kappa.OntologyProposal{ID: v.ID, Status: v.Status}, nil
}

func (d *decisions) ProposalJob(_ context.Context, id int, jobID string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.linked == nil {
		d.linked = map[int]string{}
	}
	d.linked[id] = jobID
	return nil
}

func (d *decisions) UnsentProposals(_ context.Context, age time.Duration) ([]kappa.ProposalJob, error) {
	if age < time.Minute {
		return nil, errors.New("those that are being accepted are none")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.unsent
	if d.err == nil {
		d.unsent = nil
	}
	return list, nil
}

func (d *decisions) SubmitJob(_ context.Context, j kappa.NewJob) (kappa.Job, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return kappa.Job{}, d.err
	}
	d.sent = append(d.sent, j)
	return kappa.Job{ID: "job_1"}, nil
}

func TestReview(t *testing.T) {
	t.Parallel()
	for status, jobs := range map[string]int{kappa.ProposalApproved: 1, kappa.ProposalRejected: 0} {
		d := &decisions{}
		p, err := NewReviewer(d, d, slog.New(slog.DiscardHandler)).Review(t.Context(), kappa.ProposalReview{ID: 7, Status: status, By: "ada"}, 3)
		if err != nil || len(d.sent) != jobs || len(d.linked) != jobs || (p.JobID != nil) != (jobs > 0) {
			t.Errorf("%s: %+v, err %v, %d jobs", status, p, err, len(d.sent))
		}
		if jobs > 0 && (d.sent[0].UserID != 3 || !d.sent[0].AutoApprove || string(d.sent[0].Data) != `{"proposal_id":7,"triggered_by":"ada"}`) {
			t.Errorf("the job is %+v", d.sent[0])
		}
	}
	d := &decisions{}
	if _, err := NewReviewer(d, d, nil).Review(t.Context(), kappa.ProposalReview{ID: 7, Status: "perhaps"}, 3); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("perhaps: %v", err)
	}
}

// TestUnsent has a proposal whose job was never submitted get one by itself, also when the
// first try fails.
func TestUnsent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &decisions{unsent: []kappa.ProposalJob{{ProposalID: 7, TriggeredBy: "ada"}}, err: errors.New("the database is away")}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- NewReviewer(d, d, slog.New(slog.DiscardHandler)).Run(ctx) }()
		synctest.Wait()
		d.mu.Lock()
		d.err = nil
		d.mu.Unlock()
		time.Sleep(unsentEvery + time.Second) // fake time
		synctest.Wait()
		if len(d.sent) != 1 || d.sent[0].UserID != kappa.SystemUserID || !reflect.DeepEqual(d.linked, map[int]string{7: "job_1"}) {
			t.Errorf("sent %+v, linked %v", d.sent, d.linked)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
