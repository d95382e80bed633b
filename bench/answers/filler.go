package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/corpus"
)

const (
	passagesOf   = 10 // a chunk
	chunksOf     = 5  // a document
	passageWords = 89
	newWords     = 25 // one word in so many is none of the articles
	vocabulary   = 1_000_000
)

// filler writes passages of shuffled words into the tables, past the pipeline.
type filler struct {
	articles []article

	all    []string // words of the articles
	random *rand.Rand
	rare   *rand.Zipf
	words  int
	bytes  int64 // of the table of passages
}

// fill writes so many passages. Keys are not checked and triggers do not run.
func (f *filler) fill(ctx context.Context, dsn string, passages int) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, a := range f.articles {
		f.all = append(f.all, strings.Fields(a.text())...)
	}
	f.random = rand.New(rand.NewPCG(1, 38))
	f.rare = rand.NewZipf(f.random, 1.05, 1, vocabulary-1)
	ontology, document, source := 0, 0, 0
	if _, err := conn.Exec(ctx, "SET session_replication_role = replica"); err != nil {
		return err
	}
	if err := conn.QueryRow(ctx, `INSERT INTO kg_api.ontologies (name, implicit) VALUES ('others', true) RETURNING id`).Scan(&ontology); err != nil {
		return err
	}
	if err := conn.QueryRow(ctx, `SELECT (SELECT max(id) FROM kg_api.documents), (SELECT max(id) FROM kg_api.sources)`).Scan(&document, &source); err != nil {
		return err
	}
	for left := passages; left > 0; {
		var contents, documents, sources, rows [][]any
		for range 200 {
			if left <= 0 {
				break
			}
			document++
			id := fmt.Sprintf("sha256:%064d", document)
			contents = append(contents, []any{id, []byte("x")})
			documents = append(documents, []any{document, id, ontology, fmt.Sprintf("other-%d.txt", document), "text/plain", "none"})
			at := 0
			for c := range chunksOf {
				source++
				sources = append(sources, []any{source, fmt.Sprintf("src_other_%d", source), document, c + 1, "x", at, at + 1, at, at + 1, 1, "sentence", "none", true, corpus.CutterVersion})
				for range min(passagesOf, left) {
					body := f.passage()
					left--
					rows = append(rows, []any{source, len(rows) + 1, at, at + len(body), at, at + len(body), "prose", "en", body})
					at += len(body) + len(gap)
				}
			}
		}
		for _, t := range []struct {
			name, columns string
			rows          [][]any
		}{
			{"contents", "content_hash body", contents},
			{"documents", "id document_id ontology_id filename content_type job_id", documents},
			{"sources", "id source_id document chunk_number full_text start_byte end_byte start_char end_char words boundary job_id is_cut cutter", sources},
			{"passages", "source number start_byte end_byte start_char end_char class language body", rows},
		} {
			if _, err := conn.CopyFrom(ctx, pgx.Identifier{"kg_api", t.name}, strings.Fields(t.columns), pgx.CopyFromRows(t.rows)); err != nil {
				return fmt.Errorf("store %s: %w", t.name, err)
			}
		}
	}
	return f.settle(ctx, conn)
}

// settle has the numbers go on behind what was written.
func (f *filler) settle(ctx context.Context, conn *pgx.Conn) error {
	for _, table := range []string{"documents", "sources"} {
		if _, err := conn.Exec(ctx, fmt.Sprintf("SELECT setval(pg_get_serial_sequence('kg_api.%[1]s', 'id'), max(id)) FROM kg_api.%[1]s", table)); err != nil {
			return err
		}
	}
	if _, err := conn.Exec(ctx, "VACUUM ANALYZE kg_api.passages"); err != nil {
		return err
	}
	return conn.QueryRow(ctx, "SELECT pg_total_relation_size('kg_api.passages')").Scan(&f.bytes)
}

// passage draws a passage of 45 to 133 words in sentences.
func (f *filler) passage() string {
	var b strings.Builder
	n := passageWords/2 + 1 + f.random.IntN(passageWords)
	for i := range n {
		switch {
		case i == 0:
		case i%18 == 0:
			b.WriteString(". ")
		default:
			b.WriteByte(' ')
		}
		if f.random.IntN(newWords) == 0 {
			fmt.Fprintf(&b, "%s", madeUp(f.rare.Uint64()))
		} else {
			b.WriteString(strings.Trim(f.all[f.random.IntN(len(f.all))], ".,;:()\""))
		}
	}
	f.words += n
	return b.String() + "."
}

// madeUp returns a word that no article has.
func madeUp(rank uint64) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var b strings.Builder
	for left, syllables := rank*7919%vocabulary, 0; left > 0 || syllables < 3; syllables++ {
		b.WriteByte(consonants[left%14])
		b.WriteByte(vowels[left/14%5])
		left /= 14 * 5
	}
	return b.String()
}
