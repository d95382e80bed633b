package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kappagraph/kappa"
)

// The SQLSTATEs that mean something to a caller; see appendix A of the
// PostgreSQL documentation.
const (
	stateUniqueViolation     = "23505"
	stateForeignKeyViolation = "23503"
	stateCardinality         = "21000" // a row that one statement would change twice
	stateUntranslatable      = "22P05" // \u0000 in jsonb
	stateBadEncoding         = "22021" // 0x00 in text
	stateOutOfRange          = "22003" // a number that no column holds
	stateQueryCanceled       = "57014" // statement_timeout
	stateLockNotAvailable    = "55P03" // lock_timeout
	stateDeadlock            = "40P01"
	stateSerialization       = "40001"
	stateTooManyConnections  = "53300"
	stateDiskFull            = "53100"
	classConnection          = "08"
	classData                = "22"
	classIntegrity           = "23"
	classLimits              = "54" // too long, too deep, too many
	classResources           = "53"
	classSyntax              = "42"
	classOperatorIntervenes  = "57P"
	retryAfterUnavailability = 2 * time.Second
	retryAfterDiskFull       = 10 * time.Second
)

// translate turns a driver's error into the domain's: what failed, and whether
// it may pass. It is the only place that reads SQLSTATE. nil stays nil.
func translate(err error, what string) error {
	if err == nil {
		return nil
	}
	var known *kappa.Error
	if errors.As(err, &known) || errors.Is(err, kappa.ErrStale) || errors.Is(err, kappa.ErrCancelled) {
		return err
	}
	wrapped := fmt.Errorf("%s: %w", what, err)
	if other := (*NotPrimaryError)(nil); errors.As(err, &other) {
		return unavailable("the database that answers is not the primary; try again", wrapped)
	}
	if errors.Is(err, context.Canceled) {
		return wrapped
	}
	switch state := sqlState(err); {
	case state == stateUntranslatable || state == stateBadEncoding:
		return &kappa.Error{Code: kappa.CodeInvalid, Message: "the text contains a NUL character, which cannot be stored; remove it", Err: wrapped}
	case state == stateOutOfRange:
		return &kappa.Error{Code: kappa.CodeInvalid, Message: "a number is too large to be stored", Err: wrapped}
	case state == stateQueryCanceled || state == stateLockNotAvailable:
		return unavailable("the database took too long; try again", wrapped)
	case state == stateDeadlock || state == stateSerialization:
		return unavailable("the database was busy; try again", wrapped)
	case state == stateTooManyConnections:
		return unavailable("the database has no connection left; try again", wrapped)
	case state == stateDiskFull:
		return &kappa.Error{
			Code: kappa.CodeUnavailable, Message: "the database's disk is full; nothing can be stored until there is room",
			RetryAfter: retryAfterDiskFull, Err: fmt.Errorf("%w: %w", kappa.ErrDiskFull, wrapped),
		}
	case strings.HasPrefix(state, classResources): // no memory, or no room in the table of locks
		return unavailable("the database has run out of resources; try again", wrapped)
	case strings.HasPrefix(state, classConnection), strings.HasPrefix(state, classOperatorIntervenes), unreachable(err):
		return unavailable("the database cannot be reached; try again", wrapped)
	case errors.Is(err, context.DeadlineExceeded):
		return unavailable("the database took too long; try again", wrapped)
	case state != "":
		return refused(state, what, wrapped)
	}
	return wrapped
}

// refused is a statement that the database did not accept: a fault of ours, of
// which the caller learns only what was tried. Data that breaks a rule breaks
// it again, so another attempt cannot help.
func refused(state, what string, cause error) error {
	err := &kappa.Error{Code: kappa.CodeInternal, Message: what + ": the database refused it; see the server's log", Err: cause}
	switch state[:2] {
	case classData, classIntegrity, classLimits, classSyntax:
		return kappa.Permanent(err)
	}
	return err
}

func unavailable(message string, cause error) error {
	return &kappa.Error{Code: kappa.CodeUnavailable, Message: message, RetryAfter: retryAfterUnavailability, Err: cause}
}

// sqlState returns the SQLSTATE of err, or "".
func sqlState(err error) string {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pgErr.Code
	}
	return ""
}

// violates reports that err is a violation of the named unique constraint or
// index, or foreign key.
func violates(err error, constraint string) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && (pgErr.Code == stateUniqueViolation || pgErr.Code == stateForeignKeyViolation) && pgErr.ConstraintName == constraint
}

// unreachable reports that the connection failed rather than the statement. What
// was sent may have been done all the same.
func unreachable(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed)
}

// isNoRows reports that a guarded statement changed nothing.
func isNoRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }

// notFound is the answer for an id that nothing has.
func notFound(format string, args ...any) error {
	return kappa.NewError(kappa.CodeNotFound, fmt.Sprintf(format, args...))
}

// conflict is the answer for a state that does not allow what was asked.
func conflict(format string, args ...any) error {
	return kappa.NewError(kappa.CodeConflict, fmt.Sprintf(format, args...))
}

// inNoRow reports whether one of the texts can be in no row: PostgreSQL stores neither NUL
// characters nor what is not UTF-8, and refuses a query that has any.
func inNoRow(texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return strings.ContainsRune(s, 0) || !utf8.ValidString(s) })
}
