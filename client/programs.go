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

// Programs are programs of questions.
type Programs struct{ c *Client }

// programTimeout is longer than the longest program runs.
const programTimeout = programs.MaxTime + 30*time.Second

// Validate returns what is wrong with a program.
func (s Programs) Validate(ctx context.Context, program json.RawMessage) (programs.Report, error) {
	return fetchJSON[programs.Report](ctx, s.c, http.MethodPost, "/programs/validate", struct {
		Program json.RawMessage `json:"program"`
	}{program})
}

// Create keeps a program. Without a name it has that of its metadata.
func (s Programs) Create(ctx context.Context, program json.RawMessage, name string) (api.Program, error) {
	in, err := withJSON(http.MethodPost, "/programs", struct {
		Name    string          `json:"name,omitempty"`
		Program json.RawMessage `json:"program"`
	}{name, program})
	if err != nil {
		return api.Program{}, err
	}
	return fetchOnce[api.Program](ctx, s.c, in)
}

// Get returns a program that is kept.
func (s Programs) Get(ctx context.Context, id int) (api.Program, error) {
	return fetch[api.Program](ctx, s.c, get(programPath(id), nil))
}

// List lists the programs that are kept, newest first. A limit of 0 leaves the number to
// the server.
func (s Programs) List(ctx context.Context, search string, limit int) ([]programs.Entry, error) {
	query := url.Values{}
	if search != "" {
		query.Set("search", search)
	}
	if limit != 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	return fetch[[]programs.Entry](ctx, s.c, get("/programs", query))
}

// Delete deletes a program that is kept.
func (s Programs) Delete(ctx context.Context, id int) error {
	_, _, err := s.c.exchange(ctx, call{method: http.MethodDelete, path: programPath(id)})
	return err
}

// Execute runs a program.
func (s Programs) Execute(ctx context.Context, p api.ProgramChoice) (programs.Result, error) {
	in, err := withJSON(http.MethodPost, "/programs/execute", p)
	in.timeout = programTimeout
	if err != nil {
		return programs.Result{}, err
	}
	return fetch[programs.Result](ctx, s.c, in)
}

// Chain runs programs, each with the graph of the one before.
func (s Programs) Chain(ctx context.Context, deck []api.ProgramChoice) (programs.Chain, error) {
	in, err := withJSON(http.MethodPost, "/programs/chain", struct {
		Deck []api.ProgramChoice `json:"deck"`
	}{deck})
	in.timeout = programTimeout
	if err != nil {
		return programs.Chain{}, err
	}
	return fetch[programs.Chain](ctx, s.c, in)
}

func programPath(id int) string { return "/programs/" + strconv.Itoa(id) }
