package ingest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

func TestJobType(t *testing.T) {
	i := newIngestion(1, work.ModeSerial)
	types, err := work.NewJobTypes(NewHandler(HandlerConfig{Vocabulary: builtinTypes, Store: i.store, Formats: fakeFormats{}, Passages: fakePassages, Extractor: i.extractor, Embedder: i.embedder, Log: testLog(t)}).JobType())
	if err != nil {
		t.Fatal(err)
	}
	ingestion, known := types.Find("ingestion")
	if !known || !ingestion.NeedsDocument || ingestion.Schedulable || !ingestion.Retryable || ingestion.Lane != "interactive" || ingestion.Priority != 10 {
		t.Errorf("registered is %+v", ingestion)
	}
	for data, want := range map[string]string{
		`{"content_type":"text/plain"}`: "",
		`{"content_type":"text/markdown","chunking":{"target_words":1000,"min_words":800,"max_words":1500,"overlap_words":200},"auto_approve":true}`: "",
		`{"content_type":"image/png"}`: "data.content_type: must be one of [text/plain text/markdown text/html application/pdf",
		`{"content_type":"text/plain","chunking":{"target_words":1000,"min_words":2000,"max_words":1500}}`: "data.chunking.min_words: must be at most 1000, got 2000 (target_words is 1000)",
		`[]`: "data: must be the data of an ingestion",
	} {
		err := ingestion.CheckData(json.RawMessage(data))
		if want == "" && err == nil {
			continue
		}
		if kappa.ErrorCode(err) != kappa.CodeInvalid || !strings.HasPrefix(kappa.ErrorMessage(err), want) {
			t.Errorf("%s: got %v, want %q", data, err, want)
		}
	}
}
