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
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/work"
)

// decisions are proposals, and the jobs that execute them.
type decisions struct {
	mu     sync.Mutex
	unsent []curation.ProposalJob
	linked map[int]string
	sent   []work.NewJob
	err    error // of SubmitJob
}

func (d *decisions) Proposal(context.Context, int) (curation.Proposal, error) {
	return curation.Proposal{}, nil
}

func (d *decisions) ReviewProposal(_ context.Context, v curation.ProposalReview) (curation.Proposal, error) {
	return curation.Proposal{ID: v.ID, Status: v.Status}, nil
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

func (d *decisions) UnsentProposals(_ context.Context, age time.Duration) ([]curation.ProposalJob, error) {
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

func (d *decisions) SubmitJob(_ context.Context, j work.NewJob) (work.Job, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return work.Job{}, d.err
	}
	d.sent = append(d.sent, j)
	return work.Job{ID: "job_1"}, nil
}

func TestReview(t *testing.T) {
	t.Parallel()
	for status, jobs := range map[string]int{curation.ProposalApproved: 1, curation.ProposalRejected: 0} {
		d := &decisions{}
		p, err := NewReviewer(d, d, slog.New(slog.DiscardHandler)).Review(t.Context(), curation.ProposalReview{ID: 7, Status: status, By: "ada"}, 3)
		if err != nil || len(d.sent) != jobs || len(d.linked) != jobs || (p.JobID != nil) != (jobs > 0) {
			t.Errorf("%s: %+v, err %v, %d jobs", status, p, err, len(d.sent))
		}
		if jobs > 0 && (d.sent[0].UserID != 3 || !d.sent[0].AutoApprove || string(d.sent[0].Data) != `{"proposal_id":7,"triggered_by":"ada"}`) {
			t.Errorf("the job is %+v", d.sent[0])
		}
	}
	d := &decisions{}
	if _, err := NewReviewer(d, d, nil).Review(t.Context(), curation.ProposalReview{ID: 7, Status: "perhaps"}, 3); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("perhaps: %v", err)
	}
}

// TestUnsent has a proposal whose job was never submitted get one by itself, also when the
// first try fails.
func TestUnsent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &decisions{unsent: []curation.ProposalJob{{ProposalID: 7, TriggeredBy: "ada"}}, err: errors.New("the database is away")}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- NewReviewer(d, d, slog.New(slog.DiscardHandler)).Run(ctx) }()
		synctest.Wait()
		d.mu.Lock()
		d.err = nil
		d.mu.Unlock()
		time.Sleep(unsentEvery + time.Second) // fake time
		synctest.Wait()
		if len(d.sent) != 1 || d.sent[0].UserID != access.SystemUserID || !reflect.DeepEqual(d.linked, map[int]string{7: "job_1"}) {
			t.Errorf("sent %+v, linked %v", d.sent, d.linked)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
