package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/local"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/internal/sandbox"
	"github.com/kappagraph/kappa/migrations"
	"github.com/kappagraph/kappa/tracing"
)

const (
	stopClusterTime = 30 * time.Second
	startTime       = 2 * time.Minute
)

// flags are the settings that have a flag of their own.
var flags = map[string]string{"KG_ADDR": "addr", "KG_DATA_DIR": "data-dir", "DATABASE_URL": "database-url", "KG_LOG_LEVEL": "log-level"}

// Examiner checks a server by what its API says, and says what to do.
type Examiner func(ctx context.Context, c *client.Client) []api.Finding

// NewCommand is kg serve, in a binary of a version. environ has the variables of
// the environment, as NAME=value. What examine finds is the answer of GET /admin/doctor.
func NewCommand(version string, environ []string, examine Examiner) *cobra.Command {
	table := new(Settings).table()
	var file string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long:  help(table),
		Args:  cobra.NoArgs,
	}
	for _, row := range table {
		if name := flags[row.name]; name != "" {
			cmd.Flags().String(name, "", row.help+" ("+row.name+")")
		}
	}
	cmd.Flags().StringVar(&file, "config", "", "settings file (default: serve.env below $XDG_CONFIG_HOME/kg)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		settings, err := loadSettings(cmd.Flags(), environ, file)
		if err != nil {
			return exit.Usage("settings of kg serve:\n  %s", strings.ReplaceAll(err.Error(), "\n", "\n  "))
		}
		settings.Version, settings.examine = version, examine
		settings.unknown = unknownVariables(environ, names(table))
		return serve(cmd.Context(), settings, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	cmd.AddCommand(newUpgradeCommand(environ))
	return cmd
}

// help is the help of the command, with every setting.
func help(table []setting) string {
	var b strings.Builder
	b.WriteString("Run the server until Ctrl-C or SIGTERM. Running jobs may then finish for a while;\n" +
		"the rest go back to the queue. A second signal ends at once.\n\n" +
		"Settings come from flags, then the environment, then the settings file:\n")
	for _, row := range table {
		if row.tests {
			continue
		}
		facts := "default: " + row.def
		if row.rule != "" {
			facts = row.rule + "; " + facts
		}
		fmt.Fprintf(&b, "  %-28s %s (%s)\n", row.name, row.help, facts)
	}
	return b.String()
}

// loadSettings reads the settings from flags, environment and file.
func loadSettings(given *pflag.FlagSet, environ []string, file string) (*Settings, error) {
	required := file != ""
	if !required {
		file = settingsPath()
	}
	values, err := readSettingsFile(file, required)
	if err != nil {
		return nil, err
	}
	variables := make(map[string]string, len(environ))
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		variables[name] = value
	}
	flag := func(name string) (string, bool) {
		if flag := flags[name]; flag != "" && given.Changed(flag) {
			return given.Lookup(flag).Value.String(), true
		}
		return "", false
	}
	settings, err := readSettings(func(name string) (string, bool) {
		if value, ok := flag(name); ok {
			return value, true
		}
		value, ok := variables[name]
		return value, ok
	}, values)
	if err != nil {
		return nil, err
	}
	settings.shown = shownSettings(func(name string) (value, source string) {
		fromFlag, flagged := flag(name)
		switch {
		case fromFlag != "":
			return fromFlag, "flag"
		case !flagged && variables[name] != "":
			return variables[name], "environment"
		case values.values[name] != "":
			return values.values[name], "file"
		}
		return "", "default"
	})
	return settings, nil
}

// serve runs the server until a signal or the end of ctx. It prints one line
// with its URL to out when it is ready, and logs to logs.
func serve(ctx context.Context, settings *Settings, out, logs io.Writer) (err error) {
	spinner := newSpinner(logs, "starting")
	defer spinner.stop()
	limited := newDiskLog(show.LogHandler(spinner, settings.LogFormat, settings.LogLevel))
	defer limited.close()
	log := slog.New(tracing.LogHandler{Handler: limited})
	for _, u := range settings.unknown {
		log.WarnContext(ctx, "unknown setting in the environment", "name", u.name, "did_you_mean", u.nearest)
	}
	if err := sandbox.Conceal(); err != nil {
		log.WarnContext(ctx, "other processes of this user can look into the server", "err", err)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	secondSignal, unwatch := watchSecondSignal(ctx)
	defer unwatch()

	listener, err := listen(ctx, settings, log)
	if err != nil {
		return err
	}
	defer listener.Close()
	startCtx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	dsn, stopDatabase, cluster, err := openDatabase(startCtx, settings, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopDatabase()) }()
	if err := migrations.Up(startCtx, dsn, log); err != nil {
		return err
	}
	self := local.NewServer(settings.TLS.scheme() + reachable(listener.Addr()))
	s, err := wire(startCtx, secondSignal, settings, self, dsn, cluster != nil, log)
	if err != nil {
		return err
	}
	defer s.close(ctx)
	chosen, err := settings.adminPassword()
	if err != nil {
		return err
	}
	password, err := s.accounts.Bootstrap(startCtx, chosen)
	if err != nil {
		return fmt.Errorf("prepare the administrator's account: %w", err)
	}
	services := append(s.services(listener), service{"announcement", func(ctx context.Context) error {
		return s.announce(ctx, self, out, password, spinner)
	}})
	if cluster != nil {
		services = append([]service{{"private PostgreSQL", func(ctx context.Context) error { return guard(ctx, cluster) }}}, services...)
	}
	defer context.AfterFunc(ctx, func() { log.InfoContext(ctx, "stopping the server, as requested") })()
	return runServices(kappa.WithLoops(ctx, &s.loops), log, services)
}

// watchSecondSignal returns a context that ends at the second signal: the first
// one ends ctx.
func watchSecondSignal(ctx context.Context) (secondSignal context.Context, stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	secondSignal, cancel := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		for range 2 {
			select {
			case <-signals:
			case <-secondSignal.Done():
				return
			}
		}
		cancel()
	}()
	return secondSignal, func() {
		signal.Stop(signals)
		cancel()
	}
}

// listen opens the address. When nobody chose it and it is taken, another free
// port does.
func listen(ctx context.Context, settings *Settings, log *slog.Logger) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", settings.Addr)
	if err == nil {
		return listener, nil
	}
	if !settings.AddrIsChosen && errors.Is(err, syscall.EADDRINUSE) {
		log.WarnContext(ctx, "the default port is taken; using a free one", "addr", settings.Addr)
		return config.Listen(ctx, "tcp", "127.0.0.1:0")
	}
	return nil, fmt.Errorf("listen on %s: %w; choose another address with --addr or KG_ADDR (port 0 takes a free one)", settings.Addr, err)
}

// openDatabase returns the address of the database: the configured one, or that
// of the private cluster, which it starts.
func openDatabase(ctx context.Context, settings *Settings, log *slog.Logger) (dsn string, stop func() error, cluster *pgembed.Cluster, err error) {
	if settings.DatabaseURL != "" {
		return settings.DatabaseURL, func() error { return nil }, nil, nil
	}
	pools := settings.Pools
	cluster, err = pgembed.Start(ctx, pgembed.Config{
		Dir: filepath.Join(settings.DataDir, "postgres"), BinDir: settings.PGBin, Log: log,
		MaxConnections: max(100, pools.Jobs+pools.Graph+pools.Auth+20),
	})
	if err != nil {
		return "", nil, nil, err
	}
	stop = func() error {
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopClusterTime)
		defer cancel()
		return cluster.Stop(stopCtx)
	}
	return cluster.DSN(pgembed.Database), stop, cluster, nil
}

// guard ends with an error when the private cluster ends before ctx.
func guard(ctx context.Context, cluster *pgembed.Cluster) error {
	select {
	case <-ctx.Done():
		return nil
	case <-cluster.Done():
		return errors.Join(errors.New("it ended; see its log in the data directory"), cluster.Err())
	}
}

// reachable is the address for a URL: an unspecified host is this machine.
func reachable(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return addr.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
