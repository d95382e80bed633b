package serve

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/cmd/kg/local"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/notify"
	"github.com/kappagraph/kappa/work"
)

// setting is one setting of kg serve: the help, the check of the documentation and
// the reader are made from it.
type setting struct {
	name    string
	def     string // the default, as one would write it; or in words what is done without
	inWords bool   // def is in words
	rule    string // what a value must be: a range, or the words to choose from
	help    string
	secret  bool                    // its value may be a secret or have one in it, and is never shown
	tests   bool                    // for tests only: neither in the help nor documented
	set     func(value string) bool // false: the value breaks the rule
}

// table returns every setting, each bound to its field of s, which gets the
// default.
func (s *Settings) table() []setting {
	return append([]setting{
		text("KG_ADDR", local.DefaultAddr, "host:port", "address to listen on; port 0 takes a free one", &s.Addr),
		text("DATABASE_URL", "", "", "PostgreSQL to use; unset: a private cluster in the data directory", &s.DatabaseURL).hidden(),
		text("KG_DATA_DIR", "", "", "where the private cluster lives", &s.DataDir).without("kg below $XDG_DATA_HOME, else ~/.local/share/kg"),
		text("KG_SECRETS_KEY_FILE", "", "", "file with the key that encrypts the stored keys of providers and the secrets of webhooks; it is made when the first one is stored", &s.SecretsFile).without("secrets.key in KG_DATA_DIR"),
		text("KG_PG_BIN", "", "", "directory of PostgreSQL's programs; unset: search PATH and the usual places", &s.PGBin).without("search"),
		text("KG_ADMIN_PASSWORD", "", "", "password of the account admin at the first start; a generated one is shown once", &s.AdminPassword.value).without("generated").hidden(),
		text("KG_ADMIN_PASSWORD_FILE", "", "", "file with that password, when it is not in the environment", &s.AdminPassword.file),
		level("KG_LOG_LEVEL", "what is logged", &s.LogLevel),
		oneOf("KG_LOG_FORMAT", show.LogFormats(), "how a line of the log is written: as key=value, or as a JSON object", &s.LogFormat),
		seconds("KG_LEAVE_SECONDS", 0, 0, 300, "how long /readyz says that the server stops, before it does", &s.Leave),
		seconds("KG_DRAIN_SECONDS", 10, 0, 3600, "how long running jobs may finish at a stop", &s.Drain),
		number("KG_MAX_DOCUMENT_BYTES", corpus.DefaultMaxDocumentBytes, 1024, 1<<30, "largest document", &s.MaxDocument),
		size("KG_DATACLIP_QUOTA", "256MiB", "of all dataclips that an account has uploaded", &s.DataclipQuota),
		oneOf("KG_URL_PRIVATE", []string{privateOff, privateAllow}, "allow fetches documents from private networks and any port too", &s.URLPrivate),
		text("KG_URL_ALLOW", "", "", "hosts that documents are fetched from, with commas between; *.example.com is all below one", &s.URLAllow).without("all"),
		flag("KG_TEST_TYPES", "1 registers the job types noop, sleep and effect", &s.TestTypes),
		number("MAX_LANE_SLOTS", work.DefaultMaxLaneSlots, 1, 5000, "ceiling of a lane's max_slots", &s.MaxLaneSlots),
		oneOf("KG_LANES", []string{lanesLeader, lanesAll}, "which servers run the lanes: the one that leads, or all of them", &s.Lanes),
		number("KG_POOL_JOBS", 10, 2, 1000, "connections for jobs", &s.Pools.Jobs),
		number("KG_POOL_GRAPH", 20, 2, 1000, "connections for the graph", &s.Pools.Graph),
		number("KG_POOL_AUTH", 5, 1, 1000, "connections for accounts", &s.Pools.Auth),
		seconds("KG_POOL_WAIT_SECONDS", 2, 1, 60, "how long a request waits for a free connection before it is answered 503", &s.Pools.Wait),
		units("KG_RETENTION_COMPLETED_HOURS", time.Hour, work.DefaultRetainCompleted, 1, 87600, "how long completed and cancelled jobs are kept", &s.Retention.Completed),
		units("KG_RETENTION_FAILED_HOURS", time.Hour, work.DefaultRetainFailed, 1, 87600, "how long failed jobs are kept", &s.Retention.Failed),
		units("KG_AUDIT_RETENTION_DAYS", 24*time.Hour, access.DefaultAuditRetention, 1, 36500, "how long it is kept who did what", &s.AuditKept),
		units("KG_IDEMPOTENCY_HOURS", time.Hour, work.SubmissionKept, 1, 720, "how long an Idempotency-Key and its answer are known", &s.KeysKept),
		number("KG_MAX_REQUESTS_PER_SECOND", work.DefaultUserRate, 0, 1_000_000, "requests that an account may send in a second, and twice as many at once; 0 is any number", &s.UserRate),
		flag("KG_SELF_REGISTRATION", "1 lets anybody make an account, with the role read_only", &s.Register),
		units("KG_CLEANUP_SECONDS", time.Second, work.DefaultCleanupEvery, 10, 86400, "time between two cleanups", &s.CleanupEvery),
		size("KG_GRAPH_MEMORY", "1GiB", "memory for the graph; 0 keeps none there, and queries read the tables", &s.GraphMemory),
		size("KG_SEARCH_MEMORY", "1GiB", "memory for searches; 0 keeps nothing there, and searches read the tables", &s.SearchMemory),
		oneOf("KG_EVENTS", []string{sourceListen, sourceWAL}, "how events travel between servers; wal needs wal_level = logical", &s.Events),
		text("KG_NATS_URL", "", "", "NATS that servers notify each other by, besides; several with commas between", &s.NATS.URL).hidden(),
		text("KG_NATS_CREDS", "", "", "file with the credentials for NATS", &s.NATS.Creds),
		text("KG_NATS_NKEY", "", "", "file with the seed of the user's key for NATS", &s.NATS.NKey),
		text("KG_NATS_CA", "", "", "PEM file with who signs the certificate of NATS", &s.NATS.CA).without("the system's"),
		text("KG_NATS_CERT", "", "", "PEM file with our certificate for NATS", &s.NATS.Cert),
		text("KG_NATS_KEY", "", "", "PEM file with the key of our certificate", &s.NATS.Key),
		text("KG_NATS_PREFIX", "", "", "first part of all subjects on NATS", &s.NATS.Prefix).without(notify.DefaultNATSPrefix),
		number("KG_MAX_STREAMS", work.DefaultMaxStreams, 1, 1_000_000, "event streams open at once", &s.Streams),
		number("KG_MAX_STREAMS_PER_USER", work.DefaultMaxUserStreams, 1, 1_000_000, "of them, those of one user", &s.UserStreams),
		number("KG_MAX_CONNECTIONS", 0, 1, 1_000_000, "connections of clients open at once, event streams and all others", &s.Connections).without("KG_MAX_STREAMS + 5000"),
		text("KG_ALLOWED_HOSTS", "", "", "names by which the server may be called, besides those of loopback, with commas between", &s.AllowedHosts),
		text("KG_TRUSTED_PROXIES", "", "", "addresses and ranges of proxies whose X-Forwarded-For is believed, with commas between", &s.Proxies),
		text("KG_CORS_ORIGINS", "", "", "origins of web pages that may ask with a token, as https://app.example.com, with commas between", &s.Origins),
		flag("KG_HTTP2", "1 serves HTTP/2 without encryption too, for proxies", &s.HTTP2),

		seconds("KG_TEST_LEASE_SECONDS", 0, 0, 60, "lease of the worker", &s.TestLease).forTests(),
		text("KG_TEST_WITNESS", "", "", "socket that is notified of each effect", &s.TestWitness).forTests(),
		text("KG_FAILPOINTS", "", "", "what to break", &s.failpoints).forTests(),
		number("KG_FAILPOINTS_SEED", 1, 0, math.MaxInt32, "when to break what is not certain", &s.failpointSeed).forTests(),
	}, slices.Concat(s.TLS.table(), s.Models.table(), s.Vision.table(), s.Rerank.table(), s.Reading.table(), s.Datasets.table(), s.Webhooks.table(), s.Remote.table(), s.tracesTable())...)
}

// hidden marks a setting whose value may be a secret, or an address with a password in it.
func (row setting) hidden() setting {
	row.secret = true
	return row
}

// without says in words what is done without a value.
func (row setting) without(what string) setting {
	row.def, row.inWords = what, true
	return row
}

// forTests keeps a setting from the help and the documentation.
func (row setting) forTests() setting {
	row.tests = true
	return row
}

// mustBe is the rule as a sentence of an error.
func (row setting) mustBe() string { return row.name + ": must be " + row.rule }

// text is a setting that takes any value.
func text(name, def, rule, help string, to *string) setting {
	*to = def
	return setting{name: name, def: cmp.Or(def, "none"), inWords: def == "", rule: rule, help: help, set: func(value string) bool {
		*to = value
		return true
	}}
}

// number is a setting that takes a whole number.
func number[N int | int64](name string, def, least, most N, help string, to *N) setting {
	*to = def
	return setting{name: name, def: fmt.Sprint(def), rule: fmt.Sprintf("a number from %d to %d", least, most), help: help, set: func(value string) bool {
		n, err := strconv.ParseInt(value, 10, strconv.IntSize)
		*to = N(n)
		return err == nil && N(n) >= least && N(n) <= most
	}}
}

// units is a setting that takes a time, as a number of units.
func units(name string, unit, def time.Duration, least, most int, help string, to *time.Duration) setting {
	var n int
	row := number(name, int(def/unit), least, most, help, &n)
	*to = def
	set := row.set
	row.set = func(value string) bool {
		ok := set(value)
		*to = time.Duration(n) * unit
		return ok
	}
	return row
}

// seconds is a setting that takes a time in seconds.
func seconds(name string, def, least, most int, help string, to *time.Duration) setting {
	return units(name, time.Second, time.Duration(def)*time.Second, least, most, help, to)
}

// flag is a setting that is on or off.
func flag(name, help string, to *bool) setting {
	*to = false
	return setting{name: name, def: "0", rule: "0 or 1", help: help, set: func(value string) bool {
		switch strings.ToLower(value) {
		case "0", "false", "no", "off":
			*to = false
		case "1", "true", "yes", "on":
			*to = true
		default:
			return false
		}
		return true
	}}
}

// size is a setting that takes a number of bytes with a unit.
func size(name, def, help string, to *int64) setting {
	*to, _ = parseSize(def)
	return setting{name: name, def: def, rule: "a size such as 512MB or 2GiB, at most 1TiB, or 0", help: help, set: func(value string) bool {
		n, ok := parseSize(value)
		*to = n
		return ok
	}}
}

// sizeUnits are the units of sizes. Those without an i are the same: nobody means
// fewer bytes of memory.
var sizeUnits = map[string]int64{"": 1, "b": 1, "kb": 1 << 10, "kib": 1 << 10, "mb": 1 << 20, "mib": 1 << 20, "gb": 1 << 30, "gib": 1 << 30}

// parseSize reads a number of bytes with a unit, up to 1 TiB.
func parseSize(value string) (bytes int64, ok bool) {
	digits := strings.TrimRight(strings.ToLower(value), "kmgib ")
	unit, known := sizeUnits[strings.TrimSpace(strings.ToLower(value)[len(digits):])]
	n, err := strconv.ParseInt(digits, 10, 64)
	if !known || err != nil || n < 0 || n > (1<<40)/unit {
		return 0, false
	}
	return n * unit, true
}

// oneOf is a setting that takes one of some words; the first is the default.
func oneOf(name string, words []string, help string, to *string) setting {
	*to = words[0]
	return setting{name: name, def: words[0], rule: orList(words), help: help, set: func(value string) bool {
		for _, word := range words {
			if value == word {
				*to = word
				return true
			}
		}
		return false
	}}
}

// level is a setting that takes a level of the log.
func level(name, help string, to *slog.Level) setting {
	*to = slog.LevelInfo
	return setting{name: name, def: "info", rule: orList([]string{"debug", "info", "warn", "error"}), help: help, set: func(value string) bool {
		return to.UnmarshalText([]byte(value)) == nil
	}}
}

// orList returns words as "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
