package main

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/access"
)

// route is a route of the server, as its own description has it.
type route struct {
	method, path string
	permission   access.Permission
}

// routes reads the description of the API.
func (t *target) routes(ctx context.Context) ([]route, error) {
	a, err := t.send(ctx, request{method: "GET", path: "/openapi.json", token: t.admin.token})
	if err != nil {
		return nil, err
	}
	var document struct {
		Paths map[string]map[string]struct {
			Permission access.Permission `json:"x-permission"`
		} `json:"paths"`
	}
	if err := json.Unmarshal([]byte(a.body), &document); err != nil {
		return nil, fmt.Errorf("read the description of the API (%d): %w", a.status, err)
	}
	var all []route
	for path, operations := range document.Paths {
		for method, o := range operations {
			all = append(all, route{strings.ToUpper(method), path, o.Permission})
		}
	}
	slices.SortFunc(all, func(a, b route) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	if len(all) < 200 {
		return nil, fmt.Errorf("the description has %d routes only", len(all))
	}
	return all, nil
}

var placeholder = regexp.MustCompile(`\{[^}]*\}`)

// sample is the path of a route with something in the place of what is named: nothing that
// is there.
func (r route) sample() string {
	return placeholder.ReplaceAllStringFunc(r.path, func(name string) string {
		switch {
		case strings.HasPrefix(r.path, "/jobs/"):
			return "job_000000000000"
		case strings.Contains(name, "id") && strings.Contains(r.path, "user"):
			return "999999"
		}
		return "none_1"
	})
}

// credential is how a request says who makes it.
type credential struct {
	name, token string
	role        string // "" is nobody
	scope       string // that narrows the role
}

// credentials are those of every account, and those that are no one's.
func (t *target) credentials() []credential {
	all := []credential{
		{name: "nobody"},
		{name: "an empty token", token: " "},
		{name: "a made-up token", token: "abc"},
		{name: "a made-up JWT", token: "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMDAwIn0.AAAA"},
		{name: "a JWT without a signature", token: "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMDAwIn0."},
	}
	for _, a := range t.accounts {
		all = append(all,
			credential{a.role + " with a token", a.token, a.role, access.ScopeWrite},
			credential{a.role + " with a token to read", a.read, a.role, access.ScopeRead},
			credential{a.role + " with an API key", a.key, a.role, access.ScopeWrite})
	}
	return all
}

// may reports whether a credential may use a permission on rows of its own at least.
func (c credential) may(p access.Permission) bool {
	switch {
	case p == access.Public:
		return true
	case c.role == "":
		return false
	case c.scope == access.ScopeRead && p != access.AnyUser && !p.Reads():
		return false
	}
	return p == access.AnyUser || access.RoleReach(c.role, p) > access.ReachNone
}

// attackRoutes asks each route with each credential. Whoever may not use it is refused, before
// anything else is looked at; nobody gets a 5xx.
func attackRoutes(ctx context.Context, t *target, out *tally) error {
	all, err := t.routes(ctx)
	if err != nil {
		return err
	}
	for _, r := range all {
		for _, c := range t.credentials() {
			if c.may(r.permission) && !readsOnly(r) {
				continue // it would be an honest request
			}
			out.try()
			a, err := t.send(ctx, request{method: r.method, path: r.sample(), token: c.token, contentType: "application/json", body: "{}"})
			if err != nil {
				out.hole("%s %s by %s: %v", r.method, r.path, c.name, err)
				continue
			}
			if rule := c.wrong(r, a.status); rule != "" {
				out.hole("%s %s by %s is answered with %d, %s: %s", r.method, r.path, c.name, a.status, rule, a.body)
			}
		}
	}
	return nil
}

// readsOnly reports a route that changes nothing, whatever it is sent.
func readsOnly(r route) bool {
	return r.method == "GET" && !strings.Contains(r.path, "/stream") && r.path != "/events"
}

// wrong returns the rule that a status breaks, or "".
func (c credential) wrong(r route, status int) string {
	switch {
	case status >= 500 && status != 501 && status != 503:
		return "want no 5xx"
	case c.may(r.permission):
		return ""
	case r.permission == access.Public:
		return ""
	case c.role == "" && status != 401 && status != 404 && status != 405:
		return "want 401"
	case c.role != "" && status != 403 && status != 404:
		return "want 403"
	}
	return ""
}
