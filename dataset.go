package kappa

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The ranges and defaults of questions to datasets.
const (
	MaxDatasetRows    = 1000 // rows of an answer
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

// DatasetQuery asks a question in SQL, one SELECT, to some datasets.
type DatasetQuery struct {
	SQL      string    `json:"sql"`
	Datasets []Dataset `json:"datasets"`
	Limit    int       `json:"limit"` // rows returned, 1 to 1000
}

// Validate reports every rule that q breaks. The URLs themselves are checked when they
// are fetched.
func (q DatasetQuery) Validate() error {
	var r rules
	q.check(&r, "")
	return r.err()
}

// check adds the rules that q breaks, whose members are below at.
func (q DatasetQuery) check(r *rules, at string) {
	r.add("body", at+"sql", checkSQL(q.SQL))
	r.add("body", at+"limit", checkRange(q.Limit, 1, MaxDatasetRows))
	r.add("body", at+"datasets", checkRange(len(q.Datasets), 0, MaxDatasets))
	seen := map[string]bool{}
	for i, d := range q.Datasets {
		at := at + "datasets[" + strconv.Itoa(i) + "]."
		r.add("body", at+"url", checkName(d.URL, maxURLCharacters))
		r.add("body", at+"table_name", checkTableName(d.TableName))
		key := strings.ToLower(d.TableName)
		if seen[key] {
			r.add("body", at+"table_name", "must differ from the other names, upper and lower case being the same; got "+quote(d.TableName)+" twice")
		}
		seen[key] = true
	}
}

var tableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// checkTableName returns the rule that the name of a table breaks, or "".
func checkTableName(name string) string {
	if len(name) > maxTableNameBytes || !tableName.MatchString(name) {
		return "must be a letter or underscore, then letters, digits and underscores, 63 at most; got " + quote(name)
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

// DatasetValidity says whether a URL leads to a Parquet file that can be read.
type DatasetValidity struct {
	Valid bool          `json:"valid"`
	Error *DatasetError `json:"error"` // why not; null when valid
}

// DatasetColumn is a column of a dataset or of an answer.
type DatasetColumn struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // as DuckDB writes it, such as DECIMAL(18,3)
	Nullable bool   `json:"nullable"`
}

// DatasetSchema is what a Parquet file says of itself.
type DatasetSchema struct {
	Columns   []DatasetColumn `json:"columns"`
	RowCount  int64           `json:"row_count"`
	SizeBytes int64           `json:"size_bytes"`
}

// DatasetRows is the answer to a DatasetQuery. Each row is a JSON object with its members
// in the order of the columns.
type DatasetRows struct {
	Columns    []DatasetColumn   `json:"columns"`
	Rows       []json.RawMessage `json:"rows"`
	TotalRows  int64             `json:"total_rows"` // of the whole result
	Truncated  bool              `json:"truncated"`  // there are more rows than returned
	DurationMS float64           `json:"duration_ms"`
}

// MemoryWatch is the protection of child processes whose memory their server looks at.
const MemoryWatch = "watch of memory"

// DatasetErrorType is the class of a failure of a dataset.
type DatasetErrorType string

// The classes, by who can mend it: the request, the server with the file, the query, the
// time that it takes, the memory that it takes, us.
const (
	DatasetValidation DatasetErrorType = "validation"
	DatasetNetwork    DatasetErrorType = "network"
	DatasetSQL        DatasetErrorType = "sql"
	DatasetTimeout    DatasetErrorType = "timeout"
	DatasetMemory     DatasetErrorType = "memory"
	DatasetInternal   DatasetErrorType = "internal"
)

// DatasetError is a failure of a dataset, for the caller. ErrorCode knows it by its class.
type DatasetError struct {
	Type    DatasetErrorType `json:"error_type"`
	Message string           `json:"message"`
	Details *string          `json:"details"` // such as the place in the SQL; null when there is no more to say
	Code    Code             `json:"-"`       // when it is not what follows from the class
	Fields  []FieldError     `json:"-"`       // each value of the request that breaks a rule

	RetryAfter time.Duration `json:"-"` // for CodeRateLimited and CodeUnavailable
}

// Error returns the class and the message.
func (e *DatasetError) Error() string { return string(e.Type) + ": " + e.Message }

// Unwrap returns the Error that says the same to callers who know no classes.
func (e *DatasetError) Unwrap() error {
	message := e.Message
	if e.Details != nil {
		message += ": " + *e.Details
	}
	return &Error{Code: cmp.Or(e.Code, e.Type.code()), Message: message, Fields: e.Fields, RetryAfter: e.RetryAfter}
}

func (t DatasetErrorType) code() Code {
	switch t {
	case DatasetValidation, DatasetSQL:
		return CodeInvalid
	case DatasetNetwork:
		return CodeUpstream
	case DatasetTimeout:
		return CodeTimeout
	case DatasetMemory:
		return CodeInsufficient
	case DatasetInternal:
	}
	return CodeInternal
}
