package ingestion

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// documents takes documents in. It checks what is in them; the form's fields are
// checked here.
type documents interface {
	Submit(ctx context.Context, in work.Submission) (work.Submitted, error)
	// ImageModel returns the model that describes images; ok is false when there is none.
	ImageModel() (model models.Model, ok bool)
}

// IngestFields documents the fields that both routes know. It is exported
// because the description of a form leaves embedded types out that are not.
type IngestFields struct {
	Ontology       string  `json:"ontology" doc:"Name of the ontology; it is created when it does not exist" maxLength:"200"`
	Filename       string  `json:"filename,omitempty" doc:"Name to show; default: that of the upload"`
	Force          bool    `json:"force,omitempty" doc:"Submit even if the document is known" default:"false"`
	DocumentKey    *string `json:"document_key,omitempty" doc:"What the document is known by in the ontology, 1 to 1000 characters; default: its source_type, source_path and source_hostname, if there is a path. What is ingested under it again is a new version: when it is complete it takes the place of the one before that the caller has ingested, or, with sources:delete, whoever has"`
	New            bool    `json:"new,omitempty" doc:"It is a version of nothing, and stands beside what was ingested under the same key or from the same place" default:"false"`
	Replace        bool    `json:"replace,omitempty" doc:"A new version takes the place of the one before anyway; true besides refuses a document whose identity is not known" default:"false"`
	AutoApprove    bool    `json:"auto_approve,omitempty" doc:"Approve the job as soon as it is analysed" default:"false"`
	ProcessingMode string  `json:"processing_mode,omitempty" enum:"serial,parallel" default:"serial"`
	TargetWords    int     `json:"target_words,omitempty" doc:"Words of a chunk, 100 to 5000" default:"1000"`
	MinWords       int     `json:"min_words,omitempty" doc:"Default: 80 % of target_words"`
	MaxWords       int     `json:"max_words,omitempty" doc:"Default: 150 % of target_words"`
	OverlapWords   int     `json:"overlap_words,omitempty" doc:"Words that a chunk repeats of the one before, 0 to 1000" default:"200"`
	Budget         string  `json:"budget,omitempty" doc:"What the job may spend on models: 2.50 are US dollars, 50000tokens tokens, with a comma both, none sets no limit; default: the server's KG_JOB_BUDGET. The job pauses when it is reached"`
	SourceType     *string `json:"source_type,omitempty" enum:"file,sync,stdin,mcp,api"`
	SourcePath     *string `json:"source_path,omitempty" doc:"Where the document comes from; see document_key"`
	SourceHostname *string `json:"source_hostname,omitempty" doc:"Where the document comes from"`
}

type ingestForm struct {
	File string `json:"file" format:"binary" doc:"The document, in one of the formats that are read"`
	IngestFields
}

type ingestTextForm struct {
	Text string `json:"text" minLength:"1" doc:"The document"`
	IngestFields
}

// submittedAnswer is the answer to a document that became a job.
type submittedAnswer struct {
	JobID       string       `json:"job_id"`
	Status      work.Status  `json:"status"`
	ContentHash string       `json:"content_hash"`
	Position    *int         `json:"position" doc:"1-based place in the queue"`
	Message     string       `json:"message"`
	Earlier     int          `json:"earlier_versions,omitempty" doc:"Documents from the same place that stay in the ontology beside this one; see replace"`
	Fetched     *api.Fetched `json:"fetched,omitempty" doc:"Of /ingest/url: what was fetched"`
}

// duplicateAnswer is the answer to a document that is known already.
type duplicateAnswer struct {
	Duplicate   bool            `json:"duplicate" doc:"Always true"`
	JobID       string          `json:"existing_job_id" doc:"Empty when the caller may not read the job"`
	Status      work.Status     `json:"status"`
	CreatedAt   kappa.Time      `json:"created_at"`
	CompletedAt *kappa.Time     `json:"completed_at"`
	Result      json.RawMessage `json:"result"`
	Message     string          `json:"message"`
	UseForce    *string         `json:"use_force" doc:"How to ingest it again, when that is possible"`
	Fetched     *api.Fetched    `json:"fetched,omitempty" doc:"Of /ingest/url: what was fetched"`
}

// upload says how one of the routes takes its document: in which part of the form, and
// what it is called without a name. load gets the document that the part only names;
// nil is none.
type upload struct {
	part, filename string
	image          bool // it must be an image
	load           func(ctx context.Context, in *work.Submission, reserve func(bytes int64) error) (*api.Fetched, error)
}

func (a *API) registerDocuments(r *http.Router) {
	answers := &huma.Schema{OneOf: []*huma.Schema{http.SchemaOf[submittedAnswer](r), http.SchemaOf[duplicateAnswer](r)}}
	document := func(body func(*huma.Operation)) func(*huma.Operation) {
		return func(op *huma.Operation) {
			body(op)
			http.Respond(op, "200", "application/json", "A new job, or the one that the document has already", answers)
		}
	}
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/ingest", Submits: true, Permission: access.IngestCreate, ID: "ingest.file", Summary: "Submit a document as a file",
		Document: document(http.FormSchema[ingestForm](r, http.MultipartType)),
	}, a.ingest(upload{part: "file", filename: corpus.DefaultDocumentFilename}))
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/ingest/text", Submits: true, Permission: access.IngestCreate, ID: "ingest.text", Summary: "Submit a document as text",
		Document: document(http.FormSchema[ingestTextForm](r, http.MultipartType, http.URLEncodedType)),
	}, a.ingest(upload{part: "text", filename: corpus.DefaultTextInputFilename}))
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/ingest/url", Submits: true, Permission: access.IngestCreate, ID: "ingest.url", Summary: "Submit a document that a server on the web has",
		Document: document(http.FormSchema[ingestURLForm](r, http.MultipartType, http.URLEncodedType)), AnswerWithin: answerURLWithin,
	}, a.ingest(upload{part: "url", filename: corpus.DefaultDocumentFilename, load: a.load}))
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/ingest/image", Submits: true, Permission: access.IngestCreate, ID: "ingest.image", Summary: "Submit an image, which a model describes",
		Document: document(http.FormSchema[ingestImageForm](r, http.MultipartType)),
	}, a.ingest(upload{part: "file", filename: corpus.DefaultDocumentFilename, image: true}))
	http.Register(r, http.Route{
		Method: "GET", Path: "/ingest/image/health", Permission: access.AdminStatus, ID: "ingest.image-health", Summary: "Show which model describes images",
	}, a.imageHealth)
}

// ingest reads a form with a document and submits it. The document's memory is
// reserved as it arrives, so that who announces much and sends little holds little.
func (a *API) ingest(u upload) func(*gin.Context) error {
	return func(c *gin.Context) error {
		most := a.cfg.Limits.DocumentBytes
		body, err := http.LimitPace(c, most+formOverhead, http.Pace{
			Grace: a.cfg.Limits.grace, Bytes: a.cfg.Limits.pace, Most: a.cfg.Limits.grace + time.Duration(most/largePace)*time.Second,
		})
		if kappa.ErrorCode(err) == kappa.CodeTooLarge {
			return http.ErrDocumentTooLarge(most)
		}
		if err != nil {
			return err
		}
		held := holding{budget: a.uploads}
		defer held.release()
		submission, err := a.readSubmission(c, body, u, held.reserve)
		if err != nil {
			return err
		}
		return a.router.Once(c, content(submission), func() error { return a.submit(c, u, submission, held.reserve) })
	}
}

// content is what a form asks for, however it was sent.
func content(in work.Submission) []byte {
	sum := sha256.Sum256(in.Body)
	in.Body = sum[:]
	return http.EncodeJSON(in)
}

// submit submits a document, and answers with what became of it.
func (a *API) submit(c *gin.Context, u upload, in work.Submission, reserve func(bytes int64) error) (err error) {
	var from *api.Fetched
	if u.load != nil {
		if from, err = u.load(c.Request.Context(), &in, reserve); err != nil {
			return err
		}
	}
	submitted, err := a.cfg.Documents.Submit(c.Request.Context(), in)
	if err != nil {
		return err
	}
	if p := http.PrincipalOf(c.Request.Context()); submitted.Duplicate && !seesJob(p, submitted.Row) {
		http.WriteJSON(c, 200, hiddenDuplicate(submitted, from))
	} else {
		http.WriteJSON(c, 200, answerTo(submitted, from))
	}
	return nil
}

// seesJob reports whether p may read a job, or has submitted it.
func seesJob(p access.Principal, job access.Row) bool {
	return job.Owner == p.User.ID || p.PermitRow(access.JobsRead, job) == nil
}

func (a *API) readSubmission(c *gin.Context, body io.Reader, u upload, reserve func(bytes int64) error) (work.Submission, error) {
	most := a.cfg.Limits.DocumentBytes
	f, err := http.ReadForm(body, c.GetHeader("Content-Type"), http.FormLimits{Document: u.part, Bytes: most, Size: c.Request.ContentLength, Reserve: reserve})
	http.BodyRead(c)
	if err != nil {
		return work.Submission{}, err
	}
	in, err := submission(f, u)
	if err == nil && in.AutoApprove {
		err = http.PermitAutoApprove(c.Request.Context())
	}
	p := http.PrincipalOf(c.Request.Context())
	in.UserID = p.User.ID
	if in.Replace != corpus.ReplaceNone && p.Reach(access.SourcesDelete) == access.ReachAll {
		in.Replace = corpus.ReplaceAll
	}
	return in, err
}

// submission returns what the form asks for, or every rule that it breaks.
func submission(f *http.Form, u upload) (work.Submission, error) {
	chunking, reduced, chunkErr := corpus.ChunkRequest{
		TargetWords: f.Number("target_words"), MinWords: f.Number("min_words"),
		MaxWords: f.Number("max_words"), OverlapWords: f.Number("overlap_words"),
	}.Options()
	in := work.Submission{
		Ontology: f.Text("ontology"), Force: f.Boolean("force"), AutoApprove: f.Boolean("auto_approve"),
		ProcessingMode: http.Or(f.Optional("processing_mode"), work.ModeSerial), Chunking: chunking, OverlapReduced: reduced,
		Origin: corpus.Origin{
			Key: f.Optional("document_key"), SourceType: f.Optional("source_type"), SourcePath: f.Optional("source_path"), SourceHostname: f.Optional("source_hostname"),
		},
		Filename: u.filename, Apart: f.Boolean("new"),
	}
	switch {
	case f.Document == nil:
		f.Break(u.part, "is required")
	case u.part != "file" && len(f.Document.Body) == 0:
		f.Break(u.part, "must not be empty")
	default:
		in.Body = f.Document.Body
		if f.Document.Filename != "" {
			in.Filename = f.Document.Filename
		}
	}
	in.Filename = http.Or(f.Optional("filename"), in.Filename)
	if text := f.Optional("budget"); text != nil {
		b, err := corpus.ParseBudget(*text)
		if err != nil {
			f.Break("budget", err.Error())
		}
		in.Budget = &b
	}
	in.ContentType = contentTypeOf(in.Filename)
	if !in.Apart {
		in.Replace = corpus.ReplaceOwn
	}
	if f.Boolean("replace") {
		switch {
		case in.Apart:
			f.Break("replace", "contradicts new")
		case !in.Known() && u.load == nil:
			f.Break("replace", "needs source_path or document_key: earlier versions of a document are known by where they came from, or by their key")
		}
	}
	if u.image {
		readVision(f, &in)
	}
	return in, f.Invalid(in.Validate(), chunkErr)
}

// contentTypeOf is what a name says about a document.
func contentTypeOf(filename string) corpus.ContentType {
	switch strings.ToLower(filepath.Ext(filename)) {
	case ".md", ".markdown":
		return corpus.ContentMarkdown
	}
	return corpus.ContentPlain
}

// answerTo tells a client what became of its document.
func answerTo(in work.Submitted, from *api.Fetched) any {
	if !in.Duplicate {
		return submittedAnswer{
			JobID: in.JobID, Status: in.Status, ContentHash: in.ContentHash, Position: in.Position,
			Message: "Job queued. Analysis running. Poll /jobs/" + in.JobID + " for status and cost estimates.",
			Earlier: in.EarlierVersions, Fetched: from,
		}
	}
	out := duplicateAnswer{
		Duplicate: true, JobID: in.JobID, Status: in.Status, CreatedAt: in.CreatedAt, CompletedAt: in.CompletedAt, Result: in.Result,
		Fetched: from,
	}
	switch in.Status {
	case work.StatusProcessing:
		out.Message = "This document is currently being processed (job " + in.JobID + "). Check job status for progress."
	case work.StatusAwaitingApproval:
		out.Message = "This document is waiting for approval (job " + in.JobID + "). Approve it with: kg job approve " + in.JobID
	case work.StatusPending, work.StatusApproved:
		out.Message = "This document is queued for ingestion (job " + in.JobID + "). It will be processed soon."
	default:
		out.Message, out.UseForce = "This document was already ingested (job "+in.JobID+"). "+useForce, new(useForce)
	}
	return out
}

const useForce = "Use force=true to re-ingest."

// hiddenDuplicate answers as answerTo does when the document is known by a job that the
// client may not read: nothing is said of that job but how far the document is.
func hiddenDuplicate(in work.Submitted, from *api.Fetched) duplicateAnswer {
	out := duplicateAnswer{Duplicate: true, Status: in.Status, CreatedAt: in.CreatedAt, CompletedAt: in.CompletedAt, Fetched: from}
	switch in.Status {
	case work.StatusProcessing:
		out.Message = "This document is currently being processed by a job of another user."
	case work.StatusAwaitingApproval:
		out.Message = "This document is waiting for approval: another user has submitted it."
	case work.StatusPending, work.StatusApproved:
		out.Message = "This document is queued for ingestion by another user. It will be processed soon."
	default:
		out.Message, out.UseForce = "This document was already ingested by another user. "+useForce, new(useForce)
	}
	return out
}
