package questions

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge"
)

// EpistemicFilter narrows relationships by the status of their type. Empty lists
// allow all; both may be given, and then a type must pass both. A type that was not
// measured yet counts as INSUFFICIENT_DATA. Relationships of the type RELATED_TO below
// vocabulary.LeastRelated are left out unless IncludeWeak is set.
type EpistemicFilter struct {
	Include []string // only types of these statuses
	Exclude []string // no types of these statuses

	IncludeWeak bool // RELATED_TO below vocabulary.LeastRelated too
}

// IsZero reports that f allows types of every status.
func (f EpistemicFilter) IsZero() bool { return len(f.Include)+len(f.Exclude) == 0 }

// Allows reports whether types of a status pass.
func (f EpistemicFilter) Allows(status string) bool {
	if status == "" {
		status = knowledge.StatusInsufficientData
	}
	is := func(word string) bool { return strings.EqualFold(strings.TrimSpace(word), status) }
	return (len(f.Include) == 0 || slices.ContainsFunc(f.Include, is)) && !slices.ContainsFunc(f.Exclude, is)
}

// check reports every word that is no status.
func (f EpistemicFilter) check(r *check.Rules) {
	addStatuses(r, "include_epistemic_status", f.Include)
	addStatuses(r, "exclude_epistemic_status", f.Exclude)
}

func addStatuses(r *check.Rules, name string, words []string) {
	r.Add("body", name, check.Range(len(words), 0, maxStatuses))
	for i, word := range words[:min(len(words), maxStatuses)] {
		r.Add("body", name+"["+strconv.Itoa(i)+"]", check.OneOf(strings.ToUpper(strings.TrimSpace(word)), knowledge.EpistemicStatuses()...))
	}
}

// maxStatuses is how many statuses one filter names at most.
const maxStatuses = 20
