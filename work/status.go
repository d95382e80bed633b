package work

import (
	"slices"

	"github.com/kappagraph/kappa/internal/check"
)

// Status is the state of a job.
type Status string

// The statuses, in the order of a job's life. The last three are terminal.
const (
	StatusPending          Status = "pending"
	StatusAwaitingApproval Status = "awaiting_approval"
	StatusApproved         Status = "approved"
	StatusProcessing       Status = "processing"
	StatusCompleted        Status = "completed"
	StatusFailed           Status = "failed"
	StatusCancelled        Status = "cancelled"
)

// Statuses returns every status in the order of a job's life.
func Statuses() []Status {
	return []Status{
		StatusPending, StatusAwaitingApproval, StatusApproved, StatusProcessing,
		StatusCompleted, StatusFailed, StatusCancelled,
	}
}

// Terminal reports whether a job in this status has ended for good.
func (s Status) Terminal() bool {
	return s == StatusCompleted || s == StatusFailed || s == StatusCancelled
}

// transitions lists where each status may lead.
var transitions = map[Status][]Status{
	StatusPending:          {StatusAwaitingApproval, StatusApproved, StatusFailed, StatusCancelled},
	StatusAwaitingApproval: {StatusApproved, StatusCancelled},
	StatusApproved:         {StatusProcessing, StatusCancelled},
	StatusProcessing:       {StatusCompleted, StatusFailed, StatusCancelled, StatusApproved, StatusAwaitingApproval},
}

// CanBecome reports whether a job may go from s to next.
func (s Status) CanBecome(next Status) bool { return slices.Contains(transitions[s], next) }

// ParseStatus reads a status as a filter gives it. It accepts running for
// processing and queued for approved, words that Kappa never emits.
func ParseStatus(word string) (Status, error) {
	switch word {
	case "running":
		return StatusProcessing, nil
	case "queued":
		return StatusApproved, nil
	}
	if s := Status(word); slices.Contains(Statuses(), s) {
		return s, nil
	}
	var r check.Rules
	r.Add("query", "status", check.OneOf(Status(word), Statuses()...))
	return "", r.Err()
}

// AllStatuses fills in the statuses that counts lacks.
func AllStatuses(counts map[Status]int) map[Status]int {
	all := make(map[Status]int, len(counts))
	for _, s := range Statuses() {
		all[s] = counts[s]
	}
	return all
}
