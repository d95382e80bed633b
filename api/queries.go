package api

import (
	"encoding/json"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/programs"
)

// SavedQueryList is a page of saved queries and how many there are.
type SavedQueryList struct {
	Definitions []programs.SavedQuery `json:"definitions" doc:"The newest first"`
	Total       int                   `json:"total" doc:"How many there are in all"`
	Limit       int                   `json:"limit"`
	Offset      int                   `json:"offset"`
	Next        *string               `json:"next_cursor" doc:"cursor of the next page; null after the last one"`
}

// SavedQueryAnswer is what a saved query was answered.
type SavedQueryAnswer struct {
	ID      int             `json:"id"`
	Name    string          `json:"name"`
	Type    string          `json:"definition_type"`
	Request json.RawMessage `json:"request" doc:"What was asked, with the values of the parameters; null for a program"`
	Answer  json.RawMessage `json:"answer" doc:"What the route of the question answers; of a program what POST /programs/execute answers"`
}

// Program is a program that is kept.
type Program struct {
	ID        int             `json:"id"`
	Name      string          `json:"name"`
	Program   json.RawMessage `json:"program"`
	OwnerID   *int            `json:"owner_id"`
	Valid     bool            `json:"valid" doc:"Whether it can be run as it is"`
	CreatedAt kappa.Time      `json:"created_at"`
	UpdatedAt kappa.Time      `json:"updated_at"`
}

// ProgramChoice is a program that is to run: one that is kept, by its number, or the program
// itself, with the values of its parameters.
type ProgramChoice struct {
	ID      *int                       `json:"program_id,omitempty" doc:"The number of one that is kept"`
	Program json.RawMessage            `json:"program,omitempty" doc:"Or the program itself"`
	Params  map[string]json.RawMessage `json:"params,omitempty" doc:"The values of its parameters, by name"`
}
