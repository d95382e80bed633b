package http

import (
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

// The content types of forms.
const (
	MultipartType  = "multipart/form-data"
	URLEncodedType = "application/x-www-form-urlencoded"
)

// Form is a form that was read, and what turned out to be wrong with its
// fields.
type Form struct {
	fields   map[string]string
	Document *Document // nil without the part that FormLimits names
	broken   []kappa.FieldError
}

// Document is the one part of a form that may be large.
type Document struct {
	Body     []byte
	Filename string // as the client named the file; "" for a field
}

// FormLimits say how much of a form is read.
type FormLimits struct {
	Document string // name of the part that is the document; "" for none
	Bytes    int64  // of the document
	Size     int64  // of the body, when it is announced; a hint
	// Reserve is called before memory for the document is used; nil is no limit. Its
	// error is that of ReadForm.
	Reserve func(bytes int64) error
}

// ReadForm reads a form from r. Parts that nobody asked for are dropped.
func ReadForm(r io.Reader, contentType string, limits FormLimits) (*Form, error) {
	media, params, err := mime.ParseMediaType(contentType)
	f := &Form{fields: map[string]string{}}
	switch {
	case err == nil && media == MultipartType && params["boundary"] != "":
		if err := f.readMultipart(multipart.NewReader(r, params["boundary"]), limits); err != nil {
			return nil, err
		}
		// What may follow the form is read too: only after the end of a body does
		// net/http notice that a client goes.
		_, err := io.Copy(io.Discard, r)
		return f, bodyErrorUnlessKnown(err)
	case err == nil && media == URLEncodedType:
		return f, f.readURLEncoded(r, limits)
	}
	return nil, kappa.NewError(kappa.CodeUnsupported, "The body must be a form: send "+MultipartType+" with a boundary, or "+URLEncodedType)
}

// readMultipart reads part by part, so that no more than the document and one
// field are held.
func (f *Form) readMultipart(r *multipart.Reader, limits FormLimits) error {
	for range maxFormParts {
		part, err := r.NextPart()
		if err == io.EOF { //nolint:errorlint // a wrapped one says that the form ends early
			return nil
		}
		if err != nil {
			return bodyError(err)
		}
		switch name := part.FormName(); {
		case name == limits.Document && name != "":
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

// readDocument reads the document.
func (f *Form) readDocument(r io.Reader, filename string, limits FormLimits) error {
	if f.Document != nil {
		return kappa.Invalid(kappa.FieldError{In: "form", Name: limits.Document, Rule: "must be given once"})
	}
	buffer := reservedBuffer{size: min(limits.Size, limits.Bytes), reserve: limits.Reserve}
	body, err := buffer.read(io.LimitReader(r, limits.Bytes+1))
	if err != nil {
		return err
	}
	if int64(len(body)) > limits.Bytes {
		return ErrDocumentTooLarge(limits.Bytes)
	}
	f.Document = &Document{Body: body, Filename: filename}
	return nil
}

func (f *Form) readField(r io.Reader, name string) error {
	value, err := io.ReadAll(io.LimitReader(r, maxFieldBytes+1))
	if err != nil {
		return err
	}
	return f.set(name, string(value))
}

// readURLEncoded reads a form as HTML sends it by default. What its document is
// decoded to is reserved with it.
func (f *Form) readURLEncoded(r io.Reader, limits FormLimits) error {
	raw, err := reservedBuffer{size: limits.Size, copies: copies, reserve: limits.Reserve}.read(r)
	if err != nil {
		return bodyErrorUnlessKnown(err)
	}
	for pair := range strings.SplitSeq(string(raw), "&") {
		key, encoded, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(key)
		if err != nil || name == "" {
			continue
		}
		value, err := url.QueryUnescape(encoded)
		if err != nil {
			return kappa.Invalid(kappa.FieldError{In: "form", Name: Printable(name), Rule: "must be percent-encoded"})
		}
		if name == limits.Document {
			err = f.readDocument(strings.NewReader(value), "", FormLimits{Document: name, Bytes: limits.Bytes, Size: int64(len(value))})
		} else {
			err = f.set(name, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Form) set(name, value string) error {
	invalid := func(rule string) error {
		return kappa.Invalid(kappa.FieldError{In: "form", Name: Printable(name), Rule: rule})
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

// ErrDocumentTooLarge is the answer to a document of more than most bytes.
func ErrDocumentTooLarge(most int64) error {
	return kappa.NewError(kappa.CodeTooLarge, "The document is larger than "+corpus.HumanSize(int(most))+", the limit of this server; split it into several")
}

// SmallForm reads a form without a document. An empty body is an empty form,
// whatever it says to be.
func (r *Router) SmallForm(c *gin.Context) (*Form, error) {
	if c.Request.ContentLength == 0 {
		return &Form{}, nil
	}
	body, err := LimitBody(c, maxJSONBytes, r.limits.Body)
	if err != nil {
		return nil, err
	}
	f, err := ReadForm(body, c.GetHeader("Content-Type"), FormLimits{})
	BodyRead(c)
	return f, err
}
