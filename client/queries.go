package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge/programs"
)

// Queries are saved queries.
type Queries struct{ c *Client }

// runTimeout is longer than the longest question takes.
const runTimeout = 11 * time.Minute

// List returns the queries that f selects, newest first. A Limit of 0 leaves the
// number to the server.
func (s Queries) List(ctx context.Context, f programs.SavedQueryFilter) (api.SavedQueryList, error) {
	query := url.Values{}
	setTexts(query, map[string]string{"definition_type": f.Type, "name": f.Name, "search": f.Search, "cursor": f.Cursor})
	if f.OwnerID != nil {
		query.Set("owner_id", strconv.Itoa(*f.OwnerID))
	}
	for name, value := range map[string]int{"limit": f.Limit, "offset": f.Offset} {
		if value != 0 {
			query.Set(name, strconv.Itoa(value))
		}
	}
	return fetch[api.SavedQueryList](ctx, s.c, get("/query-definitions", query))
}

// Get returns a saved query.
func (s Queries) Get(ctx context.Context, id int) (programs.SavedQuery, error) {
	return fetch[programs.SavedQuery](ctx, s.c, get(savedQueryPath(id), nil))
}

// Save keeps a query. Its owner is whoever calls. Of what it returns, the definition and
// the parameters are empty.
func (s Queries) Save(ctx context.Context, n programs.NewSavedQuery) (programs.SavedQuery, error) {
	in, err := withJSON(http.MethodPost, "/query-definitions", struct {
		Name       string                    `json:"name"`
		Type       string                    `json:"definition_type"`
		Definition json.RawMessage           `json:"definition"`
		Parameters []programs.QueryParameter `json:"parameters,omitempty"`
		Metadata   json.RawMessage           `json:"metadata,omitempty"`
	}{n.Name, n.Type, n.Definition, n.Parameters, n.Metadata})
	if err != nil {
		return programs.SavedQuery{}, err
	}
	return fetchOnce[programs.SavedQuery](ctx, s.c, in)
}

// Change changes parts of a saved query.
func (s Queries) Change(ctx context.Context, id int, change programs.SavedQueryChange) (programs.SavedQuery, error) {
	return fetchJSON[programs.SavedQuery](ctx, s.c, http.MethodPut, savedQueryPath(id), struct {
		Name       *string                    `json:"name,omitempty"`
		Definition json.RawMessage            `json:"definition,omitempty"`
		Parameters *[]programs.QueryParameter `json:"parameters,omitempty"`
		Metadata   json.RawMessage            `json:"metadata,omitempty"`
	}{change.Name, change.Definition, change.Parameters, change.Metadata})
}

// Run asks a saved query with these values of its parameters.
func (s Queries) Run(ctx context.Context, id int, values map[string]json.RawMessage) (api.SavedQueryAnswer, error) {
	in, err := withJSON(http.MethodPost, savedQueryPath(id)+"/run", struct {
		Parameters map[string]json.RawMessage `json:"parameters,omitempty"`
	}{values})
	in.timeout = runTimeout
	if err != nil {
		return api.SavedQueryAnswer{}, err
	}
	return fetch[api.SavedQueryAnswer](ctx, s.c, in)
}

// Delete deletes a saved query.
func (s Queries) Delete(ctx context.Context, id int) error {
	_, _, err := s.c.exchange(ctx, call{method: http.MethodDelete, path: savedQueryPath(id)})
	return err
}

func savedQueryPath(id int) string { return "/query-definitions/" + strconv.Itoa(id) }
