package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

// fakeVision says of every image the same, as often as it is asked.
type fakeVision struct {
	says  string
	err   error
	asked int
	kept  map[string]string // by hash and model
}

func (*fakeVision) Model() models.Model { return models.Model{Name: "fake/sees", Provider: "fake"} }

func (f *fakeVision) Describe(context.Context, []byte, corpus.ContentType) (string, error) {
	f.asked++
	return f.says, f.err
}

func (f *fakeVision) ImageDescription(_ context.Context, hash, model string) (string, error) {
	return f.kept[hash+model], nil
}

func (f *fakeVision) KeepImageDescription(_ context.Context, hash, model, text string) (string, error) {
	if f.kept == nil {
		f.kept = map[string]string{}
	}
	if f.kept[hash+model] == "" {
		f.kept[hash+model] = text
	}
	return f.kept[hash+model], nil
}

// once makes a call once.
func once(ctx context.Context, _ string, call func(context.Context) error) error { return call(ctx) }

func TestImageIsDescribed(t *testing.T) {
	vision := &fakeVision{says: " A glacier flows\x00 into a valley. "}
	i := newIngestion(40, "serial")
	i.store.body = "PNG"
	*i.store.document.ContentHash = corpus.ContentHash([]byte("PNG"))
	work := func() error {
		i.store.written = nil
		_, err := NewHandler(HandlerConfig{
			Vocabulary: builtinTypes,
			Store:      i.store, Formats: NewImageReader(vision, vision, once), Passages: fakePassages, Extractor: i.extractor, Embedder: i.embedder, Log: testLog(t),
		}).Work(t.Context(), work.Claim{JobID: "job_0123456789ab", JobType: imageJobName, Attempt: 1, Data: encoded(jobData{ContentType: corpus.ContentPNG})})
		return err
	}
	for range 2 { // the second time it is known
		if err := work(); err != nil {
			t.Fatal(err)
		}
		if len(i.store.written) != 1 || i.store.written[0].Chunk.Text != "A glacier flows into a valley." || i.store.written[0].Document.ContentType != corpus.ContentPNG || vision.asked != 1 {
			t.Errorf("asked %d times, wrote %+v", vision.asked, i.store.written)
		}
	}
	vision.kept, vision.err = nil, errors.New("away")
	if err := work(); err == nil || !kappa.Retryable(err) {
		t.Errorf("a model that is away: got %v", err)
	}
	vision.says, vision.err = "\x00", nil
	if err := work(); err == nil || kappa.Retryable(err) {
		t.Errorf("an empty description: got %v", err)
	}
	if _, err := NewImageReader(vision, nil, once).Text(t.Context(), nil, corpus.ContentPNG); kappa.Retryable(err) || !strings.Contains(kappa.ErrorMessage(err), "KG_VISION") {
		t.Errorf("without a model: got %v", err)
	}
}

// imageFormats recognises a document that begins with PNG.
type imageFormats struct{ fakeFormats }

func (f imageFormats) Recognise(body []byte, filename, declared string) (corpus.ContentType, error) {
	if strings.HasPrefix(string(body), "PNG") {
		return corpus.ContentPNG, nil
	}
	return f.fakeFormats.Recognise(body, filename, declared)
}

func TestSubmitImage(t *testing.T) {
	png := "PNG" + strings.Repeat("x", 200)
	for name, c := range map[string]struct {
		body   string
		vision bool
		only   bool
		model  string
		code   kappa.Code
		says   string
	}{
		"without a model":          {body: png, code: kappa.CodeUnsupported, says: "The document is an image (image/png), and no model is configured"},
		"with one":                 {body: png, vision: true, only: true, model: "fake/sees"},
		"among documents":          {body: png, vision: true},
		"too small":                {body: "PNG", vision: true, code: kappa.CodeMalformed, says: "images of 100 bytes"},
		"too large":                {body: png + strings.Repeat("x", 10<<20), vision: true, code: kappa.CodeMalformed, says: "to 10.0 MB"},
		"for another model":        {body: png, vision: true, model: "fake/else", code: kappa.CodeInvalid, says: "vision_model: must be fake/sees"},
		"a text that is to be one": {body: "Water boils.", vision: true, only: true, code: kappa.CodeMalformed, says: "is no image, but text/plain"},
		"a text":                   {body: "Water boils.", vision: true},
	} {
		store := &fakeSubmissions{}
		u := NewSubmitter(store, imageFormats{}, func() {})
		if c.vision {
			u.DescribeImages(&fakeVision{})
		}
		_, err := u.Submit(t.Context(), work.Submission{Body: []byte(c.body), OnlyImage: c.only, VisionModel: c.model})
		if kappa.ErrorCode(err) != c.code || err != nil && !strings.Contains(kappa.ErrorMessage(err), c.says) {
			t.Errorf("%s: got %v, want %s and %q", name, err, c.code, c.says)
		}
		if want := map[bool]string{true: imageJobName, false: jobTypeName}[strings.HasPrefix(c.body, "PNG")]; err == nil && store.jobs[0].Type != want {
			t.Errorf("%s: a job of type %s, want %s", name, store.jobs[0].Type, want)
		}
	}
}

func TestAnalysisOfAnImage(t *testing.T) {
	store := newFakeAnalyses("PNG")
	store.pending[0].Data = encoded(jobData{ContentType: corpus.ContentPNG})
	if err := newTestAnalyst(t, store).runOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := store.analysed["PNG"]
	if got.ImageAnalysis == nil || *got.ImageAnalysis != *corpus.EstimateImage() || got.FileStats != (corpus.FileStats{}) {
		t.Errorf("got %+v", got)
	}
	encoded, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	raw := string(encoded)
	for _, part := range []string{`"content_type":"image"`, `"estimated_tokens":2000`, `"estimated_cost":0.02`, `"warnings":[]`} {
		if !strings.Contains(raw, part) {
			t.Errorf("%s lacks %s", raw, part)
		}
	}
	if slices.ContainsFunc([]string{"file_stats", "cost_estimate", "config"}, func(name string) bool { return strings.Contains(raw, name) }) {
		t.Errorf("%s says what a text has", raw)
	}
}

// TestImageWithoutModel takes in images that nobody describes where their words are read.
func TestImageWithoutModel(t *testing.T) {
	png := []byte("PNG" + strings.Repeat("x", 200))
	store := &fakeSubmissions{}
	u := NewSubmitter(store, imageFormats{}, func() {})
	var missing error
	u.ReadWordsOfImages(func(context.Context) error { return missing })
	if _, err := u.Submit(t.Context(), work.Submission{Body: png}); err != nil {
		t.Fatal(err)
	}
	var data jobData
	if err := json.Unmarshal(store.jobs[0].Data, &data); err != nil || store.jobs[0].Type != jobTypeName || !data.OCR || data.ContentType != corpus.ContentPNG {
		t.Errorf("a job of type %s with %+v, %v", store.jobs[0].Type, data, err)
	}
	missing = errors.New("install tesseract-ocr")
	_, err := u.Submit(t.Context(), work.Submission{Body: png})
	if kappa.ErrorCode(err) != kappa.CodeUnsupported || !strings.Contains(kappa.ErrorMessage(err), "no model is configured") || !strings.Contains(kappa.ErrorMessage(err), missing.Error()) {
		t.Errorf("without a program: got %v", err)
	}
	u.DescribeImages(&fakeVision{}) // which goes before
	if _, err := u.Submit(t.Context(), work.Submission{Body: png}); err != nil || store.jobs[1].Type != imageJobName {
		t.Errorf("with a model: got %+v and %v", store.jobs, err)
	}
}

// scans are documents whose pages are pictures.
type scans struct{ fakeFormats }

func (scans) Text(context.Context, []byte, corpus.ContentType) (corpus.DocumentText, error) {
	return corpus.DocumentText{Markup: corpus.ContentPlain, Pages: 6, Pictures: []int{1, 2, 3, 4, 5}, Warnings: []string{"5 of 6 pages are pictures"}}, nil
}

// TestAnalysisOfAScan assumes words for pages that are pictures.
func TestAnalysisOfAScan(t *testing.T) {
	for name, data := range map[string]jobData{"PDF": {ContentType: corpus.ContentPDF}, "image": {ContentType: corpus.ContentPNG, OCR: true}} {
		store := newFakeAnalyses("scan")
		store.pending[0].Data = encoded(data)
		a := newTestAnalyst(t, store)
		a.cfg.Formats = scans{}
		if err := a.runOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := store.analysed["scan"]
		if got.ImageAnalysis != nil || got.FileStats.WordCount != 5*corpus.WordsOfPicture || got.FileStats.Chunks != 2 || !slices.Contains(got.Warnings, "5 of 6 pages are pictures") {
			t.Errorf("%s: got %+v and %q", name, got.FileStats, got.Warnings)
		}
	}
}
