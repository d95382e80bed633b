package ingest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

const (
	germanText = "Ein Gletscher ist ein Strom aus Eis, der sich unter seinem eigenen Gewicht bewegt. Wenn der Schnee vieler Winter gepresst wird, entsteht Eis. "
	listText   = "Aletsch Gorner Fiesch Unteraar Oberaar Rhone Trift Findel Morteratsch Forno "
)

func TestLanguageWarning(t *testing.T) {
	local := models.Model{Name: "local", Local: true}
	for name, c := range map[string]struct {
		text  string
		model models.Model
		force bool
		want  string
	}{
		"English":            {strings.Repeat("A glacier is a river of ice, and it moves to the valley. ", 10), local, false, ""},
		"German":             {germanText, local, false, "The text looks like German, and the built-in extractor reads English: nothing will be stored, unless it is submitted with force, or a model is configured (KG_EXTRACTOR)"},
		"German with force":  {germanText, local, true, "The text looks like German, and the built-in extractor reads English: what it finds will be poor"},
		"German for a model": {germanText, models.Model{Name: "openai/x"}, false, ""},
		"Chinese":            {"冰川是由雪形成的冰河", local, false, "The text looks like Chinese, and"},
		"a list of names":    {strings.Repeat(listText, 10), local, false, "Few of its words (0 %) are those of English sentences"},
		"a short list":       {listText, local, false, ""},
	} {
		if got := strings.Join(languageWarning(c.text, c.model, c.force), ";"); !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// localExtractor is the built-in one, for what it says of itself, and finds nothing.
type localExtractor struct{}

func (localExtractor) Model() models.Model { return models.Model{Name: "local", Local: true} }

func (localExtractor) Extract(context.Context, knowledge.Passage) (knowledge.Extraction, error) {
	return knowledge.Extraction{}, nil
}

func TestNothingSilent(t *testing.T) {
	for name, c := range map[string]struct {
		body    string
		force   bool
		written bool
		message string
	}{
		"a language that is not read": {germanText, false, false, "Nothing was stored. The text looks like German, and the built-in extractor reads English. Submit it with force"},
		"the same with force":         {germanText, true, true, "No concepts were found. The document has only 23 words. The text looks like German"},
		"nothing found":               {strings.Repeat("A glacier is a river of ice, and it moves to the valley. ", 10), false, true, "No concepts were found. The extractor local found no terms in the text"},
		"no sentences":                {strings.Repeat(listText, 10), false, true, "No concepts were found. Few of its words (0 %)"},
	} {
		i := newIngestion(40, "serial")
		i.store.body = c.body
		*i.store.document.ContentHash = corpus.ContentHash([]byte(c.body))
		data := encoded(jobData{ContentType: corpus.ContentPlain, Force: c.force})
		raw, err := NewHandler(HandlerConfig{Vocabulary: builtinTypes, Store: i.store, Formats: fakeFormats{}, Passages: fakePassages, Extractor: localExtractor{}, Embedder: i.embedder, Log: testLog(t)}).
			Work(t.Context(), work.Claim{JobID: "job_0123456789ab", JobType: jobTypeName, Attempt: 1, Data: data})
		var r result
		if err != nil || json.Unmarshal(raw, &r) != nil {
			t.Fatalf("%s: %v, %s", name, err, raw)
		}
		if r.Status != "completed" || !strings.HasPrefix(r.Message, c.message) || (len(i.store.written) > 0) != c.written {
			t.Errorf("%s: got %s with %d chunks, want %q", name, raw, len(i.store.written), c.message)
		}
	}
}

func TestAnalysisOfAForeignText(t *testing.T) {
	store := newFakeAnalyses(germanText)
	a := newTestAnalyst(t, store)
	a.cfg.Models = func() AnalystModels {
		local := testModels
		local.Reader.Local = true
		return local
	}
	if err := a.runOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := store.analysed[germanText].Warnings; !slices.ContainsFunc(got, func(w string) bool { return strings.Contains(w, "looks like German") }) {
		t.Errorf("warned %q", got)
	}
}
