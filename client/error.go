package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
)

// ErrUnreachable reports that no answer came: nobody listens at the address,
// the connection broke, or the answer took too long.
var ErrUnreachable = errors.New("server unreachable")

// Error is an answer of the server that is not a success.
type Error struct {
	Status    int    // of HTTP
	Title     string // fixed for the status
	RequestID string // to find the request in the server's log; may be empty
	Problem   kappa.Error
	Dataset   *datasets.Error // the failure of a dataset; nil for others
}

// Error returns the sentence that the server wrote for the caller.
func (e *Error) Error() string { return e.Problem.Message }

// Unwrap returns the domain's form of the error.
func (e *Error) Unwrap() error { return &e.Problem }

// problem is the problem document of RFC 9457 as Kappa sends it.
type problem struct {
	Title  string `json:"title"`
	Detail any    `json:"detail"` // a string, unless something else than Kappa answers
	Error  string `json:"error"`  // OAuth's word
	Errors []struct {
		Loc []any  `json:"loc"`
		Msg string `json:"msg"`
	} `json:"errors"`

	DatasetType datasets.ErrorType `json:"error_type"`
	Message     string             `json:"message"`
	Details     *string            `json:"details"`
}

// problemError makes an Error of an answer and its body. The body may be
// anything: a proxy that answers in HTML gets a sentence too.
func problemError(resp *http.Response, body []byte) *Error {
	e := &Error{Status: resp.StatusCode, Title: http.StatusText(resp.StatusCode), RequestID: resp.Header.Get("X-Request-ID")}
	e.Problem.Code = codeOf(resp.StatusCode)
	e.Problem.RetryAfter = retryAfter(resp.Header.Get("Retry-After"))
	var p problem
	if json.Unmarshal(body, &p) == nil {
		if p.Title != "" {
			e.Title = p.Title
		}
		e.Problem.Message, _ = p.Detail.(string)
		for _, f := range p.Errors {
			e.Problem.Fields = append(e.Problem.Fields, fieldError(f.Loc, f.Msg))
		}
	}
	if p.DatasetType != "" {
		e.Dataset = &datasets.Error{Type: p.DatasetType, Message: p.Message, Details: p.Details}
		e.Problem.Code = kappa.ErrorCode(e.Dataset)
		if e.Status == http.StatusRequestEntityTooLarge {
			e.Problem.Code = kappa.CodeTooLarge
		}
	}
	if e.Problem.Message == "" {
		e.Problem.Message = redirected(resp)
	}
	if e.Problem.Message == "" {
		e.Problem.Message = strings.TrimSpace("the server answered " + strconv.Itoa(resp.StatusCode) + " " + e.Title)
	}
	return e
}

// fieldError reads a location such as ["body", "max_slots"].
func fieldError(loc []any, msg string) kappa.FieldError {
	f := kappa.FieldError{Rule: msg}
	var names []string
	for i, part := range loc {
		word := fmt.Sprint(part)
		if i == 0 {
			f.In = word
			continue
		}
		names = append(names, word)
	}
	f.Name = strings.Join(names, ".")
	return f
}

// codeOf is the inverse of the server's choice of a status.
func codeOf(status int) kappa.Code {
	switch status {
	case http.StatusBadRequest:
		return kappa.CodeMalformed
	case http.StatusUnauthorized:
		return kappa.CodeUnauthenticated
	case http.StatusForbidden:
		return kappa.CodeForbidden
	case http.StatusNotFound, http.StatusGone:
		return kappa.CodeNotFound
	case http.StatusConflict:
		return kappa.CodeConflict
	case http.StatusRequestEntityTooLarge:
		return kappa.CodeTooLarge
	case http.StatusUnsupportedMediaType:
		return kappa.CodeUnsupported
	case http.StatusUnprocessableEntity:
		return kappa.CodeInvalid
	case http.StatusTooManyRequests:
		return kappa.CodeRateLimited
	case http.StatusNotImplemented:
		return kappa.CodeNotImplemented
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return kappa.CodeUnavailable
	}
	return kappa.CodeInternal
}

// retryAfter reads the header in its form of seconds; 0 is unknown.
func retryAfter(header string) time.Duration {
	seconds, err := strconv.Atoi(strings.TrimSpace(header))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, time.Hour)
}

// unreachable wraps a failure of the transport, without the method and the
// address that net/http puts in front of it: the address is said once.
func (c *Client) unreachable(err error) error {
	if transport, ok := errors.AsType[*url.Error](err); ok {
		err = transport.Err
	}
	return fmt.Errorf("%w at %s: %w", ErrUnreachable, c.base.Redacted(), err)
}
