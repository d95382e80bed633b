package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// route is an operation of the OpenAPI document that reads.
type route struct {
	method, path, id string
	parameters       []parameter
	narrowed         string // a query that narrows the list; "" asks for all
}

type parameter struct {
	Name     string `json:"name"`
	In       string `json:"in"`
	Required bool   `json:"required"`
}

// String names a route as the documentation does.
func (r route) String() string {
	if r.narrowed != "" {
		return r.method + " " + r.path + "?" + r.narrowed
	}
	return r.method + " " + r.path
}

// question is a route with its parameters.
type question struct{ method, path, body string }

// limit is how much of a list is asked for.
const limit = "50"

// readRoutes returns the routes that the server says that it has: those that only read, by
// their paths.
func readRoutes(ctx context.Context, s *site) ([]route, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.server.API.BaseURL()+"/openapi.json", nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var document struct {
		Paths map[string]map[string]struct {
			ID         string      `json:"operationId"`
			Parameters []parameter `json:"parameters"`
		} `json:"paths"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&document); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	var list []route
	for path, operations := range document.Paths {
		for method, o := range operations {
			r := route{method: strings.ToUpper(method), path: path, id: o.ID, parameters: o.Parameters}
			if _, reads := bodies[r.id]; !reads && r.method != http.MethodGet {
				continue
			}
			list = append(list, r)
			for _, r.narrowed = range narrowed[r.String()] {
				list = append(list, r)
			}
		}
	}
	slices.SortFunc(list, func(a, b route) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.method, b.method), strings.Compare(a.narrowed, b.narrowed))
	})
	return list, nil
}

// question returns the n-th question of a route about a graph. It returns an error for a
// route that has a parameter which nothing is known for.
func (r route) question(g *graph, n int) (question, error) {
	q := question{method: r.method, path: r.path}
	query := url.Values{}
	for _, p := range r.parameters {
		switch value, known := g.value(r, p.Name, n); {
		case p.In == "path" && known:
			q.path = strings.ReplaceAll(q.path, "{"+p.Name+"}", url.PathEscape(value))
		case p.Required && !known:
			return q, fmt.Errorf("%s: nothing is known for its parameter %s: add a value or a reason to bench/routes/questions.go", r, p.Name)
		case p.In == "query" && p.Name == "limit":
			query.Set(p.Name, limit)
		case p.In == "query" && (p.Required || p.Name == "nonce"):
			query.Set(p.Name, value)
		}
	}
	if r.narrowed != "" {
		more, err := url.ParseQuery(r.narrowed)
		if err != nil {
			return q, err
		}
		for name := range more {
			query.Set(name, strings.ReplaceAll(more.Get(name), "LABEL", at(g.labels, n)))
		}
	}
	if len(query) > 0 {
		q.path += "?" + query.Encode()
	}
	if body := bodies[r.id]; body != nil {
		text, err := json.Marshal(body(g, n))
		if err != nil {
			return q, err
		}
		q.body = string(text)
	}
	return q, nil
}
