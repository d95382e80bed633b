// Package exit has the exit codes of kg, and the errors that choose one.
package exit

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
)

// The exit codes. Scripts rely on them.
const (
	OK           = 0
	Failed       = 1
	Misused      = 2
	NotFound     = 3
	NotAllowed   = 4
	Unreachable  = 5
	JobFailed    = 6
	JobCancelled = 7
	TimedOut     = 8
	Interrupted  = 130
)

// Help is the help topic on exit codes.
const Help = `The exit codes of kg:

    0  the command did what it was asked to
    1  it failed
    2  wrong arguments, or a value that breaks a rule
    3  there is no such job, concept, lane or other thing
    4  not logged in, or not allowed
    5  the server cannot be reached, or cannot serve now: try again
    6  a job that was waited for has failed
    7  a job that was waited for was cancelled
    8  what was waited for did not come within the time that was given
  130  interrupted while watching; the job goes on

With several jobs the first code of 6, 7 counts that one of them gives.
Errors are on stderr, in the form "kg: <what failed>: <why>", with a line that
says what to do where that is known.`

// NewTopic returns the help topic on exit codes.
func NewTopic() *cobra.Command {
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: Help}
}

// Error is an error that knows its exit code and what the user can do.
type Error struct {
	Code int
	Err  error  // nil = there is nothing more to say
	Hint string // may be empty
}

// Error returns the text of the cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Usage returns an error about wrong arguments; the code is [Misused].
func Usage(format string, values ...any) error {
	return &Error{Code: Misused, Err: fmt.Errorf(format, values...)}
}

// CodeOf returns the exit code of an error and what the user can do.
func CodeOf(err error) (code int, hint string) {
	if known, ok := errors.AsType[*Error](err); ok {
		return known.Code, known.Hint
	}
	switch {
	case err == nil:
		return OK, ""
	case errors.Is(err, context.Canceled):
		return Interrupted, ""
	case unverified(err):
		return Unreachable, "for an authority of your own: --ca-file FILE, or KG_CA_FILE; else the server has another name, or somebody is in between"
	case errors.Is(err, client.ErrUnreachable):
		return Unreachable, "start it with: kg serve, or set KG_API_URL"
	}
	switch kappa.ErrorCode(err) {
	case kappa.CodeUnauthenticated:
		return NotAllowed, "log in with: kg login -u admin"
	case kappa.CodeForbidden:
		return NotAllowed, ""
	case kappa.CodeNotFound:
		return NotFound, ""
	case kappa.CodeInvalid:
		return Misused, ""
	case kappa.CodeUnavailable, kappa.CodeRateLimited:
		return Unreachable, "try again in a moment; kg doctor shows what is wrong"
	}
	return Failed, ""
}

// unverified reports whether an error is that of a certificate that is not believed.
func unverified(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}
