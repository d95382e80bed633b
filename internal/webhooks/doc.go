// Package webhooks sends events to the addresses of other programs.
//
// What a caller may rely on: an event that was written is sent until its receiver takes it, or
// until it was tried for three days, also when servers die meanwhile, so that a receiver may get
// it more than once, under the same id. The events of one subject are sent one after the other.
// A webhook has a few slots on all servers together, and waits for no other webhook. Deliveries
// are rows and no jobs: their ends are no events again, and what waits for a slow receiver stands
// in no list of jobs.
package webhooks
