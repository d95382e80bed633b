package api

import (
	"github.com/kappagraph/kappa/work"
)

// LaneList are the lanes of a server, with their slots.
type LaneList struct {
	Lanes []work.LaneUsage `json:"lanes"`
}

// LimitList is what is limited.
type LimitList struct {
	Limits []work.Limit `json:"limits"`
}

// JobTypeList are the job types of a server.
type JobTypeList struct {
	JobTypes []work.JobTypePolicy `json:"job_types"`
}

// PauseList is what is paused.
type PauseList struct {
	Pauses []work.Pause `json:"pauses"`
}
