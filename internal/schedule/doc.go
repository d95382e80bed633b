// Package schedule submits jobs by the clock.
//
// Schedules lets operators see and change the schedules on any server. The
// leader's Launcher answers each due instant of a schedule once: with a job, or
// with a skip and its reason.
package schedule
