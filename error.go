package kappa

import (
	"errors"
	"strings"
	"time"
)

// Code says what kind of failure an Error is. The HTTP status, the exit code of
// the command line and the decision to retry follow from it.
type Code string

// The codes. A failure that is none of the others is CodeInternal, and its
// message is never shown.
const (
	CodeInternal        Code = "internal"
	CodeMalformed       Code = "malformed"        // the request cannot be read
	CodeInvalid         Code = "invalid"          // a value breaks a rule; see Error.Fields
	CodeUnauthenticated Code = "unauthenticated"  // no valid bearer
	CodeForbidden       Code = "forbidden"        // known, but not allowed
	CodeNotFound        Code = "not_found"        // no such thing
	CodeConflict        Code = "conflict"         // the state does not allow it now
	CodeTooLarge        Code = "too_large"        // over a size limit
	CodeUnsupported     Code = "unsupported_type" // content that Kappa does not read
	CodeRateLimited     Code = "rate_limited"     // try again after Error.RetryAfter
	CodeNotImplemented  Code = "not_implemented"  // not built yet, or not configured on this server
	CodeUnavailable     Code = "unavailable"      // a dependency is down or busy
	CodeUpstream        Code = "upstream"         // a server that the user named failed
	CodeTimeout         Code = "timeout"          // what was asked for took longer than its limit
	CodePrecondition    Code = "precondition"     // it is not what the caller last read
	CodeUpgradeRequired Code = "upgrade_required" // the route is a WebSocket
	CodeInsufficient    Code = "insufficient"     // what was asked for needs more memory than its limit
)

// Error is a failure with a message that may be shown to the caller.
type Error struct {
	Code       Code
	Message    string        // for the caller: no SQL, no server paths, no secrets
	Fields     []FieldError  // for CodeInvalid: each value that breaks a rule
	RetryAfter time.Duration // for CodeRateLimited and CodeUnavailable; 0 = unknown
	Err        error         // the cause, for the log only; may be nil
}

// FieldError is one value that breaks a rule.
type FieldError struct {
	In   string // body, query, path or form
	Name string // the field, dotted for nested ones
	Rule string // the rule as a sentence fragment: "must be at most 16, got 99"
}

// Error returns the message and the cause.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// NewError returns an Error with a code and a message for the caller.
func NewError(code Code, message string) *Error { return &Error{Code: code, Message: message} }

// Invalid returns one Error that names every broken rule, or nil without any.
func Invalid(fields ...FieldError) error {
	if len(fields) == 0 {
		return nil
	}
	rules := make([]string, len(fields))
	for i, f := range fields {
		rules[i] = f.Name + ": " + f.Rule
	}
	return &Error{Code: CodeInvalid, Message: strings.Join(rules, "; "), Fields: fields}
}

// ErrorCode returns the code of the first Error in err's chain, CodeInternal
// when there is none, and "" for nil.
func ErrorCode(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// ErrorMessage returns what may be shown to the caller: the message of the
// first Error in err's chain, or a fixed phrase that gives nothing away.
func ErrorMessage(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message
	}
	return "internal error"
}

// ErrStale reports that the claim is no longer ours: another worker owns the
// job, or it has ended. A worker that gets it stops and writes nothing more for
// that attempt.
var ErrStale = errors.New("claim is stale")

// ErrDiskFull reports that the database has no room to write. What was asked
// changed nothing; the same may be asked again later. Reading goes on.
var ErrDiskFull = errors.New("disk full")

// ErrLeaseLost reports that this worker's lease ended before it was renewed.
// Its jobs are stopped and will be taken up again under a new claim.
var ErrLeaseLost = errors.New("lease lost")

// ErrCancelled reports that the job was asked to stop. The handler that
// returns it has kept what it had stored.
var ErrCancelled = errors.New("job cancelled")

// ErrShutdown reports that the server is stopping: the job goes back to
// approved without counting the attempt.
var ErrShutdown = errors.New("server is shutting down")

// ErrDeposed reports that another server leads now. What the caller wanted to write as
// the leader was not written.
var ErrDeposed = errors.New("another server leads")
