package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

func modes(t *testing.T, test func(t *testing.T, mode string)) {
	for _, mode := range []string{work.ModeSerial, work.ModeParallel} {
		t.Run(mode, func(t *testing.T) { test(t, mode) })
	}
}

func TestWork(t *testing.T) {
	modes(t, func(t *testing.T, mode string) {
		i := newIngestion(100, mode)
		got, err := i.work(t, t.Context())
		if err != nil {
			t.Fatal(err)
		}
		chunks := chunksOf(i.store.body, smallOptions())
		n := len(chunks)
		if n < 5 || len(i.store.written) != n || i.store.finished != 1 {
			t.Fatalf("%d chunks, %d written, finished %d times", n, len(i.store.written), i.store.finished)
		}
		for j, g := range i.store.written {
			checkGraph(t, g, chunks[j], i)
		}
		want := fmt.Sprintf(`{"status":"completed","stats":{"chunks_processed":%d,"source_embeddings_created":0,"sources_created":%d,`+
			`"concepts_created":%d,"concepts_linked":0,"instances_created":%d,"relationships_created":%d,"passages_stored":1,"extraction_tokens":%d,"embedding_tokens":%d,"candidates_dropped":%d},`+
			`"cost":{"extraction":"$0.09","embeddings":"$0.26","total":"$0.35","extraction_model":"reader","embedding_model":"fake-embedding"},`+
			`"ontology":"nature","filename":"words.txt","chunks_processed":%d}`, n, n, 2*n, 2*n, n, 100*n, 4*n+passageTokens(i), n, n)
		if string(got) != want {
			t.Errorf("result\n%s\nwant\n%s", got, want)
		}
	})
}

// passageTokens is what the embeddings of the passages are counted with.
func passageTokens(i *ingestion) (n int) {
	for _, g := range i.store.written {
		for _, p := range g.Passages {
			n += len(p.EmbeddingText())/charsPerToken + 1
		}
	}
	return n
}

func TestLocalEmbeddingChargesNoTokens(t *testing.T) {
	i := newIngestion(100, work.ModeSerial)
	i.embedder.local = true
	got, err := i.work(t, t.Context())
	if err != nil || !strings.Contains(string(got), `"embedding_tokens":0,"candidates_dropped":9}`) {
		t.Errorf("got %s, %v", got, err)
	}
}

// checkGraph holds what one chunk adds to what the fakes find in it.
func checkGraph(t *testing.T, g knowledge.ChunkGraph, chunk corpus.Chunk, i *ingestion) {
	t.Helper()
	if g.Chunk != chunk || g.Document.ID != *i.store.document.ContentHash || g.Document.Ontology != "nature" || g.Model != "fake-embedding" {
		t.Errorf("chunk %d: %+v", chunk.Number, g)
	}
	words := strings.Fields(chunk.Text)
	first, last := words[0], words[len(words)-1]
	if len(g.Drafts) != 2 || g.Drafts[1].Label != last || g.Drafts[1].Embedding[0] != float32(len(last)) {
		t.Errorf("chunk %d: drafts %+v", chunk.Number, g.Drafts)
	}
	for j, want := range []string{first, last} {
		if span := g.Instances[j].Span; i.store.body[span.Start:span.End] != want {
			t.Errorf("chunk %d: instance %d is at %v of the document", chunk.Number, j, span)
		}
	}
	if span := g.Relationships[0].Span; i.store.body[span.Start:span.End] != last {
		t.Errorf("chunk %d: relationship at %v of the document", chunk.Number, span)
	}
}

func TestWorkResumes(t *testing.T) {
	modes(t, func(t *testing.T, mode string) {
		whole := newIngestion(40, mode)
		wholeResult, err := whole.work(t, t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want, n := describe(whole.store.written), len(whole.store.written)
		rapid.Check(t, func(rt *rapid.T) {
			i := newIngestion(40, mode)
			crashes := rapid.SliceOfN(rapid.IntRange(1, n+1), 0, 4).Draw(rt, "crash at chunk") // n+1: when finishing
			stored := rapid.Bool().Draw(rt, "after the write")
			var got json.RawMessage
			for attempt := 0; ; attempt++ {
				crash := 0
				if attempt < len(crashes) {
					crash = crashes[attempt]
				}
				i.crashAt(crash, n, stored)
				if got, err = i.work(t, t.Context()); err == nil {
					break
				}
				if attempt >= len(crashes) {
					rt.Fatalf("attempt %d failed: %v", attempt+1, err)
				}
			}
			if described := describe(i.store.written); !slices.Equal(described, want) {
				rt.Errorf("after crashes at %v the chunks written are\n%s", crashes, strings.Join(described, "\n"))
			}
			if string(got) != string(wholeResult) {
				rt.Errorf("result %s\nwant %s", got, wholeResult)
			}
		})
	})
}

// crashAt fails the write of one chunk, or the end of the document for one more
// than all. stored says that the chunk was written nevertheless.
func (i *ingestion) crashAt(chunk, chunks int, stored bool) {
	crash := func(g knowledge.ChunkGraph) error {
		if g.Chunk.Number == chunk {
			return errors.New("crash")
		}
		return nil
	}
	i.store.beforeWrite, i.store.afterWrite, i.store.finishErr = nil, nil, nil
	switch {
	case chunk > chunks:
		i.store.finishErr = errors.New("crash")
	case stored:
		i.store.afterWrite = crash
	default:
		i.store.beforeWrite = crash
	}
}

func TestWorkCheckpoints(t *testing.T) {
	i := newIngestion(100, work.ModeSerial)
	if _, err := i.work(t, t.Context()); err != nil {
		t.Fatal(err)
	}
	n, done := len(i.store.written), i.store.checkpoint
	tests := map[string]struct {
		state   string
		written int
	}{
		"one at the end leaves nothing to read":                      {string(done.State), 0},
		"one that is no JSON starts at the first chunk":              {`{"last_chunk`, n},
		"one of another cut starts at the first chunk":               {fmt.Sprintf(`{"last_chunk":2,"end_byte":7,"chunks_total":%d}`, n), n},
		"one of another number of chunks starts at the first chunk":  {fmt.Sprintf(`{"last_chunk":1,"end_byte":%d,"chunks_total":99}`, i.store.written[0].Chunk.Bytes.End), n},
		"one past the end of the document starts at the first chunk": {`{"last_chunk":99,"end_byte":7,"chunks_total":99}`, n},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			i := newIngestion(100, work.ModeSerial)
			i.store.checkpoint.State = json.RawMessage(tt.state)
			got, err := i.work(t, t.Context())
			if err != nil || len(i.store.written) != tt.written || i.store.finished != 1 {
				t.Errorf("%d chunks written, finished %d times: %v", len(i.store.written), i.store.finished, err)
			}
			if want := fmt.Sprintf(`"sources_created":%d,`, n); !strings.Contains(string(got), want) {
				t.Errorf("result %s, want %s", got, want)
			}
		})
	}
}

func TestWorkProgress(t *testing.T) {
	i := newIngestion(100, work.ModeSerial)
	var all []work.Progress
	i.store.afterWrite = func(knowledge.ChunkGraph) error {
		all = append(all, i.store.checkpoint.Progress)
		return nil
	}
	synctest.Test(t, func(t *testing.T) {
		i.extractor.before = func(context.Context, knowledge.Passage) error {
			time.Sleep(40 * time.Millisecond)
			return nil
		}
		if _, err := i.work(t, t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	n := len(all)
	for j, p := range all {
		stage := "extracting"
		if j == n-1 {
			stage = "completed"
		}
		counts := work.ReadIngestionProgress(p.Counters)
		if p.Stage != stage || counts.ChunksTotal != n || counts.ChunksProcessed != j+1 || counts.CurrentChunk != j+1 || counts.ConceptsCreated != 2*(j+1) ||
			p.Percent != 100*(j+1)/n {
			t.Errorf("after chunk %d of %d: %+v", j+1, n, p)
		}
	}
	if all[n-1].Percent != 100 {
		t.Errorf("percent ends at %v", all[n-1].Percent)
	}
	var emitted []int
	for _, p := range i.store.emitted {
		emitted = append(emitted, work.ReadIngestionProgress(p.Counters).CurrentChunk)
	}
	if want := []int{1, 4, 7, 9}; n != 9 || !slices.Equal(emitted, want) { // 100 ms are three chunks of 40 ms; the last always writes an event
		t.Errorf("of %d chunks %v wrote an event, want %v", n, emitted, want)
	}
}

func TestWorkStops(t *testing.T) {
	for _, cause := range []error{kappa.ErrCancelled, kappa.ErrShutdown, kappa.ErrLeaseLost} {
		modes(t, func(t *testing.T, mode string) {
			t.Run("when the context ends with "+cause.Error(), func(t *testing.T) {
				i := newIngestion(100, mode)
				ctx, cancel := context.WithCancelCause(t.Context())
				i.store.afterWrite = func(g knowledge.ChunkGraph) error {
					if g.Chunk.Number == 2 {
						cancel(cause)
					}
					return nil
				}
				got, err := i.work(t, ctx)
				if !errors.Is(err, cause) || len(i.store.written) != 2 || i.store.finished != 0 {
					t.Errorf("%v, %d chunks written, finished %d times", err, len(i.store.written), i.store.finished)
				}
				wantResult := errors.Is(cause, kappa.ErrCancelled)
				if has := strings.HasPrefix(string(got), `{"status":"cancelled","stats":{"chunks_processed":2,`) && strings.HasSuffix(string(got), `"chunks_processed":2,"chunks_total":9}`); has != wantResult || !wantResult && got != nil {
					t.Errorf("result %s", got)
				}
			})
		})
	}
	for _, refusal := range []error{kappa.ErrCancelled, kappa.ErrStale} {
		modes(t, func(t *testing.T, mode string) {
			t.Run("when the store says "+refusal.Error(), func(t *testing.T) {
				i := newIngestion(100, mode)
				i.store.beforeWrite = func(g knowledge.ChunkGraph) error {
					if g.Chunk.Number == 3 {
						return fmt.Errorf("write chunk: %w", refusal)
					}
					return nil
				}
				if _, err := i.work(t, t.Context()); !errors.Is(err, refusal) || len(i.store.written) != 2 {
					t.Errorf("%v, %d chunks written", err, len(i.store.written))
				}
			})
		})
	}
	t.Run("while a chunk is being read", func(t *testing.T) {
		modes(t, func(t *testing.T, mode string) {
			i := newIngestion(100, mode)
			ctx, cancel := context.WithCancelCause(t.Context())
			i.extractor.before = func(ctx context.Context, _ knowledge.Passage) error {
				cancel(kappa.ErrCancelled)
				<-ctx.Done()
				return ctx.Err()
			}
			if _, err := i.work(t, ctx); !errors.Is(err, kappa.ErrCancelled) || len(i.store.written) != 0 {
				t.Errorf("%v, %d chunks written", err, len(i.store.written))
			}
		})
	})
}

func TestWorkFails(t *testing.T) {
	t.Run("not on a chunk that makes the extractor panic, but says that it is missing", func(t *testing.T) {
		modes(t, func(t *testing.T, mode string) {
			i := newIngestion(100, mode)
			i.claim.Data = withReplace(i.claim.Data)
			i.extractor.before = func(_ context.Context, p knowledge.Passage) error {
				if strings.Contains(p.Text, "word0030") {
					panic("index out of range")
				}
				return nil
			}
			got, err := i.work(t, t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var r result
			if json.Unmarshal(got, &r) != nil || !r.WithGaps || len(r.Gaps) != 1 || r.Gaps[0].Chunk != 3 || !strings.Contains(r.Gaps[0].Error, "index out of range") {
				t.Errorf("result %s", got)
			}
			if i.store.finishing.Document.Replaces != corpus.ReplaceOwn {
				t.Error("the text of a document with a chunk that could not be read replaces no earlier version")
			}
			if g := i.store.written[2]; len(i.store.written) != 9 || len(g.Drafts) > 0 || g.Chunk.Text == "" || g.Reader != "" {
				t.Errorf("%d chunks written, the third is %+v", len(i.store.written), g)
			}

			// A retry reads that chunk alone.
			retry := newIngestion(100, mode)
			retry.store.earlier = i.store.written
			retry.claim.Data = i.claim.Data
			retry.store.toEmbed, retry.store.replaced = []string{"a name that is left"}, []string{"sha256:old"}
			got, err = retry.work(t, t.Context())
			if retry.store.finishing.Document.Replaces != corpus.ReplaceOwn || !strings.Contains(string(got), `"documents_replaced":["sha256:old"]`) {
				t.Errorf("the retry ends with %+v: %s", retry.store.finishing, got)
			}
			if err != nil || retry.extractor.read != 1 || !strings.Contains(string(got), `"chunks_reused":8`) || strings.Contains(string(got), "gaps") {
				t.Errorf("the retry read %d chunks: %s, %v", retry.extractor.read, got, err)
			}
			whole := newIngestion(100, mode)
			whole.claim.Data = i.claim.Data
			if _, err := whole.work(t, t.Context()); err != nil || fmt.Sprint(describe(retry.store.written)) != fmt.Sprint(describe(whole.store.written)) {
				t.Errorf("the retry wrote\n%s\nwant, as if all had been read at once,\n%s", describe(retry.store.written), describe(whole.store.written))
			}
		})
	})
	t.Run("for good when no chunk can be read", func(t *testing.T) {
		modes(t, func(t *testing.T, mode string) {
			for _, words := range []int{10, 100} {
				i := newIngestion(words, mode)
				i.extractor.before = func(context.Context, knowledge.Passage) error { return kappa.Permanent(errors.New("no such answer")) }
				_, err := i.work(t, t.Context())
				if err == nil || kappa.Retryable(err) || !strings.Contains(err.Error(), "no such answer") || len(i.store.written) > mostFirstFailures {
					t.Errorf("%d words: %v after %d chunks", words, err, len(i.store.written))
				}
			}
		})
	})
	t.Run("at once when the key or the model is missing", func(t *testing.T) {
		i := newIngestion(100, work.ModeSerial)
		i.extractor.before = func(context.Context, knowledge.Passage) error { return kappa.NewError(kappa.CodeForbidden, "bad key") }
		if _, err := i.work(t, t.Context()); err == nil || kappa.Retryable(err) || len(i.store.written) != 0 {
			t.Errorf("%v after %d chunks", err, len(i.store.written))
		}
	})
	t.Run("and a forced ingestion reads anew, but its retry does not", func(t *testing.T) {
		first := newIngestion(100, work.ModeSerial)
		if _, err := first.work(t, t.Context()); err != nil {
			t.Fatal(err)
		}
		for reuse, want := range map[bool]int{false: 9, true: 0} {
			i := newIngestion(100, work.ModeSerial)
			i.store.earlier = first.store.written
			i.claim.Data, _ = json.Marshal(jobData{ContentType: corpus.ContentPlain, Chunking: smallOptions(), Force: true, Reuse: reuse})
			if _, err := i.work(t, t.Context()); err != nil || i.extractor.read != want {
				t.Errorf("reuse %t: read %d chunks, want %d, %v", reuse, i.extractor.read, want, err)
			}
		}
	})
	t.Run("with the extractor's error, to be tried again", func(t *testing.T) {
		i := newIngestion(100, work.ModeSerial)
		unreachable := kappa.NewError(kappa.CodeUnavailable, "the model cannot be reached")
		i.extractor.before = func(context.Context, knowledge.Passage) error { return unreachable }
		if _, err := i.work(t, t.Context()); !errors.Is(err, unreachable) || !kappa.Retryable(err) || !strings.Contains(err.Error(), "chunk 1 of 9") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("when embeddings are missing", func(t *testing.T) {
		i := newIngestion(100, work.ModeSerial)
		i.embedder.short = true
		if _, err := i.work(t, t.Context()); err == nil || !strings.Contains(err.Error(), "1 embeddings for 2 texts") || len(i.store.written) != 0 {
			t.Errorf("got %v, %d chunks written", err, len(i.store.written))
		}
	})
	t.Run("for good without data, document or ontology", func(t *testing.T) {
		for _, spoil := range []func(*ingestion){
			func(i *ingestion) { i.claim.Data = json.RawMessage(`[`) },
			func(i *ingestion) { i.store.document.ContentHash = nil },
			func(i *ingestion) { i.store.document.Ontology = nil },
			func(i *ingestion) { i.store.document.ContentHash = new("sha256:gone") },
		} {
			i := newIngestion(100, work.ModeSerial)
			spoil(i)
			if _, err := i.work(t, t.Context()); err == nil || kappa.Retryable(err) {
				t.Errorf("got %v", err)
			}
		}
	})
}

func TestWorkWithoutChunks(t *testing.T) {
	i := newIngestion(0, work.ModeSerial)
	got, err := i.work(t, t.Context())
	want := `{"status":"completed","message":"No chunks to process","stats":{"chunks_processed":0,"source_embeddings_created":0,"sources_created":0,` +
		`"concepts_created":0,"concepts_linked":0,"instances_created":0,"relationships_created":0,"extraction_tokens":0,"embedding_tokens":0}}`
	if err != nil || string(got) != want {
		t.Errorf("%v, result\n%s\nwant\n%s", err, got, want)
	}
}

func TestWorkReadsAhead(t *testing.T) {
	t.Run("parallel reads so many chunks at a time, and writes them in their order", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			i := newIngestion(100, work.ModeParallel)
			i.parallel = 2
			var now, most atomic.Int32
			i.extractor.before = func(_ context.Context, p knowledge.Passage) error {
				most.Store(max(most.Load(), now.Add(1)))
				defer now.Add(-1)
				if strings.HasPrefix(p.Text, "word0001") {
					time.Sleep(2 * time.Second) // those behind it do not wait for it
				}
				time.Sleep(time.Second)
				return nil
			}
			start := time.Now()
			if _, err := i.work(t, t.Context()); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took != 6*time.Second { // eleven seconds of reading, by two
				t.Errorf("nine chunks took %v, want 6s", took)
			}
			if most.Load() != 2 {
				t.Errorf("%d chunks were read at once, want 2", most.Load())
			}
			for n, g := range i.store.written {
				if g.Chunk.Number != n+1 {
					t.Errorf("chunk %d was written in place %d", g.Chunk.Number, n+1)
				}
			}
		})
	})
	t.Run("a failed write ends the chunks that are being read ahead", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			i := newIngestion(100, work.ModeParallel)
			var begun, ended atomic.Int32
			i.extractor.before = func(ctx context.Context, p knowledge.Passage) error {
				if strings.HasPrefix(p.Text, "word0001") {
					return nil
				}
				begun.Add(1)
				<-ctx.Done()
				time.Sleep(time.Second) // winding up takes a while
				ended.Add(1)
				return ctx.Err()
			}
			i.store.beforeWrite = func(knowledge.ChunkGraph) error {
				synctest.Wait()
				return kappa.ErrStale
			}
			if _, err := i.work(t, t.Context()); !errors.Is(err, kappa.ErrStale) || ended.Load() == 0 || ended.Load() != begun.Load() {
				t.Errorf("%v, %d of %d had ended", err, ended.Load(), begun.Load())
			}
		})
	})
	t.Run("serial reads one after the other", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			i := newIngestion(100, work.ModeSerial)
			i.extractor.before = func(context.Context, knowledge.Passage) error { time.Sleep(time.Second); return nil }
			i.store.beforeWrite = func(g knowledge.ChunkGraph) error {
				time.Sleep(time.Second)
				if i.extractor.read != g.Chunk.Number {
					t.Errorf("read %d chunks when writing chunk %d", i.extractor.read, g.Chunk.Number)
				}
				return nil
			}
			start := time.Now()
			if _, err := i.work(t, t.Context()); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took != 18*time.Second {
				t.Errorf("nine chunks took %v, want 18s", took)
			}
		})
	})
}

// withReplace is the data of a job that replaces earlier versions.
func withReplace(data json.RawMessage) json.RawMessage {
	var d jobData
	_ = json.Unmarshal(data, &d)
	d.Replace = corpus.ReplaceOwn
	data, _ = json.Marshal(d)
	return data
}

// A relationship type that somebody has added is one that the extractor is told of, and
// what it names so stays so; of one that was merged it is not told.
func TestAddedTypesReachTheExtractor(t *testing.T) {
	i := newIngestion(20, work.ModeSerial)
	var told []string
	i.extractor.before = func(_ context.Context, p knowledge.Passage) error {
		told = p.Types
		return nil
	}
	_, err := NewHandler(HandlerConfig{
		Store: i.store, Formats: fakeFormats{}, Passages: fakePassages, Extractor: i.extractor, Embedder: i.embedder, Log: testLog(t),
		Vocabulary: func(context.Context) (vocabulary.TypeNames, error) {
			return vocabulary.TypeNames{Active: []string{"CAUSES", "PHOSPHORYLATES"}, Merged: []string{"BRINGS"}}, nil
		},
	}).Work(t.Context(), i.claim)
	if err != nil || !slices.Equal(told, []string{"CAUSES", "PHOSPHORYLATES"}) {
		t.Errorf("the extractor is told of %v, %v", told, err)
	}
}

// pagedFormats says how many pages it reads.
type pagedFormats struct{ fakeFormats }

func (pagedFormats) Text(ctx context.Context, body []byte, _ corpus.ContentType) (corpus.DocumentText, error) {
	said := corpus.ReadingProgress(ctx)
	for page := range 500 {
		said(page+1, 500)
	}
	return corpus.DocumentText{Text: string(body), Markup: corpus.ContentPlain, Warnings: []string{"2 of 500 pages are pictures"}}, nil
}

// TestPagesAreSaid stores how far a long document is read, now and then, and says in the result what
// was not certain.
func TestPagesAreSaid(t *testing.T) {
	i := newIngestion(40, "serial")
	var stored []work.Progress
	done, err := NewHandler(HandlerConfig{
		Vocabulary: builtinTypes, Store: i.store, Formats: pagedFormats{}, Passages: fakePassages, Extractor: i.extractor, Embedder: i.embedder, Log: testLog(t),
		Progress: func(_ context.Context, claim work.Claim, c work.Checkpoint) error {
			if claim.JobID != i.claim.JobID || c.State != nil || !c.Emit {
				t.Errorf("stored %+v of %v", c, claim.JobID)
			}
			stored = append(stored, c.Progress)
			return errors.New("the database is away")
		},
	}).Work(t.Context(), i.claim)
	if err != nil || len(stored) == 0 || len(stored) > 10 || stored[0].Stage != stageReading || stored[0].Message != "page 1 of 500" || stored[0].Percent != 0 {
		t.Errorf("stored %+v, %v", stored, err)
	}
	if !strings.Contains(string(done), "2 of 500 pages are pictures") {
		t.Errorf("the result is %s", done)
	}
}
