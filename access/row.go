package access

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// Row is a row that somebody wants to see or to change, as far as permissions ask.
type Row struct {
	Owner    int    // id of the user, 0 when it belongs to nobody
	ID       string // "" while it has none
	Ontology string
	Type     string            // of the job or of the artifact
	Others   map[string]string // what another program says of its row
}

// fact returns what a filter compares.
func (r Row) fact(name string) (string, bool) {
	switch name {
	case "ontology":
		if r.Ontology != "" {
			return r.Ontology, true
		}
	case "job_type", "artifact_type", "definition_type":
		if r.Type != "" {
			return r.Type, true
		}
	}
	value, ok := r.Others[name]
	return value, ok
}

// RowFilter selects rows by what they are: each member must be the row's.
type RowFilter map[string]string

// Has reports whether f selects a row.
func (f RowFilter) Has(r Row) bool {
	for name, want := range f {
		if got, ok := r.fact(name); !ok || got != want {
			return false
		}
	}
	return true
}

// RowSet is the rows that a permission is granted for one by one, or by what they are.
type RowSet struct {
	IDs     []string
	Filters []RowFilter
}

// Has reports whether a row is one of s.
func (s RowSet) Has(r Row) bool {
	return r.ID != "" && slices.Contains(s.IDs, r.ID) || slices.ContainsFunc(s.Filters, func(f RowFilter) bool { return f.Has(r) })
}

// Empty reports whether s has no rows.
func (s RowSet) Empty() bool { return len(s.IDs) == 0 && len(s.Filters) == 0 }

// equal reports whether s and t are the same grants in the same order.
func (s RowSet) equal(t RowSet) bool {
	return slices.Equal(s.IDs, t.IDs) && slices.EqualFunc(s.Filters, t.Filters, maps.Equal)
}

// Row returns the row that q asks about, or a kappa.CodeInvalid Error for a context that is none.
func (q PermissionQuestion) Row() (Row, error) {
	r := Row{Others: map[string]string{}}
	if q.ID != nil {
		r.ID = *q.ID
	}
	broken := kappa.Invalid(kappa.FieldError{In: "body", Name: "resource_context", Rule: "must be an object, in which owner_id is a whole number"})
	var members map[string]json.RawMessage
	if len(q.Context) > 0 && json.Unmarshal(q.Context, &members) != nil {
		return r, broken
	}
	for name, value := range members {
		var text string
		if name == "owner_id" {
			if json.Unmarshal(value, &r.Owner) != nil {
				return r, broken
			}
		} else if json.Unmarshal(value, &text) == nil {
			r.Others[name] = text
		}
	}
	return r, nil
}

// VisibleRows narrows a list to the rows of a user, and some others.
type VisibleRows struct {
	Owner int // 0 for none
	RowSet
}

// scopeFacts are what filters may compare, by the kind of things.
var scopeFacts = map[string][]string{
	"jobs": {"ontology", "job_type"}, "artifacts": {"ontology", "artifact_type"}, "queries": {"definition_type"}, "ontologies": {"ontology"},
	"graph": {"ontology"}, "sources": {"ontology"},
}

// maxScopeID is how long the id of a row may be.
const maxScopeID = 300

// checkScopeID returns the rule that the id of a row breaks, or "".
func checkScopeID(resource, id string) string {
	switch n, err := strconv.Atoi(id); {
	case resource == "jobs" && !kappa.IsJobID(id):
		return "must be the id of a job: job_ and 12 hexadecimal digits, got " + check.Quote(id)
	case resource == "artifacts" && (err != nil || n < 1 || strconv.Itoa(n) != id):
		return "must be the number of an artifact, got " + check.Quote(id)
	case resource == "queries" && (err != nil || n < 1 || strconv.Itoa(n) != id):
		return "must be the number of a saved query, got " + check.Quote(id)
	case resource == "ontologies" && (err != nil || n < 1 || strconv.Itoa(n) != id):
		return "must be the number of an ontology, its ontology_id, got " + check.Quote(id)
	}
	return check.Name(id, maxScopeID)
}

// parseScopeFilter returns a filter of rows, or the rule that it breaks.
func parseScopeFilter(resource string, data json.RawMessage) (filter RowFilter, rule string) {
	if json.Unmarshal(data, &filter) != nil || len(filter) == 0 || len(filter) > 10 {
		return nil, "must be an object of 1 to 10 members that are texts"
	}
	known := scopeFacts[resource]
	for _, name := range slices.Sorted(maps.Keys(filter)) {
		if known != nil {
			rule = check.OneOf(name, known...)
		} else {
			rule = check.Word(name)
		}
		if rule != "" {
			return nil, "names of members: " + rule
		}
		if rule = check.Name(filter[name], maxScopeID); rule != "" {
			return nil, name + " " + rule
		}
	}
	return filter, ""
}
