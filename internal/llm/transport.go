package llm

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
)

// The limits of a call.
const (
	dialLimit  = 10 * time.Second
	callLimit  = 10 * time.Minute
	quietLimit = 2 * time.Minute // without a byte; a local model is loaded meanwhile
	mostAnswer = 16 << 20        // bytes
	mostLine   = 4 << 20         // bytes of one event of a stream
	mostError  = 64 << 10        // bytes of an answer that is an error
)

// transport sends requests to one provider.
type transport struct {
	provider string
	base     string // without a slash at the end
	header   http.Header
	sign     signature
	client   *http.Client
	quiet    time.Duration
}

// newTransport returns a transport for the server at base. It follows no redirect: the
// key is for this server alone.
func newTransport(provider, base string, header http.Header, sign signature) *transport {
	dialer := &net.Dialer{Timeout: dialLimit}
	return &transport{
		provider: provider, base: strings.TrimRight(base, "/"), header: header, sign: sign, quiet: quietLimit,
		client: &http.Client{
			Transport: &http.Transport{
				Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSHandshakeTimeout: dialLimit,
				MaxIdleConnsPerHost: 32, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// post sends a request and has read read the answer, whose status is 200. The errors are
// failures, read's own, or that of ctx.
func (t *transport) post(ctx context.Context, path string, request any, read func(*body) error) error {
	encoded, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("encode a request to %s: %w", t.provider, err)
	}
	header, secrets, err := t.sign.sign(t.header)
	if err != nil {
		return failed(failedProvider, "%s", kappa.ErrorMessage(err))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, callLimit, errSlow)
	defer cancel()
	quiet := newAlarm(ctx, t.quiet)
	defer quiet.stop()
	req, err := http.NewRequestWithContext(quiet.ctx, http.MethodPost, t.base+path, bytes.NewReader(encoded))
	if err != nil {
		return failed(failedProvider, "the address of %s cannot be used", t.provider)
	}
	req.Header = header
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "kappa")
	resp, err := t.client.Do(req)
	if err != nil {
		return t.broken(quiet.ctx, err, secrets)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, mostError))
		return refusedAnswer(t.provider, resp, text, secrets)
	}
	err = read(t.newBody(resp.StatusCode, resp.Header.Get("Content-Type"), &limited{from: resp.Body, left: mostAnswer, alarm: quiet}, secrets))
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*failure](err); ok {
		f.text = secrets.hide(f.text)
		return f
	}
	return t.broken(quiet.ctx, err, secrets)
}

// broken says why an exchange broke off. The text of the error is not shown: it may hold
// what the server sent.
func (t *transport) broken(ctx context.Context, err error, secrets secrets) error {
	cause := context.Cause(ctx)
	var dns *net.DNSError
	var dial *net.OpError
	switch {
	case errors.Is(cause, errSlow):
		return failed(failedProvider, "%s took longer than %s to answer", t.provider, callLimit)
	case errors.Is(cause, errQuiet):
		return failed(failedProvider, "%s sent nothing for %s", t.provider, t.quiet)
	case ctx.Err() != nil:
		return cause
	case errors.Is(err, errLarge):
		return failed(failedAnswer, "the answer of %s is longer than %d MiB", t.provider, mostAnswer>>20)
	case errors.As(err, &dns):
		return failed(failedProvider, "the name of the server of %s cannot be resolved", t.provider)
	case errors.As(err, &dial) && dial.Op == "dial":
		return failed(failedProvider, "%s cannot be reached: %s", t.provider, secrets.hide(dial.Err.Error()))
	}
	return failed(failedProvider, "the connection to %s broke off", t.provider)
}

var (
	errSlow  = errors.New("the call took too long")
	errQuiet = errors.New("the server is silent")
	errLarge = errors.New("the answer is too long")
)

// alarm ends its context when nothing was heard for a time.
type alarm struct {
	ctx    context.Context //nolint:containedctx // of the one exchange that it watches
	cancel context.CancelCauseFunc
	timer  *time.Timer
	limit  time.Duration
}

func newAlarm(ctx context.Context, limit time.Duration) *alarm {
	a := &alarm{limit: limit}
	a.ctx, a.cancel = context.WithCancelCause(ctx)
	a.timer = time.AfterFunc(limit, func() { a.cancel(errQuiet) })
	return a
}

func (a *alarm) stop() {
	a.timer.Stop()
	a.cancel(nil)
}

// limited reads up to so many bytes, and puts the alarm off with each of them.
type limited struct {
	from  io.Reader
	left  int
	alarm *alarm
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errLarge
	}
	n, err := l.from.Read(p[:min(len(p), l.left)])
	l.left -= n
	if n > 0 {
		l.alarm.timer.Reset(l.alarm.limit)
	}
	return n, err
}

// eachLine calls visit with each line that is not empty, up to the end.
func eachLine(from io.Reader, visit func(line []byte) error) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 16<<10), mostLine)
	for lines.Scan() {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
			if err := visit(line); err != nil {
				return err
			}
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return errLarge
	}
	return lines.Err()
}

// eachEvent calls visit with the data of each event of a stream of server-sent events.
// Both providers that send them put each event's data on one line.
func eachEvent(from io.Reader, visit func(data []byte) error) error {
	return eachLine(from, func(line []byte) error {
		data, found := bytes.CutPrefix(line, []byte("data:"))
		if !found {
			return nil // a comment, or the name of the event, which the data has too
		}
		return visit(bytes.TrimSpace(data))
	})
}

// readJSON reads an answer that is one JSON value.
func readJSON(to any) func(*body) error {
	return func(b *body) error { return b.readWhole(to) }
}

// readError returns the message of an error, in any of the forms that servers use.
func readError(body []byte) string {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &e) != nil {
		return ""
	}
	var text string
	var object struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    any    `json:"code"`
	}
	switch {
	case json.Unmarshal(e.Error, &text) == nil:
		return text
	case json.Unmarshal(e.Error, &object) == nil:
		if code, _ := object.Code.(string); code != "" && !strings.Contains(object.Message, code) {
			return object.Message + " (" + code + ")"
		}
		return cmp.Or(object.Message, object.Type)
	case json.Unmarshal(e.Detail, &text) == nil:
		return text
	}
	return e.Message
}
