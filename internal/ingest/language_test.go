package ingest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
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
		"German":             {germanText, local, false, "The text looks like German, and the built-in extractor reads English: its passages are stored and found, its concepts are key terms only, unless a model is configured (KG_EXTRACTOR)"},
		"German with force":  {germanText, local, true, "The text looks like German, and the built-in extractor reads English: with force it is read as English, and what it finds will be poor"},
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
		message string
	}{
		"a language that is not read": {germanText, false, "Concepts by key terms only: no reader for German. No concepts were found. The document has only 23 words. The text looks like German"},
		"the same with force":         {germanText, true, "No concepts were found. The document has only 23 words. The text looks like German"},
		"nothing found":               {strings.Repeat("A glacier is a river of ice, and it moves to the valley. ", 10), false, "No concepts were found. The extractor local found no terms in the text"},
		"no sentences":                {strings.Repeat(listText, 10), false, "No concepts were found. Few of its words (0 %)"},
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
		if r.Status != "completed" || !strings.HasPrefix(r.Message, c.message) || len(i.store.written) == 0 {
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

// languageReader is the built-in reader, for what it says of itself: it names the language in
// which it is asked to read.
type languageReader struct {
	asked []string
	parts []knowledge.PassagePart
}

func (*languageReader) Model() models.Model { return models.Model{Name: "local", Local: true} }

func (r *languageReader) Extract(_ context.Context, p knowledge.Passage) (knowledge.Extraction, error) {
	r.asked, r.parts = append(r.asked, p.Language), append(r.parts, p.Parts...)
	first, _, _ := strings.Cut(p.Text, " ")
	return knowledge.Extraction{
		Concepts:  []knowledge.ExtractedConcept{{Key: "a", Label: first + p.Language}},
		Instances: []knowledge.ExtractedInstance{{Concept: "a", Quote: first, Span: corpus.Span{End: len(first)}}},
	}, nil
}

const englishText = "A glacier is a river of ice that moves under its own weight. When the snow of many winters is pressed, it becomes ice. "

// TestMixedLanguages reads each chunk in its own language, and says what had no reader: also
// when another attempt goes on.
func TestMixedLanguages(t *testing.T) {
	german, english := strings.Repeat(germanText, 5), strings.Repeat(englishText, 5)
	for name, c := range map[string]struct {
		body    string
		force   bool
		asked   string
		notDone string
	}{
		"German with an English part": {german + "\n\n" + german + "\n\n" + english, false, "de de ", "Concepts by key terms only: no reader for German (2 of 3 chunks)"},
		"English with a German part":  {english + "\n\n" + english + "\n\n" + german, false, "  de", "Concepts by key terms only: no reader for German (1 of 3 chunks)"},
		"Thai":                        {strings.Repeat("ธารน้ำแข็งคือแม่น้ำของน้ำแข็ง ", 60), false, "th", "Concepts by key terms only: no reader for Thai"},
		"with force":                  {german + "\n\n" + english, true, " ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			i := newIngestion(40, "serial")
			i.store.body = c.body
			*i.store.document.ContentHash = corpus.ContentHash([]byte(c.body))
			reader := &languageReader{}
			target, overlap := 130, 0
			data := encoded(jobData{ContentType: corpus.ContentPlain, Force: c.force, Chunking: corpus.ChunkOptions{TargetWords: target, MinWords: 100, MaxWords: 150, OverlapWords: overlap}})
			claim := work.Claim{JobID: "job_0123456789ab", JobType: jobTypeName, Attempt: 1, Data: data}
			handler := NewHandler(HandlerConfig{Vocabulary: builtinTypes, Store: i.store, Formats: fakeFormats{}, Passages: fakePassages, Extractor: reader, Embedder: i.embedder, Log: testLog(t)})
			for range 2 { // the second attempt has nothing to read any more
				raw, err := handler.Work(t.Context(), claim)
				var r result
				if err != nil || json.Unmarshal(raw, &r) != nil {
					t.Fatalf("%v, %s", err, raw)
				}
				if asked := strings.Join(reader.asked, " "); !strings.HasPrefix(asked, c.asked) || r.NotDone != c.notDone || r.Message != c.notDone || r.Stats.PassagesStored == 0 {
					t.Errorf("asked for %q, answered %s; want %q and %q", asked, raw, c.asked, c.notDone)
				}
				claim.Checkpoint = i.store.checkpoint.State
			}
		})
	}
}

// TestNothingStored fails what has no text, with the reason.
func TestNothingStored(t *testing.T) {
	i := newIngestion(40, "serial")
	i.store.body = "\x00\x00"
	*i.store.document.ContentHash = corpus.ContentHash([]byte(i.store.body))
	_, err := NewHandler(HandlerConfig{
		Vocabulary: builtinTypes, Store: i.store, Formats: noText{}, Passages: fakePassages, Extractor: localExtractor{}, Embedder: i.embedder, Log: testLog(t),
	}).Work(t.Context(), i.claim)
	if err == nil || kappa.Retryable(err) || !strings.Contains(err.Error(), "no text was found in it. Page 1 is a picture") {
		t.Errorf("got %v", err)
	}
}

// noText finds none.
type noText struct{ fakeFormats }

func (noText) Text(context.Context, []byte, corpus.ContentType) (corpus.DocumentText, error) {
	return corpus.DocumentText{Markup: corpus.ContentPlain, Warnings: []string{"Page 1 is a picture"}}, nil
}
