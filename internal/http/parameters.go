package http

import (
	"maps"
	nethttp "net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/knowledge/naming"
)

// checkQuery refuses parameters that a route does not have; see checkParameters. What
// everybody may read takes any: probes of load balancers add their own.
func (r *Router) checkQuery(route Route, op *huma.Operation) gin.HandlerFunc {
	if route.Permission == access.Public && route.Method == nethttp.MethodGet {
		return func(*gin.Context) {}
	}
	return r.checkParameters(op)
}

// checkParameters refuses a query with parameters that the route does not have: a
// misspelt filter would be lost, and more be shown or deleted than was meant. Values are
// not repeated: one of them may be a credential.
func (r *Router) checkParameters(op *huma.Operation) gin.HandlerFunc {
	var known []string
	for _, p := range op.Parameters {
		if p.In == "query" {
			known = append(known, p.Name)
		}
	}
	return func(c *gin.Context) {
		if c.Request.URL.RawQuery == "" {
			return
		}
		var broken []kappa.FieldError
		for _, name := range slices.Sorted(maps.Keys(c.Request.URL.Query())) {
			if !slices.Contains(known, name) && !memberOf(op, name) && len(broken) < maxBrokenMembers {
				broken = append(broken, kappa.FieldError{In: "query", Name: Printable(name), Rule: "is not a known parameter" + instead(name, known)})
			}
		}
		if err := kappa.Invalid(broken...); err != nil {
			r.fail(c, err)
		}
	}
}

// memberOf reports whether name is that of a member of a job's data, as data.url, on a route
// that has the parameter data.
func memberOf(op *huma.Operation, name string) bool {
	of, member, ok := strings.Cut(name, ".")
	return ok && member != "" && slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.In == "query" && p.Name == "data" && of == "data" })
}

// instead names the known parameter that was probably meant, or all when there are few.
func instead(name string, known []string) string {
	const few = 8
	nearest, least := "", max(2, len(name)/3)+1
	for _, k := range known {
		if d := naming.EditDistance(strings.ToLower(name[:min(len(name), 64)]), k); d < least {
			nearest, least = k, d
		}
	}
	switch {
	case nearest != "":
		return "; did you mean " + nearest + "?"
	case len(known) == 0:
		return "; the route has none"
	case len(known) <= few:
		return "; known are " + strings.Join(known, ", ")
	}
	return ""
}
