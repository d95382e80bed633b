package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/internal/formats"
	"github.com/kappagraph/kappa/internal/library"
	"github.com/kappagraph/kappa/internal/passages"
	"github.com/kappagraph/kappa/internal/retrieval"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// shelf is a library whose tables are lists, and whose graph is empty.
type shelf struct{ passages []corpus.ShownPassage }

// add reads a document as ingestion does. hash is that of the file that is meant.
func (s *shelf) add(ctx context.Context, reader *formats.Reader, folder, name, hash string) error {
	body, err := os.ReadFile(filepath.Join(folder, filepath.Base(name)))
	if err != nil {
		return fmt.Errorf("%w: %w", errInput, err)
	}
	if sum := sha256.Sum256(body); hash != hex.EncodeToString(sum[:]) {
		return fmt.Errorf("%w: %s is another version", errInput, name)
	}
	format, err := reader.Recognise(body, name, "")
	if err != nil {
		return err
	}
	text, err := reader.Text(ctx, body, format)
	if err != nil {
		return err
	}
	document := int32(1)
	if n := len(s.passages); n > 0 {
		document = s.passages[n-1].Document + 1
	}
	for p := range (passages.Cutter{Definitions: answers.Definitions}).Cut(text) {
		stored := corpus.StoredPassage{Passage: p, PassageKey: corpus.PassageKey{ID: int32(len(s.passages) + 1), Source: document, Document: document, Ontology: 1}}
		stored.Filename, stored.Path = name, name
		s.passages = append(s.passages, corpus.ShownPassage{StoredPassage: stored, DocumentID: name, OntologyName: ontology, Chunk: 1, ContentType: format})
	}
	return nil
}

const ontology = "all"

// open returns an Asker of the shelf, and what ends it.
func (s *shelf) open(ctx context.Context) (*library.Asker, func() error, error) {
	f := retrieval.NewFollower(retrieval.Config{Store: s, DefinedKey: answers.DefinedKey})
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	for poll := time.NewTicker(50 * time.Millisecond); !f.Status().Ready; {
		select {
		case err := <-done:
			cancel()
			return nil, nil, err
		case <-poll.C:
		}
	}
	return library.NewAsker(f, s, s), func() error { cancel(); return <-done }, nil
}

func (s *shelf) print(out io.Writer, document string) {
	for _, p := range s.passages {
		if p.DocumentID == document {
			fmt.Fprintf(out, "--- %s [%s] %q\n%s\n", p.Class, p.Section, p.Defines, p.Text)
		}
	}
}

// GraphMark and the methods below read the lists.
func (s *shelf) GraphMark(context.Context) (knowledge.GraphMark, error) {
	return knowledge.GraphMark{Epoch: 1}, nil
}

func (s *shelf) PassagesTouched(context.Context, knowledge.GraphMark, int) (knowledge.PassagesTouched, error) {
	return knowledge.PassagesTouched{Until: knowledge.GraphMark{Epoch: 1}, Ontologies: 1}, nil
}

func (s *shelf) PassageKeys(_ context.Context, yield func(corpus.PassageKey) error) (knowledge.GraphMark, error) {
	for i := range s.passages {
		if err := yield(s.passages[i].PassageKey); err != nil {
			return knowledge.GraphMark{}, err
		}
	}
	return knowledge.GraphMark{Epoch: 1}, nil
}

func (s *shelf) PassagesOfSources(_ context.Context, sources []int32) (list []corpus.StoredPassage, _ error) {
	for i := range s.passages {
		if slices.Contains(sources, s.passages[i].Source) {
			list = append(list, s.passages[i].StoredPassage)
		}
	}
	return list, nil
}

func (s *shelf) OntologyNumbers(context.Context) (map[string]int, error) {
	return map[string]int{ontology: 1}, nil
}

func (s *shelf) ReadAnswer(_ context.Context, r questions.AskReading) (read questions.AskRead, _ error) {
	read.Epoch = 1
	for _, id := range r.Passages {
		read.Passages = append(read.Passages, s.passages[id-1])
	}
	return read, nil
}

func (s *shelf) AskDocuments(context.Context, questions.AskDocuments) ([]int32, error) {
	return nil, nil
}

func (s *shelf) ReadPassages(_ context.Context, ids []int32) (read []corpus.ShownPassage, _ error) {
	for _, id := range ids {
		read = append(read, s.passages[id-1])
	}
	return read, nil
}

func (s *shelf) PassagesAround(context.Context, int32) ([]int32, error) { return nil, nil }

func (s *shelf) Connect(context.Context, questions.ConnectQuery) (questions.ConnectResult, error) {
	return questions.ConnectResult{}, nil
}

func (s *shelf) Evidence(context.Context, []knowledge.Edge, string) ([][]knowledge.EdgeEvidence, error) {
	return nil, nil
}
