package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

// imageJobName is what job_type says of the ingestion of an image.
const imageJobName = "ingest_image"

// Describer has a model describe images. It is safe for concurrent use and heeds ctx.
type Describer interface {
	// Describe returns what the image shows, as a text that is not empty. An error
	// that kappa.Postponed knows says that the model is away.
	Describe(ctx context.Context, image []byte, kind corpus.ContentType) (string, error)
	// Model describes the model.
	Model() models.Model
}

// imageStore keeps what models say of images.
type imageStore interface {
	// ImageDescription returns what a model said of an image, or "".
	ImageDescription(ctx context.Context, contentHash, model string) (string, error)
	// KeepImageDescription keeps what a model said, and returns what is kept: the
	// first description stays.
	KeepImageDescription(ctx context.Context, contentHash, model, description string) (string, error)
}

// ImageReader reads images as the texts that describe them. The same image gives the same
// text, and is paid for once: what was said of it is kept.
type ImageReader struct {
	store     imageStore
	describer Describer // nil describes none
	retry     work.Retrying
}

// NewImageReader returns an ImageReader that makes its calls to store with retry. Without
// a describer it reads no image.
func NewImageReader(store imageStore, describer Describer, retry work.Retrying) *ImageReader {
	return &ImageReader{store: store, describer: describer, retry: retry}
}

// Text returns the description of an image.
func (r *ImageReader) Text(ctx context.Context, body []byte, kind corpus.ContentType) (corpus.DocumentText, error) {
	if r.describer == nil {
		return corpus.DocumentText{}, kappa.Permanent(noVision(kind))
	}
	hash, model := corpus.ContentHash(body), r.describer.Model().Name
	var text string
	err := r.retry(ctx, "read the description of an image", func(ctx context.Context) (err error) {
		text, err = r.store.ImageDescription(ctx, hash, model)
		return err
	})
	if err == nil && text == "" {
		text, err = r.describe(ctx, body, kind, hash)
	}
	if err != nil {
		return corpus.DocumentText{}, fmt.Errorf("describe the image: %w", err)
	}
	return corpus.DocumentText{Text: text, Markup: corpus.ContentPlain}, nil
}

// describe has the model describe the image, and keeps what it says.
func (r *ImageReader) describe(ctx context.Context, body []byte, kind corpus.ContentType, hash string) (text string, err error) {
	said, err := r.describer.Describe(ctx, body, kind)
	if err != nil {
		return "", err
	}
	err = r.retry(ctx, "keep the description of an image", func(ctx context.Context) (err error) {
		text, err = r.store.KeepImageDescription(ctx, hash, r.describer.Model().Name, storableText(said))
		return err
	})
	if err == nil && text == "" {
		err = kappa.Permanent(errors.New("the model gave no description that can be stored"))
	}
	return text, err
}

// storableText makes of an answer of a model a text that can be stored.
func storableText(said string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(said, "\uFFFD"), "\x00", ""))
}

// Reading returns a Handler that does the same with documents that reader reads.
func (h *Handler) Reading(reader textReader) *Handler {
	cfg := h.cfg
	cfg.Formats = reader
	return &Handler{cfg: cfg}
}

// ImageJobType returns the job type ingest_image, which h, whose Formats are an
// ImageReader, works on.
func (h *Handler) ImageJobType() work.JobType {
	return work.JobType{
		Name: imageJobName, Summary: "Has a model describe an image, and reads the description into the graph.", Lane: "interactive",
		Priority: work.PriorityUser, NeedsDocument: true, Retryable: true, Check: checkImageData, Handler: h.Work,
	}
}

// checkImageData is the Check of the job type.
func checkImageData(raw json.RawMessage) error {
	var d jobData
	if json.Unmarshal(raw, &d) != nil || !d.ContentType.IsImage() {
		return kappa.Invalid(kappa.FieldError{In: "body", Name: "data.content_type", Rule: fmt.Sprintf("must be one of %s", corpus.ImageTypes())})
	}
	return nil
}

// noVision refuses an image where no model describes them.
func noVision(kind corpus.ContentType) error {
	return kappa.NewError(kappa.CodeUnsupported, fmt.Sprintf("The document is an image (%s), and no model is configured that describes images; the operator chooses one with kg admin models set vision, or KG_VISION", kind))
}

// withoutOCR is noVision, where no program reads its words either.
func withoutOCR(kind corpus.ContentType, why error) error {
	err := noVision(kind)
	return kappa.NewError(kappa.ErrorCode(err), fmt.Sprintf("%s. Its words are not read either: %v", kappa.ErrorMessage(err), why))
}

// checkImage returns why an image is not taken in, or nil.
func (u *Submitter) checkImage(ctx context.Context, s work.Submission) error {
	describer := u.imagesBy()
	if describer == nil {
		if u.ocr == nil {
			return noVision(s.ContentType)
		}
		if err := u.ocr(ctx); err != nil {
			return withoutOCR(s.ContentType, err)
		}
	}
	if n := len(s.Body); n < corpus.MinImageBytes || n > corpus.MaxImageBytes {
		return kappa.NewError(kappa.CodeMalformed, fmt.Sprintf("The image has %s; images of %d bytes to %s are read", corpus.HumanSize(n), corpus.MinImageBytes, corpus.HumanSize(corpus.MaxImageBytes)))
	}
	if describer == nil {
		return nil
	}
	if model := describer.Model().Name; s.VisionModel != "" && s.VisionModel != model {
		return kappa.Invalid(kappa.FieldError{In: "form", Name: "vision_model", Rule: fmt.Sprintf("must be %s, which the operator has chosen, got %q", model, s.VisionModel)})
	}
	return nil
}

// DescribeImages has the Submitter take images in, which describer describes later; nil
// refuses them. It is called before the first submission.
func (u *Submitter) DescribeImages(describer Describer) {
	u.DescribeImagesBy(func() Describer { return describer })
}

// DescribeImagesBy does so with what now returns at each submission.
func (u *Submitter) DescribeImagesBy(now func() Describer) { u.describer = now }

// ReadWordsOfImages has the Submitter take images in that nobody describes, to be read by their
// words, while now returns nil: else it is why not.
func (u *Submitter) ReadWordsOfImages(now func(ctx context.Context) error) { u.ocr = now }

func (u *Submitter) imagesBy() Describer {
	if u.describer == nil {
		return nil
	}
	return u.describer()
}

// ImageModel returns the model that describes images; ok is false when there is none.
func (u *Submitter) ImageModel() (model models.Model, ok bool) {
	describer := u.imagesBy()
	if describer == nil {
		return models.Model{}, false
	}
	return describer.Model(), true
}
