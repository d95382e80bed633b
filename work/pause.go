package work

import (
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// MaxPauseReason is how many characters the reason of a pause has at most.
const MaxPauseReason = 500

// PauseScope says what a pause is about.
type PauseScope string

// What can be paused.
const (
	PauseAll      PauseScope = "all"
	PauseType     PauseScope = "type"
	PauseQueue    PauseScope = "queue"
	PauseOntology PauseScope = "ontology"
	PauseUser     PauseScope = "user"
)

// PauseScopes returns everything that can be paused.
func PauseScopes() []PauseScope {
	return []PauseScope{PauseAll, PauseType, PauseQueue, PauseOntology, PauseUser}
}

// PauseRequest asks that nothing of what it is about be claimed before somebody resumes it.
type PauseRequest struct {
	Scope  PauseScope `json:"scope" doc:"What is paused: all, type, queue, ontology or user"`
	Value  string     `json:"value,omitempty" doc:"Its name; none for all"`
	Reason string     `json:"reason" doc:"Why, for everybody whose jobs wait"`
}

// Validate reports every rule that p breaks.
func (p PauseRequest) Validate() error {
	var r check.Rules
	r.Add("body", "scope", check.OneOf(p.Scope, PauseScopes()...))
	r.Add("body", "reason", check.Name(p.Reason, MaxPauseReason))
	switch p.Scope {
	case PauseAll:
		if p.Value != "" {
			r.Add("body", "value", "belongs to a type, a queue, an ontology or a user, not to all")
		}
	case PauseType:
		r.Add("body", "value", check.Name(p.Value, check.MaxJobType))
	case PauseQueue:
		r.Add("body", "value", checkQueue(p.Value))
	default:
		r.Add("body", "value", check.Name(p.Value, maxFilterText))
	}
	return r.Err()
}

// Pause is what an operator has paused. What runs goes on.
type Pause struct {
	ID int `json:"pause_id"`
	PauseRequest
	By   string     `json:"paused_by"`
	At   kappa.Time `json:"paused_at"`
	Jobs int        `json:"jobs" doc:"How many jobs wait for its end"`
}

// What says in words what is paused.
func (p Pause) What() string {
	switch p.Scope {
	case PauseAll:
		return "everything"
	case PauseType:
		return "jobs of type " + p.Value
	case PauseUser:
		return "jobs of " + p.Value
	}
	return "jobs of the " + string(p.Scope) + " " + p.Value
}

// Is reports whether the pause is about what was named.
func (p Pause) Is(named PauseRequest) bool {
	return p.Scope == named.Scope && (p.Value == named.Value || p.Scope == PauseUser && strings.EqualFold(p.Value, named.Value))
}

// explain says in a sentence that a job waits for the end of the pause.
func (p Pause) explain() string {
	return p.By + " has paused " + p.What() + " at " + p.At.UTC().Format(time.DateTime) + " UTC: " + sentence(p.Reason)
}

// Resume is the command that ends the pause.
func (p Pause) Resume() string {
	if p.Scope == PauseAll {
		return "kg admin resume --all"
	}
	return "kg admin resume --" + string(p.Scope) + " " + check.Argument(p.Value)
}
