package otlp

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/otlp/otlptest"
	"github.com/kappagraph/kappa/tracing"
)

// logged collects what is logged.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.buf.String(), text)
}

// open returns a Tracer with these variables.
func open(t *testing.T, values map[string]string) (*Tracer, *logged) {
	t.Helper()
	cfg, err := Read(func(name string) string { return values[name] })
	if err != nil || !cfg.On() {
		t.Fatalf("on: %v, error %v", cfg.On(), err)
	}
	log := &logged{}
	tracer, err := New(t.Context(), cfg, Service{Name: "kappa", Version: "1", Instance: "i"}, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tracer.Close(context.WithoutCancel(t.Context())) })
	return tracer, log
}

// spans makes a trace of three, and sends it.
func spans(t *testing.T, tracer *Tracer) {
	t.Helper()
	ctx, request := tracing.Begin(t.Context(), tracer, tracing.Beginning{Kind: tracing.Server, Operation: "POST"})
	inner, submit := tracing.Start(ctx, tracing.Producer, tracing.OperationSubmit, "noop")
	_, attempt := tracing.Begin(t.Context(), tracer, tracing.Beginning{
		Kind: tracing.Consumer, Operation: tracing.OperationProcess, Target: "noop", Parent: tracing.Traceparent(inner), Link: tracing.Traceparent(inner),
	})
	attempt.Int(tracing.JobAttempt, 2)
	attempt.End(&kappa.Error{Code: kappa.CodeConflict, Message: "it is taken", Err: errors.New("a secret")})
	submit.End(nil)
	request.Name("POST", "/jobs")
	request.End(nil)
	if err := tracer.provider.ForceFlush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestCollector sends a trace over each protocol to a collector.
func TestCollector(t *testing.T) {
	c := otlptest.Start(t)
	for name, values := range map[string]map[string]string{
		"http":        {"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL},
		"http, whole": {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": c.URL + "/v1/traces", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"},
		"grpc":        {"OTEL_EXPORTER_OTLP_ENDPOINT": c.GRPC, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
	} {
		t.Run(name, func(t *testing.T) {
			maps.Copy(values, map[string]string{
				"OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20key", "OTEL_SERVICE_NAME": name, "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test,service.name=other",
			})
			tracer, log := open(t, values)
			spans(t, tracer)
			var mine []otlptest.Span
			for _, s := range c.Spans() {
				if s.Resource["service.name"] == name {
					mine = append(mine, s)
				}
			}
			if len(mine) != 3 {
				t.Fatalf("%d spans arrived, want 3", len(mine))
			}
			attempt, submit, request := mine[0], mine[1], mine[2]
			if request.Name != "POST /jobs" || request.Kind != "SERVER" || request.Parent != "" {
				t.Errorf("the request is %+v", request)
			}
			if submit.Name != "submit noop" || submit.Kind != "PRODUCER" || submit.Parent != request.ID || submit.Trace != request.Trace {
				t.Errorf("the submission is %+v", submit)
			}
			if attempt.Name != "process noop" || attempt.Kind != "CONSUMER" || attempt.Parent != submit.ID || !slices.Equal(attempt.Links, []string{submit.ID}) || attempt.Trace != request.Trace {
				t.Errorf("the attempt is %+v", attempt)
			}
			if !attempt.Failed || attempt.Attributes["error.type"] != string(kappa.CodeConflict) || attempt.Attributes["kappa.job.attempt"] != "2" || submit.Failed {
				t.Errorf("the attempt is %+v", attempt)
			}
			if r := attempt.Resource; r["service.version"] != "1" || r["service.instance.id"] != "i" || r["deployment.environment.name"] != "test" || c.Key() != "a key" {
				t.Errorf("the resource is %v, the key %q", r, c.Key())
			}
			if log.count("WARN") != 0 {
				t.Errorf("the log has %s", &log.buf)
			}
		})
	}
}

// TestCollectorAway has a collector refuse, be silent and be down: it is said once, nobody
// waits, and when it is back spans arrive.
func TestCollectorAway(t *testing.T) {
	c := otlptest.Start(t)
	for _, protocol := range []string{"http/protobuf", "grpc"} {
		t.Run(protocol, func(t *testing.T) {
			url := map[bool]string{false: c.URL, true: c.GRPC}[protocol == "grpc"]
			tracer, log := open(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol, "OTEL_EXPORTER_OTLP_TIMEOUT": "50"})
			c.Refuse(true)
			calls := c.Calls()
			for range 3 {
				spans(t, tracer)
			}
			if c.Calls() < calls+3 || log.count("do not arrive") != 1 {
				t.Errorf("%d were refused, and the log has %s", c.Calls()-calls, &log.buf)
			}
			c.Refuse(false)
			c.Hold()
			spans(t, tracer)
			c.Release()
			if log.count("do not arrive") != 1 {
				t.Errorf("the log has %s", &log.buf)
			}
			before := len(c.Spans())
			await.That(t, "spans arrive again", func() bool {
				spans(t, tracer)
				return len(c.Spans()) > before && log.count("arrive at the collector again") == 1
			})
		})
	}
	t.Run("down", func(t *testing.T) {
		tracer, log := open(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_TIMEOUT": "200"})
		spans(t, tracer)
		spans(t, tracer)
		if log.count("do not arrive") != 1 {
			t.Errorf("the log has %s", &log.buf)
		}
	})
}

// TestVariables reads good and bad values. What is wrong is said by name, and the value is not
// shown: it may be a key.
func TestVariables(t *testing.T) {
	text := filepath.Join(t.TempDir(), "no.pem")
	if err := os.WriteFile(text, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": {"localhost:4317", "http://", "ftp://a"}, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": {"x"},
		"OTEL_EXPORTER_OTLP_PROTOCOL": {"http/json", "udp"}, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": {"http"},
		"OTEL_EXPORTER_OTLP_HEADERS": {"a secret", "=b", "a=%zz", "a=b%0d%0ac: d"}, "OTEL_EXPORTER_OTLP_TIMEOUT": {"1s", "0", "600001"},
		"OTEL_EXPORTER_OTLP_CERTIFICATE": {"/no/such/file", text}, "OTEL_TRACES_EXPORTER": {"console"},
		"OTEL_TRACES_SAMPLER": {"sometimes"}, "OTEL_TRACES_SAMPLER_ARG": {"1.1", "-1", "NaN", "all"}, "OTEL_PROPAGATORS": {"b3"},
		"OTEL_RESOURCE_ATTRIBUTES": {"a"}, "OTEL_SDK_DISABLED": {"1"},
	} {
		for _, value := range bad {
			_, err := Read(func(n string) string {
				if n == name {
					return value
				}
				return ""
			})
			if err == nil || !strings.HasPrefix(err.Error(), name+": must be ") || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s=%s: %v", name, value, err)
			}
		}
	}
	for _, c := range []struct {
		values map[string]string
		on     bool
	}{
		{map[string]string{}, false},
		{map[string]string{"OTEL_TRACES_SAMPLER": "always_on", "OTEL_SERVICE_NAME": "x"}, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a"}, true},
		{map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://a"}, true},
		{map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, true},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_TRACES_EXPORTER": "none"}, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_SDK_DISABLED": "TRUE"}, false},
	} {
		cfg, err := Read(func(name string) string { return c.values[name] })
		if err != nil || cfg.On() != c.on {
			t.Errorf("%v: on %v, error %v", c.values, cfg.On(), err)
		}
	}
}

// TestSamplers shows what each sampler does with a request that is sampled elsewhere, one that
// is not, and one that belongs to no trace.
func TestSamplers(t *testing.T) {
	const sampled, not = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
	c := otlptest.Start(t)
	for _, row := range []struct {
		sampler, arg, propagators string
		want                      [3]bool // sampled, not, none
	}{
		{"", "", "", [3]bool{true, false, true}},
		{"parentbased_always_off", "", "", [3]bool{true, false, false}},
		{"parentbased_traceidratio", "0", "", [3]bool{true, false, false}},
		{"always_on", "", "", [3]bool{true, true, true}},
		{"always_off", "", "", [3]bool{false, false, false}},
		{"traceidratio", "0", "", [3]bool{false, false, false}},
		{"traceidratio", "", "", [3]bool{true, true, true}},
		{"", "", "none", [3]bool{true, true, true}},
	} {
		tracer, _ := open(t, map[string]string{
			"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_TRACES_SAMPLER": row.sampler, "OTEL_TRACES_SAMPLER_ARG": row.arg, "OTEL_PROPAGATORS": row.propagators,
		})
		for i, parent := range []string{sampled, not, ""} {
			ctx, span := tracing.Begin(t.Context(), tracer, tracing.Beginning{Kind: tracing.Server, Parent: parent})
			if span.Sampled() != row.want[i] {
				t.Errorf("%+v: of %q sampled is %v", row, parent, span.Sampled())
			}
			if adopted := parent != "" && strings.HasPrefix(tracing.Traceparent(ctx), parent[:35]); adopted != (parent != "" && row.propagators == "") {
				t.Errorf("%+v: %q became %q", row, parent, tracing.Traceparent(ctx))
			}
			_, child := tracing.Start(ctx, tracing.Internal, "part", "")
			if (child != nil) != row.want[i] {
				t.Errorf("%+v: a part of %q is recorded: %v", row, parent, child != nil)
			}
			child.End(nil)
			span.End(nil)
		}
	}
}

// TestTraceparent reads what W3C Trace Context allows, and refuses the rest.
func TestTraceparent(t *testing.T) {
	const good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for text, want := range map[string]bool{
		good: true, "cc" + good[2:] + "-what": true, "cc" + good[2:]: true,
		"": false, good[:54]: false, good + "-x": false, "ff" + good[2:]: false, "0x" + good[2:]: false, "cc" + good[2:] + ".x": false,
		strings.Replace(good, "4bf92f3577b34da6a3ce929d0e0e4736", strings.Repeat("0", 32), 1): false,
		strings.Replace(good, "00f067aa0ba902b7", strings.Repeat("0", 16), 1):                 false,
		strings.ToUpper(good): false, strings.Replace(good, "4b", "zz", 1): false, strings.Replace(good, "-01", "-0g", 1): false,
	} {
		if _, ok := parse(text); ok != want {
			t.Errorf("%q: %v, want %v", text, ok, want)
		}
	}
}

// TestNames compares our names with those of the semantic conventions.
func TestNames(t *testing.T) {
	for ours, theirs := range map[tracing.Key]string{
		tracing.ServiceName: string(semconv.ServiceNameKey), tracing.ServiceVersion: string(semconv.ServiceVersionKey), tracing.ServiceInstance: string(semconv.ServiceInstanceIDKey),
		tracing.HTTPMethod: string(semconv.HTTPRequestMethodKey), tracing.HTTPRoute: string(semconv.HTTPRouteKey), tracing.HTTPStatus: string(semconv.HTTPResponseStatusCodeKey),
		tracing.URLPath: string(semconv.URLPathKey), tracing.URLScheme: string(semconv.URLSchemeKey),
		tracing.MessagingSystem: string(semconv.MessagingSystemKey), tracing.MessagingOperation: string(semconv.MessagingOperationNameKey),
		tracing.MessagingOperationType: string(semconv.MessagingOperationTypeKey), tracing.MessagingDestination: string(semconv.MessagingDestinationNameKey),
		tracing.MessagingMessage: string(semconv.MessagingMessageIDKey),
		tracing.ModelOperation:   string(semconv.GenAIOperationNameKey), tracing.ModelProvider: string(semconv.GenAIProviderNameKey), tracing.ModelRequested: string(semconv.GenAIRequestModelKey),
		tracing.ModelInput: string(semconv.GenAIUsageInputTokensKey), tracing.ModelOutput: string(semconv.GenAIUsageOutputTokensKey),
		tracing.DatabaseSystem: string(semconv.DBSystemNameKey), tracing.DatabaseQuery: string(semconv.DBQuerySummaryKey), tracing.DatabaseStatus: string(semconv.DBResponseStatusCodeKey),
		tracing.ErrorType: string(semconv.ErrorTypeKey),
	} {
		if string(ours) != theirs {
			t.Errorf("we say %s, the conventions %s", ours, theirs)
		}
	}
	if tracing.TypeSend != semconv.MessagingOperationTypeSend.Value.AsString() || tracing.TypeProcess != semconv.MessagingOperationTypeProcess.Value.AsString() ||
		tracing.OperationChat != semconv.GenAIOperationNameChat.Value.AsString() || tracing.OperationEmbeddings != semconv.GenAIOperationNameEmbeddings.Value.AsString() ||
		tracing.DatabaseName != semconv.DBSystemNamePostgreSQL.Value.AsString() {
		t.Error("a value is not that of the conventions")
	}
}

// TestNothingIsAllocated shows that what begins spans costs nothing where none are recorded,
// and that a part of a trace that is not sampled is none.
func TestNothingIsAllocated(t *testing.T) {
	tracer, _ := open(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": otlptest.Start(t).URL, "OTEL_TRACES_SAMPLER": "always_off"})
	unsampled, _ := tracing.Begin(t.Context(), tracer, tracing.Beginning{Kind: tracing.Server})
	for name, ctx := range map[string]context.Context{"off": t.Context(), "not sampled": unsampled} {
		n := testing.AllocsPerRun(100, func() {
			ctx, span := tracing.Start(ctx, tracing.Client, tracing.OperationChat, "a model")
			span.String(tracing.ModelProvider, "openai")
			span.Int(tracing.ModelInput, 1000)
			_, attempt := tracing.Begin(ctx, nil, tracing.Beginning{Kind: tracing.Consumer, Target: "noop"})
			attempt.Job(tracing.OperationProcess, tracing.TypeProcess, "job_a", "noop")
			attempt.End(nil)
			span.End(nil)
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
