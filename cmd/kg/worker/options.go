package worker

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/kappagraph/kappa/internal/certificates"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/internal/worker"
	"github.com/kappagraph/kappa/work"
)

const defaultServer = "ws://127.0.0.1:8000"

// options are the flags of kg worker, and the environment that stands in for them.
type options struct {
	version string
	env     func(name string) string
	changed func(flag string) bool

	server, queues, workloops, types string
	capacity                         int
	exec                             string
	extractor, model, modelURL       string
	name                             string
	labels                           []string
	backoff, lease, grace            string
	health                           string
	once                             bool
	secretFile, caFile               string
}

// bind names the flags.
func (o *options) bind(f *pflag.FlagSet) {
	f.StringVar(&o.server, "server", "", "server to connect to, ws, wss, http or https (KG_WORKER_SERVER, else "+defaultServer+")")
	f.StringVar(&o.queues, "queues", "", `slot groups, "fast_lane:1 manual,*:4" (KG_WORKER_QUEUES, else *:1)`)
	f.StringVar(&o.workloops, "workloops", "", "another name of --queues")
	f.IntVar(&o.capacity, "capacity", 0, "the same as --queues manual,*:N")
	f.StringVar(&o.types, "types", "", "job types, with commas between (KG_WORKER_TYPES, else "+work.TypeExtractChunk+")")
	f.StringVar(&o.exec, "exec", "", "program that works on the jobs; its arguments come after --")
	f.StringVar(&o.extractor, "extractor", "", "what reads chunks: local, openai, anthropic or ollama (KG_EXTRACTOR, else local)")
	f.StringVar(&o.model, "model", "", "model that reads chunks (KG_EXTRACTION_MODEL, else the provider's)")
	f.StringVar(&o.modelURL, "model-url", "", "where the model's API is (KG_OLLAMA_URL and the like, else the provider's)")
	f.StringVar(&o.name, "name", "", "name to show (default the host's)")
	f.StringArrayVar(&o.labels, "label", nil, "label to show, as key=value; may be given several times")
	f.StringVar(&o.backoff, "backoff", "1s/10s", "shortest and longest wait after a claim that found nothing")
	f.StringVar(&o.lease, "lease", "60s", "lease to ask for: how long the worker may be silent")
	f.StringVar(&o.grace, "grace", "30s", "how long running jobs may go on after SIGTERM")
	f.StringVar(&o.health, "health", "", "host:port to serve /livez and /readyz on (default off)")
	f.BoolVar(&o.once, "once", false, "exit when nothing is left to do")
	f.StringVar(&o.caFile, "ca-file", "", "PEM file with who signed the server's certificate, besides the authorities of the system (KG_CA_FILE)")
	f.StringVar(&o.secretFile, "secret-file", "", "file with the secret that workers share with the server (else KG_WORKER_SECRET)")
}

// config returns the worker's config, or everything that is wrong with the flags.
func (o *options) config(args []string, log *slog.Logger) (worker.Config, error) {
	cfg := worker.Config{Version: o.version, Once: o.once, Log: log}
	var broken []error
	add := func(flag string, err error) {
		if err != nil {
			broken = append(broken, fmt.Errorf("%s: %w", flag, err))
		}
	}
	var err error
	var plain bool
	cfg.Server, plain, err = worker.Address(cmp.Or(o.server, o.env("KG_WORKER_SERVER"), defaultServer))
	add("--server", err)
	if plain {
		log.Warn("the line to the server is not encrypted; use wss://", "server", cfg.Server)
	}
	if path := cmp.Or(o.caFile, o.env("KG_CA_FILE")); path != "" {
		cfg.Roots, err = certificates.Roots(path)
		add("--ca-file", err)
	}
	cfg.Groups, err = o.groups(log)
	broken = append(broken, err)
	cfg.Secret, err = o.secret()
	broken = append(broken, err)
	cfg.Name, cfg.Labels, err = o.shown()
	add("--label", err)
	cfg.MinBackoff, cfg.MaxBackoff, err = parseBackoff(o.backoff)
	add("--backoff", err)
	cfg.Lease, err = parseTime(o.lease, wire.MinLease, wire.MaxLease)
	add("--lease", err)
	cfg.Grace, err = parseTime(o.grace, worker.LeastGrace, worker.MostGrace)
	add("--grace", err)
	if o.health != "" {
		_, _, err = net.SplitHostPort(o.health)
		add("--health", err)
	}
	cfg.Handlers, err = o.handlers(args)
	broken = append(broken, err)
	return cfg, errors.Join(broken...)
}

// groups reads the slot groups.
func (o *options) groups(log *slog.Logger) ([]wire.Group, error) {
	given := 0
	for _, flag := range []string{"queues", "workloops", "capacity"} {
		if o.changed(flag) {
			given++
		}
	}
	switch {
	case given > 1:
		return nil, errors.New("--queues, --workloops and --capacity: give one of them")
	case o.changed("capacity") && (o.capacity < 1 || o.capacity > wire.MaxSlots):
		return nil, fmt.Errorf("--capacity: must be a whole number from 1 to %d, got %d", wire.MaxSlots, o.capacity)
	case o.changed("capacity"):
		return []wire.Group{{Queues: []string{"manual", wire.AnyQueue}, Slots: o.capacity}}, nil
	}
	text := cmp.Or(o.env("KG_WORKER_QUEUES"), "*:1")
	if given > 0 {
		text = o.queues + o.workloops
	}
	groups, warnings, err := wire.ParseGroups(text)
	if err != nil {
		return nil, fmt.Errorf("--queues: %w", err)
	}
	for _, warning := range warnings {
		log.Warn("--queues: " + warning) //nolint:sloglint // the warning is the message
	}
	return groups, nil
}

// secret reads the secret. It never comes from a flag: those are seen by everybody on
// the machine.
func (o *options) secret() ([]byte, error) {
	secret := o.env("KG_WORKER_SECRET")
	name := "KG_WORKER_SECRET"
	if o.secretFile != "" {
		text, err := os.ReadFile(o.secretFile)
		if err != nil {
			return nil, fmt.Errorf("--secret-file: must be a file that can be read: %w", err)
		}
		name, secret = "--secret-file", strings.TrimSpace(string(text))
	}
	switch {
	case secret == "":
		return nil, errors.New("KG_WORKER_SECRET or --secret-file: the secret of the server's KG_WORKER_SECRET is needed")
	case len(secret) < wire.MinSecret:
		return nil, fmt.Errorf("%s: must have at least %d bytes, got %d", name, wire.MinSecret, len(secret))
	}
	return []byte(secret), nil
}

// shown returns the name and the labels.
func (o *options) shown() (name string, labels map[string]string, err error) {
	if name = o.name; name == "" {
		if name, err = os.Hostname(); err != nil {
			name = "worker"
		}
	}
	labels = map[string]string{}
	for _, label := range o.labels {
		key, value, ok := strings.Cut(label, "=")
		if !ok || key == "" {
			return name, nil, fmt.Errorf("must be key=value, got %q", label)
		}
		labels[key] = value
	}
	return name, labels, nil
}

// handlers returns what works on each type.
func (o *options) handlers(args []string) (map[string]worker.Handler, error) {
	named := cmp.Or(o.types, o.env("KG_WORKER_TYPES"))
	switch {
	case o.exec == "" && len(args) > 0:
		return nil, fmt.Errorf("%q: arguments are for the program of --exec", args[0])
	case o.exec != "" && named == "":
		return nil, errors.New("--types: name the types that the program of --exec works on")
	}
	handlers := map[string]worker.Handler{}
	for name := range strings.SplitSeq(cmp.Or(named, work.TypeExtractChunk), ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		handler, err := o.handler(name, args)
		if err != nil {
			return nil, err
		}
		handlers[name] = handler
	}
	if len(handlers) == 0 {
		return nil, errors.New("--types: name at least one job type")
	}
	return handlers, nil
}

// testTypes are handlers that KG_TEST_TYPES=1 adds.
var testTypes = map[string]worker.Handler{work.TypeNoop: worker.Noop, work.TypeSleep: worker.Sleep}

// handler returns what works on a type.
func (o *options) handler(name string, args []string) (worker.Handler, error) {
	switch {
	case o.exec != "":
		path, err := exec.LookPath(o.exec)
		if err == nil { // it runs in another directory
			path, err = filepath.Abs(path)
		}
		if err != nil {
			return nil, fmt.Errorf("--exec: must be a program: %w", err)
		}
		return worker.Exec(path, args...), nil
	case name == work.TypeExtractChunk:
		return o.reader()
	case testTypes[name] != nil && slices.Contains([]string{"1", "true", "yes", "on"}, o.env("KG_TEST_TYPES")):
		return testTypes[name], nil
	}
	return nil, fmt.Errorf("--types: nothing here works on %q; name a program with --exec", name)
}

// parseBackoff reads two times with a slash between.
func parseBackoff(text string) (least, most time.Duration, err error) {
	first, second, ok := strings.Cut(text, "/")
	if !ok {
		return 0, 0, fmt.Errorf("must be min/max, for example 1s/10s, got %q", text)
	}
	if least, err = parseTime(first, worker.LeastBackoff, worker.MostBackoff); err != nil {
		return 0, 0, err
	}
	if most, err = parseTime(second, worker.LeastBackoff, worker.MostBackoff); err != nil {
		return 0, 0, err
	}
	if least > most {
		return 0, 0, fmt.Errorf("the first time must not be longer than the second, got %q", text)
	}
	return least, most, nil
}

// parseTime reads a time; a plain number is in seconds.
func parseTime(text string, least, most time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if seconds, ferr := strconv.ParseFloat(text, 64); ferr == nil && seconds >= 0 && seconds < 1e9 {
		d, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil || d < least || d > most {
		return 0, fmt.Errorf("must be a time from %s to %s, for example 30s, got %q", least, most, text)
	}
	return d, nil
}
