package worker

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/knowledge"
)

// extractTries is how often a passage is read whose answer cannot be used, in one
// attempt.
const extractTries = 2

// extractor reads passages; see the extractors of the server.
type extractor interface {
	Extract(ctx context.Context, p knowledge.Passage) (knowledge.Extraction, error)
	Model() models.Model
}

// Extract returns the handler of extract_chunk: it reads a chunk of a document with an
// extractor near the worker.
func Extract(reader extractor) Handler {
	return func(ctx context.Context, r *Run) (json.RawMessage, error) {
		var chunk wire.Chunk
		if err := json.Unmarshal(r.Data, &chunk); err != nil || chunk.Chunk.Text == "" {
			return nil, &Failure{Type: "BadData", Message: "data: chunk.text is missing"}
		}
		var found knowledge.Extraction
		var err error
		tokens := 0
		for try := 1; ; try++ {
			found, err = reader.Extract(ctx, chunk.Passage())
			tokens += found.Tokens
			if err == nil {
				break
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if kappa.ErrorCode(err) != kappa.CodeUpstream || try >= extractTries {
				return nil, readingFailure(err)
			}
		}
		found.Tokens = tokens
		return json.Marshal(wire.NewReading(found, reader.Model().Name))
	}
}

// readingFailure says whether reading a passage again can help: it can when the model
// cannot be reached, has too much to do, or gave no usable answer.
func readingFailure(err error) *Failure {
	f := &Failure{Type: "Extract", Message: kappa.ErrorMessage(err), Retry: kappa.Retryable(err)}
	if kappa.ErrorCode(err) == kappa.CodeInternal {
		f.Message = err.Error()
	}
	if known, ok := errors.AsType[*kappa.Error](err); ok {
		f.After = known.RetryAfter
	}
	if wait, ok := kappa.Postponed(err); ok {
		f.Retry, f.After = true, max(f.After, wait)
	}
	f.After = min(f.After, time.Hour)
	return f
}
