package datasets

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/http"
)

const (
	formOverhead  = 1 << 20  // bytes of what is around the files of a form
	maxQueryBytes = 1 << 20  // of the part query
	largePace     = 64 << 10 // bytes a second: the time for the largest files
	maxParts      = 2 * datasets.MaxDatasets
)

type datasetUploadForm struct {
	File string `json:"file" format:"binary" doc:"A Parquet file"`
}

type datasetQueryForm struct {
	Query string `json:"query" doc:"The body of POST /datasets/query as JSON"`
	Table string `json:"table_name,omitempty" format:"binary" doc:"A Parquet file for each table; the name of the part is that of the table"`
}

func (a *API) registerUploads(r *http.Router, within time.Duration) {
	document := func(form func(*huma.Operation), answer *huma.Schema) func(*huma.Operation) {
		return func(op *huma.Operation) {
			form(op)
			http.Respond(op, "200", "application/json", "The same as of a URL", answer)
		}
	}
	file, query := http.FormSchema[datasetUploadForm](r, http.MultipartType), http.FormSchema[datasetQueryForm](r, http.MultipartType)
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/datasets/upload/validate", Permission: access.DatasetsQuery, ID: "datasets.upload-validate",
		Summary: "Say whether a file is a Parquet file", AnswerWithin: within, Document: document(file, http.SchemaOf[datasets.Validity](r)),
	}, a.upload(a.validateUpload))
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/datasets/upload/schema", Permission: access.DatasetsQuery, ID: "datasets.upload-schema",
		Summary: "Show the columns and the size of a Parquet file that is sent", AnswerWithin: within, Document: document(file, http.SchemaOf[datasets.Schema](r)),
	}, a.upload(a.schemaOfUpload))
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/datasets/upload/query", Permission: access.DatasetsQuery, ID: "datasets.upload-query",
		Summary: "Ask a question in SQL to Parquet files that are sent", AnswerWithin: within, Document: document(query, http.SchemaOf[datasets.Rows](r)),
	}, a.upload(a.queryUploads))
}

// received is a form that was read.
type received struct {
	query    []byte             // the part query; nil without it
	datasets []datasets.Dataset // the files, by the names of their parts
	err      error              // why a file was refused; the form was read all the same
	release  []func()
}

// upload reads a form, answers with what answer returns and removes the files.
func (a *API) upload(answer func(c *gin.Context, form *received) (any, error)) func(*gin.Context) error {
	return func(c *gin.Context) error {
		select {
		case a.uploads <- struct{}{}:
			defer func() { <-a.uploads }()
		default:
			return &kappa.Error{Code: kappa.CodeUnavailable, Message: "Too many datasets are being uploaded; try again in a few seconds", RetryAfter: 2 * time.Second}
		}
		l := a.cfg.Limits
		body, err := http.LimitPace(c, l.UploadBytes+formOverhead, http.Pace{
			Grace: uploadGrace, Bytes: uploadPace, Most: uploadGrace + time.Duration(l.UploadBytes/largePace)*time.Second,
		})
		if err != nil {
			return err
		}
		form := &received{}
		defer func() {
			for _, release := range form.release {
				release()
			}
		}()
		err = a.read(c, body, form)
		http.BodyRead(c)
		if err != nil {
			return err
		}
		result, err := answer(c, form)
		if err != nil {
			return err
		}
		http.WriteJSON(c, 200, result)
		return nil
	}
}

// read reads the parts of a form. A file goes to the disk as it comes.
func (a *API) read(c *gin.Context, body io.Reader, form *received) error {
	media, params, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if err != nil || media != http.MultipartType || params["boundary"] == "" {
		return kappa.NewError(kappa.CodeUnsupported, "The body must be a form: send "+http.MultipartType+" with a boundary")
	}
	parts := multipart.NewReader(body, params["boundary"])
	for range maxParts {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			_, err := io.Copy(io.Discard, body)
			return http.BodyError(err)
		}
		if err == nil {
			err = a.readPart(c, part, form)
		}
		if err != nil {
			return http.BodyError(err)
		}
	}
	return kappa.NewError(kappa.CodeMalformed, "The form has too many parts")
}

func (a *API) readPart(c *gin.Context, part *multipart.Part, form *received) error {
	name := part.FormName()
	if part.FileName() == "" && name == "query" {
		query, err := io.ReadAll(io.LimitReader(part, maxQueryBytes+1))
		if len(query) > maxQueryBytes {
			return kappa.NewError(kappa.CodeTooLarge, "The part query is larger than 1 MiB")
		}
		form.query = query
		return err //nolint:wrapcheck // the caller says what it is
	}
	if len(form.datasets) >= datasets.MaxDatasets || form.err != nil {
		_, err := io.Copy(io.Discard, part)
		return err //nolint:wrapcheck // the caller says what it is
	}
	address, release, err := a.cfg.Service.Upload(c.Request.Context(), part)
	if known, ok := errors.AsType[*datasets.Error](err); ok && known.Type != datasets.ErrInternal {
		form.err = known // a client that sends on hears it
		form.datasets = append(form.datasets, datasets.Dataset{TableName: name})
		return nil
	}
	if err != nil {
		return err
	}
	form.release = append(form.release, release)
	form.datasets = append(form.datasets, datasets.Dataset{URL: address, TableName: name})
	return nil
}

// one returns the address of the only file of a form.
func (f *received) one() (string, error) {
	if f.err != nil {
		return "", f.err
	}
	if len(f.datasets) != 1 {
		return "", kappa.Invalid(kappa.FieldError{In: "form", Name: "file", Rule: "must be one Parquet file"})
	}
	return f.datasets[0].URL, nil
}

func (a *API) validateUpload(c *gin.Context, form *received) (any, error) {
	address, err := form.one()
	if known, ok := errors.AsType[*datasets.Error](err); ok {
		return datasets.Validity{Error: known}, nil
	}
	if err != nil {
		return nil, err
	}
	return a.cfg.Service.Validate(asked(c.Request.Context()), address)
}

func (a *API) schemaOfUpload(c *gin.Context, form *received) (any, error) {
	address, err := form.one()
	if err != nil {
		return nil, err
	}
	return a.schema(c.Request.Context(), &urlInput{Body: datasetURLRequest{URL: address}})
}

// queryUploads asks a question to files that were sent, and to URLs besides.
func (a *API) queryUploads(c *gin.Context, form *received) (any, error) {
	if form.err != nil {
		return nil, form.err
	}
	var request datasetQueryRequest
	if err := json.Unmarshal(form.query, &request); err != nil {
		return nil, kappa.Invalid(kappa.FieldError{In: "form", Name: "query", Rule: `must be JSON such as {"sql": "SELECT count(*) FROM t"}`})
	}
	request.Datasets = append(request.Datasets, form.datasets...)
	return a.ask(c.Request.Context(), request.query())
}
