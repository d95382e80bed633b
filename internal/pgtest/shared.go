package pgtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/migrations"
)

const (
	templateDatabase = "kappa_template"
	dirPrefix        = "kg-pgtest-"
	startTimeout     = 2 * time.Minute
	stopTimeout      = 20 * time.Second
	// objectInUse is the SQLSTATE of a database that still has a connection or
	// a replication slot in use.
	objectInUse = "55006"
)

// shared is the cluster of a test process.
type shared struct {
	started sync.Once
	err     error // of the start
	dir     string
	cluster *pgembed.Cluster
	number  atomic.Int64 // of the last database

	mu   sync.Mutex
	idle []*pgx.Conn // outside of the test databases: to connect takes longer than what they do
}

// process is the cluster of this test process, set by Main. It is the one
// exception to the rule that packages have no state: tests of one process share
// the cluster, and nothing but the process connects them.
var process atomic.Pointer[shared]

func current() *shared { return process.Load() }

// start starts the cluster and makes the template, once. Later calls return
// what the first did.
func (s *shared) start(ctx context.Context) error {
	s.started.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, startTimeout)
		defer cancel()
		s.err = s.startOnce(ctx)
	})
	return s.err
}

func (s *shared) startOnce(ctx context.Context) error {
	removeAbandoned(os.TempDir())
	memory := inMemory() // without it MkdirTemp takes the folder for temporary files
	if memory != "" {
		removeAbandoned(memory)
	}
	dir, err := os.MkdirTemp(memory, fmt.Sprintf("%s%d-", dirPrefix, os.Getpid()))
	if err != nil {
		return fmt.Errorf("make a directory for the test cluster: %w", err)
	}
	s.dir = dir
	// Root's cluster runs as another user, which needs to enter the directory.
	if err := os.Chmod(dir, 0o711); err != nil {
		return fmt.Errorf("make a directory for the test cluster: %w", err)
	}
	s.cluster, err = pgembed.Start(ctx, pgembed.Config{
		Dir:            dir,
		BinDir:         os.Getenv("KG_PG_BIN"),
		MaxConnections: 200,
		Settings: map[string]string{
			"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
			"jit":             "off", // no statement of a test runs for as long as it takes to load the compiler
			"max_wal_senders": "50", "max_replication_slots": "50",
		},
	})
	if err != nil {
		return err
	}
	if err := s.exec(ctx, "CREATE DATABASE "+templateDatabase+" TEMPLATE template0"); err != nil {
		return fmt.Errorf("create the template: %w", err)
	}
	return migrations.Up(ctx, s.cluster.DSN(templateDatabase), slog.New(slog.DiscardHandler))
}

// removeAbandoned removes the directories in base of test processes that could not
// clean up, such as those that exceeded their time. They are named after the
// process. What cannot be removed belongs to another user.
func removeAbandoned(base string) {
	dirs, _ := filepath.Glob(filepath.Join(base, dirPrefix+"*")) // the pattern is well formed
	for _, dir := range dirs {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), dirPrefix), "-")
		pid, err := strconv.Atoi(number)
		if err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.RemoveAll(dir)
		}
	}
}

// stop ends the cluster, if there is one, and removes its files.
func (s *shared) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	var err error
	for _, conn := range s.idle {
		err = errors.Join(err, conn.Close(ctx))
	}
	if s.cluster != nil {
		err = errors.Join(err, s.cluster.Stop(ctx))
	}
	if s.dir != "" {
		err = errors.Join(err, os.RemoveAll(s.dir))
	}
	return err
}

// nextName returns a name that no other database of the cluster has.
func (s *shared) nextName(test string) string { return databaseName(test, s.number.Add(1)) }

// exec runs one statement outside of the test databases.
func (s *shared) exec(ctx context.Context, sql string, args ...any) error {
	conn, err := s.connection(ctx)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql, args...)
	if conn.IsClosed() {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, conn)
	return err
}

// connection takes an idle connection, or makes one.
func (s *shared) connection(ctx context.Context) (*pgx.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.idle) - 1; last >= 0 {
		conn := s.idle[last]
		s.idle = s.idle[:last]
		return conn, nil
	}
	return pgx.Connect(ctx, s.cluster.DSN("postgres"))
}

// drop drops a database together with what still uses it. A replication slot
// is free only some time after its connection was cut, hence the repetition.
func (s *shared) drop(ctx context.Context, name string) error {
	pause := time.NewTicker(10 * time.Millisecond)
	defer pause.Stop()
	for {
		err := s.exec(ctx, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)")
		pgErr, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || pgErr.Code != objectInUse {
			return err
		}
		if err := s.exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-pause.C:
		}
	}
}
