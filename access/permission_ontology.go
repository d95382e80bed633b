package access

import (
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
)

// narrowable are the permissions that may be granted for single ontologies by a filter: whoever
// has one so asks within one of them, and is answered as if there were no other.
var narrowable = []Permission{GraphRead, SourcesRead}

// Within returns the ontology within which p is to be answered that uses one of the permissions
// to read the graph: what was asked for, where "" stands for all. Who is granted one ontology
// alone is answered within that without asking.
//
// It returns a kappa.CodeNotFound Error for an ontology that p may not read, as for one that there is
// not, kappa.CodeInvalid when p may read several and asks for none, and kappa.CodeForbidden for a principal
// who may read nothing.
func (p Principal) Within(permission Permission, asked string) (string, error) {
	if p.Reach(permission) == ReachAll {
		return asked, nil
	}
	if err := p.PermitSome(permission); err != nil {
		return "", err
	}
	if asked != "" {
		return asked, p.PermitFound(permission, Row{Ontology: asked}, kappa.NewError(kappa.CodeNotFound, "Ontology '"+asked+"' does not exist"))
	}
	names := p.Granted(permission).ontologies()
	if len(names) != 1 {
		return "", kappa.Invalid(kappa.FieldError{In: "query", Name: "ontology", Rule: "must be one of those that may be read: " + strings.Join(names, ", ")})
	}
	return names[0], nil
}

// WithinSome is Within for what can be answered within several ontologies at once, where none
// stands for all: who asks for none is answered within all those that p may read.
//
// It returns a kappa.CodeNotFound Error for an ontology that p may not read, as for one that there
// is not, and kappa.CodeForbidden for a principal who may read nothing.
func (p Principal) WithinSome(permission Permission, asked []string) ([]string, error) {
	if p.Reach(permission) == ReachAll {
		return asked, nil
	}
	if err := p.PermitSome(permission); err != nil {
		return nil, err
	}
	for _, name := range asked {
		if _, err := p.Within(permission, name); err != nil {
			return nil, err
		}
	}
	if len(asked) > 0 {
		return asked, nil
	}
	if asked = p.Granted(permission).ontologies(); len(asked) == 0 {
		return nil, kappa.NewError(kappa.CodeForbidden, "Permission denied: no ontology may be read")
	}
	return asked, nil
}

// ontologies returns the names that filters select whole ontologies by.
func (s RowSet) ontologies() []string {
	var names []string
	for _, f := range s.Filters {
		if name, ok := f["ontology"]; ok && len(f) == 1 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// checkNarrowed returns the rule that a grant breaks which is limited to rows, or "": of the
// graph only reading is, and only to ontologies.
func checkNarrowed(p Permission, scope string) string {
	graph := slices.ContainsFunc(narrowable, func(n Permission) bool { return n.Resource() == p.Resource() })
	switch {
	case !graph || scope == ScopeGlobal:
		return ""
	case !slices.Contains(narrowable, p):
		return "must be global: of the " + p.Resource() + ", only read can be granted for an ontology"
	case scope != ScopeFilter:
		return "must be global or filter: " + p.Resource() + " are granted for an ontology by its name"
	}
	return ""
}
