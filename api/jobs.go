package api

import (
	"github.com/kappagraph/kappa/work"
)

// JobReply says what became of a job.
type JobReply struct {
	JobID   string      `json:"job_id"`
	Status  work.Status `json:"status"`
	Message string      `json:"message"`
}

// PriorityReply is a job's priority before and after a change.
type PriorityReply struct {
	JobID string `json:"job_id"`
	Old   int    `json:"old_priority"`
	New   int    `json:"new_priority"`
}

// RunLog is a part of what remote workers have logged about a job.
type RunLog struct {
	JobID string            `json:"job_id"`
	Lines []work.RunLogLine `json:"lines" doc:"At most 500, in order"`
	More  bool              `json:"more" doc:"There are more after them"`
}

// PrunePreview is what would be deleted.
type PrunePreview struct {
	DryRun   bool              `json:"dry_run" doc:"Always true"`
	ToDelete int               `json:"jobs_to_delete"`
	Jobs     []work.DeletedJob `json:"jobs" doc:"The newest of them, at most 1000"`
	Message  string            `json:"message"`
}

// Pruned is what was deleted.
type Pruned struct {
	Success bool         `json:"success" doc:"Always true"`
	Deleted int          `json:"jobs_deleted"`
	Filters PruneFilters `json:"filters"`
	Message string       `json:"message"`
}

// PruneFilters repeats what was asked for.
type PruneFilters struct {
	Status    *work.Status `json:"status"`
	System    bool         `json:"system"`
	OlderThan *string      `json:"older_than"`
	Type      *string      `json:"job_type"`
}

// JobActReply says what became of an act on many jobs.
type JobActReply struct {
	Act    work.Act `json:"act"`
	DryRun bool     `json:"dry_run"`
	work.ActFigures
	Denied   int64             `json:"denied" doc:"Of the selected jobs those that the caller may see, but not do this to; they are refused"`
	JobID    *string           `json:"job_id" doc:"The job that does it, when more than 500 jobs are selected"`
	Outcomes []work.ActOutcome `json:"outcomes" doc:"What became of each job, when it was done at once"`
	Jobs     []work.Job        `json:"jobs" doc:"Of a dry run: the first ten"`
	Message  string            `json:"message"`
}

// JobActStatus is how far an act on many jobs is, and a page of what became of each.
type JobActStatus struct {
	JobID  string      `json:"job_id"`
	Status work.Status `json:"status" doc:"Of the job that does it"`
	work.ActFigures
	Open       int64             `json:"open" doc:"Jobs that were not reached yet, or not at all when the act was cancelled"`
	Outcomes   []work.ActOutcome `json:"outcomes" doc:"In the order in which the jobs were submitted"`
	NextCursor *string           `json:"next_cursor"`
}

// JobErrors is by which errors jobs have failed.
type JobErrors struct {
	Errors  []work.JobError `json:"errors" doc:"The most frequent first, at most 200"`
	Jobs    int64           `json:"jobs" doc:"How many jobs have failed that the filter selects"`
	More    bool            `json:"more" doc:"There are more errors than these"`
	Partial bool            `json:"partial" doc:"Only the failures of the jobs that were submitted last were looked at: the filter is of what no index has, and there are too many"`
}
