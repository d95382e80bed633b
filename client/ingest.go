package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// fetchTimeout is how long the server may take to fetch a document.
const fetchTimeout = 3 * time.Minute

// Document is a document to submit. Only Body and Ontology are required; what
// is empty is left to the server.
type Document struct {
	Body     []byte
	Filename string
	Ontology string

	Force          bool // submit even if the document is known
	Replace        bool // refuse it when it cannot take the place of an earlier version
	New            bool // it is a version of nothing
	AutoApprove    bool
	ProcessingMode string              // serial or parallel
	Chunking       corpus.ChunkRequest // nil fields are left to the server
	Budget         string              // what the job may spend on models, as corpus.ParseBudget reads it

	// Key is what the document is known by in the ontology: what is submitted under it again is a
	// new version. Without one it is known by where it comes from.
	Key            string
	SourceType     string // file, stdin, mcp, api or url
	SourcePath     string
	SourceHostname string
}

// Submitted is the server's answer to a submission. When the document is
// known, Duplicate is true and JobID names the work that is already there; it is empty for
// a job that the client may not read.
type Submitted struct {
	work.Submitted
	Message string
	Fetched *api.Fetched // of SubmitURL
}

// submittedAnswer is both forms of the answer on the wire.
type submittedAnswer struct {
	JobID       string          `json:"job_id"`
	ExistingID  string          `json:"existing_job_id"`
	Status      work.Status     `json:"status"`
	ContentHash string          `json:"content_hash"`
	Position    *int            `json:"position"`
	Duplicate   bool            `json:"duplicate"`
	CreatedAt   kappa.Time      `json:"created_at"`
	CompletedAt *kappa.Time     `json:"completed_at"`
	Result      json.RawMessage `json:"result"`
	Message     string          `json:"message"`
	Earlier     int             `json:"earlier_versions"`
	Fetched     *api.Fetched    `json:"fetched"`
}

// Submit submits a document. It returns as soon as the server has stored it;
// the analysis and the work follow.
func (s Documents) Submit(ctx context.Context, d Document) (Submitted, error) {
	head, tail, contentType, err := d.frame()
	if err != nil {
		return Submitted{}, fmt.Errorf("encode the document: %w", err)
	}
	in := call{
		method: http.MethodPost, path: "/ingest", contentType: contentType, timeout: uploadTimeout,
		bodySize: int64(len(head) + len(d.Body) + len(tail)),
		body: func() io.Reader {
			return io.MultiReader(bytes.NewReader(head), bytes.NewReader(d.Body), bytes.NewReader(tail))
		},
	}
	return s.submit(ctx, in)
}

// SubmitURL has the server fetch a document and submit it. d says everything about it
// but its Body, which is not used. A server that cannot be reached, or has no such
// document, is an Error with kappa.CodeUpstream.
func (s Documents) SubmitURL(ctx context.Context, address string, d Document) (Submitted, error) {
	form := url.Values{"url": {address}}
	for _, f := range d.fields() {
		form.Set(f.name, f.value)
	}
	in := withForm("/ingest/url", form)
	in.timeout = fetchTimeout
	submitted, err := s.submit(ctx, in)
	var answer *Error
	if errors.As(err, &answer) && answer.Status == http.StatusBadGateway {
		answer.Problem.Code = kappa.CodeUpstream // it is not the server of Kappa that fails
	}
	return submitted, err
}

func (s Documents) submit(ctx context.Context, in call) (Submitted, error) {
	out, err := fetchOnce[submittedAnswer](ctx, s.c, in)
	if err != nil {
		return Submitted{}, err
	}
	id := out.JobID
	if out.Duplicate {
		id = out.ExistingID
	}
	return Submitted{
		Submitted: work.Submitted{
			JobID: id, Status: out.Status, ContentHash: out.ContentHash, Position: out.Position, EarlierVersions: out.Earlier,
			Duplicate: out.Duplicate, CreatedAt: out.CreatedAt, CompletedAt: out.CompletedAt, Result: out.Result,
		},
		Message: out.Message, Fetched: out.Fetched,
	}, nil
}

// frame returns what stands before and after the body in the multipart form,
// so that the body itself is not copied.
func (d Document) frame() (head, tail []byte, contentType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range d.fields() {
		if err := w.WriteField(f.name, f.value); err != nil {
			return nil, nil, "", err
		}
	}
	name := d.Filename
	if name == "" {
		name = corpus.DefaultDocumentFilename
	}
	if _, err := w.CreateFormFile("file", name); err != nil {
		return nil, nil, "", err
	}
	split := b.Len()
	if err := w.Close(); err != nil {
		return nil, nil, "", err
	}
	return b.Bytes()[:split], b.Bytes()[split:], w.FormDataContentType(), nil
}

type formField struct{ name, value string }

// fields returns the form's fields, without those that are left to the server.
func (d Document) fields() []formField {
	fields := []formField{{"ontology", d.Ontology}}
	text := func(name, value string) {
		if value != "" {
			fields = append(fields, formField{name, value})
		}
	}
	yes := func(name string, value bool) {
		if value {
			fields = append(fields, formField{name, "true"})
		}
	}
	number := func(name string, value *int) {
		if value != nil {
			fields = append(fields, formField{name, strconv.Itoa(*value)})
		}
	}
	text("filename", d.Filename)
	yes("force", d.Force)
	yes("replace", d.Replace)
	yes("new", d.New)
	text("document_key", d.Key)
	yes("auto_approve", d.AutoApprove)
	text("processing_mode", d.ProcessingMode)
	number("target_words", d.Chunking.TargetWords)
	number("min_words", d.Chunking.MinWords)
	number("max_words", d.Chunking.MaxWords)
	number("overlap_words", d.Chunking.OverlapWords)
	text("budget", d.Budget)
	text("source_type", d.SourceType)
	text("source_path", d.SourcePath)
	text("source_hostname", d.SourceHostname)
	return fields
}
