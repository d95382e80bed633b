package postgres_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// withPassages gives a chunk a passage of each of its sentences.
func withPassages(g knowledge.ChunkGraph) knowledge.ChunkGraph {
	at := g.Chunk.Bytes.Start
	for i, text := range strings.SplitAfter(g.Chunk.Text, ". ") {
		p := corpus.Passage{
			Number: g.Chunk.Number*10 + i, Span: corpus.Span{Start: at, End: at + len(text)}, StartChar: at, EndChar: at + len(text), Text: text,
			Class: corpus.ClassProse, Language: "en", Section: "Top > Below", Page: i,
		}
		if i == 0 {
			p.Class, p.Columns, p.Defines = corpus.ClassTable, []string{"", "Column, 2"}, []string{"lease", "a {b}"}
		}
		g.Passages = append(g.Passages, p)
		at += len(text)
	}
	return g
}

func writePassages(t *testing.T, s *postgres.DB, c work.Claim, chunks ...knowledge.ChunkGraph) {
	t.Helper()
	for _, g := range chunks {
		_, err := s.Documents().WriteChunk(t.Context(), c, g, byLabel{}, noCheckpoint)
		must(t, err)
	}
}

// passageKeys are all passages, by their numbers, and the moment of them.
func passageKeys(t *testing.T, s *postgres.DB) ([]corpus.PassageKey, knowledge.GraphMark) {
	t.Helper()
	var keys []corpus.PassageKey
	mark, err := s.Passages().PassageKeys(t.Context(), func(k corpus.PassageKey) error {
		keys = append(keys, k)
		return nil
	})
	must(t, err)
	slices.SortFunc(keys, func(a, b corpus.PassageKey) int { return cmp.Compare(a.ID, b.ID) })
	return keys, mark
}

// touchedSince are the chunks whose passages have changed since a moment.
func touchedSince(t *testing.T, s *postgres.DB, since knowledge.GraphMark) (sources []int32) {
	t.Helper()
	changes, err := s.Graph().GraphChanges(t.Context(), since, 10_000)
	must(t, err)
	for _, c := range changes.Changes {
		if c.Op == knowledge.OpTouchSource && !slices.Contains(sources, c.Source) {
			sources = append(sources, c.Source)
		}
	}
	return sources
}

func idsOf(keys []corpus.PassageKey) (ids []int32) {
	for _, k := range keys {
		ids = append(ids, k.ID)
	}
	return ids
}

func TestPassages(t *testing.T) {
	t.Parallel()
	t.Run("are written with their chunk, and are read whole", func(t *testing.T) {
		t.Parallel()
		s, _ := newStore(t)
		register(t, s, workerA)
		g := withPassages(chunkGraph(1, "worker lane", "claim token"))
		writePassages(t, s, ingestion(t, s, workerA, false), g)
		keys, mark := passageKeys(t, s)
		if len(keys) != 2 || mark.Snapshot == "" || mark.Origin == "" {
			t.Fatalf("got %v as of %+v", keys, mark)
		}
		list, err := s.Passages().ShownPassages(t.Context(), idsOf(keys))
		must(t, err)
		slices.SortFunc(list, func(a, b corpus.ShownPassage) int { return cmp.Compare(a.Number, b.Number) })
		for i, p := range list {
			if got, want := fmt.Sprintf("%+v", p.Passage), fmt.Sprintf("%+v", g.Passages[i]); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if p.PassageKey != keys[i] || p.Filename != "test.txt" || p.Title != "Top" || p.DocumentID != docID || p.OntologyName != "o" || p.Chunk != 1 || p.SourceID == "" ||
				p.ContentType != corpus.ContentPlain || p.CreatedAt.IsZero() {
				t.Errorf("got %+v of %+v", p, keys[i])
			}
		}
		if len(list) != 2 {
			t.Errorf("read %d of 2", len(list))
		}
		ofSource, err := s.Passages().PassagesOfSources(t.Context(), []int32{keys[0].Source, 1 << 30})
		must(t, err)
		byID, err := s.Passages().Passages(t.Context(), append(idsOf(keys), 1<<30))
		must(t, err)
		if len(ofSource) != 2 || len(byID) != 2 {
			t.Errorf("read %d of the chunk, and %d by their numbers", len(ofSource), len(byID))
		}
	})

	t.Run("stay as they are when their chunk is written again, and are replaced by others", func(t *testing.T) {
		t.Parallel()
		s, _ := newStore(t)
		register(t, s, workerA)
		c := ingestion(t, s, workerA, false)
		g := withPassages(chunkGraph(1, "worker lane", "claim token", "lease"))
		writePassages(t, s, c, g)
		before, mark := passageKeys(t, s)
		writePassages(t, s, c, g)
		if after, _ := passageKeys(t, s); !slices.Equal(after, before) {
			t.Errorf("the same chunk again: %v, before %v", after, before)
		}
		if touched := touchedSince(t, s, mark); len(touched) != 0 {
			t.Errorf("the same chunk again touched %v", touched)
		}
		g.Passages = slices.Delete(slices.Clone(g.Passages), 2, 3)
		g.Passages[1].Class = corpus.ClassNotice
		writePassages(t, s, c, g)
		after, _ := passageKeys(t, s)
		if len(after) != 2 || after[0] != before[0] || slices.Contains(before, after[1]) {
			t.Errorf("a passage of another class, and one less: %v, before %v", after, before)
		}
		if touched := touchedSince(t, s, mark); !slices.Equal(touched, []int32{before[0].Source}) {
			t.Errorf("touched %v", touched)
		}
	})

	t.Run("go with their document", func(t *testing.T) {
		t.Parallel()
		s, _ := newStore(t)
		register(t, s, workerA)
		c := ingestion(t, s, workerA, false)
		writePassages(t, s, c, withPassages(chunkGraph(1, "worker lane", "lease")), withPassages(chunkGraph(2, "fence", "lease")))
		must(t, finishDocument(t, s, c, docID, "o"))
		before, mark := passageKeys(t, s)
		_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(c)})
		must(t, err)
		_, _, err = s.Documents().RemoveDocument(t.Context(), corpus.Removal{DocumentID: docID}, knowledge.NewEmbeddings{})
		must(t, err)
		if after, _ := passageKeys(t, s); len(after) != 0 || len(before) != 4 {
			t.Errorf("left %v of %v", after, before)
		}
		if touched := touchedSince(t, s, mark); len(touched) != 2 {
			t.Errorf("touched %v, want both chunks", touched)
		}
	})

	t.Run("have another stamp when what is said of their document changes", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		writePassages(t, s, ingestion(t, s, workerA, false), withPassages(chunkGraph(1, "worker lane", "lease")))
		conn := connect(t, dsn)
		run(t, conn, "INSERT INTO kg_api.ontologies (name) VALUES ('p')")
		for _, change := range []string{"filename = 'g'", "source_path = '/p'", "ontology_id = (SELECT id FROM kg_api.ontologies WHERE name = 'p')"} {
			before, mark := passageKeys(t, s)
			run(t, conn, "UPDATE kg_api.documents SET job_id = 'job_2'")
			if same, _ := passageKeys(t, s); !slices.Equal(before, same) || len(touchedSince(t, s, mark)) > 0 {
				t.Errorf("another job changed the stamps from %v to %v", before, same)
			}
			run(t, conn, "UPDATE kg_api.documents SET "+change)
			after, _ := passageKeys(t, s)
			if after[0].Stamp == before[0].Stamp || after[0].ID != before[0].ID {
				t.Errorf("%s: %v, before %v", change, after[0], before[0])
			}
			if touched := touchedSince(t, s, mark); !slices.Equal(touched, []int32{before[0].Source}) {
				t.Errorf("%s touched %v", change, touched)
			}
		}
	})
}

// TestPassageKeysFromIndex reads no texts to know which passages there are.
func TestPassageKeysFromIndex(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	writePassages(t, s, ingestion(t, s, workerA, false), withPassages(chunkGraph(1, "a", "b")))
	conn := connect(t, dsn)
	run(t, conn, `INSERT INTO kg_api.passages (source, number, start_byte, end_byte, start_char, end_char, class, body)
		SELECT s.id, 100 + n, 0, 900, 0, 900, 'prose', repeat('x', 900) FROM kg_api.sources s, generate_series(1, 5000) n`)
	run(t, conn, "VACUUM ANALYZE kg_api.passages")
	run(t, conn, "SET enable_seqscan = off") // whatever else the server has to remember of them
	if plan := planOf(t, conn, `SELECT p.id, p.source FROM kg_api.passages p JOIN kg_api.sources s ON s.id = p.source`); !strings.Contains(plan, "Index Only Scan") {
		t.Errorf("the plan is\n%s", plan)
	}
}

func planOf(t *testing.T, conn *pgx.Conn, sql string) string {
	t.Helper()
	rows, err := conn.Query(context.WithoutCancel(t.Context()), "EXPLAIN "+sql)
	must(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	return strings.Join(list, "\n")
}

// TestOutdatedChunks cuts what older rules have cut again, once: until then their passages stay, and what
// is cut as it was keeps its numbers.
func TestOutdatedChunks(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	c := ingestion(t, s, workerA, false)
	first, second := withPassages(chunkGraph(1, "worker lane", "lease")), withPassages(chunkGraph(2, "fence", "lease"))
	writePassages(t, s, c, first, second)
	must(t, finishDocument(t, s, c, docID, "o"))
	_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(c)})
	must(t, err)
	const term = 2
	execSQL(t, dsn, "UPDATE kg_api.leader SET term = 2, worker_id = $1, since = now()", workerA)
	outdated := func(want int) []corpus.UncutDocument {
		t.Helper()
		uncut, err := s.Passages().UncutDocuments(t.Context(), -1, 10)
		must(t, err)
		list, err := s.Passages().OutdatedDocuments(t.Context(), -1, 10)
		must(t, err)
		if len(uncut) != 0 || len(list) != want {
			t.Fatalf("%d documents are not cut, %d by older rules, want %d", len(uncut), len(list), want)
		}
		return list
	}
	outdated(0)
	execSQL(t, dsn, "UPDATE kg_api.sources SET cutter = 0") // as an older server writes them
	list := outdated(1)
	before, _ := passageKeys(t, s)
	chunks, err := s.Passages().ChunksToCut(t.Context(), list[0].Number)
	must(t, err)
	if len(chunks) != 2 || chunks[0].IsCut || chunks[1].IsCut || len(before) != 4 {
		t.Fatalf("got %+v with the passages %v", chunks, before)
	}
	again := withPassages(chunkGraph(2, "fence", "lease")).Passages
	again[1].Defines = []string{"lease"} // as newer rules find
	passages := map[int32][]corpus.Passage{chunks[0].Number: first.Passages, chunks[1].Number: again}
	var after []corpus.PassageKey
	for range 2 {
		must(t, s.Passages().CutChunks(t.Context(), term, []int32{chunks[0].Number, chunks[1].Number}, passages))
		after, _ = passageKeys(t, s)
		if len(after) != 4 || !slices.Equal(after[:3], before[:3]) || after[3].ID == before[3].ID {
			t.Errorf("passages %v, before %v", after, before)
		}
		passages = nil // the second time there is nothing to do
	}
	shown, err := s.Passages().ShownPassages(t.Context(), []int32{after[3].ID})
	must(t, err)
	if len(shown) != 1 || !slices.Equal(shown[0].Defines, again[1].Defines) {
		t.Errorf("the passage is %+v", shown)
	}
	outdated(0)
}

// TestUncutChunks cuts what an older version has written.
func TestUncutChunks(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	c := ingestion(t, s, workerA, false)
	uncut := chunkGraph(2, "fence", "lease")
	uncut.Places = []corpus.Place{{Start: 10, Page: 3, Section: "A"}}
	cut := withPassages(chunkGraph(1, "worker lane", "lease"))
	writePassages(t, s, c, cut, uncut)
	const term = 2
	execSQL(t, dsn, "UPDATE kg_api.leader SET term = 2, worker_id = $1, since = now()", workerA)
	if list, err := s.Passages().UncutDocuments(t.Context(), -1, 10); err != nil || len(list) != 0 {
		t.Errorf("a document that is being written: %v, %v", list, err)
	}
	must(t, finishDocument(t, s, c, docID, "o"))
	_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(c)})
	must(t, err)
	list, err := s.Passages().UncutDocuments(t.Context(), -1, 10)
	must(t, err)
	if len(list) != 1 || list[0].DocumentID != docID || list[0].ContentType != corpus.ContentPlain {
		t.Fatalf("got %+v", list)
	}
	chunks, err := s.Passages().ChunksToCut(t.Context(), list[0].Number)
	must(t, err)
	if len(chunks) != 2 || !chunks[0].IsCut || chunks[1].IsCut || chunks[1].Text != uncut.Chunk.Text || len(chunks[1].Places) != 1 || chunks[1].Places[0] != uncut.Places[0] {
		t.Fatalf("got %+v", chunks)
	}
	passages := map[int32][]corpus.Passage{chunks[0].Number: {{Number: 9, Span: corpus.Span{End: 1}, EndChar: 1, Text: "x", Class: corpus.ClassProse}}, chunks[1].Number: withPassages(uncut).Passages}
	if err := s.Passages().CutChunks(t.Context(), term+1, []int32{chunks[1].Number}, passages); !errors.Is(err, kappa.ErrDeposed) {
		t.Errorf("under another term: %v", err)
	}
	before, _ := passageKeys(t, s)
	for range 2 {
		must(t, s.Passages().CutChunks(t.Context(), term, []int32{chunks[0].Number, chunks[1].Number}, passages))
		after, _ := passageKeys(t, s)
		if len(before) != 2 || len(after) != 4 || !slices.Equal(after[:2], before) {
			t.Errorf("passages %v, before %v", after, before)
		}
	}
	if list, err := s.Passages().UncutDocuments(t.Context(), -1, 10); err != nil || len(list) != 0 {
		t.Errorf("left %v, %v", list, err)
	}
	run(t, connect(t, dsn), "UPDATE kg_api.sources SET is_cut = false")
	if list, err := s.Passages().UncutDocuments(t.Context(), list[0].Number, 10); err != nil || len(list) != 0 {
		t.Errorf("after the last one: %v, %v", list, err)
	}
}
