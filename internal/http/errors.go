package http

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	nethttp "net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
)

const problemType = "application/problem+json"

// problem is the body of every answer that is not a success (RFC 9457), and the
// error that leads to it.
type problem struct {
	Type      string         `json:"type" doc:"Always about:blank: the status says it all"`
	Title     string         `json:"title" doc:"Fixed for the status"`
	Status    int            `json:"status" doc:"The HTTP status"`
	Detail    string         `json:"detail" doc:"What is wrong and how to mend it, in one sentence"`
	Instance  string         `json:"instance" doc:"Path of the request"`
	RequestID string         `json:"request_id" doc:"Names the request in the server's log"`
	Errors    []fieldProblem `json:"errors,omitempty" doc:"With 422: each value that breaks a rule"`

	ErrorType string          `json:"error_type,omitempty" doc:"Of a dataset: validation, network, sql, timeout, memory or internal"`
	Message   string          `json:"message,omitempty" doc:"Of a dataset: what failed"`
	Details   json.RawMessage `json:"details,omitempty" doc:"Of a dataset: more about it, such as the place in the SQL, or null"`

	OAuthError       string `json:"error,omitempty" doc:"At the token endpoint: the name of the OAuth error"`
	OAuthDescription string `json:"error_description,omitempty" doc:"At the token endpoint: the same as detail"`

	retryAfter time.Duration
	challenge  string // how to prove who one is, with 401; Bearer without
}

// fieldProblem is one value that breaks a rule.
type fieldProblem struct {
	Loc   []any  `json:"loc" doc:"Where it is: body, query, path or form, then names and indexes"`
	Msg   string `json:"msg" doc:"The rule"`
	Type  string `json:"type" doc:"value_error, type_error, missing or unknown"`
	Input any    `json:"input,omitempty" doc:"The value, when it is short"`
}

// statusOf chooses the HTTP status of a failure. It is the only place that
// does.
func statusOf(code kappa.Code) int {
	switch code {
	case kappa.CodeMalformed:
		return nethttp.StatusBadRequest
	case kappa.CodeInvalid:
		return nethttp.StatusUnprocessableEntity
	case kappa.CodeUnauthenticated:
		return nethttp.StatusUnauthorized
	case kappa.CodeForbidden:
		return nethttp.StatusForbidden
	case kappa.CodeNotFound:
		return nethttp.StatusNotFound
	case kappa.CodeConflict:
		return nethttp.StatusConflict
	case kappa.CodeTooLarge:
		return nethttp.StatusRequestEntityTooLarge
	case kappa.CodeUnsupported:
		return nethttp.StatusUnsupportedMediaType
	case kappa.CodeRateLimited:
		return nethttp.StatusTooManyRequests
	case kappa.CodeNotImplemented:
		return nethttp.StatusNotImplemented
	case kappa.CodeUnavailable:
		return nethttp.StatusServiceUnavailable
	case kappa.CodeUpstream:
		return nethttp.StatusBadGateway
	case kappa.CodeTimeout:
		return nethttp.StatusGatewayTimeout
	case kappa.CodeInsufficient:
		return nethttp.StatusInsufficientStorage
	case kappa.CodePrecondition:
		return nethttp.StatusPreconditionFailed
	case kappa.CodeUpgradeRequired:
		return nethttp.StatusUpgradeRequired
	case kappa.CodeInternal:
	}
	return nethttp.StatusInternalServerError
}

// oauthError is an error that has a name in OAuth.
type oauthError interface {
	error
	OAuthError() string
}

// challengeError is an error that says how to prove who one is.
type challengeError interface {
	error
	Challenge() string // of WWW-Authenticate; "" is Bearer
}

// problem turns an error into what the caller may see of it, and logs what the
// caller may not.
func (r *Router) problem(ctx context.Context, err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p.in(exchangeOf(ctx))
	}
	var e *kappa.Error
	switch {
	case errors.Is(context.Cause(ctx), errLate) && !answersTheClient(err):
		e = &kappa.Error{Code: errLate.Code, Message: errLate.Message, RetryAfter: errLate.RetryAfter, Err: err}
	case errors.Is(context.Cause(ctx), errStopping) && !answersTheClient(err):
		e = &kappa.Error{Code: errStopping.Code, Message: errStopping.Message, RetryAfter: errStopping.RetryAfter, Err: err}
	case errors.As(err, &e):
	case errors.Is(err, context.DeadlineExceeded):
		e = &kappa.Error{Code: kappa.CodeUnavailable, Message: "The request took too long; try again later", RetryAfter: time.Second}
	case errors.Is(err, context.Canceled) && ctx.Err() != nil: // the client has gone, or the server stops
		e = &kappa.Error{Code: kappa.CodeUnavailable, Message: "The request was cancelled; send it again", RetryAfter: time.Second}
	default:
		e = kappa.NewError(kappa.CodeInternal, "")
	}
	if statusOf(e.Code) == nethttp.StatusInternalServerError {
		r.log.ErrorContext(ctx, "request failed", "request", exchangeOf(ctx).id, "path", exchangeOf(ctx).path, "err", err)
	} else if e.Err != nil {
		r.log.InfoContext(ctx, "request refused", "request", exchangeOf(ctx).id, "path", exchangeOf(ctx).path, "err", err)
	}
	p = r.newProblem(ctx, e.Code, e.Message)
	p.retryAfter = e.RetryAfter
	for _, f := range e.Fields {
		p.Errors = append(p.Errors, fieldProblem{Loc: location(f.In, f.Name), Msg: f.Rule, Type: "value_error"})
	}
	if dataset, ok := errors.AsType[*datasets.Error](err); ok {
		p.ofDataset(dataset)
	}
	if oauth, ok := errors.AsType[oauthError](err); ok {
		p.OAuthError, p.OAuthDescription = oauth.OAuthError(), p.Detail
	}
	if challenging, ok := errors.AsType[challengeError](err); ok {
		p.challenge = challenging.Challenge()
	}
	return p
}

// answersTheClient reports whether err says what the client did wrong, which waiting does
// not mend.
func answersTheClient(err error) bool {
	status := statusOf(kappa.ErrorCode(err))
	return status >= 400 && status < 500
}

// ofDataset says what failed in the words of datasets too. One of ours says no more than
// any other.
func (p *problem) ofDataset(e *datasets.Error) {
	p.ErrorType, p.Message, p.Details = string(e.Type), e.Message, json.RawMessage("null")
	switch {
	case e.Type == datasets.ErrInternal:
		p.Message = p.Detail
	case e.Details != nil:
		p.Details = EncodeJSON(*e.Details)
	}
}

// newProblem returns a problem document about the exchange of ctx. An internal
// one says only where to find it.
func (r *Router) newProblem(ctx context.Context, code kappa.Code, detail string) *problem {
	x := exchangeOf(ctx)
	p := (&problem{Status: statusOf(code), Detail: detail}).in(x)
	if p.Status == nethttp.StatusInternalServerError {
		p.Detail = "Internal error (request " + x.id + ")"
	}
	if code == kappa.CodeUnavailable || code == kappa.CodeRateLimited {
		p.retryAfter = time.Second
	}
	return p
}

// in fills what follows from the status and the exchange.
func (p *problem) in(x *exchange) *problem {
	p.Type, p.Title = "about:blank", nethttp.StatusText(p.Status)
	p.Instance, p.RequestID = x.path, x.id
	return p
}

// location splits a dotted name with indexes, a.b[2], into its parts.
func location(in, name string) []any {
	loc := []any{in}
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		if n, err := strconv.Atoi(part); err == nil {
			loc = append(loc, n)
			continue
		}
		loc = append(loc, part)
	}
	return loc
}

// Error returns the sentence for the caller.
func (p *problem) Error() string { return p.Detail }

// GetStatus has huma answer with the problem's status.
func (p *problem) GetStatus() int { return p.Status }

// ContentType has huma answer with the type of problem documents.
func (p *problem) ContentType(string) string { return problemType }

// GetHeaders returns the headers that the status calls for.
func (p *problem) GetHeaders() nethttp.Header {
	h := nethttp.Header{}
	if p.Status == nethttp.StatusUnauthorized {
		h.Set("WWW-Authenticate", cmp.Or(p.challenge, "Bearer"))
	}
	if p.Status == nethttp.StatusTooManyRequests || p.Status == nethttp.StatusServiceUnavailable {
		h.Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(p.retryAfter.Seconds())))))
	}
	return h
}

// fail answers the request with err and ends it.
func (r *Router) fail(c *gin.Context, err error) {
	r.answerProblem(c, r.problem(c.Request.Context(), err))
}

// answerProblem writes p. A connection on which the client may still be sending
// is closed afterwards.
func (r *Router) answerProblem(c *gin.Context, p *problem) {
	maps.Copy(c.Writer.Header(), p.GetHeaders())
	if x := exchangeOf(c.Request.Context()); x.body != nil && !x.body.ended {
		c.Header("Connection", "close")
	}
	c.Abort()
	if refusal := exchangeOf(c.Request.Context()).refusal; refusal != nil {
		writeJSON(c, p.Status, JSONType, refusal(p.Status, p.Detail))
		return
	}
	writeJSON(c, p.Status, problemType, p)
}

// WriteJSON answers with v.
func WriteJSON(c *gin.Context, status int, v any) { writeJSON(c, status, JSONType, v) }

// writeJSON answers with v. Its length is announced, so that the answer is
// complete even when the body of the request is not read to its end.
func writeJSON(c *gin.Context, status int, contentType string, v any) {
	if pieces, ok := v.(JSONWriter); ok { // whose length nobody knows yet
		c.Header("Content-Type", contentType)
		c.Status(status)
		writePieces(c.Writer, pieces)
		return
	}
	data := EncodeJSON(v)
	c.Header("Content-Type", contentType)
	c.Header("Content-Length", strconv.Itoa(len(data)))
	c.Status(status)
	_, _ = c.Writer.Write(data) // a client that has gone needs no answer
}

// EncodeJSON returns v as JSON, in which no list is null; see filled. What Kappa answers with can always be encoded;
// if not, it is a bug, and the request ends as one before anything is written.
func EncodeJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(filled(v)); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// errNoRoute is the answer to a path that nothing answers.
func errNoRoute(r *nethttp.Request) error {
	return kappa.NewError(kappa.CodeNotFound, "No such route: "+r.Method+" "+Printable(r.URL.Path))
}

// errNoMethod is the answer to a method that the path does not know; gin has
// set Allow.
func errNoMethod(r *nethttp.Request) error {
	return &problem{Status: nethttp.StatusMethodNotAllowed, Detail: "Method not allowed: " + Printable(r.Method) + " " + Printable(r.URL.Path)}
}
