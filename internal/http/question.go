package http

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	nethttp "net/http"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
)

// maxAskedBytes bounds the answer to a question that a route asks another one.
const maxAskedBytes = 8 << 20

// insider is who a route asks another one as: who makes the request that it answers.
type insider struct {
	principal access.Principal
	since     time.Time
	checks    bool // the request is only checked
}

type insiderKey struct{}

// insiderOf returns who a route of this server asks for, nil for a request from outside.
func insiderOf(ctx context.Context) *insider {
	in, _ := ctx.Value(insiderKey{}).(*insider)
	return in
}

// OnlyChecks reports whether the request that ctx belongs to is only checked: a route that
// has found it right answers with nothing.
func OnlyChecks(ctx context.Context) bool {
	in := insiderOf(ctx)
	return in != nil && in.checks
}

// Ask sends a request to a route of this server as who makes the request of ctx, with that
// one's rights and no others, and returns the answer. body is nil for a request without one.
// It counts as no request of its own for the rate of the account. The error of a refusal has
// the code, the message and the fields of that.
func (r *Router) Ask(ctx context.Context, method, path string, body any) (json.RawMessage, error) {
	w, err := r.ask(ctx, false, method, path, body)
	if err != nil {
		return nil, err
	}
	if w.status >= nethttp.StatusMultipleChoices {
		return nil, w.refusal()
	}
	return w.body.Bytes(), nil
}

// CheckQuestion reports what a route would find wrong with a request, without asking the
// question, apart from values at some places, as a.b[2]: there stands an example of what a
// later request has.
func (r *Router) CheckQuestion(ctx context.Context, path string, body json.RawMessage, examples []string) error {
	w, err := r.ask(ctx, true, nethttp.MethodPost, path, body)
	if err != nil || w.status < nethttp.StatusMultipleChoices {
		return err
	}
	refusal := w.refusal()
	if refusal.Code != kappa.CodeInvalid {
		return refusal
	}
	var p problem
	_ = json.Unmarshal(w.body.Bytes(), &p) // refusal has read it
	var fields []kappa.FieldError
	for i, f := range refusal.Fields {
		if p.Errors[i].Type == "value_error" && slices.Contains(examples, f.Name) {
			continue
		}
		fields = append(fields, kappa.FieldError{In: f.In, Name: "definition." + f.Name, Rule: f.Rule})
	}
	return kappa.Invalid(fields...)
}

func (r *Router) ask(ctx context.Context, checks bool, method, path string, body any) (*asked, error) {
	x := exchangeOf(ctx)
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(EncodeJSON(body))
	}
	ctx = context.WithValue(ctx, insiderKey{}, &insider{principal: x.principal, since: x.since, checks: checks})
	req, err := nethttp.NewRequestWithContext(ctx, method, path, content)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", path, err)
	}
	req.Header.Set("X-Request-ID", x.id)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	} else {
		req.Body = nethttp.NoBody
	}
	w := &asked{header: nethttp.Header{}}
	r.engine.ServeHTTP(w, req)
	if w.tooLarge {
		return nil, kappa.NewError(kappa.CodeTooLarge, "The answer has more than "+corpus.HumanSize(maxAskedBytes)+"; ask for less")
	}
	return w, nil
}

// asked keeps the answer to a question, up to its bound.
type asked struct {
	header   nethttp.Header
	status   int
	body     bytes.Buffer
	tooLarge bool
}

// Header returns the headers of the answer.
func (w *asked) Header() nethttp.Header { return w.header }

// WriteHeader sets the status.
func (w *asked) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write adds to the body.
func (w *asked) Write(p []byte) (int, error) {
	w.WriteHeader(nethttp.StatusOK)
	if w.tooLarge = w.tooLarge || w.body.Len()+len(p) > maxAskedBytes; w.tooLarge {
		return len(p), nil // the handler need not know
	}
	return w.body.Write(p)
}

// refusal returns the problem that was answered as an error of the domain.
func (w *asked) refusal() *kappa.Error {
	var p problem
	if json.Unmarshal(w.body.Bytes(), &p) != nil {
		return kappa.NewError(kappa.CodeInternal, "")
	}
	e := kappa.NewError(codeOf(w.status), p.Detail)
	for _, f := range p.Errors {
		loc := make([]any, len(f.Loc))
		for i, part := range f.Loc {
			if n, ok := part.(float64); ok {
				part = int(n)
			}
			loc[i] = part
		}
		e.Fields = append(e.Fields, kappa.FieldError{In: fmt.Sprint(loc[0]), Name: fieldName(loc), Rule: f.Msg})
	}
	return e
}

// codeOf returns the code that is answered with a status.
func codeOf(status int) kappa.Code {
	for _, code := range []kappa.Code{
		kappa.CodeMalformed, kappa.CodeInvalid, kappa.CodeUnauthenticated, kappa.CodeForbidden, kappa.CodeNotFound, kappa.CodeConflict, kappa.CodeTooLarge,
		kappa.CodeUnsupported, kappa.CodeRateLimited, kappa.CodeNotImplemented, kappa.CodeUnavailable, kappa.CodeUpstream, kappa.CodeTimeout, kappa.CodeInsufficient,
	} {
		if statusOf(code) == status {
			return code
		}
	}
	return kappa.CodeInternal
}
