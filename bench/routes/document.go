package main

import (
	"fmt"
	"strings"
	"time"
)

// document adds document d with its chunks, and what they show.
func (f *filler) document(b *batch, d int) {
	ontology := 1
	if d%2 == 1 {
		ontology = 2 + d/2%(ontologies-1)
	}
	var body strings.Builder
	job, file := fmt.Sprintf("job_%012x", d), fmt.Sprintf("report-%06d.txt", d)
	first := (d-1)*chunksOf + 1
	for n := range chunksOf {
		id := first + n
		text := f.chunk(b, id)
		start := body.Len()
		body.WriteString(text)
		b.sources = append(b.sources, []any{id, fmt.Sprintf("src_%d", id), d, n + 1, text, start, body.Len(), start, body.Len(), len(strings.Fields(text)), "sentence", job})
	}
	id, now := hash(body.String()), time.Now()
	b.contents = append(b.contents, []any{id, []byte(body.String())})
	b.documents = append(b.documents, []any{d, id, ontology, file, "text/plain", "/reports/" + file, job})
	b.jobs = append(b.jobs, []any{job, "ingestion", "completed", 1, "interactive", now, now, now, 4, 2, 3, "bench", fmt.Sprintf("ontology %d", ontology), id, file})
	b.epochs = append(b.epochs, []any{d, "ingestion", "document.ingest", "admin", job, id, 1, 1})
	if ontology == 1 && len(f.documents) < conceptsRead && d%max(1, f.size.documents/2/conceptsRead) == 0 {
		f.documents, f.sources, f.jobs = append(f.documents, id), append(f.sources, fmt.Sprintf("src_%d", first)), append(f.jobs, job)
	}
}

// chunk adds what a chunk shows, and returns its text: a sentence for each quote.
func (f *filler) chunk(b *batch, id int) string {
	var text strings.Builder
	var shown []int
	seen := map[int]bool{}
	for range f.quotes / f.size.documents / chunksOf {
		c := 1 + f.random.IntN(f.size.concepts)
		if seen[c] {
			continue
		}
		seen[c], shown = true, append(shown, c)
		quote := fmt.Sprintf("The %s was measured again in the spring. ", label(c))
		b.instances = append(b.instances, []any{c, id, quote, text.Len(), text.Len() + len(quote)})
		b.mentions = append(b.mentions, []any{c, id, len(shown), label(c), "", []string{}, 1.0})
		text.WriteString(quote)
	}
	for n := 1; n < min(relationsOf+1, len(shown)); n++ {
		f.relation(b, id, shown[n-1], shown[n])
	}
	return text.String()
}

// relation adds a relationship that one chunk shows. Two chunks show the same one so
// seldom that the second is left out.
func (f *filler) relation(b *batch, source, from, to int) {
	kind := f.firstType + f.random.IntN(types)
	key := [3]int{from, to, kind}
	if f.related[key] {
		return
	}
	f.related[key] = true
	b.edges = append(b.edges, []any{from, to, kind, 0.8})
	b.evidence = append(b.evidence, []any{from, to, kind, source, 0.8, ""})
	if len(f.edges) < conceptsRead && len(f.related)%max(1, f.size.documents*chunksOf*relationsOf/conceptsRead) == 0 {
		f.edges = append(f.edges, [3]string{conceptID(from), fmt.Sprintf("BENCH_%d", kind-f.firstType+1), conceptID(to)})
	}
}
