package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/remote"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/internal/worker"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// workedChildren has each job read by a worker as it is submitted.
type workedChildren struct {
	read worker.Handler
	sent int // bytes of data
}

func (c *workedChildren) SubmitJob(ctx context.Context, j work.NewJob) (work.Job, error) {
	c.sent += len(j.Data)
	result, err := c.read(ctx, &worker.Run{Data: j.Data})
	return work.Job{ID: "job_1", Status: work.StatusCompleted, Result: result}, err
}

func (*workedChildren) JobsByIDs(context.Context, []string) ([]work.Job, error) {
	return nil, errors.New("not asked for")
}

func (*workedChildren) Cancel(context.Context, string) (bool, error) {
	return false, errors.New("not asked for")
}

// TestRemoteReadingIsTheSame has a document read by a worker, which sees one chunk at a
// time, and here: with the outline of the document, which travels with each chunk, both
// find the same.
func TestRemoteReadingIsTheSame(t *testing.T) {
	t.Parallel()
	checkRemoteReading(t, 3, filepath.Join("..", "..", "docs", "remote-workers.md"))
}

func TestRemoteReadingIsTheSame_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	names, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	noError(t, err)
	checkRemoteReading(t, 10, names...)
}

// checkRemoteReading reads the first chunks of each document.
func checkRemoteReading(t *testing.T, most int, names ...string) {
	t.Helper()
	local, err := extract.Builtin()
	noError(t, err)
	jobs := &workedChildren{read: worker.Extract(local)}
	far := remote.NewExtractor(remote.ExtractorConfig{Jobs: jobs, Outlines: local, Log: slog.New(slog.DiscardHandler)})
	ctx := remote.WithParent(t.Context(), work.Claim{JobID: "job_0"})
	read, differs, text := 0, 0, 0
	for _, name := range names {
		body, err := os.ReadFile(name)
		noError(t, err)
		outline := far.Outline(string(body), corpus.ContentMarkdown)
		for chunk := range ingest.Chunks(string(body), corpus.ContentMarkdown, corpus.ChunkOptions{TargetWords: 300, MinWords: 200, MaxWords: 500}) {
			if chunk.Number > most {
				break
			}
			p := knowledge.Passage{Text: chunk.Text, ContentType: corpus.ContentMarkdown, Outline: outline}
			here, there := found(t, t.Context(), local, p), found(t, ctx, far, p)
			read++
			text += len(chunk.Text)
			if here != there {
				t.Errorf("%s: chunk %d is read remotely as\n%s\nand here as\n%s", name, chunk.Number, there, here)
			}
			p.Outline = nil
			if found(t, t.Context(), local, p) != here {
				differs++
			}
		}
	}
	t.Logf("%d chunks, of which %d would be read otherwise without the outline; %d bytes were sent of %d bytes of text", read, differs, jobs.sent, text)
	if differs == 0 {
		t.Error("the outline makes no difference to any chunk, so that nothing is tested")
	}
	if jobs.sent > 2*text {
		t.Errorf("%d bytes were sent for %d bytes of text", jobs.sent, text)
	}
}

// found returns all that a reader finds, as a text.
func found(t *testing.T, ctx context.Context, reader extract.Extractor, p knowledge.Passage) string {
	t.Helper()
	e, err := reader.Extract(ctx, p)
	noError(t, err)
	text, err := json.Marshal(wire.NewReading(e, ""))
	noError(t, err)
	return string(text)
}
