package apitest

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http"
)

// Refusal is a request that breaks a rule, and what it is answered.
type Refusal struct {
	request       Request
	status        int
	detail, place string
}

// Refused says that a request is answered with a problem of a status, whose detail
// contains a text. place is that of the first value that breaks a rule; "" is not
// checked.
func Refused(r Request, status int, detail, place string) Refusal {
	return Refusal{r, status, detail, place}
}

// Refuses sends each request and checks that its answer names the field and the
// rule. reached returns how much has reached what is behind the API: nothing may.
func Refuses(t *testing.T, s *http.Server, requests map[string]Refusal, reached func() int) {
	t.Helper()
	for name, r := range requests {
		t.Run(name, func(t *testing.T) {
			resp, body := Call(t, s, r.request)
			p := WantProblem(t, resp, body, r.status)
			if !strings.Contains(p.Detail, r.detail) {
				t.Errorf("detail %q does not say %q", p.Detail, r.detail)
			}
			if r.place != "" && (len(p.Errors) == 0 || p.Errors[0].Place() != r.place) {
				t.Errorf("errors %+v, want the first at %s", p.Errors, r.place)
			}
			if r.status != 422 && p.Errors != nil {
				t.Errorf("errors %+v with status %d", p.Errors, r.status)
			}
			if reached() != 0 {
				t.Error("it reached what is behind the API")
			}
		})
	}
}
