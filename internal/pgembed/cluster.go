package pgembed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// killPatience is how long an immediate shutdown may take before postgres is
// killed. It waits five seconds itself before it kills its children.
const killPatience = 10 * time.Second

// A crashed postgres's children notice within moments; see heldByOrphans.
const (
	orphanPatience = 20 * time.Second
	orphanPause    = 200 * time.Millisecond
)

// Cluster is a running PostgreSQL cluster.
type Cluster struct {
	cfg       Config
	socketDir string
	process   *process
	log       *serverLog
	lock      *os.File

	stopping atomic.Bool
	done     chan struct{}
	err      error // why it ended; read it after done
}

// Start runs the cluster in cfg.Dir and returns when it accepts connections and
// has the database [Database]. The first start makes the data directory, which
// takes about a second. Start waits for the postgres of a server that was
// killed, and for the replay of its log, up to five minutes or until ctx ends.
//
// The errors a caller may want to tell apart are [ErrNoPrograms],
// [*VersionError] and [*LockedError]. After an error nothing runs.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := makeHome(cfg.Dir); err != nil {
		return nil, err
	}
	renewed := false
	for limit := time.Now().Add(orphanPatience); ; {
		c, err := startOnce(ctx, cfg)
		if refused(err) && !renewed {
			renewed = true // the start has removed the password, and the next one makes another
			continue
		}
		if err == nil || !heldByOrphans(err) || time.Now().After(limit) {
			return c, err
		}
		cfg.Log.InfoContext(ctx, "waiting for the last postgres's children to end", "dir", cfg.Dir)
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(orphanPause):
		}
	}
}

// startOnce locks the directory and starts the cluster in it.
func startOnce(ctx context.Context, cfg Config) (*Cluster, error) {
	lock, err := lockDir(ctx, cfg.Dir)
	if err != nil {
		return nil, err
	}
	c, err := startLocked(ctx, cfg, lock)
	if err != nil {
		lock.Close()
		return nil, err
	}
	return c, nil
}

// heldByOrphans reports that postgres did not start because children of one
// that crashed still hold its shared memory. They end by themselves as soon as
// they notice.
func heldByOrphans(err error) bool {
	var exit *exitError
	return errors.As(err, &exit) && strings.Contains(exit.log, "pre-existing shared memory block")
}

// makeHome makes the cluster's directory. Root's is open to be passed through
// by the account that owns the data directory in it, and closed to be listed.
func makeHome(dir string) error {
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711
	}
	_, err := os.Stat(dir)
	missing := errors.Is(err, os.ErrNotExist)
	if err := os.MkdirAll(dir, mode); err != nil {
		return fmt.Errorf("make the directory of the postgres cluster: %w", err)
	}
	if missing && os.Geteuid() == 0 {
		if err := os.Chmod(dir, mode); err != nil { // whatever the umask is
			return fmt.Errorf("make the directory of the postgres cluster: %w", err)
		}
	}
	return nil
}

// startLocked starts the cluster whose lock the caller holds.
func startLocked(ctx context.Context, cfg Config, lock *os.File) (*Cluster, error) {
	if err := settleReplaced(cfg.Dir); err != nil {
		return nil, err
	}
	major, err := dataVersion(cfg.dataDir())
	if err != nil {
		return nil, err
	}
	p, err := findPrograms(ctx, cfg.BinDir, major)
	if version, ok := errors.AsType[*VersionError](err); ok {
		version.Dir = cfg.dataDir()
	}
	if err != nil {
		return nil, err
	}
	a, err := chooseAccount(ctx, p, cfg.dataDir())
	if err != nil {
		return nil, err
	}
	return startAs(ctx, cfg, lock, a, p)
}

// startAs starts the cluster with programs and account chosen.
func startAs(ctx context.Context, cfg Config, lock *os.File, a account, p programs) (*Cluster, error) {
	begin := time.Now()
	if err := prepareData(ctx, cfg, a, p); err != nil {
		return nil, err
	}
	if err := keepRules(ctx, cfg, a); err != nil {
		return nil, err
	}
	socketDir, err := makeSocketDir(ctx, cfg, a, p)
	if err != nil {
		return nil, err
	}
	log, err := openLog(cfg.Dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(socketDir))
	}
	c := &Cluster{cfg: cfg, socketDir: socketDir, log: log, lock: lock, done: make(chan struct{})}
	if err := c.launch(ctx, a, p); err != nil {
		log.close()
		return nil, errors.Join(err, os.RemoveAll(socketDir))
	}
	go c.reap()
	if err := c.awaitReady(ctx); err != nil {
		if refused(err) { // while it is locked, since another process may start it next
			err = errors.Join(err, forgetSecret(cfg))
		}
		return nil, errors.Join(err, c.Stop(ctx))
	}
	cfg.Log.InfoContext(ctx, "private postgres cluster runs", "dir", cfg.Dir, "socket", socketDir,
		"version", p.major, "account", a.name, "pid", c.process.cmd.Process.Pid, "took", time.Since(begin).Round(time.Millisecond))
	return c, nil
}

// prepareData makes sure that there is a data directory, that nobody works on
// it, that it belongs to the account, and that it was given the password.
func prepareData(ctx context.Context, cfg Config, a account, p programs) error {
	s, isNew, err := openSecret(cfg)
	if err != nil {
		return err
	}
	_, exists, err := ownerOf(cfg.dataDir())
	if err != nil {
		return err
	}
	if !exists {
		cfg.Log.InfoContext(ctx, "creating a private postgres cluster", "dir", cfg.Dir, "version", p.major, "account", a.name)
		return initData(ctx, cfg, a, p, s)
	}
	if err := awaitOldPostmaster(ctx, cfg.dataDir()); err != nil {
		return err
	}
	if err := a.own(cfg.dataDir()); err != nil || !isNew {
		return err
	}
	return setPassword(ctx, cfg, a, p, s)
}

// launch starts postgres.
func (c *Cluster) launch(ctx context.Context, a account, p programs) error {
	where, err := a.reach(ctx, p, c.cfg.dataDir())
	if err != nil {
		return err
	}
	defer where.close()
	cmd := a.command(p, "postgres", where, c.cfg.arguments(where.path, c.socketDir)...)
	cmd.Stdout, cmd.Stderr = c.log.file, c.log.file
	c.process, err = startProcess(cmd, syscall.SIGINT)
	if err != nil {
		return fmt.Errorf("start postgres as %s: %w", a.name, err)
	}
	return nil
}

// reap waits for the end of postgres and gives back what belonged to it.
func (c *Cluster) reap() {
	<-c.process.done
	if c.process.err != nil || !c.stopping.Load() {
		c.err = &exitError{program: "postgres", err: reason(c.process.err), log: c.log.tail()}
	}
	c.log.close()
	// A leftover is removed by the next start.
	_ = os.RemoveAll(c.socketDir)
	c.lock.Close()
	close(c.done)
}

// reason names an end that was not asked for.
func reason(err error) error {
	if err == nil {
		return errors.New("ended by itself")
	}
	return err
}

// DSN returns how pgx reaches a database of the cluster, as its superuser. It
// names the file of the password, and does not hold that, so it may be shown.
func (c *Cluster) DSN(database string) string {
	return fmt.Sprintf("host=%s port=%s user=%s dbname=%s sslmode=disable passfile=%s",
		quoteDSN(c.socketDir), port, Superuser, quoteDSN(database), quoteDSN(c.cfg.secretFile()))
}

// Stop shuts the cluster down and returns when postgres has ended. Connections
// are cut and a checkpoint is written. When ctx ends first, the shutdown becomes
// an immediate one: nothing that was committed is lost, but the next start has
// to replay the log, and postgres is killed when even that takes ten seconds.
// Stop may be called again, and from several goroutines. Its error is that of
// [Cluster.Err].
func (c *Cluster) Stop(ctx context.Context) error {
	c.stopping.Store(true)
	c.signal(syscall.SIGINT)
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
	}
	c.cfg.Log.WarnContext(ctx, "postgres does not shut down in time, ending it at once", "dir", c.cfg.Dir)
	c.signal(syscall.SIGQUIT)
	kill := time.AfterFunc(killPatience, func() { c.signal(syscall.SIGKILL) })
	defer kill.Stop()
	<-c.done
	return c.err
}

// signal signals postgres. It may have ended already, which is no error.
func (c *Cluster) signal(s syscall.Signal) { _ = c.process.cmd.Process.Signal(s) }

// Done returns a channel that is closed when postgres has ended, asked or not.
func (c *Cluster) Done() <-chan struct{} { return c.done }

// Err returns nil while postgres runs and after a shutdown that was asked for.
// Otherwise it says how postgres ended, with the last lines of its log.
func (c *Cluster) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}
