package pgembed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"
)

// UpgradeConfig says how a cluster goes over to another version of PostgreSQL. Schema is
// required.
type UpgradeConfig struct {
	Config // BinDir is that of the new programs; empty = the newest that are found

	OldBinDir string // of the programs that made the cluster; empty = they are searched

	// Schema makes the tables in a database, and leaves one alone that has them.
	Schema func(ctx context.Context, dsn string) error

	again bool // to the same version, for tests where there is one only
}

// Upgraded is what [Upgrade] has done.
type Upgraded struct {
	From, To     int // major versions
	Tables, Rows int64
	Kept         string // the old data directory
	Bin          string // the directory of the new programs
	Searched     bool   // a start finds them by itself
}

// Upgrade has the cluster go over to a newer version of PostgreSQL. It runs the old cluster
// and a new one beside it, copies every row and compares both sides; only then does the new
// data directory take the place of the old one, which is kept under another name. Until that
// moment the cluster stays as it is, also when this process is killed. It needs as much room
// on the disk again, and no program but initdb and postgres.
//
// The errors a caller may want to tell apart are those of [Start]. It refuses a database
// that holds what Schema does not make, and names it.
func Upgrade(ctx context.Context, cfg UpgradeConfig) (done Upgraded, err error) {
	if cfg.Config, err = cfg.withDefaults(); err != nil {
		return done, err
	}
	if _, err := os.Stat(cfg.Dir); err != nil {
		return done, fmt.Errorf("there is no private postgres cluster in %s: %w", cfg.Dir, err)
	}
	lock, err := lockDir(ctx, cfg.Dir)
	if err != nil {
		return done, err
	}
	defer lock.Close()
	if err := settleReplaced(cfg.Dir); err != nil {
		return done, err
	}
	u := versionUpgrade{UpgradeConfig: cfg}
	if err := u.choose(ctx); err != nil {
		return done, err
	}
	if err := removePartial(ctx, cfg.Dir); err != nil {
		return done, err
	}
	home, err := os.MkdirTemp(cfg.Dir, partialPrefix)
	if err != nil {
		return done, fmt.Errorf("make the directory of the new cluster: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	if os.Geteuid() == 0 {
		if err := os.Chmod(home, 0o711); err != nil { // as makeHome does
			return done, fmt.Errorf("make the directory of the new cluster: %w", err)
		}
	}
	counts, err := u.fill(ctx, home)
	if err != nil {
		return done, err
	}
	kept, err := replaceData(cfg.Dir, filepath.Join(home, "data"), u.old.major)
	return Upgraded{
		From: u.old.major, To: u.new.major, Tables: counts.tables, Rows: counts.rows, Kept: kept, Bin: u.new.dir, Searched: u.isSearched(ctx),
	}, err
}

// versionUpgrade is one under way.
type versionUpgrade struct {
	UpgradeConfig

	old, new programs
}

// choose finds the programs of both versions.
func (u *versionUpgrade) choose(ctx context.Context) error {
	major, err := dataVersion(u.dataDir())
	if err != nil {
		return err
	}
	if major == 0 {
		return fmt.Errorf("there is no private postgres cluster in %s", u.Dir)
	}
	if _, err := os.Lstat(keptData(u.Dir, major)); err == nil {
		return fmt.Errorf("%s is there, which an earlier upgrade has kept: remove it or move it away first", keptData(u.Dir, major))
	}
	if u.new, err = newestPrograms(ctx, u.BinDir); err != nil {
		return err
	}
	if u.new.major <= major && !u.again {
		return fmt.Errorf("the cluster in %s was made by PostgreSQL %d, and the newest programs that were found are of %d, in %s: install those of a newer version, or name their directory",
			u.Dir, major, u.new.major, u.new.dir)
	}
	u.old, err = findPrograms(ctx, u.OldBinDir, major)
	if version, ok := errors.AsType[*VersionError](err); ok {
		return fmt.Errorf("the data directory was made by PostgreSQL %d, whose programs are needed once more to read it, and were not found: install them, or name their directory", version.Major)
	}
	return err
}

// newestPrograms returns the programs in a directory, or the newest of those that are found.
func newestPrograms(ctx context.Context, binDir string) (programs, error) {
	if binDir != "" {
		return findPrograms(ctx, binDir, 0)
	}
	var newest programs
	for _, dir := range searchDirs() {
		if p, err := inspect(ctx, dir); err == nil && p.major > newest.major {
			newest = p
		}
	}
	if newest.major < minMajor {
		return findPrograms(ctx, "", 0) // which says what is missing
	}
	return newest, nil
}

// isSearched reports whether a start finds the new programs without being told where.
func (u *versionUpgrade) isSearched(ctx context.Context) bool {
	_, err := findPrograms(ctx, "", u.new.major)
	return err == nil
}

// fill runs both clusters and copies the one into the other. Both are shut down, and their
// files complete, when it returns.
func (u *versionUpgrade) fill(ctx context.Context, home string) (counts copied, err error) {
	old, err := u.startOld(ctx)
	if err != nil {
		return counts, fmt.Errorf("start the cluster with its own version: %w", err)
	}
	defer func() { err = errors.Join(err, old.Stop(context.WithoutCancel(ctx))) }()
	if err := u.Schema(ctx, old.DSN(Database)); err != nil {
		return counts, err
	}
	next, err := u.startNew(ctx, old, home)
	if err != nil {
		return counts, fmt.Errorf("start a new cluster: %w", err)
	}
	defer func() { err = errors.Join(err, next.Stop(context.WithoutCancel(ctx))) }()
	if err := u.Schema(ctx, next.DSN(Database)); err != nil {
		return counts, err
	}
	from, err := pgx.Connect(ctx, old.DSN(Database))
	if err != nil {
		return counts, fmt.Errorf("connect to the old cluster: %w", err)
	}
	defer from.Close(context.WithoutCancel(ctx))
	to, err := pgx.Connect(ctx, next.DSN(Database))
	if err != nil {
		return counts, fmt.Errorf("connect to the new cluster: %w", err)
	}
	defer to.Close(context.WithoutCancel(ctx))
	u.Log.InfoContext(ctx, "copying the private postgres cluster", "from", u.old.major, "to", u.new.major)
	return copyDatabase(ctx, from, to)
}

// startOld starts the cluster with its own programs, under the lock that is held.
func (u *versionUpgrade) startOld(ctx context.Context) (*Cluster, error) {
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	cfg := u.Config
	cfg.BinDir = u.old.dir
	c, err := startLocked(ctx, cfg, nothing)
	if err != nil {
		return nil, errors.Join(err, nothing.Close())
	}
	return c, nil
}

// startNew makes a cluster that sorts and reads letters as the old one does, and has its
// password.
func (u *versionUpgrade) startNew(ctx context.Context, old *Cluster, home string) (*Cluster, error) {
	cfg := u.Config
	cfg.Dir, cfg.BinDir = home, u.new.dir
	conn, err := pgx.Connect(ctx, old.DSN(Database))
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var collate, ctype string
	if err := conn.QueryRow(ctx, "SELECT datcollate, datctype FROM pg_database WHERE datname = current_database()").Scan(&collate, &ctype); err != nil {
		return nil, fmt.Errorf("ask for the locale of the old cluster: %w", err)
	}
	cfg.locales = []string{"--locale=C", "--lc-collate=" + collate, "--lc-ctype=" + ctype}
	s, err := readSecret(u.secretFile())
	if err == nil {
		err = s.write(cfg)
	}
	if err != nil {
		return nil, err
	}
	return Start(ctx, cfg)
}
