package streams

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// The limits of what one stream of many jobs is asked for.
const (
	maxNamedJobs  = 200
	maxOntologies = 20
	maxNamedLanes = 100
	maxNameBytes  = 200
)

// every stands for all jobs, and for all lanes.
const every = "*"

// selection is what a stream of many jobs shows.
type selection struct {
	allJobs    bool
	jobs       []string // named ones
	ontologies []string // and those of these ontologies

	allLanes bool
	lanes    []string // named ones
	unasked  bool     // nothing was asked for: all that may be seen
}

// readSelection reads the query of GET /events. It returns a CodeInvalid Error
// that names every rule the query breaks; values that nobody asked for are never
// shown in it, because they may be credentials.
func readSelection(rawQuery string) (selection, error) {
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return selection{}, http.UnreadableQuery()
	}
	var broken []kappa.FieldError
	breaks := func(name, rule string) {
		broken = append(broken, kappa.FieldError{In: "query", Name: http.Printable(name), Rule: rule})
	}
	var sel selection
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values, rule := query[name], ""
		switch name {
		case "jobs":
			sel.jobs, sel.allJobs, rule = readNames(values, maxNamedJobs, kappa.IsJobID, "job ids with commas between them")
		case "lanes":
			sel.lanes, sel.allLanes, rule = readNames(values, maxNamedLanes, isName, "names of lanes with commas between them")
		case "ontology":
			sel.ontologies, rule = readOntologies(values)
		case "ticket", "token", "access_token": // see authenticate
		default:
			rule = "is not a known parameter"
		}
		if rule != "" {
			breaks(name, rule)
		}
	}
	if !query.Has("jobs") && !query.Has("lanes") && !query.Has("ontology") {
		sel.allJobs, sel.allLanes, sel.unasked = true, true, true
	}
	return sel, kappa.Invalid(broken...)
}

// readNames reads a list with commas, or every. It returns the names once each,
// or the rule that is broken.
func readNames(values []string, most int, valid func(string) bool, what string) (names []string, all bool, rule string) {
	if len(values) == 1 && values[0] == every {
		return nil, true, ""
	}
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			switch {
			case !valid(name):
				return nil, false, "must be " + what + ", or " + every + ", got " + strconv.Quote(http.Printable(name))
			case slices.Contains(names, name):
			case len(names) == most:
				return nil, false, "must be at most " + strconv.Itoa(most)
			default:
				names = append(names, name)
			}
		}
	}
	return names, false, ""
}

func isName(s string) bool { return http.Storable(s) && len(s) <= maxNameBytes }

// readOntologies returns the ontologies once each, or the rule that is broken.
func readOntologies(values []string) (names []string, rule string) {
	for _, name := range values {
		err := work.JobFilter{Ontology: name, Limit: 1}.Validate()
		switch {
		case name == "":
			return nil, "must not be empty"
		case err != nil:
			return nil, strings.TrimPrefix(kappa.ErrorMessage(err), "ontology: ")
		case slices.Contains(names, name):
		case len(names) == maxOntologies:
			return nil, "must be given at most " + strconv.Itoa(maxOntologies) + " times"
		default:
			names = append(names, name)
		}
	}
	return names, ""
}

// wantsChanges reports whether jobs that are not named concern the stream.
func (sel selection) wantsChanges() bool { return sel.allJobs || len(sel.ontologies) > 0 }

// wantsLanes reports whether the stream shows lanes.
func (sel selection) wantsLanes() bool { return sel.allLanes || len(sel.lanes) > 0 }

// matches reports whether a job is selected.
func (sel selection) matches(job work.Job) bool {
	return sel.allJobs || job.Ontology != nil && slices.Contains(sel.ontologies, *job.Ontology) || slices.Contains(sel.jobs, job.ID)
}

// matchesLane reports whether a lane is selected.
func (sel selection) matchesLane(name string) bool {
	return sel.allLanes || slices.Contains(sel.lanes, name)
}
