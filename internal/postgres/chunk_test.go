package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/work"
)

var (
	docBody = []byte("A document for the tests.")
	docID   = corpus.ContentHash(docBody)
)

func noCheckpoint(corpus.Counts) work.Checkpoint { return work.Checkpoint{} }

// vector is an embedding that depends on the words of a text alone; texts
// without a common word are orthogonal.
func vector(text string) models.Embedding {
	v := make(models.Embedding, 768)
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		h := uint32(2166136261)
		for _, b := range []byte(word) {
			h = (h ^ uint32(b)) * 16777619
		}
		v[h%768]++
	}
	return v
}

// byLabel takes concepts for the same that bear the same label, and asks for the near
// ones besides.
type byLabel struct{}

func (byLabel) LeastSimilarity() float64                                   { return 0.75 }
func (byLabel) Certain(knowledge.ConceptDraft, []knowledge.Candidate) bool { return false }

func (byLabel) Match(drafts []knowledge.ConceptDraft, candidates [][]knowledge.Candidate) []knowledge.ConceptMatch {
	matches := make([]knowledge.ConceptMatch, len(drafts))
	for i, d := range drafts {
		matches[i].Draft = i
		for _, c := range candidates[i] {
			if naming.LabelKey(c.Label) == naming.LabelKey(d.Label) {
				matches[i] = knowledge.ConceptMatch{Known: c.ID}
			}
		}
	}
	return matches
}

// chunkGraph is a chunk that names concepts, each related to the next one.
func chunkGraph(number int, labels ...string) knowledge.ChunkGraph {
	text := strings.Join(labels, ". ")
	span := corpus.Span{Start: number * 1000, End: number*1000 + len(text)}
	g := knowledge.ChunkGraph{
		Document: corpus.Document{ID: docID, Ontology: "o", Filename: "test.txt", ContentType: corpus.ContentPlain},
		Model:    "test",
		Chunk:    corpus.Chunk{Number: number, Text: text, Bytes: span, StartChar: span.Start, EndChar: span.End, Words: len(labels), Boundary: corpus.BoundaryEnd},
	}
	for i, label := range labels {
		g.Drafts = append(g.Drafts, knowledge.ConceptDraft{
			ExtractedConcept: knowledge.ExtractedConcept{Key: label, Label: label, SearchTerms: []string{label + " (term)"}},
			Embedding:        vector(label),
		})
		g.Instances = append(g.Instances, knowledge.ExtractedInstance{Concept: label, Quote: label, Span: corpus.Span{Start: span.Start, End: span.Start + len(label)}})
		if i > 0 {
			g.Relationships = append(g.Relationships, knowledge.ExtractedRelationship{
				From: labels[i-1], To: label, Type: "PART_OF", Direction: knowledge.Outward, Confidence: 0.8, Quote: text, Span: span,
				Marks: knowledge.Marks{
					From: knowledge.Mark{Kind: knowledge.MarkName, Span: corpus.Span{End: len(labels[0])}}, To: knowledge.Mark{Kind: knowledge.MarkBefore},
					Before: labels[0], BeforeSpan: corpus.Span{Start: span.Start, End: span.Start + len(labels[0])},
				},
			})
		}
	}
	return g
}

// ingestionJob is the job of an ingestion that a user submits.
func ingestionJob(userID int) work.NewJob {
	return work.NewJob{
		Type: "ingestion", Queue: work.DefaultQueue, Priority: work.PriorityUser, Data: []byte(`{}`),
		MaxRetries: work.DefaultMaxRetries, UserID: userID,
	}
}

// ingestion submits and claims an ingestion of the test document.
func ingestion(t *testing.T, s *postgres.DB, worker string, force bool) work.Claim {
	t.Helper()
	return ingestionOf(t, s, worker, docBody, force)
}

// ingestionOf submits and claims an ingestion of a document.
func ingestionOf(t *testing.T, s *postgres.DB, worker string, body []byte, force bool) work.Claim {
	t.Helper()
	answer, err := s.Ingestions().SubmitIngestion(t.Context(), work.Submission{
		Body: body, ContentType: corpus.ContentPlain, ContentHash: corpus.ContentHash(body), Ontology: "o", Filename: "test.txt",
		Force: force, ProcessingMode: work.ModeSerial,
	}, ingestionJob(access.SystemUserID))
	must(t, err)
	if answer.Duplicate {
		t.Fatalf("the submission is a duplicate of %s", answer.JobID)
	}
	must(t, s.Ingestions().Analyzed(t.Context(), work.AnalysisClaim{JobID: answer.JobID}, corpus.Analysis{Warnings: []string{}}, true))
	claims := claim(t, s, worker, 1)
	if len(claims) != 1 || claims[0].JobID != answer.JobID {
		t.Fatalf("claimed %v, want %s", ids(claims), answer.JobID)
	}
	return claims[0]
}

func TestWriteChunk(t *testing.T) {
	t.Parallel()
	t.Run("matches known concepts, and writing a chunk again changes nothing", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		c := ingestion(t, s, workerA, false)
		first, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(1, "worker lane", "claim token"), byLabel{}, noCheckpoint)
		must(t, err)
		if want := (corpus.Counts{SourcesCreated: 1, ConceptsCreated: 2, InstancesCreated: 2, RelationshipsCreated: 1}); first != want {
			t.Errorf("first chunk: %+v, want %+v", first, want)
		}
		second, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(2, "Worker Lane", "lease"), byLabel{}, noCheckpoint)
		must(t, err)
		if want := (corpus.Counts{SourcesCreated: 1, ConceptsCreated: 1, ConceptsLinked: 1, InstancesCreated: 2, RelationshipsCreated: 1}); second != want {
			t.Errorf("second chunk: %+v, want %+v", second, want)
		}
		before := graphRows(t, dsn)
		again, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(2, "Worker Lane", "lease"), byLabel{}, noCheckpoint)
		must(t, err)
		if want := (corpus.Counts{ConceptsLinked: 2}); again != want {
			t.Errorf("the same chunk again: %+v, want %+v", again, want)
		}
		if after := graphRows(t, dsn); after != before {
			t.Errorf("the same chunk again changed the rows from %v to %v", before, after)
		}
	})

	t.Run("links a concept that has no search terms, and learns a description", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		c := ingestion(t, s, workerA, false)
		for n, description := range []string{"", "A lease ends."} {
			g := chunkGraph(n+1, "lease")
			g.Drafts[0].SearchTerms, g.Drafts[0].Description = nil, description
			_, err := s.Documents().WriteChunk(t.Context(), c, g, byLabel{}, noCheckpoint)
			must(t, err)
		}
		if rows := graphRows(t, dsn); rows.concepts != 1 || rows.instances != 2 {
			t.Errorf("the graph has %+v", rows)
		}
	})

	t.Run("saves the checkpoint and the event with the graph, or nothing at all", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		c := ingestion(t, s, workerA, false)
		_, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(1, "worker lane"), byLabel{}, func(n corpus.Counts) work.Checkpoint {
			return work.Checkpoint{State: []byte(`{"chunk":1}`), Progress: work.Progress{Stage: "s", Percent: 50, Counters: work.IngestionProgress{Counts: n}.Counters()}, Emit: true}
		})
		must(t, err)
		job, err := s.Jobs().Job(t.Context(), c.JobID)
		must(t, err)
		if job.Progress == nil || work.ReadIngestionProgress(job.Progress.Counters).ConceptsCreated != 1 {
			t.Errorf("progress is %+v", job.Progress)
		}
		before := graphRows(t, dsn)
		broken := chunkGraph(2, "lease", "fence")
		broken.Relationships[0].Type = "not a type!" // the last thing that is written
		if _, err := s.Documents().WriteChunk(t.Context(), c, broken, byLabel{}, noCheckpoint); err == nil {
			t.Fatal("a malformed relationship type was accepted")
		}
		if after := graphRows(t, dsn); after != before {
			t.Errorf("a chunk that failed changed the rows from %v to %v", before, after)
		}
		checkHistory(t, s, c.JobID)
	})

	t.Run("stops a cancelled job before it writes", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		c := ingestion(t, s, workerA, false)
		_, err := s.Jobs().Cancel(t.Context(), c.JobID)
		must(t, err)
		if _, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(1, "lease"), byLabel{}, noCheckpoint); !errors.Is(err, kappa.ErrCancelled) {
			t.Errorf("the chunk of a cancelled job returned %v", err)
		}
		if rows := graphRows(t, dsn); rows.sources != 0 {
			t.Errorf("a cancelled job wrote %v", rows)
		}
	})

	t.Run("chunks of two documents that name a new concept at the same moment make one of it", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		bodies := []string{"one document", "another document"}
		var claims []work.Claim
		for _, body := range bodies {
			claims = append(claims, ingestionOf(t, s, workerA, []byte(body), false))
		}
		const rounds = 20
		for n := range rounds {
			together(len(claims), func(i int) {
				g := chunkGraph(n+1, fmt.Sprint("shared concept ", n))
				g.Document.ID = corpus.ContentHash([]byte(bodies[i]))
				if _, err := s.Documents().WriteChunk(t.Context(), claims[i], g, byLabel{}, noCheckpoint); err != nil {
					t.Error(err)
				}
			})
		}
		if rows := graphRows(t, dsn); rows.concepts != rounds || rows.instances != 2*rounds {
			t.Errorf("the graph has %+v, want %d concepts with 2 quotes each", rows, rounds)
		}
	})

	t.Run("chunks of a document that name a new concept at the same moment make one of it", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		c := ingestion(t, s, workerA, false)
		_, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(1), byLabel{}, noCheckpoint)
		must(t, err)
		together(8, func(i int) {
			if _, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(i+2, "shared concept"), byLabel{}, noCheckpoint); err != nil {
				t.Error(err)
			}
		})
		if rows := graphRows(t, dsn); rows.concepts != 1 || rows.instances != 8 {
			t.Errorf("the graph has %+v, want 1 concept with 8 quotes", rows)
		}
	})
}

// held is byLabel, and waits in the transaction until it may go on.
type held struct {
	byLabel
	entered, release chan struct{}
}

func (h held) Match(drafts []knowledge.ConceptDraft, candidates [][]knowledge.Candidate) []knowledge.ConceptMatch {
	h.entered <- struct{}{}
	<-h.release
	return h.byLabel.Match(drafts, candidates)
}

// TestChunksAtOnce: chunks are written at the same time, unless they bring the same new
// concept.
func TestChunksAtOnce(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	execSQL(t, dsn, "UPDATE kg_api.worker_lanes SET max_slots = 16")
	claims := map[string]work.Claim{}
	for _, name := range []string{"before", "first", "other", "second"} {
		claims[name] = ingestionOf(t, s, workerA, []byte(name), false)
	}
	write := func(name string, m knowledge.Matcher, labels ...string) error {
		body, c := []byte(name), claims[name]
		g := chunkGraph(1, labels...)
		g.Document.ID = corpus.ContentHash(body)
		_, err := s.Documents().WriteChunk(t.Context(), c, g, m, noCheckpoint)
		return err
	}
	must(t, write("before", byLabel{}, "hub")) // makes the ontology and a concept
	first := held{entered: make(chan struct{}), release: make(chan struct{})}
	second := held{entered: make(chan struct{}), release: make(chan struct{})}
	done := make(chan error, 2)
	go func() { done <- write("first", first, "lease") }()
	<-first.entered // it is within its transaction
	must(t, write("other", byLabel{}, "fence", "hub"))
	go func() { done <- write("second", second, "Lease") }()
	select {
	case <-second.entered:
		t.Error("two chunks that bring the same new concept were matched at once")
	case <-time.After(300 * time.Millisecond):
	}
	close(first.release)
	must(t, <-done)
	<-second.entered
	close(second.release)
	must(t, <-done)
	if rows := graphRows(t, dsn); rows.concepts != 3 || rows.sources != 4 {
		t.Errorf("the graph has %+v, want 3 concepts of 4 chunks", rows)
	}
}

// TestIngestionDocument: the handler gets what the submission said of the document.
func TestIngestionDocument(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	d, err := s.Ingestions().IngestionDocument(t.Context(), ingestion(t, s, workerA, false))
	must(t, err)
	if *d.ContentHash != docID || *d.Ontology != "o" || *d.Filename != "test.txt" || *d.ProcessingMode != work.ModeSerial ||
		d.SourceType != nil || d.SourcePath != nil || d.SourceHostname != nil {
		t.Errorf("got %+v", d)
	}
}

func TestFinishDocument(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	first := ingestion(t, s, workerA, false)
	for n, labels := range [][]string{{"worker lane", "claim token"}, {"lease", "fence"}} {
		_, err := s.Documents().WriteChunk(t.Context(), first, chunkGraph(n+1, labels...), byLabel{}, noCheckpoint)
		must(t, err)
	}
	must(t, finishDocument(t, s, first, docID, "o"))
	_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(first)})
	must(t, err)

	t.Run("a re-ingest replaces what the document said before", func(t *testing.T) {
		second := ingestion(t, s, workerA, true)
		_, err := s.Documents().WriteChunk(t.Context(), second, chunkGraph(1, "worker lane", "heartbeat"), byLabel{}, noCheckpoint)
		must(t, err)
		must(t, finishDocument(t, s, second, docID, "o"))
		want := graphCounts{sources: 1, concepts: 2, instances: 2, edges: 1, evidence: 1}
		if rows := graphRows(t, dsn); rows != want {
			t.Errorf("the graph has %+v, want %+v", rows, want)
		}
		_, err = s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(second)})
		must(t, err)
	})
}

type graphCounts struct{ sources, concepts, instances, edges, evidence int }

func graphRows(t *testing.T, dsn string) graphCounts {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	var n graphCounts
	must(t, conn.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM kg_api.sources), (SELECT count(*) FROM kg_api.concepts),
		(SELECT count(*) FROM kg_api.instances), (SELECT count(*) FROM kg_api.edges), (SELECT count(*) FROM kg_api.edge_evidence)`).
		Scan(&n.sources, &n.concepts, &n.instances, &n.edges, &n.evidence))
	return n
}

// TestMatchingUsesIndexes counts the concepts that a chunk's matching reads: few of them,
// however many there are. One in sixty shares a band with a concept.
func TestMatchingUsesIndexes(t *testing.T) {
	t.Parallel()
	checkMatchingUsesIndexes(t, 3)
}

func TestMatchingUsesIndexes_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkMatchingUsesIndexes(t, 20)
}

func checkMatchingUsesIndexes(t *testing.T, hundreds int) {
	t.Helper()
	s, dsn := newStore(t)
	register(t, s, workerA)
	c := ingestion(t, s, workerA, false)
	for n := range hundreds {
		labels := make([]string, 100)
		for i := range labels {
			labels[i] = fmt.Sprintf("term%d-%d", n, i)
		}
		_, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(n+1, labels...), byLabel{}, noCheckpoint)
		must(t, err)
	}
	s.Close() // a connection reports what it has read when it ends
	execSQL(t, dsn, "ANALYZE kg_api.concepts, kg_api.concept_embeddings")
	before := conceptsRead(t, dsn)
	again, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, JobConns: 2, GraphConns: 2, AuthConns: 2})
	must(t, err)
	_, err = again.Documents().WriteChunk(t.Context(), c, chunkGraph(100, "term1-1", "something else"), byLabel{}, noCheckpoint)
	again.Close()
	must(t, err)
	if n := conceptsRead(t, dsn) - before; n == 0 || n > int64(hundreds)*100/5 {
		t.Errorf("a chunk with two concepts read %d rows of %d concepts", n, hundreds*100)
	}
}

// conceptsRead returns how many rows have been read of the tables of concepts. It waits
// until the connections of the test, which report at their end, are gone.
func conceptsRead(t *testing.T, dsn string) (n int64) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	await.That(t, "the other connections are gone", func() bool {
		var others int
		must(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'").Scan(&others))
		return others == 0
	})
	must(t, conn.QueryRow(t.Context(), "SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_user_tables WHERE relname IN ('concepts', 'concept_embeddings')").Scan(&n))
	return n
}

// TestTwoIngestionsOfADocument has two jobs write one document at the same time: it
// is whole at the end, as the one wrote it that began later, and the other gets an error.
func TestTwoIngestionsOfADocument(t *testing.T) {
	t.Parallel()
	for _, after := range []int{1, 2} { // chunks of two that the first job has written
		t.Run(fmt.Sprintf("after chunk %d", after), func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			register(t, s, workerA)
			first := ingestion(t, s, workerA, false)
			write := func(c work.Claim, number int) error {
				_, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(number, fmt.Sprint("concept ", number)), byLabel{}, noCheckpoint)
				return err
			}
			for n := range after {
				must(t, write(first, n+1))
			}
			second := ingestion(t, s, workerA, true)
			must(t, write(second, 1))
			var err error
			for n := after; n < 2 && err == nil; n++ {
				err = write(first, n+1)
			}
			if err == nil {
				err = finishDocument(t, s, first, docID, "o")
			}
			if kappa.ErrorCode(err) != kappa.CodeConflict || kappa.Retryable(err) || !strings.Contains(kappa.ErrorMessage(err), second.JobID) {
				t.Errorf("the first job went on: %v", err)
			}
			must(t, write(second, 2))
			must(t, finishDocument(t, s, second, docID, "o"))
			if rows := graphRows(t, dsn); rows.sources != 2 || rows.instances != 2 {
				t.Errorf("the graph has %+v, want both chunks", rows)
			}
		})
	}
}

// TestDocumentOfADeletedJob submits a document again whose job is gone: only one that
// was ingested to its end is known.
func TestDocumentOfADeletedJob(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		chunks int // of two
		known  bool
	}{"a part of it was ingested": {1, false}, "it was ingested whole": {2, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newStore(t)
			register(t, s, workerA)
			job := ingestion(t, s, workerA, false)
			for n := range c.chunks {
				g := chunkGraph(n+1, fmt.Sprint("concept ", n))
				if n == 0 {
					g.Chunk.Boundary = corpus.BoundaryParagraph
				}
				_, err := s.Documents().WriteChunk(t.Context(), job, g, byLabel{}, noCheckpoint)
				must(t, err)
			}
			_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: job, Status: work.StatusCancelled}})
			must(t, err)
			must(t, s.Jobs().Purge(t.Context(), job.JobID, false))
			again, err := s.Ingestions().SubmitIngestion(t.Context(), work.Submission{
				Body: docBody, ContentType: corpus.ContentPlain, ContentHash: docID, Ontology: "o", Filename: "test.txt",
				ProcessingMode: work.ModeSerial,
			}, ingestionJob(access.SystemUserID))
			must(t, err)
			if again.Duplicate != c.known {
				t.Errorf("submitted again it is %+v", again)
			}
		})
	}
}
