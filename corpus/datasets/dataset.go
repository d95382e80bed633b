package datasets

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The ranges and defaults of questions to datasets.
const (
	MaxRows           = 1000 // rows of an answer
	MaxDatasets       = 16   // in one query
	maxSQLCharacters  = 100_000
	maxURLCharacters  = 2048
	maxTableNameBytes = 63
)

// Dataset names a Parquet file and the table by which a query knows it.
type Dataset struct {
	URL       string `json:"url"`
	TableName string `json:"table_name"`
}

// Query asks a question in SQL, one SELECT, to some datasets.
type Query struct {
	SQL      string    `json:"sql"`
	Datasets []Dataset `json:"datasets"`
	Limit    int       `json:"limit"` // rows returned, 1 to 1000
}

// Validate reports every rule that q breaks. The URLs themselves are checked when they
// are fetched.
func (q Query) Validate() error {
	var r check.Rules
	q.check(&r, "")
	return r.Err()
}

// check adds the rules that q breaks, whose members are below at.
func (q Query) check(r *check.Rules, at string) {
	r.Add("body", at+"sql", checkSQL(q.SQL))
	r.Add("body", at+"limit", check.Range(q.Limit, 1, MaxRows))
	r.Add("body", at+"datasets", check.Range(len(q.Datasets), 0, MaxDatasets))
	seen := map[string]bool{}
	for i, d := range q.Datasets {
		at := at + "datasets[" + strconv.Itoa(i) + "]."
		r.Add("body", at+"url", check.Name(d.URL, maxURLCharacters))
		r.Add("body", at+"table_name", checkTableName(d.TableName))
		key := strings.ToLower(d.TableName)
		if seen[key] {
			r.Add("body", at+"table_name", "must differ from the other names, upper and lower case being the same; got "+check.Quote(d.TableName)+" twice")
		}
		seen[key] = true
	}
}

var tableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// checkTableName returns the rule that the name of a table breaks, or "".
func checkTableName(name string) string {
	if len(name) > maxTableNameBytes || !tableName.MatchString(name) {
		return "must be a letter or underscore, then letters, digits and underscores, 63 at most; got " + check.Quote(name)
	}
	return ""
}

// checkSQL returns the rule that a query breaks before it is parsed, or "".
func checkSQL(sql string) string {
	switch {
	case !utf8.ValidString(sql) || strings.ContainsRune(sql, 0):
		return "must be valid UTF-8 without NUL"
	case strings.TrimSpace(sql) == "":
		return "must not be empty"
	case utf8.RuneCountInString(sql) > maxSQLCharacters:
		return "must have at most " + strconv.Itoa(maxSQLCharacters) + " characters"
	}
	return ""
}

// Validity says whether a URL leads to a Parquet file that can be read.
type Validity struct {
	Valid bool   `json:"valid"`
	Error *Error `json:"error"` // why not; null when valid
}

// Column is a column of a dataset or of an answer.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // as DuckDB writes it, such as DECIMAL(18,3)
	Nullable bool   `json:"nullable"`
}

// Schema is what a Parquet file says of itself.
type Schema struct {
	Columns   []Column `json:"columns"`
	RowCount  int64    `json:"row_count"`
	SizeBytes int64    `json:"size_bytes"`
}

// Rows is the answer to a Query. Each row is a JSON object with its members
// in the order of the columns.
type Rows struct {
	Columns    []Column          `json:"columns"`
	Rows       []json.RawMessage `json:"rows"`
	TotalRows  int64             `json:"total_rows"` // of the whole result
	Truncated  bool              `json:"truncated"`  // there are more rows than returned
	DurationMS float64           `json:"duration_ms"`
}

// ErrorType is the class of a failure of a dataset.
type ErrorType string

// The classes, by who can mend it: the request, the server with the file, the query, the
// time that it takes, the memory that it takes, us.
const (
	ErrValidation ErrorType = "validation"
	ErrNetwork    ErrorType = "network"
	ErrSQL        ErrorType = "sql"
	ErrTimeout    ErrorType = "timeout"
	ErrMemory     ErrorType = "memory"
	ErrInternal   ErrorType = "internal"
)

// Error is a failure of a dataset, for the caller. kappa.ErrorCode knows it by its class.
type Error struct {
	Type    ErrorType          `json:"error_type"`
	Message string             `json:"message"`
	Details *string            `json:"details"` // such as the place in the SQL; null when there is no more to say
	Code    kappa.Code         `json:"-"`       // when it is not what follows from the class
	Fields  []kappa.FieldError `json:"-"`       // each value of the request that breaks a rule

	RetryAfter time.Duration `json:"-"` // for kappa.CodeRateLimited and kappa.CodeUnavailable
}

// Error returns the class and the message.
func (e *Error) Error() string { return string(e.Type) + ": " + e.Message }

// Unwrap returns the Error that says the same to callers who know no classes.
func (e *Error) Unwrap() error {
	message := e.Message
	if e.Details != nil {
		message += ": " + *e.Details
	}
	return &kappa.Error{Code: cmp.Or(e.Code, e.Type.code()), Message: message, Fields: e.Fields, RetryAfter: e.RetryAfter}
}

func (t ErrorType) code() kappa.Code {
	switch t {
	case ErrValidation, ErrSQL:
		return kappa.CodeInvalid
	case ErrNetwork:
		return kappa.CodeUpstream
	case ErrTimeout:
		return kappa.CodeTimeout
	case ErrMemory:
		return kappa.CodeInsufficient
	case ErrInternal:
	}
	return kappa.CodeInternal
}
