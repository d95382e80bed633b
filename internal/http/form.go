package http

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
)

const (
	multipartType  = "multipart/form-data"
	urlencodedType = "application/x-www-form-urlencoded"
)

// form is a form that was read, and what turned out to be wrong with its
// fields.
type form struct {
	fields   map[string]string
	document *document
	broken   []kappa.FieldError
}

// document is the one part of a form that may be large.
type document struct {
	body     []byte
	filename string // as the client named the file; "" for a field
}

// formLimits say how much of a form is read.
type formLimits struct {
	document string // name of the part that is the document; "" for none
	bytes    int64  // of the document
	size     int64  // of the body, when it is announced; a hint
}

// readForm reads a form from r. Parts that nobody asked for are dropped.
func readForm(r io.Reader, contentType string, limits formLimits) (*form, error) {
	media, params, err := mime.ParseMediaType(contentType)
	f := &form{fields: map[string]string{}}
	switch {
	case err == nil && media == multipartType && params["boundary"] != "":
		if err := f.readMultipart(multipart.NewReader(r, params["boundary"]), limits); err != nil {
			return nil, err
		}
		// What may follow the form is read too: only after the end of a body does
		// net/http notice that a client goes.
		_, err := io.Copy(io.Discard, r)
		return f, bodyErrorUnlessKnown(err)
	case err == nil && media == urlencodedType:
		return f, f.readURLEncoded(r, limits)
	}
	return nil, kappa.NewError(kappa.CodeUnsupported, "The body must be a form: send "+multipartType+" with a boundary, or "+urlencodedType)
}

// readMultipart reads part by part, so that no more than the document and one
// field are held.
func (f *form) readMultipart(r *multipart.Reader, limits formLimits) error {
	for range maxFormParts {
		part, err := r.NextPart()
		if err == io.EOF { //nolint:errorlint // a wrapped one says that the form ends early
			return nil
		}
		if err != nil {
			return bodyError(err)
		}
		switch name := part.FormName(); {
		case name == limits.document && name != "":
			err = f.readDocument(part, part.FileName(), limits)
		case part.FileName() != "" || name == "":
			_, err = io.Copy(io.Discard, part)
		default:
			err = f.readField(part, name)
		}
		if err != nil {
			return bodyErrorUnlessKnown(err)
		}
	}
	return kappa.NewError(kappa.CodeMalformed, "The form has more than "+strconv.Itoa(maxFormParts)+" parts")
}

// readDocument reads the document into memory that is as large as the body, so
// that it need not grow while it is read.
func (f *form) readDocument(r io.Reader, filename string, limits formLimits) error {
	if f.document != nil {
		return kappa.Invalid(kappa.FieldError{In: "form", Name: limits.document, Rule: "must be given once"})
	}
	var b bytes.Buffer
	if limits.size > 0 {
		b.Grow(int(min(limits.size, limits.bytes)) + bytes.MinRead)
	}
	n, err := b.ReadFrom(io.LimitReader(r, limits.bytes+1))
	if err != nil {
		return err
	}
	if n > limits.bytes {
		return errDocumentTooLarge(limits.bytes)
	}
	f.document = &document{body: b.Bytes(), filename: filename}
	return nil
}

func (f *form) readField(r io.Reader, name string) error {
	value, err := io.ReadAll(io.LimitReader(r, maxFieldBytes+1))
	if err != nil {
		return err
	}
	return f.set(name, string(value))
}

// readURLEncoded reads a form as HTML sends it by default.
func (f *form) readURLEncoded(r io.Reader, limits formLimits) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return bodyError(err)
	}
	for pair := range strings.SplitSeq(string(raw), "&") {
		key, encoded, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(key)
		if err != nil || name == "" {
			continue
		}
		value, err := url.QueryUnescape(encoded)
		if err != nil {
			return kappa.Invalid(kappa.FieldError{In: "form", Name: printable(name), Rule: "must be percent-encoded"})
		}
		if name == limits.document {
			err = f.readDocument(strings.NewReader(value), "", formLimits{document: name, bytes: limits.bytes, size: int64(len(value))})
		} else {
			err = f.set(name, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *form) set(name, value string) error {
	invalid := func(rule string) error {
		return kappa.Invalid(kappa.FieldError{In: "form", Name: printable(name), Rule: rule})
	}
	if len(value) > maxFieldBytes {
		return invalid("must have at most " + strconv.Itoa(maxFieldBytes) + " bytes")
	}
	if _, ok := f.fields[name]; ok {
		return invalid("must be given once")
	}
	if len(f.fields) == maxFormParts {
		return kappa.NewError(kappa.CodeMalformed, "The form has more than "+strconv.Itoa(maxFormParts)+" fields")
	}
	f.fields[name] = value
	return nil
}

// bodyErrorUnlessKnown leaves an error that says what is wrong as it is.
func bodyErrorUnlessKnown(err error) error {
	if err == nil {
		return nil
	}
	if kappa.ErrorCode(err) != kappa.CodeInternal {
		return err
	}
	return bodyError(err)
}

func errDocumentTooLarge(most int64) error {
	return kappa.NewError(kappa.CodeTooLarge, "The document is larger than "+kappa.HumanSize(int(most))+", the limit of this server; split it into several")
}

// smallForm reads a form without a document. An empty body is an empty form,
// whatever it says to be.
func (r *Router) smallForm(c *gin.Context) (*form, error) {
	if c.Request.ContentLength == 0 {
		return &form{}, nil
	}
	body, err := limitBody(c, maxJSONBytes, r.limits.Body)
	if err != nil {
		return nil, err
	}
	f, err := readForm(body, c.GetHeader("Content-Type"), formLimits{})
	bodyRead(c)
	return f, err
}
