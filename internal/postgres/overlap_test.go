package postgres_test

import (
	"testing"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// TestOverlapIsOneEvidence has two chunks quote what stands in their overlap: it counts
// once, whichever is written again, and outlives the chunks of an earlier ingestion.
func TestOverlapIsOneEvidence(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	first := ingestion(t, s, workerA, false)
	write := func(c work.Claim, graphs ...knowledge.ChunkGraph) {
		t.Helper()
		for _, g := range graphs {
			_, err := s.Documents().WriteChunk(t.Context(), c, g, byLabel{}, noCheckpoint)
			must(t, err)
		}
	}
	want := func(what string, instances, evidence int) {
		t.Helper()
		if n := graphRows(t, dsn); n.instances != instances || n.evidence != evidence {
			t.Errorf("%s: the graph has %d quotes and evidence %d times, want %d and %d", what, n.instances, n.evidence, instances, evidence)
		}
	}
	overlap := func(number int, shift int) knowledge.ChunkGraph { // shift moves the chunk, and not what it quotes
		g := chunkGraph(1, "worker lane", "claim token")
		g.Chunk.Number = number
		g.Chunk.Bytes.Start -= shift
		return g
	}
	one, two := overlap(1, 100), overlap(2, 50)
	write(first, one, two)
	want("two chunks", 2, 1)
	write(first, two, one)
	want("written again", 2, 1)

	elsewhere := chunkGraph(3, "worker lane", "claim token")
	write(first, elsewhere)
	want("the same words in another place", 4, 2)

	surer := overlap(4, 20)
	surer.Relationships[0].Confidence = 0.9
	write(first, surer)
	want("a chunk that is surer of the relationship", 4, 3)
	must(t, finishDocument(t, s, first, docID, "o"))
	_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(first)})
	must(t, err)

	second := ingestion(t, s, workerA, true) // cuts the document otherwise
	write(second, overlap(1, 10))
	must(t, finishDocument(t, s, second, docID, "o"))
	want("ingested again", 2, 1)
}
