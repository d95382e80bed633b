package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// OldestMajor is the oldest version of PostgreSQL that Kappa works on.
const OldestMajor = 15

// Probe connects to a database and returns its major version. It changes nothing. No error
// shows the address, which may have a password in it.
func Probe(ctx context.Context, dsn string) (major int, err error) {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return 0, errors.New("the address cannot be read: it must be like postgres://user:password@host:5432/name")
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return 0, fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	version := conn.PgConn().ParameterStatus("server_version")
	major, err = strconv.Atoi(leadingDigits(version))
	if err != nil {
		return 0, fmt.Errorf("it says that its version is %q", version)
	}
	return major, nil
}

func leadingDigits(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		return s
	}
	return s[:end]
}
