package library

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/internal/retrieval"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// shelf is a library whose tables are lists.
type shelf struct {
	passages []corpus.ShownPassage
	names    map[string]int
	concepts []questions.AskReadConcept
	edges    []questions.AskReadEdge
	reads    int // of the tables by questions
}

// add adds a document of paragraphs, which end at blank lines.
func (s *shelf) add(ontology, path, text string) *shelf {
	if s.names == nil {
		s.names = map[string]int{}
	}
	if s.names[ontology] == 0 {
		s.names[ontology] = len(s.names) + 1
	}
	document := int32(1)
	if n := len(s.passages); n > 0 {
		document = s.passages[n-1].Document + 1
	}
	at, section := 0, ""
	for paragraph := range strings.SplitAfterSeq(text, "\n\n") {
		body := strings.TrimSpace(paragraph)
		if heading, ok := strings.CutPrefix(body, "# "); ok {
			section, body = heading, ""
		}
		if body != "" {
			p := corpus.ShownPassage{DocumentID: fmt.Sprintf("sha256:%d", document), OntologyName: ontology, SourceID: fmt.Sprintf("src-%d", document), Chunk: 1, ContentType: corpus.ContentMarkdown, CreatedAt: kappa.At(time.Unix(int64(document), 0))}
			p.PassageKey = corpus.PassageKey{ID: int32(len(s.passages) + 1), Source: document, Document: document, Ontology: int32(s.names[ontology])}
			start := at + strings.Index(paragraph, body)
			p.Passage = corpus.Passage{Span: corpus.Span{Start: start, End: start + len(body)}, StartChar: start, EndChar: start + len(body), Text: body, Class: corpus.ClassProse, Language: "en", Section: section}
			p.Defines = answers.Definitions(p.Passage)
			p.Filename, p.Path = filepath.Base(path), path
			s.passages = append(s.passages, p)
		}
		at += len(paragraph)
	}
	return s
}

func (s *shelf) GraphMark(context.Context) (knowledge.GraphMark, error) {
	return knowledge.GraphMark{Epoch: 7}, nil
}

func (s *shelf) PassagesTouched(context.Context, knowledge.GraphMark, int) (knowledge.PassagesTouched, error) {
	return knowledge.PassagesTouched{Until: knowledge.GraphMark{Epoch: 7}, Ontologies: 1}, nil
}

func (s *shelf) PassageKeys(_ context.Context, yield func(corpus.PassageKey) error) (knowledge.GraphMark, error) {
	for _, p := range s.passages {
		if err := yield(p.PassageKey); err != nil {
			return knowledge.GraphMark{}, err
		}
	}
	return knowledge.GraphMark{Epoch: 7}, nil
}

func (s *shelf) PassagesOfSources(_ context.Context, sources []int32) (list []corpus.StoredPassage, _ error) {
	for _, p := range s.passages {
		if slices.Contains(sources, p.Source) {
			list = append(list, p.StoredPassage)
		}
	}
	return list, nil
}

func (s *shelf) OntologyNumbers(context.Context) (map[string]int, error) { return s.names, nil }

func (s *shelf) ReadAnswer(_ context.Context, r questions.AskReading) (read questions.AskRead, _ error) {
	s.reads++
	for _, id := range r.Passages {
		for _, p := range s.passages {
			if p.ID == id {
				read.Passages = append(read.Passages, p)
			}
		}
	}
	read.Concepts, read.Edges = slices.Clone(s.concepts), slices.Clone(s.edges)
	return read, nil
}

func (s *shelf) AskDocuments(_ context.Context, q questions.AskDocuments) (ids []int32, _ error) {
	for _, p := range s.passages {
		if len(q.DocumentIDs) == 0 || slices.Contains(q.DocumentIDs, p.DocumentID) {
			ids = append(ids, p.Document)
		}
	}
	return ids, nil
}

func (s *shelf) Evidence(_ context.Context, edges []knowledge.Edge, ontology string) ([][]knowledge.EdgeEvidence, error) {
	all := make([][]knowledge.EdgeEvidence, len(edges))
	for i := range edges {
		all[i] = []knowledge.EdgeEvidence{{Evidence: knowledge.Evidence{Quote: "said in " + ontology}}}
	}
	return all, nil
}

// open returns an Asker of the shelf.
func (s *shelf) open(t testing.TB) *Asker {
	t.Helper()
	f := retrieval.NewFollower(retrieval.Config{Store: s, DefinedKey: answers.DefinedKey})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	for !f.Status().Ready {
		time.Sleep(time.Millisecond)
	}
	return NewAsker(f, s, s)
}

func (a *Asker) must(t testing.TB, q questions.Question) questions.AskAnswer {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 3
	}
	answer, err := a.Ask(t.Context(), q)
	if err != nil {
		t.Fatalf("%q: %v", q.Text, err)
	}
	return answer
}

// documentation is the pages of this repository.
func documentation(t testing.TB) *shelf {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 15 {
		t.Fatal(len(pages), err)
	}
	s := &shelf{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		s.add("docs", page, string(text))
	}
	return s
}

func BenchmarkAsk(b *testing.B) {
	a := documentation(b).open(b)
	asked := []string{"how long is a lease?", "what ends a lease", "how does a lane wake up", "who may cancel a job", "what happens when the database is away"}
	b.ResetTimer()
	for i := range b.N {
		a.must(b, questions.Question{Text: asked[i%len(asked)], Limit: 5})
	}
}
