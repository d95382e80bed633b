package pgembed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// wrongPassword is the SQLSTATE of a password that is not the role's.
const wrongPassword = "28P01"

// rulesName is PostgreSQL's name for the file of who may connect, in the data
// directory.
const rulesName = "pg_hba.conf"

// rules are who may connect: over the socket, with a password. There is no rule
// for TCP, nor for the user that the process has: whatever is run as that user,
// such as a worker that reads data of strangers, would be superuser.
const rules = `# kg writes this file at each start. Who connects needs a password; that of the role
# ` + Superuser + ` is in the file ` + secretName + ` beside the data directory.
local all         all scram-sha-256
local replication all scram-sha-256
`

// keepRules replaces the rules of the cluster unless they are these: an earlier
// version asked for no password.
func keepRules(ctx context.Context, cfg Config, a account) error {
	path := filepath.Join(cfg.dataDir(), rulesName)
	entry, err := os.Lstat(path)
	if err == nil && entry.Mode().IsRegular() {
		if old, err := os.ReadFile(path); err == nil && string(old) == rules {
			return nil
		}
	}
	cfg.Log.InfoContext(ctx, "replacing the rules of who may connect to the private postgres cluster: it asks for a password now", "file", path)
	return writeRules(cfg, a, cfg.dataDir())
}

// writeRules writes the rules of a data directory.
func writeRules(cfg Config, a account, dataDir string) error {
	dir, err := os.OpenRoot(dataDir)
	if err == nil {
		err = errors.Join(replaceFile(dir, rulesName, rules, a.owner(), cfg.durable()), dir.Close())
	}
	if err != nil {
		return fmt.Errorf("say who may connect to postgres: %w", err)
	}
	return nil
}

// setPassword gives PostgreSQL the password, which it does not know: the data
// directory is an older one, or the file of the password was lost. It asks
// nobody for the old one, because it is the only process that has the files: it
// runs postgres as a single process, which nobody can connect to. It can be
// repeated.
func setPassword(ctx context.Context, cfg Config, a account, p programs, s secret) error {
	cfg.Log.InfoContext(ctx, "giving the private postgres cluster a new password", "dir", cfg.Dir)
	verifier, err := s.verifier()
	if err != nil {
		return err
	}
	where, err := a.reach(ctx, p, cfg.dataDir())
	if err != nil {
		return err
	}
	defer where.close()
	args := append([]string{"--single"}, cfg.arguments(where.path, "")...)
	// An error ends the program, and tells no statement.
	args = append(args, "-c", "exit_on_error=on", "-c", "log_statement=none", "-c", "log_min_error_statement=panic", "postgres")
	cmd := a.command(p, "postgres", where, args...)
	cmd.Stdin = strings.NewReader("ALTER ROLE " + Superuser + " PASSWORD '" + verifier + "' VALID UNTIL 'infinity'\n")
	if err := runForOutput(ctx, cmd, "postgres --single"); err != nil {
		return fmt.Errorf("give the private postgres cluster in %s a password: %w", cfg.Dir, err)
	}
	return nil
}

// refused reports that PostgreSQL has another password than the one of the file.
func refused(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && answer.Code == wrongPassword
}
