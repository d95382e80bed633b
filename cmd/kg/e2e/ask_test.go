package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kljensen/snowball/english"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// docQuestion is a question, and what answers it: one of the texts in a passage of one
// of the documents, or one of the concepts.
type docQuestion struct {
	text                       string
	documents, texts, concepts []string
}

// readQuestions reads a file of test/eval/questions.
func readQuestions(t *testing.T, name string) []docQuestion {
	t.Helper()
	raw, err := os.ReadFile("../../../test/eval/questions/" + name + ".txt")
	check(t, err)
	var out []docQuestion
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimSpace(line), " | ")
		if len(f) != 4 {
			t.Fatalf("%s: %q has %d parts, want 4", name, line, len(f))
		}
		out = append(out, docQuestion{f[0], strings.Split(f[1], " / "), strings.Split(f[2], " / "), strings.Split(f[3], " / ")})
	}
	return out
}

// answeredBy reports whether text of the document filename answers the question.
func (q docQuestion) answeredBy(filename, text string) bool {
	name := strings.TrimSuffix(strings.TrimSuffix(filename, ".md"), ".txt")
	inDocument := slices.ContainsFunc(q.documents, func(d string) bool {
		return d == "*" || strings.TrimSuffix(strings.TrimSuffix(d, ".md"), ".txt") == name
	})
	return inDocument && slices.ContainsFunc(q.texts, func(s string) bool { return strings.Contains(text, s) })
}

// isAbout reports whether the question is about the concept of a label, whichever number
// its words are in.
func (q docQuestion) isAbout(label string) bool {
	return slices.ContainsFunc(q.concepts, func(c string) bool { return wordStems(c) == wordStems(label) })
}

func wordStems(phrase string) string {
	words := strings.Fields(strings.ToLower(phrase))
	for i, w := range words {
		words[i] = english.Stem(w, true)
	}
	return strings.Join(words, " ")
}

// askedDocuments returns the pages of the documentation and the passages of the
// evaluation, by their file names.
func askedDocuments(t *testing.T) map[string][]byte {
	t.Helper()
	pages, err := filepath.Glob("../../../docs/*.md")
	check(t, err)
	passages, err := filepath.Glob("../../../test/eval/styles/*/*.txt")
	check(t, err)
	if len(pages) < 15 || len(passages) < 40 {
		t.Fatalf("%d pages and %d passages", len(pages), len(passages))
	}
	documents := map[string][]byte{}
	for _, page := range pages {
		body, err := os.ReadFile(page)
		check(t, err)
		documents[filepath.Base(page)] = body
	}
	for _, passage := range passages {
		raw, err := os.ReadFile(passage)
		check(t, err)
		head, body, _ := strings.Cut(string(raw), "\n\n")
		text, _, _ := strings.Cut(body, "\n== ") // without the annotations
		name := filepath.Base(passage)
		if strings.Contains(head, "text/markdown") {
			name = strings.TrimSuffix(name, ".txt") + ".md"
		}
		documents[name] = []byte(text)
	}
	return documents
}

// askFigures are how many questions were answered, and where.
type askFigures struct {
	questions, amongFive, first, concepts, chunks, search int
}

// askOne asks one question in the three ways that there are.
func (f *askFigures) askOne(t *testing.T, c *client.Client, q docQuestion) {
	t.Helper()
	f.questions++
	got, err := c.Graph.Ask(t.Context(), questions.Question{Text: q.text, Limit: 5})
	check(t, err)
	at := slices.IndexFunc(got.Passages, func(p questions.AskPassage) bool { return q.answeredBy(p.Filename, p.Text) })
	for _, p := range got.Passages {
		if p.Text == "" || p.Filename == "" || p.End <= p.Start {
			t.Errorf("%s: passage %+v", q.text, p)
		}
	}
	if at >= 0 {
		f.amongFive++
	} else {
		t.Logf("ask: no answer to %q", q.text)
	}
	if at == 0 {
		f.first++
	}
	found, err := c.Graph.Search(t.Context(), questions.SearchQuery{Query: q.text, Limit: 3})
	check(t, err)
	concept := slices.ContainsFunc(found.Results, func(h questions.ConceptHit) bool { return q.isAbout(h.Label) })
	chunks, err := c.Sources.Search(t.Context(), corpus.SourceQuery{Query: q.text, Limit: 3})
	check(t, err)
	chunk := slices.ContainsFunc(chunks.Results, func(h corpus.SourceHit) bool {
		return h.FullText != nil && q.answeredBy(h.Filename, *h.FullText)
	})
	if concept {
		f.concepts++
	}
	if chunk {
		f.chunks++
	}
	if concept || chunk {
		f.search++
		return
	}
	labels := []string{}
	for _, h := range found.Results {
		labels = append(labels, h.Label)
	}
	t.Logf("search: neither concept nor chunk for %q, but %q", q.text, labels)
}

// TestAskTheDocumentation_Slow ingests the documentation and the passages of the
// evaluation into a server and asks it sixty questions. The floors are a little under
// what is reached; some questions use words that the documents do not.
func TestAskTheDocumentation_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	s := startServer(t, map[string]string{"KG_LOG_LEVEL": "warn"})
	var jobs []string
	documents := askedDocuments(t)
	for _, name := range slices.Sorted(maps.Keys(documents)) {
		submitted, err := s.client.Documents.Submit(t.Context(), client.Document{Body: documents[name], Filename: name, Ontology: "asked", AutoApprove: true})
		check(t, err)
		jobs = append(jobs, submitted.JobID)
	}
	for _, id := range jobs {
		await(t, s.client, id, work.StatusCompleted)
	}
	var all askFigures
	for _, part := range []struct {
		name                     string
		amongFive, first, search int // floors
	}{
		{"dev", 23, 14, 24},
		{"heldout", 24, 12, 26},
	} {
		var f askFigures
		for _, q := range readQuestions(t, part.name) {
			f.askOne(t, s.client, q)
		}
		t.Logf("%s: %d questions; ask: %d answered among the first five passages, %d by the first; search: %d with the concept or chunk among the first three (concept %d, chunk %d)",
			part.name, f.questions, f.amongFive, f.first, f.search, f.concepts, f.chunks)
		if f.amongFive < part.amongFive || f.first < part.first || f.search < part.search {
			t.Errorf("%s: %+v is below %+v", part.name, f, part)
		}
		all.questions += f.questions
	}
	if all.questions < 60 {
		t.Errorf("%d questions, want 60", all.questions)
	}
	none, err := s.client.Graph.Ask(t.Context(), questions.Question{Text: "which composer wrote the ninth symphony?", Limit: 5})
	check(t, err)
	if none.Found {
		t.Errorf("the documents answer who wrote the ninth symphony: %+v", none.Passages[0])
	}
}
