package serve

import (
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestKnownRoutesAreNever404 asks for each route that clients know without a token:
// who has none is told so by a route that exists, also by one that is not built yet.
func TestKnownRoutesAreNever404(t *testing.T) {
	api := newWholeAPI(t).Handler()
	asked := 0
	for _, prefix := range []string{"", "/api"} {
		for method, path := range contractRoutes(t) {
			asked++
			status := ask(api, method, prefix+path)
			if public := slices.Contains(publicRoutes, method+" "+path); public && status == nethttp.StatusNotFound || !public && status != nethttp.StatusUnauthorized {
				t.Errorf("%s %s%s answered %d, want 401", method, prefix, path, status)
			}
		}
	}
	if asked < 300 {
		t.Errorf("asked for %d routes only", asked)
	}
}

// TestDeadRoutesAre404: parts of clients that nobody calls ask for these.
func TestDeadRoutesAre404(t *testing.T) {
	api := newWholeAPI(t).Handler()
	for _, path := range []string{"/auth/login", "/auth/api-keys", "/auth/oauth/device"} {
		for _, method := range []string{nethttp.MethodGet, nethttp.MethodPost} {
			if status := ask(api, method, path); status != nethttp.StatusNotFound {
				t.Errorf("%s %s answered %d, want 404", method, path, status)
			}
		}
	}
}

// contractRoutes yields the method and a sample path of each route of the list.
func contractRoutes(t *testing.T) func(yield func(method, path string) bool) {
	t.Helper()
	list, err := os.ReadFile("testdata/contract_routes.txt")
	check(t, err)
	return func(yield func(method, path string) bool) {
		for line := range strings.Lines(string(list)) {
			methods, path, isRoute := strings.Cut(strings.TrimSpace(line), " ")
			if !isRoute || methods == "#" {
				continue
			}
			path = regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "x_1")
			for method := range strings.SplitSeq(methods, ",") {
				if !yield(method, path) {
					return
				}
			}
		}
	}
}

// ask returns the status of an answer to a request without credentials.
func ask(api nethttp.Handler, method, path string) int {
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, httptest.NewRequest(method, path, nil))
	return answer.Code
}
