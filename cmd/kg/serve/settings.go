package serve

import (
	"bufio"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/cmd/kg/failpoint"
	"github.com/kappagraph/kappa/cmd/kg/local"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/notify"
)

const defaultDrain = 10 * time.Second

// Settings is what kg serve may be told. A flag wins over the environment,
// and that over the settings file.
type Settings struct {
	Version       string // of this binary; not to be chosen
	Addr          string
	AddrIsDefault bool // nobody chose it, so another free port will do
	DataDir       string
	DatabaseURL   string // empty: a private cluster
	PGBin         string
	AdminPassword string
	LogLevel      slog.Level
	Drain         time.Duration
	Leave         time.Duration
	TestTypes     bool
	TestLease     time.Duration // 0: the default; only with TestTypes
	TestWitness   string        // socket that is told of each effect; only with TestTypes
	MaxLaneSlots  int
	MaxDocument   int64
	Pools         poolSettings
	Retention     kappa.Retention
	CleanupEvery  time.Duration
	Events        string // sourceListen or sourceWAL
	NATS          notify.NATSOptions
	Streams       int            // open at once
	UserStreams   int            // of them, those of one user
	HTTP2         bool           // without encryption
	Failpoints    *failpoint.Set // nil: none; only of a kg that is built for tests
}

// How events travel between servers.
const (
	sourceListen = "listen"
	sourceWAL    = "wal"
)

// poolSettings are the sizes of the connection pools.
type poolSettings struct{ Jobs, Graph, Auth int }

// settingHelp lists the settings of kg serve by name, with their defaults; the
// documentation of the command is made from it.
var settingHelp = []struct{ name, help string }{
	{"KG_ADDR", "address to listen on (default " + local.DefaultAddr + "; port 0 takes a free one)"},
	{"DATABASE_URL", "PostgreSQL to use; unset: a private cluster in the data directory"},
	{"KG_DATA_DIR", "where the private cluster lives (default: kg below $XDG_DATA_HOME or ~/.local/share)"},
	{"KG_PG_BIN", "directory of PostgreSQL's programs (default: search PATH and the usual places)"},
	{"KG_ADMIN_PASSWORD", "password of the account admin at the first start; unset: a generated one is shown once"},
	{"KG_LOG_LEVEL", "debug, info, warn or error (default info)"},
	{"KG_LEAVE_SECONDS", "how long a stop is told to load balancers, by /readyz, before it begins, 0 to 300 (default 0)"},
	{"KG_DRAIN_SECONDS", "how long running jobs may finish at a stop, 0 to 3600 (default 10)"},
	{"KG_MAX_DOCUMENT_BYTES", "largest document, 1024 to 1073741824 (default 67108864)"},
	{"KG_TEST_TYPES", "1 registers the job types noop, sleep and effect (default 0)"},
	{"MAX_LANE_SLOTS", "ceiling of a lane's max_slots, 1 to 5000 (default 16)"},
	{"KG_POOL_JOBS", "connections for jobs, 2 to 1000 (default 10)"},
	{"KG_POOL_GRAPH", "connections for the graph, 2 to 1000 (default 20)"},
	{"KG_POOL_AUTH", "connections for accounts, 1 to 1000 (default 5)"},
	{"KG_RETENTION_COMPLETED_HOURS", "how long completed and cancelled jobs are kept, 1 to 87600 (default 48)"},
	{"KG_RETENTION_FAILED_HOURS", "how long failed jobs are kept, 1 to 87600 (default 168)"},
	{"KG_CLEANUP_SECONDS", "time between two cleanups, 10 to 86400 (default 3600)"},
	{"KG_EVENTS", "how events travel between servers: listen, or wal (needs wal_level = logical; default listen)"},
	{"KG_NATS_URL", "NATS that servers tell each other by, besides; several with commas between (default: none)"},
	{"KG_NATS_CREDS", "file with the credentials for NATS"},
	{"KG_NATS_NKEY", "file with the seed of the user's key for NATS"},
	{"KG_NATS_CA", "PEM file with who signs the certificate of NATS"},
	{"KG_NATS_CERT", "PEM file with our certificate for NATS"},
	{"KG_NATS_KEY", "PEM file with the key of our certificate"},
	{"KG_NATS_PREFIX", "first part of all subjects on NATS (default " + notify.DefaultNATSPrefix + ")"},
	{"KG_MAX_STREAMS", "event streams open at once, 1 to 1000000 (default 20000)"},
	{"KG_MAX_STREAMS_PER_USER", "of them, those of one user, 1 to 1000000 (default 10000)"},
	{"KG_HTTP2", "1 serves HTTP/2 without encryption too, for proxies (default 0)"},
}

// readSettings reads every setting and reports all that is wrong at once.
// lookup returns the value of a flag or of the environment.
func readSettings(lookup func(name string) (string, bool), file map[string]string) (Settings, error) {
	r := settingsReader{lookup: lookup, file: file}
	s := Settings{
		Addr:          r.text("KG_ADDR", local.DefaultAddr),
		DataDir:       r.text("KG_DATA_DIR", ""),
		DatabaseURL:   r.text("DATABASE_URL", ""),
		PGBin:         r.text("KG_PG_BIN", ""),
		AdminPassword: r.text("KG_ADMIN_PASSWORD", ""),
		LogLevel:      r.level("KG_LOG_LEVEL"),
		Drain:         time.Duration(r.number("KG_DRAIN_SECONDS", int(defaultDrain/time.Second), 0, 3600)) * time.Second,
		Leave:         r.units("KG_LEAVE_SECONDS", time.Second, 0, 0, 300),
		TestTypes:     r.flag("KG_TEST_TYPES"),
		TestLease:     r.units("KG_TEST_LEASE_SECONDS", time.Second, 0, 0, 60),
		TestWitness:   r.text("KG_TEST_WITNESS", ""),
		MaxLaneSlots:  r.number("MAX_LANE_SLOTS", kappa.DefaultMaxLaneSlots, 1, 5000),
		MaxDocument:   int64(r.number("KG_MAX_DOCUMENT_BYTES", kappa.DefaultMaxDocumentBytes, 1024, 1<<30)),
		Pools: poolSettings{
			Jobs:  r.number("KG_POOL_JOBS", 10, 2, 1000),
			Graph: r.number("KG_POOL_GRAPH", 20, 2, 1000),
			Auth:  r.number("KG_POOL_AUTH", 5, 1, 1000),
		},
		Retention: kappa.Retention{
			Completed: r.units("KG_RETENTION_COMPLETED_HOURS", time.Hour, kappa.DefaultRetainCompleted, 1, 87600),
			Failed:    r.units("KG_RETENTION_FAILED_HOURS", time.Hour, kappa.DefaultRetainFailed, 1, 87600),
		},
		CleanupEvery: r.units("KG_CLEANUP_SECONDS", time.Second, kappa.DefaultCleanupEvery, 10, 86400),
		Events:       r.text("KG_EVENTS", sourceListen),
		NATS: notify.NATSOptions{
			URL: r.text("KG_NATS_URL", ""), Creds: r.text("KG_NATS_CREDS", ""), NKey: r.text("KG_NATS_NKEY", ""),
			CA: r.text("KG_NATS_CA", ""), Cert: r.text("KG_NATS_CERT", ""), Key: r.text("KG_NATS_KEY", ""),
			Prefix: r.text("KG_NATS_PREFIX", ""),
		},
		Streams:     r.number("KG_MAX_STREAMS", 20_000, 1, 1_000_000),
		UserStreams: r.number("KG_MAX_STREAMS_PER_USER", 10_000, 1, 1_000_000),
		HTTP2:       r.flag("KG_HTTP2"),
	}
	s.AddrIsDefault = !r.isSet("KG_ADDR")
	if _, _, err := net.SplitHostPort(s.Addr); err != nil {
		r.wrong("KG_ADDR", "must be host:port", s.Addr)
	}
	if s.Events != sourceListen && s.Events != sourceWAL {
		r.wrong("KG_EVENTS", "must be listen or wal", s.Events)
	}
	if s.HTTP2 {
		if err := http.CheckHTTP2(runtime.Version()); err != nil {
			r.problems = append(r.problems, fmt.Errorf("KG_HTTP2: %w", err))
		}
	}
	if err := s.NATS.Validate(); err != nil {
		r.problems = append(r.problems, err)
	}
	if s.DataDir == "" {
		dir, err := local.DataDir(lookup)
		if err != nil {
			r.problems = append(r.problems, err)
		}
		s.DataDir = dir
	}
	if !s.TestTypes && (s.TestLease != 0 || s.TestWitness != "") {
		r.problems = append(r.problems, errors.New("KG_TEST_LEASE_SECONDS, KG_TEST_WITNESS: they are for tests; set KG_TEST_TYPES=1 too"))
	}
	var err error
	if s.Failpoints, err = failpoint.Read(r.text("KG_FAILPOINTS", ""), r.number("KG_FAILPOINTS_SEED", 1, 0, math.MaxInt32)); err != nil {
		r.problems = append(r.problems, err)
	}
	r.refuseUnknown()
	return s, errors.Join(r.problems...)
}

// settingsReader reads settings by name and collects what is wrong.
type settingsReader struct {
	lookup   func(name string) (string, bool)
	file     map[string]string
	problems []error
}

func (r *settingsReader) value(name string) (string, bool) {
	if v, ok := r.lookup(name); ok && v != "" {
		return v, true
	}
	v, ok := r.file[name]
	return v, ok && v != ""
}

func (r *settingsReader) isSet(name string) bool {
	_, ok := r.value(name)
	return ok
}

func (r *settingsReader) text(name, def string) string {
	if v, ok := r.value(name); ok {
		return v
	}
	return def
}

func (r *settingsReader) number(name string, def, least, most int) int {
	v, ok := r.value(name)
	if !ok {
		return def
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		r.wrong(name, fmt.Sprintf("must be a number from %d to %d", least, most), v)
		return def
	}
	return n
}

// units reads a duration as a number of units.
func (r *settingsReader) units(name string, unit, def time.Duration, least, most int) time.Duration {
	return time.Duration(r.number(name, int(def/unit), least, most)) * unit
}

func (r *settingsReader) flag(name string) bool {
	switch v, _ := r.value(name); strings.ToLower(v) {
	case "", "0", "false", "no", "off":
		return false
	case "1", "true", "yes", "on":
		return true
	default:
		r.wrong(name, "must be 0 or 1", v)
		return false
	}
}

func (r *settingsReader) level(name string) slog.Level {
	var level slog.Level
	if v, ok := r.value(name); ok {
		if err := level.UnmarshalText([]byte(v)); err != nil {
			r.wrong(name, "must be debug, info, warn or error", v)
		}
	}
	return level
}

func (r *settingsReader) wrong(name, rule, value string) {
	r.problems = append(r.problems, fmt.Errorf("%s: %s, got %q", name, rule, value))
}

// refuseUnknown reports settings of the file that do not exist: most are
// spelling mistakes.
func (r *settingsReader) refuseUnknown() {
	for name := range r.file {
		if !slices.ContainsFunc(settingHelp, func(s struct{ name, help string }) bool { return s.name == name }) {
			r.problems = append(r.problems, fmt.Errorf("%s: no such setting", name))
		}
	}
}

// readSettingsFile reads NAME=value lines; # starts a comment line. A missing
// file is empty unless it was asked for.
func readSettingsFile(path string, required bool) (map[string]string, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) && !required {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the settings file: %w", err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	settings := map[string]string{}
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("%s:%d: must be NAME=value, got %q", path, n, line)
		}
		settings[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"'`)
	}
	return settings, lines.Err()
}
