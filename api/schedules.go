package api

import (
	"github.com/kappagraph/kappa/work"
)

// CleanupReply is what a cleanup did.
type CleanupReply struct {
	Success bool   `json:"success" doc:"Always true"`
	Message string `json:"message"`
	Note    string `json:"note" doc:"What was done, in words"`
	work.Cleanup
}

// ScheduleList are the schedules of a server.
type ScheduleList struct {
	Schedules []work.Schedule `json:"schedules"`
}

// ScheduleRunList are runs of a schedule, newest first.
type ScheduleRunList struct {
	Runs []work.ScheduleRun `json:"runs"`
}
