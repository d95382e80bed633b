package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/kappagraph/kappa/work"
)

// linearCall is an operation on one job: what was asked for.
type linearCall struct {
	job    string
	what   string
	worker int
	token  int64       // of checkpoint and finish: the claim's; of claim: the new one
	status work.Status // of finish: how the attempt ended
}

// linearAnswer is what came back.
type linearAnswer struct {
	err    string // conflict, stale, cancelled, lost, or ""
	status work.Status
}

// The operations.
const (
	callApprove    = "approve"
	callClaim      = "claim"
	callCheckpoint = "checkpoint"
	callFinish     = "finish"
	callCancel     = "cancel"
	callRead       = "read"
	callRescue     = "rescue"
	callDie        = "die" // the worker hands its lease back
	callRenew      = "renew"
)

// linearJob is a job as one machine with one thread would keep it.
type linearJob struct {
	status  work.Status
	token   int64
	owner   int
	cancel  bool
	crashes uint8  // how many were counted: a bit for each number that there may be
	dead    uint64 // workers, a bit for each
}

// linearModel says which answers are right, job for job.
func linearModel() porcupine.Model {
	return porcupine.Model{
		Partition: partitionByJob,
		Init:      func() any { return linearJob{status: work.StatusAwaitingApproval, crashes: 1} },
		Step: func(state, input, output any) (bool, any) {
			j, a := state.(linearJob), output.(linearAnswer)
			want, next := j.step(input.(linearCall), a)
			return want == a, next
		},
		DescribeOperation: func(input, output any) string {
			c, a := input.(linearCall), output.(linearAnswer)
			return fmt.Sprintf("%s w%d #%d %s → %s%s", c.what, c.worker, c.token, c.status, a.status, a.err)
		},
		DescribeState: func(state any) string { return fmt.Sprintf("%+v", state) },
	}
}

// partitionByJob gives each job its operations, and each worker's end too: it
// decides whose jobs may be taken back.
func partitionByJob(history []porcupine.Operation) [][]porcupine.Operation {
	parts := map[string][]porcupine.Operation{}
	for _, op := range history {
		parts[op.Input.(linearCall).job] = append(parts[op.Input.(linearCall).job], op)
	}
	ends := slices.DeleteFunc(slices.Clone(history), func(op porcupine.Operation) bool { return op.Input.(linearCall).what != callDie })
	var all [][]porcupine.Operation
	for name, part := range parts {
		if strings.HasPrefix(name, "job_") {
			part = append(part, ends...)
		}
		all = append(all, part)
	}
	return all
}

// step returns the answer that an operation must get, and the job after it. Only
// a claim's token is the database's to choose.
func (j linearJob) step(c linearCall, a linearAnswer) (linearAnswer, linearJob) {
	current := j.status == work.StatusProcessing && j.token == c.token && j.owner == c.worker
	switch c.what {
	case callRead:
		return linearAnswer{status: j.status}, j
	case callDie:
		j.dead |= 1 << c.worker
		return linearAnswer{}, j
	case callRenew:
		if j.dead&(1<<c.worker) != 0 {
			return linearAnswer{err: "lost"}, j
		}
		return linearAnswer{}, j
	case callApprove:
		if j.status != work.StatusAwaitingApproval {
			return linearAnswer{err: "conflict"}, j
		}
		j.status = work.StatusApproved
		return linearAnswer{}, j
	case callClaim:
		if j.status != work.StatusApproved || c.token <= j.token {
			return linearAnswer{err: "not to be claimed"}, j
		}
		j.status, j.token, j.owner = work.StatusProcessing, c.token, c.worker
		return linearAnswer{status: j.status}, j
	case callCancel:
		return j.cancelled()
	case callRescue:
		return j.rescued(a)
	}
	if !current {
		return linearAnswer{err: "stale"}, j
	}
	if c.what == callCheckpoint {
		if j.cancel {
			return linearAnswer{err: "cancelled"}, j
		}
		return linearAnswer{}, j
	}
	j.status = c.status
	if j.cancel && c.status != work.StatusFailed {
		j.status = work.StatusCancelled
	}
	return linearAnswer{status: j.status}, j
}

func (j linearJob) cancelled() (linearAnswer, linearJob) {
	switch j.status {
	case work.StatusProcessing:
		j.cancel = true
		return linearAnswer{status: work.StatusProcessing}, j
	case work.StatusAwaitingApproval, work.StatusApproved:
		j.status = work.StatusCancelled
		return linearAnswer{}, j
	}
	return linearAnswer{err: "conflict"}, j
}

// rescued takes the job back. Whether that is counted depends on what else the
// worker held: a job that is no suspect may have been beside one.
func (j linearJob) rescued(a linearAnswer) (linearAnswer, linearJob) {
	const suspect = 1 << (work.QuarantineCrashes - 1)
	if j.status != work.StatusProcessing || j.dead&(1<<j.owner) == 0 {
		return linearAnswer{err: "not to be taken back"}, j
	}
	innocent := j.crashes &^ suspect
	switch {
	case j.cancel:
		j.status = work.StatusCancelled
	case innocent == 0 || j.crashes&suspect != 0 && a.status == work.StatusFailed:
		j.status = work.StatusFailed
	default:
		j.status, j.crashes = work.StatusApproved, innocent|innocent<<1
	}
	return linearAnswer{status: j.status}, j
}
