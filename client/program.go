package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/programs"
)

// programTimeout is longer than the longest program runs.
const programTimeout = programs.MaxTime + 30*time.Second

// Program is a program that is kept.
type Program struct {
	ID        int             `json:"id"`
	Name      string          `json:"name"`
	Program   json.RawMessage `json:"program"`
	OwnerID   *int            `json:"owner_id"`
	Valid     bool            `json:"valid"`
	CreatedAt kappa.Time      `json:"created_at"`
	UpdatedAt kappa.Time      `json:"updated_at"`
}

// ProgramChoice is a program that is to run: one that is kept, by its number, or the program
// itself, with the values of its parameters.
type ProgramChoice struct {
	ID      *int                       `json:"program_id,omitempty"`
	Program json.RawMessage            `json:"program,omitempty"`
	Params  map[string]json.RawMessage `json:"params,omitempty"`
}

// ValidateProgram returns what is wrong with a program.
func (c *Client) ValidateProgram(ctx context.Context, program json.RawMessage) (programs.Report, error) {
	return fetchJSON[programs.Report](ctx, c, http.MethodPost, "/programs/validate", struct {
		Program json.RawMessage `json:"program"`
	}{program})
}

// CreateProgram keeps a program. Without a name it has that of its metadata.
func (c *Client) CreateProgram(ctx context.Context, program json.RawMessage, name string) (Program, error) {
	in, err := withJSON(http.MethodPost, "/programs", struct {
		Name    string          `json:"name,omitempty"`
		Program json.RawMessage `json:"program"`
	}{name, program})
	if err != nil {
		return Program{}, err
	}
	return fetchOnce[Program](ctx, c, in)
}

// Program returns a program that is kept.
func (c *Client) Program(ctx context.Context, id int) (Program, error) {
	return fetch[Program](ctx, c, get(programPath(id), nil))
}

// Programs lists the programs that are kept, newest first. A limit of 0 leaves the number to
// the server.
func (c *Client) Programs(ctx context.Context, search string, limit int) ([]programs.Entry, error) {
	query := url.Values{}
	if search != "" {
		query.Set("search", search)
	}
	if limit != 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	return fetch[[]programs.Entry](ctx, c, get("/programs", query))
}

// DeleteProgram deletes a program that is kept.
func (c *Client) DeleteProgram(ctx context.Context, id int) error {
	_, _, err := c.exchange(ctx, call{method: http.MethodDelete, path: programPath(id)})
	return err
}

// ExecuteProgram runs a program.
func (c *Client) ExecuteProgram(ctx context.Context, p ProgramChoice) (programs.Result, error) {
	in, err := withJSON(http.MethodPost, "/programs/execute", p)
	in.timeout = programTimeout
	if err != nil {
		return programs.Result{}, err
	}
	return fetch[programs.Result](ctx, c, in)
}

// ChainPrograms runs programs, each with the graph of the one before.
func (c *Client) ChainPrograms(ctx context.Context, deck []ProgramChoice) (programs.Chain, error) {
	in, err := withJSON(http.MethodPost, "/programs/chain", struct {
		Deck []ProgramChoice `json:"deck"`
	}{deck})
	in.timeout = programTimeout
	if err != nil {
		return programs.Chain{}, err
	}
	return fetch[programs.Chain](ctx, c, in)
}

func programPath(id int) string { return "/programs/" + strconv.Itoa(id) }
