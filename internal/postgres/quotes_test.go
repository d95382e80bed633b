package postgres_test

import (
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

func TestDocumentQuotes(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	c := ingestion(t, s, workerA, false)
	for i := range 2 {
		_, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(i+1, "wheel", "wheel of a car"), byLabel{}, noCheckpoint)
		must(t, err)
	}
	// A chunk that overlaps the one before says the same of the same place, for as long as an
	// earlier job's is there.
	run(t, connect(t, dsn), `WITH copied AS (
		INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
		SELECT 'src_copy', document, 3, full_text, start_byte, end_byte, start_char, end_char, words, boundary, 'job_000000000000' FROM kg_api.sources WHERE chunk_number = 2 RETURNING id
	), shown AS (
		INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte)
		SELECT i.concept, c.id, i.quote, i.start_byte, i.end_byte FROM copied c, kg_api.instances i WHERE i.start_byte = 2000
	)
	INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, start_byte, end_byte)
	SELECT e.src, e.dst, e.type, c.id, 0.9, e.quote, e.start_byte, e.end_byte FROM copied c, kg_api.edge_evidence e WHERE e.start_byte = 2000`)

	var got []corpus.DocumentQuote
	for q := (corpus.QuoteQuery{Ontology: "o", Limit: 2}); len(got) < 10; {
		page, err := s.Library().DocumentQuotes(t.Context(), docID, q)
		must(t, err)
		got = append(got, page...)
		if len(page) < q.Limit {
			break
		}
		q.Cursor = page[len(page)-1].Place().String()
	}
	if len(got) != 6 {
		t.Fatalf("%d quotes, want two concepts and a sentence in each of two places: %+v", len(got), got)
	}
	for i, q := range got {
		if i > 0 && (q.Start < got[i-1].Start || q.Start == got[i-1].Start && q.End <= got[i-1].End) {
			t.Errorf("quote %d is not after the one before: %+v", i, q)
		}
	}
	first, sentence := got[0], got[2]
	if first.Quote != "wheel" || len(first.Concepts) != 1 || first.Concepts[0].Name != "wheel" || len(first.Relationships) != 0 || first.Span != (corpus.Span{Start: 1000, End: 1005}) {
		t.Errorf("the first quote is %+v", first)
	}
	if len(sentence.Concepts) != 0 || len(sentence.Relationships) != 1 {
		t.Fatalf("the sentence is %+v", sentence)
	}
	if r := got[5].Relationships; len(r) != 1 || r[0].From != "wheel" || r[0].To != "wheel of a car" || r[0].Type != "PART_OF" || r[0].Confidence != 0.9 {
		t.Errorf("what overlapping chunks state is %+v", r)
	}
	if len(got[3].Concepts) != 1 {
		t.Errorf("what overlapping chunks show is %+v", got[3].Concepts)
	}
}
