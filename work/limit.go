package work

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// What limits may be. Each job that waits names its limits in an index, whose entries are short.
const (
	MaxLimits       = 30      // of an installation
	MaxLimitReason  = 500     // characters
	MaxLimitRunning = 100_000 // jobs at once
	MinLimitRate    = 0.001   // starts a second
	MaxLimitRate    = 1000
	maxLimitValue   = 500 // characters
	maxLimitKey     = 200
)

// LimitScope says by what jobs are limited.
type LimitScope string

// By what jobs can be limited.
const (
	LimitType     LimitScope = "type"
	LimitQueue    LimitScope = "queue"
	LimitUser     LimitScope = "user"
	LimitOntology LimitScope = "ontology"
	LimitData     LimitScope = "data"
)

// LimitScopes returns everything by which jobs can be limited.
func LimitScopes() []LimitScope {
	return []LimitScope{LimitType, LimitQueue, LimitUser, LimitOntology, LimitData}
}

// LimitSubject is what a limit is about: the jobs with one value, or those with each value,
// which are limited each for itself.
type LimitSubject struct {
	Scope LimitScope `json:"scope" doc:"By what jobs are limited: type, queue, user, ontology, or data: a key of what they were submitted with"`
	Key   string     `json:"key,omitempty" doc:"With data: the key, such as host, or meta.host for one within another"`
	Value string     `json:"value,omitempty" doc:"The one type, queue, user, ontology or value of the key that is limited; none with each"`
	Each  bool       `json:"each,omitempty" doc:"true: each value is limited for itself"`
}

// LimitNumbers is how much a limit allows, in the whole installation. One of the two is there
// at least; the other one is nil.
type LimitNumbers struct {
	MaxRunning *int     `json:"max_running,omitempty" doc:"How many jobs run at once at most: 1 to 100000"`
	PerSecond  *float64 `json:"per_second,omitempty" doc:"How many jobs start a second at most: 0.001 to 1000. Of 10, at most 10 in any second; of 2.5, at most 2 in any 0.8 seconds; of 0.1, at most 1 in any 10 seconds"`
}

// LimitRequest asks that jobs be limited.
type LimitRequest struct {
	LimitSubject
	LimitNumbers
	Reason string `json:"reason" doc:"Why, for everybody whose jobs wait"`
}

// LimitUpdate replaces the numbers of a limit and its reason.
type LimitUpdate struct {
	LimitNumbers
	Reason string `json:"reason" doc:"Why, for everybody whose jobs wait"`
}

// Validate reports every rule that l breaks.
func (l LimitRequest) Validate() error {
	var r check.Rules
	l.check(&r)
	LimitUpdate{l.LimitNumbers, l.Reason}.check(&r)
	return r.Err()
}

// Validate reports every rule that u breaks.
func (u LimitUpdate) Validate() error {
	var r check.Rules
	u.check(&r)
	return r.Err()
}

func (u LimitUpdate) check(r *check.Rules) {
	if u.MaxRunning == nil && u.PerSecond == nil {
		r.Add("body", "max_running", "or per_second must be there; to limit nothing, remove the limit")
	}
	if u.MaxRunning != nil {
		r.Add("body", "max_running", check.Range(*u.MaxRunning, 1, MaxLimitRunning))
	}
	if p := u.PerSecond; p != nil && !(*p >= MinLimitRate && *p <= MaxLimitRate) { // nor is it NaN
		r.Add("body", "per_second", fmt.Sprintf("must be from %v to %v, got %v; to stop jobs, pause them", MinLimitRate, MaxLimitRate, *p))
	}
	r.Add("body", "reason", check.Name(u.Reason, MaxLimitReason))
}

func (s LimitSubject) check(r *check.Rules) {
	r.Add("body", "scope", check.OneOf(s.Scope, LimitScopes()...))
	switch {
	case s.Scope == LimitData:
		r.Add("body", "key", checkLimitKey(s.Key))
	case s.Key != "":
		r.Add("body", "key", "belongs to data, not to "+string(s.Scope))
	}
	switch {
	case s.Each && s.Value != "":
		r.Add("body", "value", "and each contradict each other: one value is limited, or each for itself")
	case s.Each:
	case s.Value == "":
		r.Add("body", "value", "must be there, or each must be true: then each value is limited for itself")
	case s.Scope == LimitQueue:
		r.Add("body", "value", checkQueue(s.Value))
	case s.Scope == LimitType:
		r.Add("body", "value", check.Name(s.Value, check.MaxJobType))
	case s.Scope == LimitOntology:
		r.Add("body", "value", check.Name(s.Value, kappa.MaxOntologyName))
	default:
		r.Add("body", "value", check.Name(s.Value, maxLimitValue))
	}
}

// checkLimitKey returns the rule that the key of a limit breaks.
func checkLimitKey(key string) string {
	if rule := check.Name(key, maxLimitKey); rule != "" {
		return rule
	}
	for name := range strings.SplitSeq(key, ".") {
		if strings.TrimSpace(name) == "" {
			return "must be a name, or names with dots between them, such as host or meta.host"
		}
	}
	return ""
}

// Is reports whether both are about the same.
func (s LimitSubject) Is(o LimitSubject) bool {
	return s.Scope == o.Scope && s.Key == o.Key && s.Each == o.Each && (s.Value == o.Value || s.Scope == LimitUser && strings.EqualFold(s.Value, o.Value))
}

// What says in words what is limited.
func (s LimitSubject) What() string {
	name := string(s.Scope)
	if s.Scope == LimitData {
		name = "data." + s.Key
	}
	switch {
	case s.Each:
		return "jobs of each " + name
	case s.Scope == LimitType:
		return "jobs of type " + s.Value
	case s.Scope == LimitUser:
		return "jobs of " + s.Value
	case s.Scope == LimitData:
		return "jobs with " + name + "=" + s.Value
	}
	return "jobs of the " + name + " " + s.Value
}

// Flags are how the command line names what is limited.
func (s LimitSubject) Flags() string {
	switch {
	case s.Each && s.Scope == LimitData:
		return "--each " + check.Argument("data."+s.Key)
	case s.Each:
		return "--each " + string(s.Scope)
	case s.Scope == LimitData:
		return "--data " + check.Argument(s.Key+"="+s.Value)
	}
	return "--" + string(s.Scope) + " " + check.Argument(s.Value)
}

// Allows says in words how much that is.
func (n LimitNumbers) Allows() string {
	var parts []string
	if n.MaxRunning != nil {
		parts = append(parts, "at most "+strconv.Itoa(*n.MaxRunning)+" at once")
	}
	if n.PerSecond != nil {
		parts = append(parts, "at most "+rate(*n.PerSecond))
	}
	return strings.Join(parts, " and ")
}

// rate says a rate in words: seldom starts as one in so many seconds.
func rate(perSecond float64) string {
	if perSecond >= 1 {
		return strconv.FormatFloat(perSecond, 'f', -1, 64) + " starts a second"
	}
	return "1 start in " + strconv.FormatFloat(math.Round(100/perSecond)/100, 'f', -1, 64) + " seconds"
}

// Limit is what an operator has limited.
type Limit struct {
	ID int `json:"limit_id"`
	LimitRequest
	By         string     `json:"set_by"`
	At         kappa.Time `json:"set_at"`
	Running    int        `json:"running" doc:"How many jobs under it run; with each, of all values together"`
	Fullest    int        `json:"running_of_fullest_value" doc:"With each: how many run of the value of which most do"`
	FullValues int        `json:"full_values" doc:"How many values allow no start now; without each, 0 or 1"`
	Held       int        `json:"held" doc:"How many jobs under it wait, for it or for a slot; counted up to 10000"`
}

// Remove is the command that ends the limit.
func (l Limit) Remove() string { return "kg admin limit remove " + l.Flags() }

// LimitWait is the limit that a job waits for.
type LimitWait struct {
	Limit    Limit
	Running  int       // of the job's value
	Full     bool      // as many run as may; else it is its starts that are used up
	OpensAt  time.Time // when it allows another start, if it is not full
	Position int       // of the job among those that wait under it, from 1; to 10,000
}

// explain says in a sentence that a job waits for a limit.
func (l LimitWait) explain() string {
	now := strconv.Itoa(l.Running) + " run"
	if l.Running == 1 {
		now = "1 runs"
	}
	if !l.Full {
		now = "these are used up"
	}
	return fmt.Sprintf("%s has limited %s to %s, and %s; set at %s UTC: %s", l.Limit.By, l.Limit.What(), l.Limit.Allows(), now, l.Limit.At.UTC().Format(time.DateTime), sentence(l.Limit.Reason))
}
