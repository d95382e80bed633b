package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// newVersion is a document that is a version of one that stands.
func newVersion(words int, mode string) *ingestion {
	i := newIngestion(words, mode)
	i.store.standing = corpus.Standing{Earlier: true}
	i.claim.Data, _ = json.Marshal(jobData{
		ContentType: corpus.ContentPlain, Chunking: smallOptions(), Replace: corpus.ReplaceOwn, Key: new("words"), SubmittedAt: new(time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)),
	})
	return i
}

// TestVersionAtOnce: nothing of a new version is written before all of it is ready, and then all at
// once, as a document that is the first one would be.
func TestVersionAtOnce(t *testing.T) {
	modes(t, func(t *testing.T, mode string) {
		i := newVersion(100, mode)
		i.store.replaced, i.store.toEmbed = []string{"sha256:old"}, []string{"a name that is left"}
		i.store.beforeWrite = func(knowledge.ChunkGraph) error { return errors.New("a chunk is written alone") }
		got, err := i.work(t, t.Context())
		var r result
		if err != nil || json.Unmarshal(got, &r) != nil || i.store.versions != 1 || len(i.store.written) != 9 || r.Stats.ChunksProcessed != 9 || r.Stats.SourcesCreated != 9 || len(r.Replaced) != 1 {
			t.Fatalf("%d versions with %d chunks: %s (%v)", i.store.versions, len(i.store.written), got, err)
		}
		unkeyed := func(graphs []knowledge.ChunkGraph) []string { // a pointer is shown as its address
			for i := range graphs {
				graphs[i].Document.Key = nil
			}
			return describe(graphs)
		}
		first := newVersion(100, mode)
		first.store.standing = corpus.Standing{}
		if _, err := first.work(t, t.Context()); err != nil || first.store.versions != 0 || fmt.Sprint(unkeyed(first.store.written)) != fmt.Sprint(unkeyed(i.store.written)) {
			t.Errorf("the first version has\n%s\nand a later one of the same text\n%s (%v)", describe(first.store.written), describe(i.store.written), err)
		}
	})
}

// TestVersionStops: a version that is cancelled or fails has written nothing; what was read is kept, so
// that the next attempt reads the rest alone.
func TestVersionStops(t *testing.T) {
	modes(t, func(t *testing.T, mode string) {
		for _, cause := range []error{kappa.ErrCancelled, kappa.ErrShutdown} {
			i := newVersion(100, mode)
			i.parallel = 1
			ctx, cancel := context.WithCancelCause(t.Context())
			i.extractor.before = func(_ context.Context, p knowledge.Passage) error {
				if strings.Contains(p.Text, "word0060") {
					cancel(cause)
				}
				return nil
			}
			if _, err := i.work(t, ctx); !errors.Is(err, cause) || len(i.store.written) != 0 || i.store.versions != 0 {
				t.Errorf("%v: %v, %d chunks written", cause, err, len(i.store.written))
			}
			before := i.extractor.read
			i.extractor.before = nil
			got, err := i.work(t, t.Context())
			if err != nil || i.store.versions != 1 || len(i.store.written) != 9 || i.extractor.read-before > 7 {
				t.Errorf("%v: the next attempt read %d chunks after %d: %s (%v)", cause, i.extractor.read-before, before, got, err)
			}
		}
	})
	t.Run("when no chunk can be read", func(t *testing.T) {
		i := newVersion(100, work.ModeSerial)
		i.extractor.before = func(context.Context, knowledge.Passage) error { return kappa.Permanent(errors.New("no such answer")) }
		if _, err := i.work(t, t.Context()); err == nil || kappa.Retryable(err) || i.store.versions != 0 {
			t.Errorf("%v, %d versions written", err, i.store.versions)
		}
	})
}

// TestVersionMeanwhile: a document that was the first one when its job began is written at once when
// another version was complete meanwhile, and not at all when that is a later one.
func TestVersionMeanwhile(t *testing.T) {
	modes(t, func(t *testing.T, mode string) {
		for _, chunk := range []int{1, 5} {
			i := newVersion(100, mode)
			i.store.standing = corpus.Standing{}
			i.store.beforeWrite = func(g knowledge.ChunkGraph) error {
				if g.Chunk.Number == chunk {
					return fmt.Errorf("write chunk: %w", corpus.ErrEarlierStands)
				}
				return nil
			}
			_, err := i.work(t, t.Context())
			if err != nil || i.store.versions != 1 || len(i.store.written) != 9+chunk-1 {
				t.Errorf("told so at chunk %d: %d versions, %d chunks written (%v)", chunk, i.store.versions, len(i.store.written), err)
			}
		}
		later := newVersion(100, mode)
		later.store.standing = corpus.Standing{LaterJob: "job_ba9876543210", Earlier: true}
		got, err := later.work(t, t.Context())
		if err != nil || later.extractor.read != 0 || !strings.Contains(string(got), `"superseded_by":"job_ba9876543210"`) {
			t.Errorf("when a later one stands, %d chunks are read: %s (%v)", later.extractor.read, got, err)
		}
	})
}
