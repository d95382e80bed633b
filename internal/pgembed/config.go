package pgembed

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
)

const (
	// Superuser is the name of the role that owns everything in the cluster.
	Superuser = "kappa"
	// Database is the name of the database that the first start creates.
	Database = "kappa"

	defaultMaxConnections = 100
)

// Config says where a cluster lives and how it is run. Only Dir is required.
type Config struct {
	// Dir is the home of the cluster. It is created when it is missing.
	Dir string
	// BinDir is the directory of PostgreSQL's programs. Empty: they are searched
	// in PATH, then where the distributions put them, the newest version first.
	BinDir string
	// Log gets what the cluster does. Nil: nothing is logged.
	Log *slog.Logger
	// Settings are added to the cluster's settings for this run, with the names
	// of postgresql.conf. They cannot change how the cluster is reached.
	Settings map[string]string
	// MaxConnections is the setting max_connections. Zero: 100.
	MaxConnections int

	locales []string // arguments of initdb for a cluster that sorts as another one does
}

// withDefaults returns a checked copy with an absolute directory.
func (c Config) withDefaults() (Config, error) {
	if c.Dir == "" {
		return c, errors.New("private postgres cluster: dir must not be empty")
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return c, fmt.Errorf("private postgres cluster: make %s absolute: %w", c.Dir, err)
	}
	c.Dir = dir
	if c.MaxConnections < 0 {
		return c, fmt.Errorf("private postgres cluster: max connections must not be negative, got %d", c.MaxConnections)
	}
	if c.MaxConnections == 0 {
		c.MaxConnections = defaultMaxConnections
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// dataDir is where PostgreSQL keeps its files.
func (c Config) dataDir() string { return filepath.Join(c.Dir, "data") }

// durable reports whether the cluster has to survive a power cut.
func (c Config) durable() bool { return c.Settings["fsync"] != "off" }

// arguments returns the settings as arguments of postgres, which knows the data
// directory by the given path. They are given on
// the command line and not in postgresql.conf, so that a new version of the
// server brings its own, and what the user wrote into that file stays his.
func (c Config) arguments(dataDir, socketDir string) []string {
	settings := map[string]string{
		"wal_level":             "logical",
		"max_wal_senders":       "10",
		"max_replication_slots": "10",
		// A reader of the WAL that never comes back must not fill the disk.
		"max_slot_wal_keep_size": "1GB",
		"max_connections":        strconv.Itoa(c.MaxConnections),
	}
	maps.Copy(settings, c.Settings)
	maps.Copy(settings, map[string]string{
		"listen_addresses":        "",
		"port":                    port,
		"unix_socket_directories": quoteSetting(socketDir),
		"unix_socket_permissions": "0700",
		"logging_collector":       "off",
		"log_destination":         "stderr",
		"hba_file":                dataDir + "/" + rulesName,
	})
	args := []string{"-D", dataDir}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	return args
}
