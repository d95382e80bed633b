package otlp

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Config is what the variables say.
type Config struct {
	traces     destination
	metrics    destination
	interval   time.Duration // between two pushes of metrics
	headers    map[string]string
	timeout    time.Duration
	roots      []byte // PEM; nil: the system's
	sampler    string
	ratio      float64
	adopt      bool // a request is a part of the trace that it names
	service    string
	attributes map[string]string
}

// destination is where a signal goes.
type destination struct {
	on       bool
	grpc     bool
	endpoint string // with its path over HTTP
	method   string // of gRPC
}

// String returns the address without secrets.
func (d destination) String() string {
	u, err := url.Parse(d.endpoint)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// Read reads the variables. Its error says each that breaks its rule, by name.
func Read(lookup func(name string) string) (Config, error) {
	values := map[string]string{}
	var broken []error
	for _, v := range Variables() {
		value := strings.TrimSpace(lookup(v.Name))
		if value == "" {
			continue
		}
		if !v.Valid(value) {
			broken = append(broken, fmt.Errorf("%s: must be %s", v.Name, v.Rule)) // the value may be a secret
			continue
		}
		values[v.Name] = value
	}
	if err := errors.Join(broken...); err != nil {
		return Config{}, err
	}
	return configOf(values), nil
}

// On reports whether spans are recorded.
func (c Config) On() bool { return c.traces.on }

// MetricsOn reports whether metrics are pushed.
func (c Config) MetricsOn() bool { return c.metrics.on }

// configOf returns what valid values say.
func configOf(values map[string]string) Config {
	c := Config{
		sampler: cmp.Or(values[varSampler], samplers[0]), ratio: 1, adopt: values[varPropagators] != exporterNone,
		service: values[varService], timeout: 10 * time.Second, interval: time.Minute,
	}
	c.traces = destinationOf(values, signal{values[varTracesEndpoint], values[varTracesProtocol], "/v1/traces", traceService})
	c.metrics = destinationOf(values, signal{values[varMetricsEndpoint], values[varMetricsProtocol], "/v1/metrics", metricsService})
	enabled := !strings.EqualFold(values[varDisabled], "true")
	c.traces.on = enabled && (values[varExporter] == exporterOTLP || values[varExporter] == "" && values[varEndpoint]+values[varTracesEndpoint] != "")
	c.metrics.on = enabled && values[varMetricsExporter] == exporterOTLP
	c.headers, _ = pairsOf(values[varHeaders])
	c.attributes, _ = pairsOf(values[varAttributes])
	if t, ok := millisecondsOf(values[varTimeout], longestTimeout); ok {
		c.timeout = t
	}
	if t, ok := millisecondsOf(values[varInterval], longestInterval); ok {
		c.interval = t
	}
	if arg := values[varSamplerArg]; arg != "" {
		c.ratio, _ = strconv.ParseFloat(arg, 64)
	}
	if file := values[varCertificate]; file != "" {
		c.roots, _ = rootsIn(file)
	}
	return c
}

// signal is what differs between traces and metrics.
type signal struct {
	endpoint, protocol string // of its own; "" is that of all
	path, method       string // over HTTP, and of gRPC
}

// destinationOf returns where a signal goes: below the address of the collector of all, or
// of this machine, unless it has one of its own.
func destinationOf(values map[string]string, s signal) destination {
	d := destination{grpc: cmp.Or(s.protocol, values[varProtocol], protocolHTTP) == protocolGRPC, endpoint: s.endpoint, method: s.method}
	switch base := values[varEndpoint]; {
	case s.endpoint != "":
	case d.grpc:
		d.endpoint = cmp.Or(base, "http://localhost:4317")
	default:
		d.endpoint = strings.TrimRight(cmp.Or(base, "http://localhost:4318"), "/") + s.path
	}
	return d
}

// tls returns how a collector is trusted; nil as the system does.
func (c Config) tls() *tls.Config {
	if c.roots == nil {
		return nil
	}
	return &tls.Config{RootCAs: poolOf(c.roots), MinVersion: tls.VersionTLS12}
}

// poolOf returns the certificates of a PEM text, nil when there are none.
func poolOf(text []byte) *x509.CertPool {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil
	}
	return pool
}
