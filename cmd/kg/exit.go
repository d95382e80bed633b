package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
)

// The exit codes. Scripts rely on them.
const (
	exitOK           = 0
	exitFailure      = 1
	exitUsage        = 2
	exitNotFound     = 3
	exitNotAllowed   = 4
	exitUnreachable  = 5
	exitJobFailed    = 6
	exitJobCancelled = 7
	exitInterrupted  = 130
)

const exitCodesHelp = `The exit codes of kg:

    0  the command did what it was asked to
    1  it failed
    2  wrong arguments, or a value that breaks a rule
    3  there is no such job, concept, lane or other thing
    4  not logged in, or not allowed
    5  the server cannot be reached, or cannot serve now: try again
    6  a job that was waited for has failed
    7  a job that was waited for was cancelled
  130  interrupted while watching; the job goes on

With several jobs the first code of 6, 7 counts that one of them gives.
Errors are on stderr, in the form "kg: <what failed>: <why>", with a line that
says what to do where that is known.`

// newExitCodesTopic returns the help topic on exit codes.
func newExitCodesTopic() *cobra.Command {
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: exitCodesHelp}
}

// failure is an error that knows its exit code and what the user can do.
type failure struct {
	code int
	err  error  // nil = there is nothing more to say
	hint string // may be empty
}

func (f *failure) Error() string {
	if f.err == nil {
		return fmt.Sprintf("exit code %d", f.code)
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// usage returns an error of wrong arguments.
func usage(format string, values ...any) error {
	return &failure{code: exitUsage, err: fmt.Errorf(format, values...)}
}

// classify returns the exit code of an error and what the user can do.
func classify(err error) (code int, hint string) {
	var known *failure
	if errors.As(err, &known) {
		return known.code, known.hint
	}
	switch {
	case err == nil:
		return exitOK, ""
	case errors.Is(err, context.Canceled):
		return exitInterrupted, ""
	case errors.Is(err, client.ErrUnreachable):
		return exitUnreachable, "start it with: kg serve, or set KG_API_URL"
	}
	switch kappa.ErrorCode(err) {
	case kappa.CodeUnauthenticated:
		return exitNotAllowed, "log in with: kg login -u admin"
	case kappa.CodeForbidden:
		return exitNotAllowed, ""
	case kappa.CodeNotFound:
		return exitNotFound, ""
	case kappa.CodeInvalid:
		return exitUsage, ""
	case kappa.CodeUnavailable, kappa.CodeRateLimited:
		return exitUnreachable, "try again in a moment; kg doctor shows what is wrong"
	}
	return exitFailure, ""
}

// report tells the user what failed and returns the exit code.
func (a *app) report(err error) int {
	code, hint := classify(err)
	var known *failure
	if errors.As(err, &known) && known.err == nil {
		return code
	}
	paint := a.paint(a.err)
	if code == exitInterrupted {
		a.note("%s interrupted", paint.red("kg:"))
		return code
	}
	a.note("%s %s", paint.red("kg:"), printable(err.Error()))
	if hint != "" {
		a.note("    %s", printable(hint))
	}
	return code
}
