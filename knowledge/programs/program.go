package programs

import (
	"encoding/json"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The limits of programs.
const (
	MaxBytes      = check.MaxData // of JSON
	MaxStatements = 100           // with those of branches
	MaxNesting    = 3             // conditions within conditions
	MaxDeck       = 10            // programs in a chain
	MaxNodes      = 5_000         // of the graph that is built
	MaxLinks      = 20_000        // likewise
	MaxGathered   = 8 << 20       // bytes of the answers of a run, and of the graphs of a chain
	MaxQuestions  = 500           // that one run asks
	MaxSeconds    = 60            // that one run takes
	MaxTime       = MaxSeconds * time.Second
)

// The operators of statements: what the result of a statement does to the graph that is
// being built.
const (
	Union      = "+" // adds it
	Difference = "-" // takes its concepts away
	Intersect  = "&" // keeps only its concepts
	Optional   = "?" // adds it; an empty one is not worth a word
	Assert     = "!" // adds it; an empty one ends the program
)

// The types of operations.
const (
	Cypher      = "cypher"
	API         = "api"
	Conditional = "conditional"
)

// Program is a sequence of statements, each of which asks the graph one question and joins
// the answer to the graph that is being built. There are no loops: a program ends.
type Program struct {
	Name        string // of its metadata; "" without
	Description string
	Parameters  []QueryParameter
	Statements  []Statement
}

// Statement is one step of a program.
type Statement struct {
	Index int // of the statement of the program that it is, or is within
	Op    string
	Type  string
	Label string

	Cypher CypherStatement // of a cypher operation

	Endpoint string         // of an api operation
	Params   map[string]any // likewise, as the JSON says it

	Condition  Condition // of a conditional operation
	Then, Else []Statement
}

// Condition asks something of the graph that is being built.
type Condition struct {
	Test  string
	Value int    // of count_gte and count_lte
	Name  string // of an ontology or of a relationship type
}

// Holds reports whether the condition holds for a graph.
func (c Condition) Holds(g *Graph) bool {
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

// Run is a program with the values of its parameters.
type Run struct {
	Program Program
	Values  map[string]any // of BindParameters
}

// Result is the graph that a program has built.
type Result struct {
	Result  Graph  `json:"result"`
	Log     []Step `json:"log"`
	Aborted *Abort `json:"aborted" doc:"Null when the program came to its end; else the graph is what it had built until then"`
}

// Chain is what a chain of programs has built, each of which began with the graph of
// the one before.
type Chain struct {
	Result   Graph    `json:"result"`
	Programs []Result `json:"programs"`
	Aborted  *Abort   `json:"aborted" doc:"Of the program that ended the chain"`
}

// Abort says where and why a program ended early.
type Abort struct {
	Statement int    `json:"statement"`
	Reason    string `json:"reason"`
	Program   *int   `json:"program,omitempty" doc:"In a chain, which one"`
}

// Step is what one statement has done.
type Step struct {
	Statement  int     `json:"statement" doc:"Its number in the program, from 0; of one within a branch, that of the condition"`
	Op         string  `json:"op"`
	Type       string  `json:"operation_type"`
	Label      *string `json:"label"`
	Branch     *string `json:"branch_taken" doc:"Of a condition: then or else"`
	Nodes      int     `json:"nodes_affected"`
	Links      int     `json:"links_affected"`
	Size       Size    `json:"w_size"`
	DurationMS float64 `json:"duration_ms"`
}

// Size is how large the graph was after a statement.
type Size struct {
	Nodes int `json:"nodes"`
	Links int `json:"links"`
}

// Report is what is wrong with a program.
type Report struct {
	Valid    bool    `json:"valid"`
	Errors   []Issue `json:"errors"`
	Warnings []Issue `json:"warnings"`
}

// Issue is one thing that is wrong with a program.
type Issue struct {
	Rule      string  `json:"rule_id"`
	Severity  string  `json:"severity" doc:"error or warning"`
	Statement *int    `json:"statement" doc:"The number of the statement, from 0; null: the program as a whole"`
	Field     *string `json:"field"`
	Message   string  `json:"message"`
}

// Err returns a kappa.CodeInvalid Error with every error of the report, or nil without any.
func (r Report) Err() error {
	fields := make([]kappa.FieldError, len(r.Errors))
	for i, e := range r.Errors {
		fields[i] = kappa.FieldError{In: "body", Name: e.place(), Rule: e.Message}
	}
	return kappa.Invalid(fields...)
}

// place names where an issue is in the program.
func (i Issue) place() string {
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

// Entry is a program in a list.
type Entry struct {
	ID          int        `json:"id"`
	Name        string     `json:"name"`
	Description *string    `json:"description"`
	Statements  int        `json:"statement_count"`
	OwnerID     *int       `json:"owner_id"`
	CreatedAt   kappa.Time `json:"created_at"`
	UpdatedAt   kappa.Time `json:"updated_at"`
}

// ProgramEntry returns q, a program, as a list shows it.
func (q SavedQuery) ProgramEntry() Entry {
	var p savedProgram
	_ = json.Unmarshal(q.Definition, &p) // was read when it was kept
	return Entry{
		ID: q.ID, Name: q.Name, Description: p.Metadata.Description, Statements: len(p.Statements), OwnerID: q.OwnerID, CreatedAt: q.CreatedAt, UpdatedAt: q.UpdatedAt,
	}
}
