package kappa

import (
	"encoding/json"
	"time"
)

// The limits of programs.
const (
	MaxProgramBytes      = maxJobDataBytes // of JSON
	MaxProgramStatements = 100             // with those of branches
	MaxProgramNesting    = 3               // conditions within conditions
	MaxProgramDeck       = 10              // programs in a chain
	MaxProgramNodes      = 5_000           // of the graph that is built
	MaxProgramLinks      = 20_000          // likewise
	MaxProgramGathered   = 8 << 20         // bytes of the answers of a run, and of the graphs of a chain
	MaxProgramQuestions  = 500             // that one run asks
	MaxProgramSeconds    = 60              // that one run takes
	MaxProgramTime       = MaxProgramSeconds * time.Second
)

// The operators of statements: what the result of a statement does to the graph that is
// being built.
const (
	ProgramUnion      = "+" // adds it
	ProgramDifference = "-" // takes its concepts away
	ProgramIntersect  = "&" // keeps only its concepts
	ProgramOptional   = "?" // adds it; an empty one is not worth a word
	ProgramAssert     = "!" // adds it; an empty one ends the program
)

// The types of operations.
const (
	ProgramCypher      = "cypher"
	ProgramAPI         = "api"
	ProgramConditional = "conditional"
)

// Program is a sequence of statements, each of which asks the graph one question and joins
// the answer to the graph that is being built. There are no loops: a program ends.
type Program struct {
	Name        string // of its metadata; "" without
	Description string
	Parameters  []QueryParameter
	Statements  []ProgramStatement
}

// ProgramStatement is one step of a program.
type ProgramStatement struct {
	Index int // of the statement of the program that it is, or is within
	Op    string
	Type  string
	Label string

	Cypher CypherStatement // of a cypher operation

	Endpoint string         // of an api operation
	Params   map[string]any // likewise, as the JSON says it

	Condition  ProgramCondition // of a conditional operation
	Then, Else []ProgramStatement
}

// ProgramCondition asks something of the graph that is being built.
type ProgramCondition struct {
	Test  string
	Value int    // of count_gte and count_lte
	Name  string // of an ontology or of a relationship type
}

// Holds reports whether the condition holds for a graph.
func (c ProgramCondition) Holds(g *ProgramGraph) bool {
	switch c.Test {
	case "has_results":
		return len(g.Nodes) > 0
	case "empty":
		return len(g.Nodes) == 0
	case "count_gte":
		return len(g.Nodes) >= c.Value
	case "count_lte":
		return len(g.Nodes) <= c.Value
	case "has_ontology":
		return g.hasOntology(c.Name)
	case "has_relationship":
		return g.hasType(c.Name)
	}
	return false
}

// ProgramRun is a program with the values of its parameters.
type ProgramRun struct {
	Program Program
	Values  map[string]any // of BindParameters
}

// ProgramResult is the graph that a program has built.
type ProgramResult struct {
	Result  ProgramGraph  `json:"result"`
	Log     []ProgramStep `json:"log"`
	Aborted *ProgramAbort `json:"aborted" doc:"Null when the program came to its end; else the graph is what it had built until then"`
}

// ProgramChain is what a chain of programs has built, each of which began with the graph of
// the one before.
type ProgramChain struct {
	Result   ProgramGraph    `json:"result"`
	Programs []ProgramResult `json:"programs"`
	Aborted  *ProgramAbort   `json:"aborted" doc:"Of the program that ended the chain"`
}

// ProgramAbort says where and why a program ended early.
type ProgramAbort struct {
	Statement int    `json:"statement"`
	Reason    string `json:"reason"`
	Program   *int   `json:"program,omitempty" doc:"In a chain, which one"`
}

// ProgramStep is what one statement has done.
type ProgramStep struct {
	Statement  int         `json:"statement" doc:"Its number in the program, from 0; of one within a branch, that of the condition"`
	Op         string      `json:"op"`
	Type       string      `json:"operation_type"`
	Label      *string     `json:"label"`
	Branch     *string     `json:"branch_taken" doc:"Of a condition: then or else"`
	Nodes      int         `json:"nodes_affected"`
	Links      int         `json:"links_affected"`
	Size       ProgramSize `json:"w_size"`
	DurationMS float64     `json:"duration_ms"`
}

// ProgramSize is how large the graph was after a statement.
type ProgramSize struct {
	Nodes int `json:"nodes"`
	Links int `json:"links"`
}

// ProgramReport is what is wrong with a program.
type ProgramReport struct {
	Valid    bool           `json:"valid"`
	Errors   []ProgramIssue `json:"errors"`
	Warnings []ProgramIssue `json:"warnings"`
}

// ProgramIssue is one thing that is wrong with a program.
type ProgramIssue struct {
	Rule      string  `json:"rule_id"`
	Severity  string  `json:"severity" doc:"error or warning"`
	Statement *int    `json:"statement" doc:"The number of the statement, from 0; null: the program as a whole"`
	Field     *string `json:"field"`
	Message   string  `json:"message"`
}

// Err returns a CodeInvalid Error with every error of the report, or nil without any.
func (r ProgramReport) Err() error {
	fields := make([]FieldError, len(r.Errors))
	for i, e := range r.Errors {
		fields[i] = FieldError{In: "body", Name: e.place(), Rule: e.Message}
	}
	return Invalid(fields...)
}

// place names where an issue is in the program.
func (i ProgramIssue) place() string {
	switch {
	case i.Field != nil:
		return "program." + *i.Field
	case i.Statement != nil:
		return "program.statements"
	}
	return "program"
}

// savedProgram is the definition of a program that is kept, and what is read of it apart
// from its statements.
type savedProgram struct {
	Statements []json.RawMessage `json:"statements"`
	Metadata   struct {
		Description *string `json:"description"`
	} `json:"metadata"`
}

// ProgramEntry is a program in a list.
type ProgramEntry struct {
	ID          int     `json:"id"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
	Statements  int     `json:"statement_count"`
	OwnerID     *int    `json:"owner_id"`
	CreatedAt   Time    `json:"created_at"`
	UpdatedAt   Time    `json:"updated_at"`
}

// ProgramEntry returns q, a program, as a list shows it.
func (q SavedQuery) ProgramEntry() ProgramEntry {
	var p savedProgram
	_ = json.Unmarshal(q.Definition, &p) // was read when it was kept
	return ProgramEntry{
		ID: q.ID, Name: q.Name, Description: p.Metadata.Description, Statements: len(p.Statements), OwnerID: q.OwnerID, CreatedAt: q.CreatedAt, UpdatedAt: q.UpdatedAt,
	}
}
