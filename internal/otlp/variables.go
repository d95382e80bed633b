package otlp

import (
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Variable is a variable of the environment that says what is recorded, and where to.
type Variable struct {
	Name    string
	Default string // or in words what is done without
	Rule    string // what a value must be
	Help    string
	Secret  bool                    // the value must not be shown
	valid   func(value string) bool // nil: anything
}

// Valid reports whether a value keeps the rule.
func (v Variable) Valid(value string) bool { return v.valid == nil || v.valid(value) }

// The protocols of OTLP.
const (
	protocolHTTP = "http/protobuf"
	protocolGRPC = "grpc"
)

// The words for where a signal goes.
const (
	exporterOTLP = "otlp"
	exporterNone = "none"
)

// The variables, by what they choose.
const (
	varDisabled       = "OTEL_SDK_DISABLED"
	varExporter       = "OTEL_TRACES_EXPORTER"
	varEndpoint       = "OTEL_EXPORTER_OTLP_ENDPOINT"
	varTracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	varProtocol       = "OTEL_EXPORTER_OTLP_PROTOCOL"
	varTracesProtocol = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
	varHeaders        = "OTEL_EXPORTER_OTLP_HEADERS"
	varTimeout        = "OTEL_EXPORTER_OTLP_TIMEOUT"
	varCertificate    = "OTEL_EXPORTER_OTLP_CERTIFICATE"
	varSampler        = "OTEL_TRACES_SAMPLER"
	varSamplerArg     = "OTEL_TRACES_SAMPLER_ARG"
	varPropagators    = "OTEL_PROPAGATORS"
	varService        = "OTEL_SERVICE_NAME"
	varAttributes     = "OTEL_RESOURCE_ATTRIBUTES"

	varMetricsExporter = "OTEL_METRICS_EXPORTER"
	varMetricsEndpoint = "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"
	varMetricsProtocol = "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL"
	varInterval        = "OTEL_METRIC_EXPORT_INTERVAL"
)

// Variables returns the variables that are heeded.
func Variables() []Variable {
	return []Variable{
		{varEndpoint, "", "http://… or https://…", "where spans go, to v1/traces below it over HTTP; unset: nothing is recorded", false, isURL},
		{varTracesEndpoint, "", "http://… or https://…", "the same for spans alone, with the whole path", false, isURL},
		{varProtocol, protocolHTTP, either(protocols), "how they get there", false, among(protocols)},
		{varTracesProtocol, "", either(protocols), "the same for spans alone", false, among(protocols)},
		{varHeaders, "", "name=value with commas between, each encoded as in a URL", "headers that go with them, as a key", true, isPairs},
		{varTimeout, "10000", "a number from 1 to 600000", "milliseconds that the collector may take", false, isTimeout},
		{varCertificate, "the system's", "a PEM file that can be read", "who signs the certificate of the collector", false, isCertificate},
		{varExporter, "otlp with an endpoint, else none", either(exporters), "none records nothing, otlp sends to this machine without an endpoint", false, among(exporters)},
		{varSampler, samplers[0], either(samplers), "which traces are recorded", false, among(samplers)},
		{varSamplerArg, "1", "a number from 0 to 1", "which part of the traces is, with a sampler that ends in traceidratio", false, isRatio},
		{varPropagators, "tracecontext", either(propagators), "none begins a trace of its own for each request", false, among(propagators)},
		{varMetricsExporter, exporterNone, either(exporters), "otlp pushes the metrics of kg serve, to this machine without an endpoint", false, among(exporters)},
		{varMetricsEndpoint, "", "http://… or https://…", "where metrics go, with the whole path", false, isURL},
		{varMetricsProtocol, "", either(protocols), "how metrics get there", false, among(protocols)},
		{varInterval, "60000", "a number from 100 to 3600000", "milliseconds from one push of metrics to the next", false, isInterval},
		{varService, "kappa", "", "the name that they are sent under", false, nil},
		{varAttributes, "", "name=value with commas between, each encoded as in a URL", "what else is said of this process, as deployment.environment.name=test", false, isPairs},
		{varDisabled, "false", "true or false", "true records nothing, whatever else is set", false, isBool},
	}
}

var (
	protocols   = []string{protocolHTTP, protocolGRPC}
	exporters   = []string{exporterOTLP, exporterNone}
	propagators = []string{"tracecontext", "tracecontext,baggage", exporterNone}
	samplers    = []string{"parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio", "always_on", "always_off", "traceidratio"}
)

// either returns words as a sentence has them.
func either(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func among(words []string) func(string) bool {
	return func(value string) bool { return slices.Contains(words, value) }
}

func isURL(value string) bool {
	u, err := url.Parse(value)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// The longest times that variables may say, and the shortest interval.
const (
	longestTimeout   = 10 * time.Minute
	longestInterval  = time.Hour
	shortestInterval = 100 * time.Millisecond
)

func isTimeout(value string) bool {
	_, ok := millisecondsOf(value, longestTimeout)
	return ok
}

func isInterval(value string) bool {
	interval, ok := millisecondsOf(value, longestInterval)
	return ok && interval >= shortestInterval
}

// millisecondsOf reads a time from a millisecond to longest.
func millisecondsOf(value string, longest time.Duration) (time.Duration, bool) {
	n, err := strconv.Atoi(value)
	return time.Duration(n) * time.Millisecond, err == nil && n >= 1 && int64(n) <= longest.Milliseconds()
}

func isRatio(value string) bool {
	ratio, err := strconv.ParseFloat(value, 64)
	return err == nil && ratio >= 0 && ratio <= 1
}

func isBool(value string) bool {
	return strings.EqualFold(value, "true") || strings.EqualFold(value, "false")
}

func isPairs(value string) bool {
	_, ok := pairsOf(value)
	return ok
}

// pairsOf reads name=value with commas between, encoded as in a URL.
func pairsOf(value string) (map[string]string, bool) {
	pairs := map[string]string{}
	for part := range strings.SplitSeq(value, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, text, found := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		text, err := url.PathUnescape(strings.TrimSpace(text))
		if !found || name == "" || err != nil || strings.ContainsAny(text, "\r\n") || strings.ContainsAny(name, " \t") {
			return nil, false
		}
		pairs[name] = text
	}
	return pairs, true
}

func isCertificate(value string) bool {
	_, ok := rootsIn(value)
	return ok
}

// rootsIn reads the certificates in a file.
func rootsIn(file string) (roots []byte, ok bool) {
	text, err := os.ReadFile(file)
	return text, err == nil && poolOf(text) != nil
}
