// Package otlptest is a collector of OpenTelemetry for tests: it takes spans and metrics over OTLP,
// by HTTP and by gRPC, as a real one does.
package otlptest

import (
	"context"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"

	metricscollector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Span is a span that has arrived.
type Span struct {
	Name, Kind        string // the kind as OTLP writes it, without SPAN_KIND_
	Trace, ID, Parent string // in hexadecimal digits
	Links             []string
	Attributes        map[string]string
	Resource          map[string]string // of the process that sent it
	Failed            bool
}

// Collector takes spans. Its fields may be set before it is used.
type Collector struct {
	URL  string // over HTTP, without a path
	GRPC string // over gRPC, as a URL

	collector.UnimplementedTraceServiceServer

	mu      sync.Mutex // guards what follows
	spans   []Span
	metrics []Metric
	key     string // the header api-key of what came last
	refuses bool
	calls   int
	hold    chan struct{} // not nil: nothing is answered before it is closed
}

// Start starts a collector until the test ends.
func Start(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{}
	web := httptest.NewServer(http.HandlerFunc(c.serve))
	c.URL = web.URL
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, c)
	metricscollector.RegisterMetricsServiceServer(server, metricsService{c: c})
	c.GRPC = "http://" + listener.Addr().String()
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) }) // it ends when it is stopped
	t.Cleanup(func() {
		c.Release()
		web.Close()
		server.Stop()
		serving.Wait()
	})
	return c
}

// Spans returns what has arrived.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Key returns the header api-key of what came last.
func (c *Collector) Key() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.key
}

// Calls returns how often anything was sent, taken or not.
func (c *Collector) Calls() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}

// Refuse has it refuse everything, or take it again.
func (c *Collector) Refuse(refuse bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refuses = refuse
}

// Hold has it answer nothing before Release.
func (c *Collector) Hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hold = make(chan struct{})
}

// Release has it answer again.
func (c *Collector) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hold != nil {
		close(c.hold)
		c.hold = nil
	}
}

// Export implements the service over gRPC.
func (c *Collector) Export(ctx context.Context, r *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	if !c.take(ctx, r, keyOf(ctx)) {
		return nil, errRefused
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

var errRefused = status.Error(codes.PermissionDenied, "not from you")

// keyOf returns the header api-key of a call of gRPC.
func keyOf(ctx context.Context) string {
	if keys := metadata.ValueFromIncomingContext(ctx, "api-key"); len(keys) > 0 {
		return keys[0]
	}
	return ""
}

// serve takes spans and metrics over HTTP.
func (c *Collector) serve(w http.ResponseWriter, r *http.Request) {
	request := map[string]proto.Message{
		"/v1/traces": &collector.ExportTraceServiceRequest{}, "/v1/metrics": &metricscollector.ExportMetricsServiceRequest{},
	}[r.URL.Path]
	body, err := io.ReadAll(r.Body)
	if err != nil || request == nil || proto.Unmarshal(body, request) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if !c.take(r.Context(), request, r.Header.Get("Api-Key")) {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// take reports false when it refuses.
func (c *Collector) take(ctx context.Context, r proto.Message, key string) bool {
	c.mu.Lock()
	c.calls++
	hold := c.hold
	c.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return false
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuses {
		return false
	}
	c.key = key
	switch r := r.(type) {
	case *collector.ExportTraceServiceRequest:
		c.takeSpansLocked(r)
	case *metricscollector.ExportMetricsServiceRequest:
		c.takeMetricsLocked(r)
	}
	return true
}

func (c *Collector) takeSpansLocked(r *collector.ExportTraceServiceRequest) {
	for _, of := range r.GetResourceSpans() {
		resource := attributes(of.GetResource().GetAttributes())
		for _, scope := range of.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, spanOf(s, resource))
			}
		}
	}
}

func spanOf(s *trace.Span, resource map[string]string) Span {
	span := Span{
		Name: s.GetName(), Kind: s.GetKind().String()[len("SPAN_KIND_"):], Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()),
		Parent: hex.EncodeToString(s.GetParentSpanId()), Attributes: attributes(s.GetAttributes()), Resource: resource,
		Failed: s.GetStatus().GetCode() == trace.Status_STATUS_CODE_ERROR,
	}
	for _, l := range s.GetLinks() {
		span.Links = append(span.Links, hex.EncodeToString(l.GetSpanId()))
	}
	return span
}

func attributes(list []*common.KeyValue) map[string]string {
	values := map[string]string{}
	for _, a := range list {
		switch v := a.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			values[a.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			values[a.GetKey()] = strconv.FormatInt(v.IntValue, 10)
		case *common.AnyValue_DoubleValue:
			values[a.GetKey()] = strconv.FormatFloat(v.DoubleValue, 'g', -1, 64)
		}
	}
	return values
}
