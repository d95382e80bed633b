package serve

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/cmd/kg/failpoint"
	"github.com/kappagraph/kappa/cmd/kg/local"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/notify"
	"github.com/kappagraph/kappa/work"
)

// Settings is what kg serve can be set to. A flag wins over the environment,
// and that over the settings file.
type Settings struct {
	Version       string // of this binary; not to be chosen
	Addr          string
	AddrIsChosen  bool // otherwise another free port will do
	DataDir       string
	DatabaseURL   string // empty: a private cluster
	PGBin         string
	AdminPassword secret // see adminPassword
	LogLevel      slog.Level
	LogFormat     string // one of show.LogFormats
	Drain         time.Duration
	Leave         time.Duration
	TestTypes     bool
	TestLease     time.Duration // 0: the default; only with TestTypes
	TestWitness   string        // socket that is notified of each effect; only with TestTypes
	MaxLaneSlots  int
	Lanes         string // lanesLeader or lanesAll
	MaxDocument   int64
	DataclipQuota int64  // bytes of the dataclips of an account
	URLPrivate    string // privateOff or privateAllow
	URLAllow      string // hosts, with commas between
	Pools         poolSettings
	Retention     work.Retention
	CleanupEvery  time.Duration
	AuditKept     time.Duration
	KeysKept      time.Duration // of submissions
	UserRate      int           // requests of a user in a second
	Register      bool          // anybody may make an account
	GraphMemory   int64         // bytes; 0: the graph is not kept in memory
	SearchMemory  int64
	Events        string // sourceListen or sourceWAL
	NATS          notify.NATSOptions
	Streams       int    // open at once
	UserStreams   int    // of them, those of one user
	Connections   int    // open at once; 0: see connectionLimit
	AllowedHosts  string // with commas between
	Proxies       string // likewise
	Origins       string // likewise
	HTTP2         bool   // without encryption
	TLS           tlsSettings
	Reading       readingSettings
	Datasets      datasetSettings
	Webhooks      webhookSettings
	Remote        remoteSettings
	Models        modelSettings
	SecretsFile   string // encrypts stored keys; "": in DataDir
	Vision        visionSettings
	Rerank        rerankSettings
	Traces        map[string]string // the variables OTEL_… that are set
	Failpoints    *failpoint.Set    // nil: none; only of a kg that is built for tests

	examine Examiner            // nil: nothing is examined
	shown   []api.ServerSetting // what is shown of all of them

	failpoints    string
	failpointSeed int
	given         map[string]bool  // settings that were set, and are not at their default
	unknown       []unknownSetting // variables of the environment
}

// Which servers run the lanes.
const (
	lanesLeader = "leader"
	lanesAll    = "all"
)

// How events travel between servers.
const (
	sourceListen = "listen"
	sourceWAL    = "wal"
)

// poolSettings are the sizes of the connection pools.
type poolSettings struct {
	Jobs, Graph, Auth int
	Wait              time.Duration // for a free connection
}

// readSettings reads every setting, and reports all that is wrong at once. lookup
// returns the value of a flag or of the environment.
func readSettings(lookup func(name string) (string, bool), file settingsFile) (*Settings, error) {
	s := &Settings{given: map[string]bool{}}
	table := s.table()
	broken := []error{file.unknown(names(table))}
	for _, row := range table {
		if value, ok := lookup(row.name); ok && value != "" {
			s.given[row.name] = true
			switch ok := row.set(value); {
			case !ok && row.secret:
				broken = append(broken, errors.New(row.mustBe()))
			case !ok:
				broken = append(broken, fmt.Errorf("%s, got %q", row.mustBe(), value))
			}
			s.AddrIsChosen = s.AddrIsChosen || row.name == "KG_ADDR"
		} else if value := file.values[row.name]; value != "" {
			s.given[row.name] = true
			if !row.set(value) { // the value is not shown: a secret may be in the wrong line
				broken = append(broken, fmt.Errorf("%s: %s", file.at(row.name), row.mustBe()))
			}
			s.AddrIsChosen = s.AddrIsChosen || row.name == "KG_ADDR"
		}
	}
	s.Models.chooseFile(s.given)
	if s.DataDir == "" {
		var err error
		s.DataDir, err = local.DataDir(lookup)
		broken = append(broken, err)
	}
	return s, errors.Join(append(broken, s.check()...)...)
}

// hosts returns the names by which the server may be called.
func (s *Settings) hosts() []string { return words(s.AllowedHosts) }

// proxies returns the addresses of the proxies that may name a client.
func (s *Settings) proxies() []string { return words(s.Proxies) }

// origins returns those of web pages that may ask.
func (s *Settings) origins() []string { return words(s.Origins) }

// words returns what stands between commas.
func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// remoteReads reports whether workers elsewhere can read documents.
func (s *Settings) remoteReads() bool {
	return s.Remote.Secret != "" && slices.Contains(s.Remote.names(), work.TypeExtractChunk)
}

// secretsFile returns the file with the key that encrypts stored keys.
func (s *Settings) secretsFile() string {
	return cmp.Or(s.SecretsFile, filepath.Join(s.DataDir, "secrets.key"))
}

// names returns the names of settings.
func names(table []setting) []string {
	list := make([]string, len(table))
	for i, row := range table {
		list[i] = row.name
	}
	return list
}

// check returns what is wrong with settings that their own rules allow, and reads
// the failpoints.
func (s *Settings) check() (broken []error) {
	if _, _, err := net.SplitHostPort(s.Addr); err != nil {
		broken = append(broken, fmt.Errorf("KG_ADDR: must be host:port, got %q", s.Addr))
	}
	if s.HTTP2 {
		if err := http.CheckHTTP2(runtime.Version()); err != nil {
			broken = append(broken, fmt.Errorf("KG_HTTP2: %w", err))
		}
	}
	if err := http.CheckProxies(s.proxies()); err != nil {
		broken = append(broken, fmt.Errorf("KG_TRUSTED_PROXIES: %w", err))
	}
	if err := http.CheckOrigins(s.origins()); err != nil {
		broken = append(broken, fmt.Errorf("KG_CORS_ORIGINS: %w", err))
	}
	if _, err := s.connectionLimit(openFiles()); err != nil {
		broken = append(broken, err)
	}
	if _, err := s.adminPassword(); err != nil {
		broken = append(broken, err)
	}
	broken = append(broken, s.TLS.check(s.Addr)...)
	broken = append(broken, s.Reading.check()...)
	broken = append(broken, s.Datasets.check()...)
	broken = append(broken, s.Remote.check()...)
	if s.Models.Extractor == remoteModel && !s.remoteReads() {
		broken = append(broken, errors.New("KG_EXTRACTOR: remote needs KG_WORKER_SECRET, and "+work.TypeExtractChunk+" among KG_REMOTE_TYPES"))
	}
	broken = append(broken, s.Models.check()...)
	broken = append(broken, s.Rerank.check()...)
	if !s.TestTypes && (s.TestLease != 0 || s.TestWitness != "") {
		broken = append(broken, errors.New("KG_TEST_LEASE_SECONDS, KG_TEST_WITNESS: they are for tests; set KG_TEST_TYPES=1 too"))
	}
	var err error
	s.Failpoints, err = failpoint.Read(s.failpoints, s.failpointSeed)
	return append(broken, s.NATS.Validate(), err)
}
