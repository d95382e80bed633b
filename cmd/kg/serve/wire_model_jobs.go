package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/internal/llm"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// otherModelWait is how long a document waits for the graph to be embedded with the
// server's model, before it sees about that again.
const otherModelWait = 10 * time.Second

// ofModels is a job type that works with models. Each attempt works with those that are used
// when it begins, to its end.
func (s *server) ofModels(build func(*modelSet) work.JobType) work.JobType {
	of := s.models.now()
	t := build(of)
	var mu sync.Mutex
	handle := t.Handler
	t.Handler = func(ctx context.Context, c work.Claim) (json.RawMessage, error) {
		set := s.models.now()
		mu.Lock()
		if of != set {
			of, handle = set, build(set).Handler
		}
		handler := handle
		mu.Unlock()
		if err := s.gate(ctx, set.embedder.Model().Name); err != nil {
			return nil, err
		}
		return handler(ctx, c)
	}
	return t
}

// gate has a job wait while the graph is embedded with another model than its own, or only
// in part: nothing could be compared.
func (s *server) gate(ctx context.Context, model string) error {
	space, err := s.db.Embeddings().BeginSpace(ctx, model)
	if err != nil {
		return err
	}
	if space.GraphModel != model || space.Reembedding {
		return kappa.Postpone(kappa.NewError(kappa.CodeConflict, fmt.Sprintf(
			"waits until the graph is embedded with %s: it is with %s, or in part; see kg admin embeddings", model, space.GraphModel)), otherModelWait)
	}
	return nil
}

// knownConcepts returns what looks up the concepts that a model is shown with a chunk; nil
// for the built-in extractor, which asks for none.
func (s *server) knownConcepts(set *modelSet, retry work.Retrying) func(ctx context.Context, names []string) ([]knowledge.KnownConcept, error) {
	if set.extractor.Model().Local {
		return nil
	}
	return func(ctx context.Context, names []string) (known []knowledge.KnownConcept, err error) {
		err = retry(ctx, "look up known concepts", func(ctx context.Context) error {
			known, err = s.db.Estimates().ConceptsNamed(ctx, names)
			return err
		})
		return known, err
	}
}

// typeNames returns the relationship types that jobs know of.
func (s *server) typeNames(retry work.Retrying) func(ctx context.Context) (vocabulary.TypeNames, error) {
	return func(ctx context.Context) (names vocabulary.TypeNames, err error) {
		err = retry(ctx, "read the relationship types", func(ctx context.Context) error {
			names, err = s.db.Vocabulary().TypeNames(ctx)
			return err
		})
		return names, err
	}
}

// keptReadings returns what keeps readings of jobs that pause; nil for the built-in
// extractor, which reads a chunk again for nothing.
func (s *server) keptReadings(set *modelSet) keptReadings {
	if set.extractor.Model().Local {
		return nil
	}
	return s.db.Documents()
}

// keptReadings are what a job goes on with after a pause; see ingest.HandlerConfig.
type keptReadings interface {
	KeepReading(ctx context.Context, claim work.Claim, text, reader string, reading []byte) error
	KeptReading(ctx context.Context, jobID, text, reader string) ([]byte, error)
}

// estimates returns what the estimates of documents are made from now.
func (s *server) estimates() ingest.AnalystModels {
	set := s.models.now()
	is := ingest.AnalystModels{Reader: set.extractor.Model(), Embedder: set.embedder.Model()}
	if reader, ok := set.extractor.(*llm.Extractor); ok {
		is.Counter = reader
	} else if set.previews != nil {
		is.Preview = &ingest.Previewer{Extractor: set.previews, Known: s.db.Estimates().KnownTerms}
	}
	return is
}
