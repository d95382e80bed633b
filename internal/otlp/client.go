package otlp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/kappagraph/kappa"
)

// The limits of a call to a collector.
const (
	firstRetry = 100 * time.Millisecond
	mostRetry  = 5 * time.Second
	mostAnswer = 64 << 10 // bytes that are read of an answer
	mostReason = 200      // bytes of a reason that is logged
)

// client sends a signal to a collector, over HTTP or over gRPC: of that, one call without a
// stream is a POST with a frame around its body, so that net/http is enough. The library's
// clients would bring grpc, and 16 MB with it.
type client struct {
	http http.Client
	cfg  Config
	grpc bool
	url  string
}

// The methods of gRPC.
const (
	traceService   = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
	metricsService = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
)

func newClient(cfg Config, to destination) *client {
	c := &client{cfg: cfg, grpc: to.grpc, url: to.endpoint}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: cfg.tls(), IdleConnTimeout: time.Minute, MaxIdleConns: 2, ForceAttemptHTTP2: true}
	if to.grpc {
		transport.Protocols = &http.Protocols{}
		transport.Protocols.SetHTTP2(true)
		transport.Protocols.SetUnencryptedHTTP2(true)
		c.url = strings.TrimRight(to.endpoint, "/") + to.method
	}
	c.http.Transport = transport
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the headers are for this server
	return c
}

// Start implements otlptrace.Client.
func (c *client) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *client) Stop(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client.
func (c *client) UploadTraces(ctx context.Context, spans []*trace.ResourceSpans) error {
	return c.upload(ctx, &trace.TracesData{ResourceSpans: spans}) // which is encoded as the request is
}

// upload sends a message. What may succeed later is sent again, while the time lasts that
// the collector has.
func (c *client) upload(ctx context.Context, message proto.Message) error {
	body, err := proto.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode %T: %w", message, err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.timeout)
	defer cancel()
	for wait := firstRetry; ; wait = min(2*wait, mostRetry) {
		refused := c.send(ctx, body)
		if refused == nil {
			return nil
		}
		if !refused.transient || !kappa.Sleep(ctx, max(kappa.Jitter(wait), refused.after)) {
			return refused.err
		}
	}
}

// refusal says that a message did not arrive.
type refusal struct {
	err       error
	transient bool          // it may succeed later
	after     time.Duration // that the collector asks for
}

// send makes one call; nil is that it succeeded.
func (c *client) send(ctx context.Context, body []byte) *refusal {
	kind := "application/x-protobuf"
	if c.grpc {
		kind = "application/grpc"
		frame := make([]byte, 5, 5+len(body)) // not compressed, and the length
		binary.BigEndian.PutUint32(frame[1:], uint32(len(body)))
		body = append(frame, body...)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return &refusal{err: err}
	}
	for name, value := range c.cfg.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "kappa")
	if c.grpc {
		req.Header.Set("TE", "trailers")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return &refusal{err: err, transient: true}
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	switch {
	case err != nil:
		return &refusal{err: fmt.Errorf("read the answer: %w", err), transient: true}
	case resp.StatusCode != http.StatusOK && (c.grpc || resp.StatusCode/100 != 2): //nolint:mnd // a success of HTTP
		return refusedBy(resp, answer)
	case c.grpc:
		return refusedByGRPC(resp)
	}
	return nil
}

// refusedBy reads an answer that is none of success.
func refusedBy(resp *http.Response, answer []byte) *refusal {
	r := &refusal{err: fmt.Errorf("the collector answered %s", resp.Status)}
	if !bytes.ContainsFunc(answer, func(c rune) bool { return c < ' ' && c != '\n' }) && len(answer) > 0 {
		r.err = fmt.Errorf("the collector answered %s: %s", resp.Status, cut(string(answer)))
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		r.transient = true
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		r.after = time.Duration(max(0, seconds)) * time.Second
	}
	return r
}

// transientCodes are those of gRPC that OTLP has a client try again after.
var transientCodes = map[string]bool{"1": true, "4": true, "10": true, "11": true, "14": true, "15": true}

// refusedByGRPC reads how a call ended, which follows the answer, or stands in its header
// where there is none; nil is a success.
func refusedByGRPC(resp *http.Response) *refusal {
	code, reason := resp.Trailer.Get("Grpc-Status"), resp.Trailer.Get("Grpc-Message")
	if code == "" {
		code, reason = resp.Header.Get("Grpc-Status"), resp.Header.Get("Grpc-Message")
	}
	switch code {
	case "0":
		return nil
	case "":
		return &refusal{err: errors.New("the collector does not speak gRPC")}
	}
	return &refusal{err: fmt.Errorf("the collector answered with the code %s of gRPC: %s", cut(code), cut(reason)), transient: transientCodes[code]}
}

func cut(text string) string { return text[:min(len(text), mostReason)] }
