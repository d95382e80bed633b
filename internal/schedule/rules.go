package schedule

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// Rules are what a schedule may name.
type Rules struct {
	Types      *work.JobTypes
	Conditions map[string]Condition
}

// check returns the first due instant after now, and every rule that a schedule
// breaks. A job and a condition that it had before may stay while it is not
// enabled.
func (r Rules) check(n, was work.Schedule, now time.Time) (time.Time, error) {
	var broken []kappa.FieldError
	if _, err := readZone(n.TimeZone); err != nil {
		broken = append(broken, kappa.FieldError{In: "body", Name: "time_zone", Rule: fmt.Sprintf("must be an IANA time zone such as UTC or Europe/Berlin, got %q", n.TimeZone)})
	}
	if _, err := newTimetable(n.Cron, work.DefaultTimeZone, now); err != nil {
		broken = append(broken, kappa.FieldError{In: "body", Name: "cron", Rule: cronRule(n.Cron, err)})
	}
	if err := kappa.JoinInvalid(n.Validate(), r.checkJob(n, was), r.checkCondition(n, was), kappa.Invalid(broken...)); err != nil {
		return time.Time{}, err
	}
	table, err := newTimetable(n.Cron, n.TimeZone, now)
	if err != nil {
		return time.Time{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "cron", Rule: cronRule(n.Cron, err)})
	}
	next, _ := table.next(now) // newTimetable has found one
	return next, nil
}

// checkJob returns the rules that the job of a schedule breaks.
func (r Rules) checkJob(n, was work.Schedule) error {
	if !n.Enabled && n.JobType == was.JobType && string(n.Data) == string(was.Data) {
		return nil
	}
	if len(n.Data) > 0 && !json.Valid(n.Data) {
		return nil // Schedule.Validate says so
	}
	return r.Types.CheckSchedule(n.JobType, n.Data)
}

// checkCondition returns the rule that the condition of a schedule breaks.
func (r Rules) checkCondition(n, was work.Schedule) error {
	switch {
	case n.Condition == nil, r.Conditions[*n.Condition] != nil:
		return nil
	case !n.Enabled && was.Condition != nil && *n.Condition == *was.Condition:
		return nil
	}
	rule := "must be one of " + strings.Join(slices.Sorted(maps.Keys(r.Conditions)), ", ") + fmt.Sprintf(", got %q", *n.Condition)
	return kappa.Invalid(kappa.FieldError{In: "body", Name: "condition", Rule: rule})
}

// cronRule says what is wrong with an expression.
func cronRule(expression string, err error) string {
	switch {
	case errors.Is(err, errNeverDue):
		return fmt.Sprintf("must name a day that comes, got %q", expression)
	case errors.Is(err, errNotFiveFields):
		return fmt.Sprintf("%v; got %q", errNotFiveFields, expression)
	default:
		return fmt.Sprintf("%v: %v; got %q", errNotFiveFields, err, expression)
	}
}
