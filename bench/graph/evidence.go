package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// evidenceMust is by how much longer a question may take with the sentences that state its
// relationships, at the median.
const evidenceMust = 1.5

const evidenceSeed = 28

// evidenceOptions are the sizes of the section.
type evidenceOptions struct{ concepts, rounds int }

func (o *evidenceOptions) flags(set *flag.FlagSet) {
	set.IntVar(&o.concepts, "evidence-concepts", 100_000, "evidence: concepts in the graph")
	set.IntVar(&o.rounds, "evidence-rounds", 80, "evidence: how often each question is asked both ways")
}

// evidence measures each question with and without the sentences that state the
// relationships of its answer, in turns.
func (b *bench) evidence(ctx context.Context) error {
	dsn, err := b.newDatabase(ctx, "evidence")
	if err != nil {
		return err
	}
	began := time.Now()
	l, err := storeLibrary(ctx, dsn, models.LocalEmbedding, b.stated.concepts)
	if err != nil {
		return err
	}
	sentences, err := storeSentences(ctx, dsn)
	if err != nil {
		return err
	}
	fmt.Printf("evidence: %d concepts and %d sentences stored in %s\n", b.stated.concepts, sentences, time.Since(began).Round(100*time.Millisecond))
	s, err := b.startServer(ctx, dsn)
	if err != nil {
		return err
	}
	defer s.Stop()
	if err := s.warmUp(ctx, l.labels[:20]); err != nil {
		return err
	}
	var rows [][]string
	for _, q := range evidenceQuestions(s.api, l) {
		row, err := b.evidenceRow(ctx, q)
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		rows = append(rows, row)
		fmt.Printf("evidence: %s asked, %s\n", q.name, row[5])
	}
	b.report.table(fmt.Sprintf("questions with the sentences that state their relationships, over HTTP, %d concepts", b.stated.concepts),
		[]string{"what", "relationships", "sentences", "without, p50", "with, p50", "ratio", "must", ""}, rows)
	return nil
}

// storeSentences gives each relationship of a library one to four sentences, and the chunks
// their text.
func storeSentences(ctx context.Context, dsn string) (stored int, err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	err = execAll(ctx, conn,
		"SET session_replication_role = replica",
		`INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, start_byte, end_byte, from_kind, from_start, from_end, to_kind, to_start, to_end)
			SELECT e.src, e.dst, e.type, 1 + (e.src * 31 + e.dst * 17 + n * 971) % $1::int, 0.8, q.quote, 0, octet_length(q.quote), 'name', 4, 4 + octet_length(a.label), 'name', 0, 3
			FROM kg_api.edges e
			JOIN kg_api.concepts a ON a.id = e.src
			JOIN kg_api.concepts b ON b.id = e.dst
			CROSS JOIN LATERAL generate_series(1, 1 + (e.src + e.dst) % 4) n
			CROSS JOIN LATERAL (SELECT 'The ' || a.label || ' is what makes, as far as anybody can tell from the records of that year, the ' || b.label || '.' AS quote) q
			ON CONFLICT DO NOTHING`, libraryDocuments*librarySources,
		`UPDATE kg_api.sources s SET full_text = q.text, end_byte = octet_length(q.text), end_char = char_length(q.text)
			FROM (SELECT v.source, left(string_agg(v.quote, ' '), 6000) AS text FROM kg_api.edge_evidence v GROUP BY v.source) q WHERE q.source = s.id`,
		`INSERT INTO kg_api.source_places (source, start_byte, page, section) SELECT s.id, 0, 1, 'Chapter ' || s.chunk_number FROM kg_api.sources s`,
		"VACUUM ANALYZE")
	if err != nil {
		return 0, err
	}
	return stored, conn.QueryRow(ctx, "SELECT count(*) FROM kg_api.edge_evidence").Scan(&stored)
}

// evidenceQuestion is a question that takes include_evidence. It returns how many
// relationships the answer has, and how many sentences.
type evidenceQuestion struct {
	name string
	ask  func(ctx context.Context, from, to int, evidence bool) (relationships, sentences int, err error)
}

// tally counts the sentences of relationships.
func tally(lists ...[]knowledge.EdgeEvidence) (relationships, sentences int) {
	for _, list := range lists {
		sentences += len(list)
	}
	return len(lists), sentences
}

func evidenceQuestions(c *client.Client, l *library) []evidenceQuestion {
	id := func(n int) string { return fmt.Sprintf("%s_%d", naming.ConceptSlug(l.labels[n-1]), n) }
	return append(evidenceLists(c, id), []evidenceQuestion{
		{"connect", func(ctx context.Context, from, to int, evidence bool) (int, int, error) {
			found, err := c.Graph.Connect(ctx, questions.ConnectQuery{FromID: id(from), ToID: id(to), MaxHops: 6, IncludeEvidence: evidence})
			return tallyPaths(found.Paths, nil, err)
		}},
		{"connect-by-search", func(ctx context.Context, from, to int, evidence bool) (int, int, error) {
			found, err := c.Graph.ConnectBySearch(ctx, questions.ConnectBySearchQuery{FromQuery: l.labels[from-1], ToQuery: l.labels[to-1], MaxHops: 6, Threshold: 0.5, IncludeEvidence: evidence})
			return tallyPaths(found.Paths, nil, err)
		}},
		{"enriched path", func(ctx context.Context, from, to int, evidence bool) (int, int, error) {
			found, err := c.Graph.EnrichedPath(ctx, questions.EnrichedPathQuery{FromID: id(from), ToID: id(to), MaxHops: 6, IncludeEvidence: evidence})
			return tallyPaths(found.Paths, found.Surroundings, err)
		}},
		{"ask", func(ctx context.Context, from, to int, evidence bool) (int, int, error) {
			found, err := c.Graph.Ask(ctx, questions.Question{Text: "Does the " + l.labels[from-1] + " make the " + l.labels[to-1] + "?", Limit: 5, IncludeEvidence: evidence})
			var lists [][]knowledge.EdgeEvidence
			for _, r := range found.Relationships {
				lists = append(lists, r.Evidence)
			}
			relationships, sentences := tally(lists...)
			return relationships, sentences, err
		}},
	}...)
}

// evidenceLists are the questions about one concept, and the list.
func evidenceLists(c *client.Client, id func(int) string) []evidenceQuestion {
	around := func(hops, limit int) func(ctx context.Context, from, to int, evidence bool) (int, int, error) {
		return func(ctx context.Context, from, _ int, evidence bool) (int, int, error) {
			found, err := c.Graph.Neighborhood(ctx, questions.NeighborhoodQuery{ConceptID: id(from), MaxHops: hops, Limit: limit, IncludeEvidence: evidence})
			var lists [][]knowledge.EdgeEvidence
			for _, e := range found.Edges {
				lists = append(lists, e.Evidence)
			}
			relationships, sentences := tally(lists...)
			return relationships, sentences, err
		}
	}
	return []evidenceQuestion{
		{"concept", func(ctx context.Context, from, _ int, evidence bool) (int, int, error) {
			read := c.Concepts.Measured
			if evidence {
				read = c.Concepts.Stated
			}
			found, err := read(ctx, id(from), questions.Measures{})
			var lists [][]knowledge.EdgeEvidence
			for _, r := range found.Relationships {
				lists = append(lists, r.Evidence)
			}
			relationships, sentences := tally(lists...)
			return relationships, sentences, err
		}},
		{"edges of a concept", func(ctx context.Context, from, _ int, evidence bool) (int, int, error) {
			return tallyEdges(c.Edges.List(ctx, questions.EdgeFilter{FromID: id(from), IncludeEvidence: evidence}))
		}},
		{"edges, a page of 50", func(ctx context.Context, from, _ int, evidence bool) (int, int, error) {
			return tallyEdges(c.Edges.List(ctx, questions.EdgeFilter{Offset: from / 10, Limit: 50, IncludeEvidence: evidence}))
		}},
		{"related, 1 hop", related(c, id, 1)},
		{"related, 2 hops", related(c, id, 2)},
		{"neighbourhood, 2 hops, 50", around(2, 50)},
		{"neighbourhood, 3 hops, 500", around(3, 500)},
	}
}

func related(c *client.Client, id func(int) string, depth int) func(ctx context.Context, from, to int, evidence bool) (int, int, error) {
	return func(ctx context.Context, from, _ int, evidence bool) (int, int, error) {
		found, err := c.Graph.Related(ctx, questions.RelatedQuery{ConceptID: id(from), MaxDepth: depth, IncludeEvidence: evidence})
		var lists [][]knowledge.EdgeEvidence
		for _, r := range found.Results {
			lists = append(lists, r.Via.Evidence)
		}
		relationships, sentences := tally(lists...)
		return relationships, sentences, err
	}
}

func tallyEdges(list api.EdgeList, err error) (relationships, sentences int, _ error) {
	var lists [][]knowledge.EdgeEvidence
	for _, e := range list.Edges {
		lists = append(lists, e.Evidence)
	}
	relationships, sentences = tally(lists...)
	return relationships, sentences, err
}

func tallyPaths(paths []questions.Path, around []questions.Surroundings, err error) (relationships, sentences int, _ error) {
	var lists [][]knowledge.EdgeEvidence
	for _, p := range paths {
		lists = append(lists, make([][]knowledge.EdgeEvidence, len(p.Relationships)-len(p.Evidence))...)
		lists = append(lists, p.Evidence...)
	}
	for _, s := range around {
		for _, n := range s.Neighbors {
			lists = append(lists, n.Evidence)
		}
	}
	relationships, sentences = tally(lists...)
	return relationships, sentences, err
}

// evidenceRow asks a question both ways about concepts at random.
func (b *bench) evidenceRow(ctx context.Context, q evidenceQuestion) ([]string, error) {
	random := rand.New(rand.NewPCG(evidenceSeed, 14))
	var without, with times
	var relationships, sentences []int
	for round := range b.stated.rounds {
		from, to := 1+random.IntN(b.stated.concepts), 1+random.IntN(b.stated.concepts)
		ask := func(evidence bool) func() error {
			return func() error {
				r, s, err := q.ask(ctx, from, to, evidence)
				if evidence {
					relationships, sentences = append(relationships, r), append(sentences, s)
				}
				return err
			}
		}
		if round%2 == 0 { // neither is always the first to read its pages
			without.measure(ask(false))
			with.measure(ask(true))
		} else {
			with.measure(ask(true))
			without.measure(ask(false))
		}
	}
	if err := errors.Join(append(without.errs, with.errs...)...); err != nil {
		return nil, err
	}
	ratio := float64(at(with.list, 0.5)) / float64(at(without.list, 0.5))
	return []string{
		q.name, fmt.Sprint(at(relationships, 0.5)), fmt.Sprint(at(sentences, 0.5)), ms(at(without.list, 0.5)), ms(at(with.list, 0.5)),
		fmt.Sprintf("%.2f ×", ratio), fmt.Sprintf("≤ %.1f ×", evidenceMust), b.report.verdict(ratio <= evidenceMust),
	}, nil
}
