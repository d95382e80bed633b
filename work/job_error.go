package work

import "github.com/kappagraph/kappa"

// MaxJobErrors is how many errors one answer shows.
const MaxJobErrors = 200

// JobError is the jobs of one type that have failed by the same error. Errors are the same
// when they differ only by what is folded: quoted texts, times, ids, numbers and durations.
type JobError struct {
	Type     string     `json:"job_type"`
	ErrorKey string     `json:"error_key" doc:"The error with what differs folded: … is a quoted text, # a number, a time, an id or a duration"`
	Count    int64      `json:"count"`
	First    kappa.Time `json:"first" doc:"When the first of them ended"`
	Last     kappa.Time `json:"last"`
	JobID    string     `json:"job_id" doc:"The last of them, as an example"`
	Error    string     `json:"error" doc:"The whole error of that job"`
}

// JobErrors is by which errors jobs have failed, the most frequent first.
type JobErrors struct {
	Errors  []JobError
	Jobs    int64 // that have failed, of these errors and of those that are not shown
	More    bool  // there are more errors than are shown
	Partial bool  // only the latest failures were looked at
}
