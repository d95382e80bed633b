package ingestion

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	nethttp "net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// web gets what users name by URL, and reaches nothing that they must not reach.
type web interface {
	// Get returns the answer to a GET with whatever status, after redirects. It
	// returns a CodeInvalid Error for a URL that must not be fetched, and a
	// CodeUpstream Error when the server cannot be reached or answers wrongly.
	Get(ctx context.Context, url string, header nethttp.Header) (*nethttp.Response, error)
}

// answerURLWithin is how long a document may take to be fetched and stored.
const answerURLWithin = 2 * time.Minute

// sourceURL is the source type of what was fetched.
const sourceURL = "url"

type ingestURLForm struct {
	URL string `json:"url" minLength:"1" maxLength:"2048" doc:"Where the document is: http:// or https://"`
	IngestFields
}

// load puts what is at a URL in the place of the URL. Its name is that of the form, or
// else that of the path.
func (a *API) load(ctx context.Context, in *work.Submission, reserve func(bytes int64) error) (*api.Fetched, error) {
	named := strings.TrimSpace(string(in.Body))
	header := nethttp.Header{"Accept": {"text/html, application/xhtml+xml, application/pdf, text/*;q=0.9, */*;q=0.5"}}
	answer, err := a.cfg.Web.Get(ctx, named, header)
	if err != nil {
		return nil, inForm(err)
	}
	defer answer.Body.Close()
	if err := checkStatus(answer.StatusCode); err != nil {
		return nil, err
	}
	in.Body, err = a.readAnswer(answer, reserve)
	if err != nil {
		return nil, err
	}
	from := &api.Fetched{URL: answer.Request.URL.String(), Redirects: redirects(answer.Request), ContentType: answer.Header.Get("Content-Type"), Bytes: len(in.Body)}
	if in.Filename == corpus.DefaultDocumentFilename {
		in.Filename = nameOf(answer.Request.URL)
	}
	if kind, _, err := mime.ParseMediaType(from.ContentType); err == nil {
		in.ContentType = corpus.ContentType(kind)
	}
	in.SourceType, in.SourcePath = new(sourceURL), &from.URL
	return from, nil
}

// inForm says of a URL that breaks a rule where it stands.
func inForm(err error) error {
	var known *kappa.Error
	if !errors.As(err, &known) || known.Code != kappa.CodeInvalid {
		return err
	}
	fields := slices.Clone(known.Fields)
	for i := range fields {
		fields[i].In, fields[i].Name = "form", "url"
	}
	if len(fields) == 0 {
		fields = []kappa.FieldError{{In: "form", Name: "url", Rule: known.Message}}
	}
	return kappa.Invalid(fields...)
}

// checkStatus refuses every answer that is not the document.
func checkStatus(status int) error {
	var says string
	switch {
	case status == nethttp.StatusOK:
		return nil
	case status == nethttp.StatusUnauthorized || status == nethttp.StatusForbidden:
		says = "the document is not public; download it, and submit the file"
	case status == nethttp.StatusNotFound || status == nethttp.StatusGone:
		says = "there is no document at this URL"
	case status == nethttp.StatusTooManyRequests || status >= nethttp.StatusInternalServerError:
		says = "try again later"
	default:
		says = "only 200 is a document"
	}
	return kappa.NewError(kappa.CodeUpstream, fmt.Sprintf("The server answered %d %s: %s", status, nethttp.StatusText(status), says))
}

// readAnswer reads a document whose memory is reserved as it arrives.
func (a *API) readAnswer(answer *nethttp.Response, reserve func(bytes int64) error) ([]byte, error) {
	most := a.cfg.Limits.DocumentBytes
	if answer.ContentLength > most {
		return nil, http.ErrDocumentTooLarge(most)
	}
	const block = 1 << 20
	var body bytes.Buffer
	for {
		if err := reserve(block); err != nil {
			return nil, err
		}
		n, err := io.CopyN(&body, answer.Body, block)
		switch {
		case int64(body.Len()) > most:
			return nil, http.ErrDocumentTooLarge(most)
		case errors.Is(err, io.EOF):
			return body.Bytes(), nil
		case err != nil:
			return nil, fmt.Errorf("read the document after %d bytes: %w", int64(body.Len())+n, err)
		}
	}
}

// redirects returns the URLs that led to the request, the first one first.
func redirects(r *nethttp.Request) []string {
	list := []string{}
	for r.Response != nil && r.Response.Request != nil {
		r = r.Response.Request
		list = append(list, r.URL.String())
	}
	slices.Reverse(list)
	return list
}

// nameOf returns the last part of a path, or the name of the server.
func nameOf(u *url.URL) string {
	const most = 200
	name := path.Base(u.Path)
	if name == "/" || name == "." {
		name = u.Hostname()
	}
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	if runes := []rune(name); len(runes) > most {
		name = string(runes[:most])
	}
	if strings.TrimSpace(name) == "" {
		return corpus.DefaultDocumentFilename
	}
	return name
}
