package postgres

import (
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kappagraph/kappa"
)

// TestTranslate checks which failures may pass: those of the connection, and
// never those of what was asked.
func TestTranslate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want kappa.Code
	}{
		{io.ErrUnexpectedEOF, kappa.CodeUnavailable}, // the connection ended before the answer
		{fmt.Errorf("read: %w", io.EOF), kappa.CodeUnavailable},
		{net.ErrClosed, kappa.CodeUnavailable},
		{&net.OpError{Op: "write", Err: net.ErrClosed}, kappa.CodeUnavailable},
		{&pgconn.PgError{Code: "57P01"}, kappa.CodeUnavailable},
		{&pgconn.PgError{Code: "40001"}, kappa.CodeUnavailable},
		{&pgconn.PgError{Code: "53300"}, kappa.CodeUnavailable},
		{&pgconn.PgError{Code: "53200"}, kappa.CodeUnavailable},
		{&pgconn.PgError{Code: "53400"}, kappa.CodeUnavailable},
		{&pgconn.PgError{Code: "22P05"}, kappa.CodeInvalid},
		{&pgconn.PgError{Code: "23505"}, kappa.CodeInternal},
		{fmt.Errorf("anything else"), kappa.CodeInternal},
	} {
		if got := kappa.ErrorCode(translate(c.err, "try")); got != c.want {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
	}
}
