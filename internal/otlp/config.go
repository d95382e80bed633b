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
	on          bool
	endpoint    string // of spans, with its path
	grpc        bool
	headers     map[string]string
	timeout     time.Duration
	roots       []byte // PEM; nil: the system's
	sampler     string
	ratio       float64
	adopt       bool // a request is a part of the trace that it names
	service     string
	attributes  map[string]string
	description string // of where spans go, without secrets
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
func (c Config) On() bool { return c.on }

// configOf returns what valid values say.
func configOf(values map[string]string) Config {
	c := Config{
		grpc:    cmp.Or(values[varTracesProtocol], values[varProtocol], protocolHTTP) == protocolGRPC,
		sampler: cmp.Or(values[varSampler], samplers[0]), ratio: 1, adopt: values[varPropagators] != exporterNone,
		service: values[varService], timeout: 10 * time.Second,
	}
	base, whole := values[varEndpoint], values[varTracesEndpoint]
	c.on = values[varExporter] == exporterOTLP || values[varExporter] == "" && base+whole != ""
	c.on = c.on && !strings.EqualFold(values[varDisabled], "true")
	c.endpoint = whole
	if whole == "" {
		c.endpoint = c.below(base)
	}
	if u, err := url.Parse(c.endpoint); err == nil {
		c.description = u.Scheme + "://" + u.Host + u.Path
	}
	c.headers, _ = pairsOf(values[varHeaders])
	c.attributes, _ = pairsOf(values[varAttributes])
	if t, ok := timeoutOf(values[varTimeout]); ok {
		c.timeout = t
	}
	if arg := values[varSamplerArg]; arg != "" {
		c.ratio, _ = strconv.ParseFloat(arg, 64)
	}
	if file := values[varCertificate]; file != "" {
		c.roots, _ = rootsIn(file)
	}
	return c
}

// below returns where spans go below the address of a collector; "" is this machine.
func (c Config) below(base string) string {
	if c.grpc {
		return cmp.Or(base, "http://localhost:4317")
	}
	return strings.TrimRight(cmp.Or(base, "http://localhost:4318"), "/") + "/v1/traces"
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
