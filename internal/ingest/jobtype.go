package ingest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// jobTypeName is what job_type says of an ingestion.
const jobTypeName = "ingestion"

// JobType returns the job type ingestion, which h works on.
func (h *Handler) JobType() work.JobType {
	return work.JobType{
		Name: jobTypeName, Summary: "Reads a document into the graph.", Lane: "interactive", Priority: work.PriorityUser,
		NeedsDocument: true, Retryable: true, Check: checkData, Handler: h.Work,
	}
}

// jobData is the data of an ingestion: how its document is read.
type jobData struct {
	ContentType    corpus.ContentType  `json:"content_type"`
	Chunking       corpus.ChunkOptions `json:"chunking"` // all zero are the defaults
	OverlapReduced bool                `json:"overlap_reduced,omitempty"`
	AutoApprove    bool                `json:"auto_approve,omitempty"`
	Force          bool                `json:"force,omitempty"` // also reads a text in a language that is not read
	Replace        corpus.Replace      `json:"replace,omitempty"`
	Key            *string             `json:"document_key,omitempty"`
	Apart          bool                `json:"apart,omitempty"`
	SubmittedAt    *time.Time          `json:"submitted_at,omitempty"` // also of a retry; the store writes it, see corpus.Document
	OCR            bool                `json:"ocr,omitempty"`          // of an image: its words are read, nobody describes it
	Reuse          bool                `json:"reuse,omitempty"`        // of a retry: what was read before is not read again, even if Force
}

// checkData is the Check of the job type.
func checkData(raw json.RawMessage) error {
	var d jobData
	if json.Unmarshal(raw, &d) != nil {
		return kappa.Invalid(kappa.FieldError{In: "body", Name: "data", Rule: "must be the data of an ingestion"})
	}
	var broken []kappa.FieldError
	if !d.ContentType.Known() && !(d.OCR && d.ContentType.IsImage()) {
		broken = append(broken, kappa.FieldError{In: "body", Name: "data.content_type", Rule: fmt.Sprintf("must be one of %s", corpus.ContentTypes())})
	}
	if d.Chunking != (corpus.ChunkOptions{}) {
		for _, e := range d.Chunking.Broken() {
			broken = append(broken, kappa.FieldError{In: "body", Name: "data.chunking." + e.Name, Rule: e.Rule})
		}
	}
	return kappa.Invalid(broken...)
}

// format returns what format the document has.
func (d jobData) format() corpus.ContentType {
	if d.ContentType == "" { // the data could not be read
		return corpus.ContentPlain
	}
	return d.ContentType
}

// options returns how the document is cut.
func (d jobData) options() corpus.ChunkOptions {
	if d.Chunking != (corpus.ChunkOptions{}) {
		return d.Chunking
	}
	o, _, _ := corpus.ChunkRequest{}.Options() // the defaults break no rule
	return o
}
