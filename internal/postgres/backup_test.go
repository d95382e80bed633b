package postgres_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// graphOf2 fills a database with documents, concepts, quotes and relationships in two
// ontologies, which share some of them. The first document says LENGTH times what it says.
const graphOf2 = `
	INSERT INTO kg_api.ontologies (name, description) VALUES ('apples', 'of apples'), ('it''s pears', '');
	INSERT INTO kg_api.contents (content_hash, body) SELECT 'sha256:' || encode(sha256(b), 'hex'), b FROM (
		SELECT convert_to(repeat('Document ' || n || ' \ "quoted" é. ', CASE n WHEN 1 THEN LENGTH ELSE n * 10 END), 'UTF8') AS b FROM generate_series(1, 4) n) x;
	INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, job_id)
		SELECT content_hash, 1 + row_number() OVER (ORDER BY octet_length(body)) % 2, 'f', 'text/plain', 'job_1' FROM kg_api.contents;
	INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
		SELECT 'src_' || d.id || '_' || n, d.id, n, 'text ' || n, n, n + 5, n, n + 5, 2, 'hard_cut', 'job_1' FROM kg_api.documents d, generate_series(1, 3) n;
	INSERT INTO kg_api.source_places (source, start_byte, page, section) SELECT id, 0, 3, 'A > B' FROM kg_api.sources;
	INSERT INTO kg_api.passages (source, number, start_byte, end_byte, start_char, end_char, page, section, class, language, columns, defines, body)
		SELECT s.id, n, n, n + 4, n, n + 4, nullif(n, 1), 'A > B', 'table', 'en', '{"","a,b"}', CASE n WHEN 1 THEN '{}' ELSE ARRAY['{x}'] END, E'a\tb\n' FROM kg_api.sources s, generate_series(1, 2) n;
	INSERT INTO kg_api.passage_embeddings (passage, model, signature, vector) SELECT id, 'm', decode(repeat('a1', 96), 'hex'), '{0.5,-1e-30}' FROM kg_api.passages WHERE number = 1;
	INSERT INTO kg_api.source_embeddings (source, model, piece, start_char, end_char, text_md5, vector) SELECT id, 'm', 0, 0, 5, md5(full_text)::uuid, '{0.5,1}' FROM kg_api.sources;
	INSERT INTO kg_api.concepts (concept_id, label, description, search_terms, term_keys)
		SELECT 'c_' || n, E'label\n' || n, 'd "' || n, CASE WHEN n % 3 > 0 THEN ARRAY['a,b', 'c'] ELSE '{}' END, ARRAY['label ' || n] FROM generate_series(1, 60) n;
	INSERT INTO kg_api.concept_embeddings (concept, model, vector, signature, bands)
		SELECT id, 'm', ARRAY[id / 7.0, 1e-30, -0.1]::real[], (id % 2)::int::bit(768), ARRAY[id, 2, 3] FROM kg_api.concepts WHERE id % 5 > 0;
	INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte)
		SELECT c.id, s.id, 'quote ' || c.id || E'\t\u2028', 0, 5 FROM kg_api.concepts c JOIN kg_api.sources s ON (c.id * 7 + s.id) % 6 = 0;
	INSERT INTO kg_api.mentions (concept, source, place, label, description, search_terms)
		SELECT concept, source, row_number() OVER (PARTITION BY source), 'said', '', '{x}' FROM kg_api.instances ORDER BY id DESC;
	INSERT INTO kg_api.relationship_types (name, category) VALUES ('GROWS_ON', 'llm_generated');
	INSERT INTO kg_api.edges (src, dst, type, confidence)
		SELECT a, 1 + (a * 17 + k) % 60, t.id, 0.1 * k FROM generate_series(1, 60) a, generate_series(1, 4) k, kg_api.relationship_types t
		WHERE t.name IN ('CAUSES', 'GROWS_ON') AND a <> 1 + (a * 17 + k) % 60;
	INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, start_byte, end_byte, from_kind, from_start, from_end, to_kind, to_start, to_end, before_quote, before_start, created_at)
		SELECT e.src, e.dst, e.type, s.id, e.confidence, 'because', 1, 4, 'name', 1, 3, 'before', 0, 0, E'before\t', e.src, nullif('2026-01-31'::timestamptz + e.src * interval '1 hour', '2026-01-31 05:00') FROM kg_api.edges e JOIN kg_api.sources s ON (e.src + e.dst + s.id) % 4 = 0`

// The lengths of the first document of graphOf2: in one piece, in two, and in four.
const (
	onePiece   = 10
	twoPieces  = 180_000
	fourPieces = 500_000
)

// newGraphOf2 returns a store with that graph.
func newGraphOf2(t *testing.T, length int) (*postgres.DB, string) {
	t.Helper()
	s, dsn := newStore(t)
	run(t, connect(t, dsn), strings.Replace(graphOf2, "LENGTH", strconv.Itoa(length), 1))
	register(t, s, workerA)
	return s, dsn
}

// archive is a backup in memory.
type archive struct {
	header storage.BackupHeader
	rows   []storage.BackupRow
}

func backUp(t *testing.T, s *postgres.DB, ontology string) archive {
	t.Helper()
	var a archive
	must(t, s.Backups().ReadBackup(t.Context(), ontology, func(h storage.BackupHeader) (func(storage.BackupRow) error, error) {
		a.header = h
		return func(r storage.BackupRow) error {
			a.rows = append(a.rows, storage.BackupRow{Table: r.Table, Row: slices.Clone(r.Row)})
			return nil
		}, nil
	}))
	return a
}

// sorted is the content of an archive, whatever the order of its rows.
func (a archive) sorted() []string {
	var all []string
	for _, r := range a.rows {
		all = append(all, r.Table+" "+string(r.Row))
	}
	slices.Sort(all)
	return all
}

func (a archive) next() func() (storage.BackupRow, error) {
	n := 0
	return func() (storage.BackupRow, error) {
		if n == len(a.rows) {
			return storage.BackupRow{}, io.EOF
		}
		n++
		return a.rows[n-1], nil
	}
}

// restoring is a restore of the archive, which hears of its progress and says so at its end.
func (a archive) restoring(mode string) storage.Restoring {
	return storage.Restoring{
		Header: a.header, Mode: mode, Next: a.next(),
		Progress: func(string, int64, int64) error { return nil },
		Done: func(stats storage.RestoreStats) work.Checkpoint {
			return work.Checkpoint{State: fmt.Appendf(nil, `{"restored":%d}`, stats.Concepts), Progress: work.Progress{Stage: "restored"}}
		},
	}
}

// restoreClaim is a claim to restore under.
func restoreClaim(t *testing.T, s *postgres.DB) work.Claim {
	t.Helper()
	submit(t, s, "polarity")
	return claim(t, s, workerA, 1)[0]
}

// checkpointOf is the state that the next attempt of a job begins with.
func checkpointOf(t *testing.T, dsn, jobID string) (state string) {
	t.Helper()
	must(t, connect(t, dsn).QueryRow(t.Context(), "SELECT coalesce(checkpoint, 'null')::text FROM kg_api.jobs WHERE job_id = $1", jobID).Scan(&state))
	return state
}

func wantSame(t *testing.T, what string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			g, w := "nothing", "nothing"
			if i < len(got) {
				g = got[i]
			}
			if i < len(want) {
				w = want[i]
			}
			t.Fatalf("%s: %d rows, want %d; the first that differs is\n%.300s\nwant\n%.300s", what, len(got), len(want), g, w)
		}
	}
}

// TestBackup brings back what a backup holds: into an empty database, into the same one,
// and in place of another graph.
func TestBackup(t *testing.T) {
	t.Parallel()
	checkBackup(t, twoPieces)
}

func TestBackup_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkBackup(t, fourPieces)
}

func checkBackup(t *testing.T, length int) {
	t.Helper()
	s, dsn := newGraphOf2(t, length)
	whole := backUp(t, s, "")
	if n := len(whole.rows); n < 800 || whole.header.Ontology != nil {
		t.Fatalf("%d rows, header %+v", n, whole.header)
	}
	c := restoreClaim(t, s)
	t.Run("the same graph stays as it is", func(t *testing.T) {
		stats, err := s.Backups().Restore(t.Context(), c, whole.restoring(storage.RestoreMerge))
		if err != nil || stats != (storage.RestoreStats{}) {
			t.Fatalf("%+v, err %v", stats, err)
		}
		wantSame(t, "merged with itself", backUp(t, s, "").sorted(), whole.sorted())
	})
	t.Run("a dry run changes nothing", func(t *testing.T) {
		before := checkpointOf(t, dsn, c.JobID)
		for name, a := range map[string]archive{"all": whole, "a part": backUp(t, s, "it's pears"), "nothing": {header: whole.header}} {
			in := a.restoring(storage.RestoreReplace)
			in.DryRun = true
			stats, err := s.Backups().Restore(t.Context(), c, in)
			must(t, err)
			if gone := *stats.Removed; name == "nothing" && (gone.Concepts != 60 || stats.Concepts != 0) ||
				name != "nothing" && (gone.Instances != stats.Instances || gone.Sources != stats.Sources || gone.Sources == 0) {
				t.Errorf("%s: adds %+v, removes %+v", name, stats, gone)
			}
			wantSame(t, name, backUp(t, s, "").sorted(), whole.sorted())
		}
		if state := checkpointOf(t, dsn, c.JobID); state != before {
			t.Errorf("the checkpoint is %s, was %s", state, before)
		}
	})
	t.Run("a graph that has changed is replaced", func(t *testing.T) {
		_, err := s.Vocabulary().MergeTypes(t.Context(), vocabulary.NewMerge{Source: "GROWS_ON", Target: "CAUSES", By: "admin"}, nil, nil)
		must(t, err)
		run(t, connect(t, dsn), `UPDATE kg_api.concepts SET label = 'other' WHERE id = 3; DELETE FROM kg_api.documents WHERE id = 2; INSERT INTO kg_api.ontologies (name) VALUES ('new')`)
		stats, err := s.Backups().Restore(t.Context(), c, whole.restoring(storage.RestoreReplace))
		if err != nil || stats.Removed.Concepts != 60 || stats.Concepts != 60 {
			t.Fatalf("%+v, err %v", stats, err)
		}
		wantSame(t, "replaced", backUp(t, s, "").sorted(), whole.sorted())
	})
	t.Run("an empty database gets all of it", func(t *testing.T) {
		other, otherDSN := newStore(t)
		register(t, other, workerA)
		run(t, connect(t, otherDSN), "INSERT INTO kg_api.ontologies (name) VALUES ('takes'), ('numbers'); DELETE FROM kg_api.ontologies")
		c := restoreClaim(t, other)
		stats, err := other.Backups().Restore(t.Context(), c, whole.restoring(storage.RestoreMerge))
		if err != nil || stats.Concepts != 60 || stats.Sources != 12 || stats.Instances != 120 {
			t.Fatalf("%+v, err %v", stats, err)
		}
		if state := checkpointOf(t, otherDSN, c.JobID); state != `{"restored": 60}` {
			t.Errorf("the checkpoint is %s: another attempt would restore again", state)
		}
		wantSame(t, "in an empty database", backUp(t, other, "").sorted(), whole.sorted())
	})
	t.Run("an ontology comes back as it was", func(t *testing.T) {
		part := backUp(t, s, "it's pears")
		if len(part.rows) < 100 || len(part.rows) >= len(whole.rows) || *part.header.Ontology != "it's pears" {
			t.Fatalf("%d of %d rows, header %+v", len(part.rows), len(whole.rows), part.header)
		}
		run(t, connect(t, dsn), `DELETE FROM kg_api.sources WHERE id IN (SELECT s.id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE d.ontology_id = (SELECT id FROM kg_api.ontologies WHERE name = 'it''s pears'))`)
		_, err := s.Backups().Restore(t.Context(), c, part.restoring(storage.RestoreReplace))
		must(t, err)
		wantSame(t, "the ontology", backUp(t, s, "it's pears").sorted(), part.sorted())
		wantSame(t, "all of it", backUp(t, s, "").sorted(), whole.sorted())
	})
	if err := s.Backups().ReadBackup(t.Context(), "plums", nil); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("an ontology that is not there: %v", err)
	}
}

// TestRestoreAllOrNothing ends restores at every kind of place: the graph stays as it was.
func TestRestoreAllOrNothing(t *testing.T) {
	t.Parallel()
	checkAllOrNothing(t, onePiece)
}

func TestRestoreAllOrNothing_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkAllOrNothing(t, fourPieces)
}

func checkAllOrNothing(t *testing.T, length int) {
	t.Helper()
	s, dsn := newGraphOf2(t, length)
	whole := backUp(t, s, "")
	c := restoreClaim(t, s)
	errStop := errors.New("stopped")
	for name, tt := range map[string]struct {
		change func(a *archive, c *work.Claim)
		stage  string // in which it is stopped
		stop   int64  // after so many rows
		want   string
	}{
		"stopped while it reads": {stage: "checking", want: "stopped"},
		"stopped in the middle":  {stage: "restoring", stop: 20, want: "stopped"},
		"not its claim any more": {change: func(_ *archive, c *work.Claim) { c.Token++ }, want: kappa.ErrStale.Error()},
		"a later schema":         {change: func(a *archive, _ *work.Claim) { a.header.Schema += 1000 }, want: "was made by a later version"},
		"an unknown table": {change: func(a *archive, _ *work.Claim) {
			a.rows = append(a.rows, storage.BackupRow{Table: "users", Row: []byte(`{}`)})
		}, want: `has rows of "users"`},
		"a row that is none": {change: func(a *archive, _ *work.Claim) { a.rows[0].Row = []byte(`[]`) }, want: "a row of ontologies that is no object"},
		"a row that breaks a rule": {change: func(a *archive, _ *work.Claim) {
			a.rows = append(a.rows, storage.BackupRow{Table: "edges", Row: []byte(`{"src":"c_1","dst":"c_2","type":"CAUSES","confidence":7}`)})
		}, want: "has rows of edges that the graph cannot hold"},
		"an ontology twice": {change: func(a *archive, _ *work.Claim) {
			a.rows = append(a.rows, a.rows[0])
		}, want: "has rows of ontologies that the graph cannot hold"},
		"evidence of a relationship that is not there": {change: func(a *archive, _ *work.Claim) {
			a.rows = append(a.rows, storage.BackupRow{Table: "edge_evidence", Row: []byte(`{"src":"c_1","dst":"c_2","type":"CAUSES","source":"nowhere_1","confidence":1,"quote":"","start_byte":0,"end_byte":0}`)})
		}, want: "has 1 rows of edge_evidence that refer to what it does not hold"},
		"a document with other bytes": {change: func(a *archive, _ *work.Claim) {
			a.rows = slices.Insert(a.rows, 2, storage.BackupRow{Table: "contents", Row: []byte(`{"content_hash":"sha256:` + strings.Repeat("0", 64) + `","created_at":"2026-01-31T08:00:00Z","piece":0,"bytes":"YQ=="}`)})
		}, want: "with other bytes than its hash says"},
	} {
		t.Run(name, func(t *testing.T) {
			a, claim := archive{whole.header, slices.Clone(whole.rows)}, c
			if tt.change != nil {
				tt.change(&a, &claim)
			}
			restoring := a.restoring(storage.RestoreReplace)
			restoring.Progress = func(stage string, rows, _ int64) error {
				if stage == tt.stage && rows >= tt.stop {
					return errStop
				}
				return nil
			}
			_, err := s.Backups().Restore(t.Context(), claim, restoring)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			wantSame(t, "afterwards", backUp(t, s, "").sorted(), whole.sorted())
			if state := checkpointOf(t, dsn, c.JobID); state != "null" {
				t.Errorf("the checkpoint is %s: another attempt would take it for restored", state)
			}
		})
	}
}

// TestRestoreOfDoubles restores an archive that has a row of a document, of a concept and of
// evidence twice: they are one each.
func TestRestoreOfDoubles(t *testing.T) {
	t.Parallel()
	s, _ := newGraphOf2(t, onePiece)
	whole := backUp(t, s, "")
	a := archive{whole.header, slices.Clone(whole.rows)}
	for _, table := range []string{"documents", "concepts", "edge_evidence"} {
		twice := slices.IndexFunc(a.rows, func(r storage.BackupRow) bool { return r.Table == table })
		a.rows = append(a.rows, a.rows[twice])
	}
	_, err := s.Backups().Restore(t.Context(), restoreClaim(t, s), a.restoring(storage.RestoreReplace))
	must(t, err)
	wantSame(t, "afterwards", backUp(t, s, "").sorted(), whole.sorted())
}

// TestBackupKnowsEveryTable checks that each table of the schema is in an archive or
// named with the reason why it is not, and that no number of a row stands in one.
func TestBackupKnowsEveryTable(t *testing.T) {
	t.Parallel()
	_, dsn := newStore(t)
	rows, err := connect(t, dsn).Query(t.Context(), `SELECT c.relname, coalesce(string_agg(a.attname, ' ' ORDER BY a.attname), '') FROM pg_class c
		LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> 'kg_api.contents'::regclass
		LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (k.conkey)
		WHERE c.relnamespace = 'kg_api'::regnamespace AND c.relkind IN ('r', 'p') GROUP BY c.relname ORDER BY 1`)
	must(t, err)
	var table, references string
	n := 0
	_, err = pgx.ForEachRow(rows, []any{&table, &references}, func() error {
		n++
		if problem := postgres.BackupOf(table, strings.Fields(references)); problem != "" {
			t.Error(problem)
		}
		return nil
	})
	must(t, err)
	if n < 30 {
		t.Errorf("%d tables", n)
	}
}

// TestBackupLooksReferencesUp checks that what is written without a check of its
// references has each of them looked up.
func TestBackupLooksReferencesUp(t *testing.T) {
	t.Parallel()
	_, dsn := newStore(t)
	rows, err := connect(t, dsn).Query(t.Context(), `SELECT c.relname, r.relname, string_agg(a.attname, ' ' ORDER BY a.attname) FROM pg_constraint k
		JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (k.conkey)
		WHERE c.relnamespace = 'kg_api'::regnamespace AND k.contype = 'f' GROUP BY k.oid, c.relname, r.relname`)
	must(t, err)
	var table, to, columns string
	n := 0
	_, err = pgx.ForEachRow(rows, []any{&table, &to, &columns}, func() error {
		if postgres.LooksUp(table) {
			n++
			if problem := postgres.LookedUp(table, to, strings.Fields(columns)); problem != "" {
				t.Error(problem)
			}
		}
		return nil
	})
	must(t, err)
	if n != 9 {
		t.Errorf("%d references, want 9", n)
	}
}
