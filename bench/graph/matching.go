package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// matchingLimits are the demands on matching: how much processor time a concept may take
// in a graph of so many. A graph that is nearly empty is what they are compared with.
var matchingLimits = []struct {
	concepts int
	most     time.Duration
}{
	{100, 0}, {10_000, time.Millisecond}, {100_000, 5 * time.Millisecond},
}

const (
	matchedAtOnce  = 25 // concepts of a chunk
	matchingRecall = 0.98
)

type matchingOptions struct{ chunks, queries int }

func (o *matchingOptions) flags(set *flag.FlagSet) {
	set.IntVar(&o.chunks, "matching-chunks", 60, "matching: chunks to match, of 25 concepts each")
	set.IntVar(&o.queries, "matching-queries", 300, "matching: names whose nearest concepts are compared with those of brute force")
}

// matching measures what it costs to match the concepts of chunks with those of a graph and
// to store them, and how many of the nearest the index finds.
func (b *bench) matching(ctx context.Context) error {
	var rows, recalls [][]string
	for _, m := range matchingLimits {
		for _, model := range []models.Model{{Name: models.LocalEmbedding, NamesOnly: true}, {Name: "embeddings"}} {
			dsn, err := b.newDatabase(ctx, fmt.Sprintf("matching_%d_%t", m.concepts, model.NamesOnly))
			if err != nil {
				return err
			}
			l, err := storeLibrary(ctx, dsn, model.Name, m.concepts)
			if err != nil {
				return err
			}
			how, must, verdict := "names", "", ""
			if !model.NamesOnly {
				how = "names and embeddings"
			}
			if m.most > 0 && !model.NamesOnly {
				row, err := b.matchingRecall(ctx, dsn, l)
				if err != nil {
					return err
				}
				recalls = append(recalls, append([]string{fmt.Sprint(m.concepts)}, row...))
			}
			took, err := b.matchChunks(ctx, dsn, l, model)
			if err != nil {
				return err
			}
			if m.most > 0 {
				must, verdict = "≤ "+ms(m.most), b.report.verdict(took.kg+took.postgres <= m.most)
			}
			rows = append(rows, []string{fmt.Sprint(m.concepts), how, ms(took.kg), ms(took.postgres), ms(took.kg + took.postgres), must, verdict})
		}
	}
	b.report.table(fmt.Sprintf("matching a concept and storing it, chunks of %d concepts, half of them known, a quarter in the plural, a quarter new: processor time", matchedAtOnce),
		[]string{"concepts in the graph", "compares", "of kg", "of PostgreSQL", "together", "must", ""}, rows)
	b.report.table(fmt.Sprintf("recall@10 of the index against brute force, the built-in embeddings, %d names: of those similar enough to be the same", b.options.matching.queries),
		[]string{"concepts in the graph", "cosine from", "found", "must", "", "CPU of PostgreSQL a concept"}, recalls)
	return nil
}

// matchingTime is processor time for one concept.
type matchingTime struct{ kg, postgres time.Duration }

// matchChunks writes chunks to a graph, and returns what a concept of them took.
func (b *bench) matchChunks(ctx context.Context, dsn string, l *library, model models.Model) (took matchingTime, err error) {
	db, err := postgres.Open(ctx, postgres.Config{DSN: dsn})
	if err != nil {
		return took, err
	}
	defer db.Close()
	const name = "matching"
	claim, err := claimIngestion(ctx, db, name)
	if err != nil {
		return took, err
	}
	chunks, err := l.chunks(ctx, name, b.options.matching.chunks)
	if err != nil {
		return took, err
	}
	var before matchingTime
	const warm = 5 // chunks
	for i, g := range chunks {
		if i == warm {
			if before, err = b.cpuSoFar(); err != nil {
				return took, err
			}
		}
		next := func(corpus.Counts) work.Checkpoint { return work.Checkpoint{State: []byte(`{}`)} }
		if _, err := db.Documents().WriteChunk(ctx, claim, g, ingest.NewMatcher(model), next); err != nil {
			return took, err
		}
	}
	after, err := b.cpuSoFar()
	concepts := time.Duration((len(chunks) - warm) * matchedAtOnce)
	return matchingTime{kg: (after.kg - before.kg) / concepts, postgres: (after.postgres - before.postgres) / concepts}, err
}

// cpuSoFar returns the processor time of this process and of the cluster.
func (b *bench) cpuSoFar() (matchingTime, error) {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return matchingTime{}, err
	}
	cluster, err := b.postgresCPU()
	return matchingTime{kg: time.Duration(own.Utime.Nano() + own.Stime.Nano()), postgres: cluster}, err
}

// claimIngestion submits a document and claims its job.
func claimIngestion(ctx context.Context, db *postgres.DB, name string) (c work.Claim, err error) {
	worker, body := lanes.NewID(), []byte("document "+name)
	s := work.Submission{
		Body: body, ContentType: corpus.ContentPlain, ContentHash: corpus.ContentHash(body), Ontology: "bench", Filename: name, ProcessingMode: work.ModeSerial,
	}
	if err := db.Documents().EnsureVocabulary(ctx, vocabulary.BuiltinTypes()); err != nil {
		return c, err
	}
	if err := db.Workers().Register(ctx, work.Worker{ID: worker, Hostname: "bench", PID: 1}, "bench", time.Hour); err != nil {
		return c, err
	}
	submitted, err := db.Ingestions().SubmitIngestion(ctx, s, work.NewJob{Type: "ingestion", Queue: work.DefaultQueue, Data: []byte(`{}`), UserID: access.SystemUserID})
	if err != nil {
		return c, err
	}
	if err := db.Ingestions().Analyzed(ctx, work.AnalysisClaim{JobID: submitted.JobID}, corpus.Analysis{Warnings: []string{}}, true); err != nil {
		return c, err
	}
	batch, err := db.Claims().Claim(ctx, work.ClaimRequest{Lane: "interactive", Worker: worker, Types: []string{"ingestion"}, Most: 1})
	if err == nil && len(batch.Claims) == 0 {
		err = errors.New("the document's job was not claimed")
	}
	if err != nil {
		return c, err
	}
	return batch.Claims[0], nil
}

// chunks returns chunks whose concepts are half known, a quarter known in another form and
// a quarter new.
func (l *library) chunks(ctx context.Context, name string, most int) ([]knowledge.ChunkGraph, error) {
	random, fresh := rand.New(rand.NewPCG(3, 16)), newLabels(uint64(16+len(name)))
	body := []byte("document " + name)
	chunks := make([]knowledge.ChunkGraph, most)
	for i := range chunks {
		span := corpus.Span{Start: i, End: i + 1}
		g := knowledge.ChunkGraph{
			Document: corpus.Document{ID: corpus.ContentHash(body), Ontology: "bench", Filename: name, ContentType: corpus.ContentPlain},
			Model:    l.model,
			Chunk:    corpus.Chunk{Number: i + 1, Text: fmt.Sprintf("chunk %d of %s", i+1, name), Bytes: span, StartChar: i, EndChar: i + 1, Words: 4, Boundary: corpus.BoundaryParagraph},
		}
		for n := range matchedAtOnce {
			c := knowledge.ExtractedConcept{Key: fmt.Sprint(n), Label: l.labels[random.IntN(len(l.labels))], SearchTerms: []string{}}
			switch random.IntN(4) {
			case 0:
				c.Label += "s"
			case 1:
				c.Label = fresh.next()
			}
			list, err := extract.BuiltinEmbedder().Embed(ctx, []string{c.EmbeddingText()})
			if err != nil {
				return nil, err
			}
			g.Drafts = append(g.Drafts, knowledge.ConceptDraft{ExtractedConcept: c, Embedding: list[0]})
			g.Instances = append(g.Instances, knowledge.ExtractedInstance{Concept: c.Key, Quote: c.Label, Span: corpus.Span{Start: i, End: i + 1}})
		}
		chunks[i] = g
	}
	return chunks, nil
}
