package programs

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/check"
)

// The limits of saved queries.
const (
	MaxSavedQueries      = 1000 // of one account
	MaxSavedQueryList    = 500  // in one answer
	MaxSavedQueryName    = 200  // characters
	maxQueryMetadata     = 16 << 10
	maxQuerySearch       = 200 // characters
	MaxQueryParameters   = 50
	maxParameterText     = 10_000 // characters of one value
	maxParameterList     = 1000   // texts of one value
	maxParameterTextHelp = 500    // characters of a description
)

// The types of saved queries. Each but QueryProgram is a route of questions, whose request
// is the definition.
const (
	QuerySearch       = "search"
	QueryRelated      = "related"
	QueryConnection   = "connection" // between two concepts, or between what two phrases mean
	QueryPath         = "enriched_path"
	QueryNeighborhood = "neighborhood"
	QueryPolarity     = "polarity"
	QueryAsk          = "ask"
	QuerySources      = "sources"
	QueryDocuments    = "documents"
	QueryDataset      = "dataset" // in SQL, to Parquet files
	QueryProgram      = "program"
)

// SavedQueryTypes returns what a saved query may be.
func SavedQueryTypes() []string {
	return []string{
		QuerySearch, QueryRelated, QueryConnection, QueryPath, QueryNeighborhood, QueryPolarity, QueryAsk, QuerySources, QueryDocuments, QueryDataset, QueryProgram,
	}
}

// foreignQueryTypes are what clients of other servers keep, with what to keep here instead.
var foreignQueryTypes = map[string]string{
	"cypher":        "statements of Cypher are not run here: keep a program, or one of the questions",
	"block_diagram": "the blocks are the client's own drawing: keep the program that they stand for",
	"exploration":   "the steps are the client's own: keep the program that they stand for",
}

// SavedQuery is a question that is kept, as the API shows it.
type SavedQuery struct {
	ID         int              `json:"id"`
	Name       string           `json:"name"`
	Type       string           `json:"definition_type"`
	Definition json.RawMessage  `json:"definition"` // the request, in which "$name" stands for a parameter
	Parameters []QueryParameter `json:"parameters"`
	Metadata   json.RawMessage  `json:"metadata"` // an object that clients keep with it, or null
	OwnerID    *int             `json:"owner_id"` // null when the account was deleted
	CreatedAt  kappa.Time       `json:"created_at"`
	UpdatedAt  kappa.Time       `json:"updated_at"`
}

// Row returns what permissions ask of a saved query.
func (q SavedQuery) Row() access.Row {
	r := access.Row{ID: strconv.Itoa(q.ID), Type: q.Type}
	if q.OwnerID != nil {
		r.Owner = *q.OwnerID
	}
	return r
}

// NewSavedQuery is what it takes to keep a query. A program without a name is called after
// its number.
type NewSavedQuery struct {
	Name       string
	Type       string
	Definition json.RawMessage
	Parameters []QueryParameter
	Metadata   json.RawMessage // nil: none
	OwnerID    int
}

// Validate reports every rule that q breaks by itself. Whether its definition can be asked
// only the route of its type knows. A type that is not kept is a kappa.CodeMalformed Error.
func (q NewSavedQuery) Validate() error {
	if instead := foreignQueryTypes[q.Type]; instead != "" {
		return kappa.NewError(kappa.CodeMalformed, "definition_type: "+q.Type+" is not supported: "+instead)
	}
	if rule := check.OneOf(q.Type, SavedQueryTypes()...); rule != "" {
		return kappa.NewError(kappa.CodeMalformed, "definition_type: "+rule)
	}
	var r check.Rules
	if q.Name != "" || q.Type != QueryProgram {
		r.Add("body", "name", check.Name(q.Name, MaxSavedQueryName))
	}
	checkQueryParts(&r, q.Definition, q.Parameters, q.Metadata)
	return r.Err()
}

// SavedQueryChange is what is changed of a saved query; nil leaves a part as it is.
type SavedQueryChange struct {
	Name       *string
	Definition json.RawMessage
	Parameters *[]QueryParameter
	Metadata   json.RawMessage
}

// Apply returns what becomes of q. It reports every rule that it would break.
func (c SavedQueryChange) Apply(q SavedQuery) (SavedQuery, error) {
	if c.Name == nil && c.Definition == nil && c.Parameters == nil && c.Metadata == nil {
		return q, kappa.NewError(kappa.CodeMalformed, "Nothing is to be changed: send name, definition, parameters or metadata")
	}
	var r check.Rules
	if c.Name != nil {
		r.Add("body", "name", check.Name(*c.Name, MaxSavedQueryName))
		q.Name = *c.Name
	}
	if c.Definition != nil {
		q.Definition = c.Definition
	}
	if c.Parameters != nil {
		q.Parameters = *c.Parameters
	}
	if c.Metadata != nil {
		q.Metadata = c.Metadata
	}
	checkQueryParts(&r, q.Definition, q.Parameters, q.Metadata)
	return q, r.Err()
}

// checkQueryParts adds every rule that the parts of a query break.
func checkQueryParts(r *check.Rules, definition json.RawMessage, parameters []QueryParameter, metadata json.RawMessage) {
	if rule := check.Object(definition, check.MaxData); rule != "" {
		r.Add("body", "definition", rule)
	} else if place, rule := check.Data(definition); rule != "" {
		r.Add("body", "definition"+strings.TrimPrefix(place, "data"), rule)
	}
	if metadata != nil && string(metadata) != "null" {
		if rule := check.Object(metadata, maxQueryMetadata); rule != "" {
			r.Add("body", "metadata", rule)
		} else if place, rule := check.Data(metadata); rule != "" {
			r.Add("body", "metadata"+strings.TrimPrefix(place, "data"), rule)
		}
	}
	checkParameters(r, parameters)
}

// SavedQueryFilter selects saved queries. The zero of a field selects any.
type SavedQueryFilter struct {
	Type          string
	Name          string // exactly
	Search        string // in the name or in the description
	OwnerID       *int
	Visible       *access.VisibleRows // no others; nil = any
	Limit, Offset int
	Cursor        string // of the page before; "" = the first one
}

// Validate reports every rule that f breaks. A type that other servers keep selects nothing.
func (f SavedQueryFilter) Validate() error {
	var r check.Rules
	if f.Type != "" && foreignQueryTypes[f.Type] == "" {
		r.Add("query", "definition_type", check.OneOf(f.Type, SavedQueryTypes()...))
	}
	r.Add("query", "name", check.OptionalName(f.Name, MaxSavedQueryName))
	r.Add("query", "search", check.OptionalName(f.Search, maxQuerySearch))
	r.Add("query", "limit", check.Range(f.Limit, 1, MaxSavedQueryList))
	r.Add("query", "offset", check.Range(f.Offset, 0, check.MaxOffset))
	r.Add("query", "cursor", check.Cursor(kappa.ListSavedQueries, f.Cursor, kappa.SavedQueryKeys, f.Offset))
	return r.Err()
}

// Narrow returns f narrowed to the queries that p may read, and false when those
// are none.
func (f SavedQueryFilter) Narrow(p access.Principal) (SavedQueryFilter, bool) {
	reach, some := p.Reach(access.QueriesRead), p.Granted(access.QueriesRead)
	if reach == access.ReachAll {
		return f, true
	}
	f.Visible = &access.VisibleRows{RowSet: some}
	if reach == access.ReachOwn {
		f.Visible.Owner = p.User.ID
	}
	return f, reach == access.ReachOwn || !some.Empty()
}

// isQueryWord reports whether a word can name a parameter: a letter or _, then letters,
// digits and _, 64 at most.
func isQueryWord(word string) bool {
	const most = 64
	letter := func(r rune) bool { return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	return word != "" && len(word) <= most && letter(rune(word[0])) &&
		!slices.ContainsFunc([]rune(word), func(r rune) bool { return !letter(r) && (r < '0' || r > '9') })
}
