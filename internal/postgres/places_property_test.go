package postgres_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/storage"
)

// TestPlaces is the law of places: whatever is ingested, renamed, moved, dissolved, undone,
// removed, backed up and restored in whatever order, every document is where the last of it
// that was acknowledged has put it, byte for byte.
func TestPlaces(t *testing.T) {
	t.Parallel()
	checkPlaces(t, 40, rand.IntN(1<<30))
}

func TestPlaces_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	seeds := []int{101681771, 1024976100} // with which faults were found
	for range 48 {
		seeds = append(seeds, rand.IntN(1<<30))
	}
	checkPlaces(t, 60, seeds...)
}

func checkPlaces(t *testing.T, steps int, seeds ...int) {
	t.Helper()
	s, dsn := newStore(t)
	register(t, s, workerA)
	for _, seed := range seeds {
		w := &world{t: t, s: s, conn: connect(t, dsn), byName: map[string]*shelf{}}
		emptyGraph(t, s, w.conn)
		_ = rapid.Custom(func(r *rapid.T) int {
			for range steps {
				w.step(r)
				if t.Failed() {
					break
				}
			}
			return 0
		}).Example(seed)
		if t.Failed() {
			t.Fatalf("seed %d, after\n%s", seed, strings.Join(w.log, "\n"))
		}
	}
}

// bodies are the documents; each is read in three chunks.
var bodies = []string{"the first paper. on leases. and fences.", "the second note: of claims, and of tokens.", "the third: lanes"}

// piece is a chunk of a document, on the shelf of one ontology or another.
type piece struct {
	n    int // which third of the document
	job  string
	born int // the number of the step
}

// paper is a document in an ontology.
type paper struct {
	job    string
	pieces []*piece
}

// shelf is what an ontology should hold, by the document's number.
type shelf struct {
	key    string
	papers map[int]*paper
}

// moved is what a move has moved, for its undo.
type moved struct {
	proposal   int
	from, into *shelf
	fromName   string // the name of a shelf that was dissolved; "" of another
	step       int
	whole      map[int]string // document and its job
	parts      []movedPart
	done       bool // undone
}

type movedPart struct {
	document int
	piece    *piece
	job      string // of the piece
	fromJob  string // of the paper that it was in
}

// world is the graph, and what should be in it.
type world struct {
	t      *testing.T
	s      *postgres.DB
	conn   *pgx.Conn
	byName map[string]*shelf
	moves  []*moved
	jobs   []placedJob
	saved  *savedWorld
	at     int
	log    []string
}

type placedJob struct {
	id, ontology string
	document     int
}

// savedWorld is a backup, and what it should hold.
type savedWorld struct {
	archive
	shelves map[string]*shelf
}

var shelfNames = []string{"a", "b", "c", "d"}

// likely are the steps, each as often as it is likely.
var likely = strings.Fields(strings.Repeat("ingest ", 7) + strings.Repeat("rename ", 5) + strings.Repeat("dissolve ", 2) + strings.Repeat("move ", 8) +
	strings.Repeat("undo ", 5) + strings.Repeat("remove ", 3) + strings.Repeat("back-up ", 2) + strings.Repeat("restore ", 3) + "replace")

func (w *world) step(r *rapid.T) {
	w.at++
	there := slices.Sorted(maps.Keys(w.byName))
	if len(there) == 0 {
		there = shelfNames
	}
	one, other := rapid.SampledFrom(there).Draw(r, "one"), rapid.SampledFrom(there).Draw(r, "other")
	name := rapid.SampledFrom(shelfNames).Draw(r, "name")
	document := rapid.IntRange(0, len(bodies)-1).Draw(r, "document")
	number := rapid.IntRange(0, 1000).Draw(r, "number")
	switch rapid.SampledFrom(likely).Draw(r, "step") {
	case "ingest":
		w.did("ingest %d into %s", document, name)
		w.ingest(document, name)
	case "rename":
		_, err := w.s.Ontologies().RenameOntology(w.t.Context(), one, name)
		if w.acknowledged(err, "rename %s to %s", one, name) {
			w.byName[name] = w.byName[one]
			delete(w.byName, one)
		}
	case "dissolve":
		w.move(one, other, nil)
	case "move":
		w.movePieces(one, other, document, number)
	case "undo":
		w.undo()
	case "remove":
		w.remove(number)
	case "back-up":
		w.did("back up")
		w.saved = &savedWorld{archive: backUp(w.t, w.s, ""), shelves: w.copied()}
	case "restore":
		w.restore(storage.RestoreMerge)
	case "replace":
		w.restore(storage.RestoreReplace)
	}
	w.check()
}

func (w *world) did(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%d: ", w.at)+fmt.Sprintf(format, args...))
}

// acknowledged reports whether a step was done; one that is refused has done nothing.
func (w *world) acknowledged(err error, format string, args ...any) bool {
	w.did(format, args...)
	switch code := kappa.ErrorCode(err); {
	case err == nil:
		return true
	case code == kappa.CodeConflict || code == kappa.CodeNotFound:
		w.log[len(w.log)-1] += ": " + kappa.ErrorMessage(err)
	default:
		w.t.Errorf("%s: %v", w.log[len(w.log)-1], err)
	}
	return false
}

// third returns a third of a document, and where it begins.
func third(document, n int) (text string, span corpus.Span) {
	body := bodies[document]
	span = corpus.Span{Start: n * len(body) / 3, End: (n + 1) * len(body) / 3}
	return body[span.Start:span.End], span
}

func (w *world) ingest(document int, ontology string) {
	if w.byName[ontology] == nil {
		_, err := w.s.Ontologies().CreateOntology(w.t.Context(), ontologies.NewOntology{Name: ontology, UserID: access.SystemUserID})
		must(w.t, err)
		w.byName[ontology] = &shelf{key: w.keyOf(ontology), papers: map[int]*paper{}}
	}
	d := drawnDocument{body: []byte(bodies[document]), ontology: ontology}
	p := &paper{}
	for n := range 3 {
		text, span := third(document, n)
		g := chunkGraph(n+1, fmt.Sprintf("thing %d", (document+n)%4), "lease")
		g.Document.ID, g.Document.Ontology = corpus.ContentHash(d.body), ontology
		g.Chunk.Text, g.Chunk.Bytes, g.Chunk.StartChar, g.Chunk.EndChar = text, span, span.Start, span.End
		d.chunks = append(d.chunks, g)
		p.pieces = append(p.pieces, &piece{n: n, born: w.at})
	}
	p.job = ingestDrawn(w.t, w.s, w.conn, d)
	for _, piece := range p.pieces {
		piece.job = p.job
	}
	w.byName[ontology].papers[document] = p
	w.jobs = append(w.jobs, placedJob{p.job, ontology, document})
}

func (w *world) keyOf(ontology string) (key string) {
	must(w.t, w.conn.QueryRow(w.t.Context(), "SELECT key::text FROM kg_api.ontologies WHERE name = $1", ontology).Scan(&key))
	return key
}

// movePieces moves some chunks of a document.
func (w *world) movePieces(from, into string, document, number int) {
	rows, err := w.conn.Query(w.t.Context(), `SELECT s.source_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id
		WHERE o.name = $1 AND d.document_id = $2 AND $3 & (1 << s.chunk_number) > 0`, from, corpus.ContentHash([]byte(bodies[document])), number)
	must(w.t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(w.t, err)
	if len(ids) == 0 {
		return
	}
	w.move(from, into, &somePieces{ids, document, number})
}

type somePieces struct {
	ids              []string
	document, number int
}

func (w *world) move(from, into string, some *somePieces) {
	if from == into {
		return
	}
	r := curation.Reassignment{From: from, To: into, By: "test"}
	what := "dissolve %s into %s"
	if some != nil {
		r.SourceIDs = some.ids
		what = fmt.Sprintf("move %b of %d, %d chunks,", some.number>>1&7, some.document, len(some.ids)) + " of %s to %s"
	}
	_, proposal, err := w.s.Annealing().Reassign(w.t.Context(), r)
	if !w.acknowledged(err, what, from, into) {
		return
	}
	m := &moved{proposal: proposal, from: w.byName[from], into: w.byName[into], step: w.at, whole: map[int]string{}}
	for _, document := range slices.Sorted(maps.Keys(m.from.papers)) {
		p := m.from.papers[document]
		switch {
		case some == nil && m.into.papers[document] == nil:
			m.into.papers[document], m.whole[document] = p, p.job
			delete(m.from.papers, document)
		case some == nil || some.document == document:
			m.part(document, p, some)
		}
	}
	if some == nil {
		m.fromName = from
		delete(w.byName, from)
	}
	w.moves = append(w.moves, m)
}

// part moves pieces of a paper to the same one of the other shelf.
func (m *moved) part(document int, p *paper, some *somePieces) {
	to := m.into.papers[document]
	if to == nil {
		to = &paper{job: p.job}
		m.into.papers[document] = to
	}
	p.pieces = slices.DeleteFunc(p.pieces, func(c *piece) bool {
		if some != nil && some.number&(1<<(c.n+1)) == 0 {
			return false
		}
		m.parts = append(m.parts, movedPart{document, c, c.job, p.job})
		to.pieces = append(to.pieces, c)
		return true
	})
	if len(p.pieces) == 0 {
		delete(m.from.papers, document)
	}
}

// undo undoes the last move that was not undone.
func (w *world) undo() {
	var m *moved
	for _, candidate := range w.moves {
		if !candidate.done {
			m = candidate
		}
	}
	if m == nil {
		return
	}
	_, err := w.s.Annealing().UndoProposal(w.t.Context(), m.proposal, "test")
	m.done = true // of one that cannot be undone, no earlier one that it builds on can
	if !w.acknowledged(err, "undo %d", m.proposal) {
		return
	}
	if m.fromName != "" {
		m.from = &shelf{key: m.from.key, papers: map[int]*paper{}}
		w.byName[m.fromName] = m.from
		for _, other := range w.moves {
			if other != m && other.from.key == m.from.key {
				other.from = m.from
			}
			if other != m && other.into.key == m.from.key {
				other.into = m.from
			}
		}
	}
	ready := map[int]bool{} // documents of which pieces may come back
	for _, part := range m.parts {
		there := m.from.papers[part.document]
		ready[part.document] = there == nil || there.job == part.fromJob && !slices.ContainsFunc(there.pieces, func(c *piece) bool { return c.born > m.step })
	}
	for _, part := range m.parts {
		here := m.into.papers[part.document]
		if here == nil || !slices.Contains(here.pieces, part.piece) || part.piece.job != part.job || !ready[part.document] {
			continue
		}
		if m.from.papers[part.document] == nil {
			m.from.papers[part.document] = &paper{job: part.fromJob}
		}
		back := m.from.papers[part.document]
		back.pieces = append(back.pieces, part.piece)
		here.pieces = slices.DeleteFunc(here.pieces, func(c *piece) bool { return c == part.piece })
		if len(here.pieces) == 0 {
			delete(m.into.papers, part.document)
		}
	}
	for document, job := range m.whole {
		if p := m.into.papers[document]; p != nil && p.job == job && m.from.papers[document] == nil {
			m.from.papers[document] = p
			delete(m.into.papers, document)
		}
	}
}

// remove undoes an ingestion.
func (w *world) remove(number int) {
	if len(w.jobs) == 0 {
		return
	}
	j := w.jobs[number%len(w.jobs)]
	embedded := knowledge.NewEmbeddings{Model: "test", ByText: map[string]models.Embedding{}}
	r := corpus.Removal{DocumentID: corpus.ContentHash([]byte(bodies[j.document])), Ontology: j.ontology, By: j.id}
	_, missing, err := w.s.Documents().RemoveDocument(w.t.Context(), r, embedded)
	for len(missing) > 0 {
		for _, text := range missing {
			embedded.ByText[text] = vector(text)
		}
		_, missing, err = w.s.Documents().RemoveDocument(w.t.Context(), r, embedded)
	}
	if !w.acknowledged(err, "undo the ingestion %s of %d", j.id, j.document) {
		return
	}
	for _, s := range w.byName {
		p := s.papers[j.document]
		if p == nil {
			continue
		}
		p.pieces = slices.DeleteFunc(p.pieces, func(c *piece) bool { return c.job == j.id || p.job == j.id })
		if len(p.pieces) == 0 {
			delete(s.papers, j.document)
		}
	}
}

// copied is what should be in the graph now.
func (w *world) copied() map[string]*shelf {
	all := map[string]*shelf{}
	for name, s := range w.byName {
		all[name] = &shelf{key: s.key, papers: map[int]*paper{}}
		for document, p := range s.papers {
			q := &paper{job: p.job}
			for _, c := range p.pieces {
				q.pieces = append(q.pieces, &piece{n: c.n, job: c.job})
			}
			all[name].papers[document] = q
		}
	}
	return all
}

func (w *world) restore(mode string) {
	if w.saved == nil {
		return
	}
	c := restoreClaim(w.t, w.s)
	_, err := w.s.Backups().Restore(w.t.Context(), c, w.saved.restoring(mode))
	run(w.t, w.conn, "UPDATE kg_api.jobs SET status = 'completed', completed_at = now() WHERE job_id = '"+c.JobID+"'")
	if !w.acknowledged(err, "restore, %s", mode) {
		return
	}
	if mode == storage.RestoreReplace {
		for _, s := range w.byName {
			clear(s.papers)
		}
		w.byName = map[string]*shelf{}
	}
	into := map[string]*shelf{}
	for name, s := range w.saved.shelves {
		for _, here := range w.byName {
			if here.key == s.key {
				into[name] = here
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.saved.shelves)) {
		here := w.byName[name]
		if into[name] == nil && here != nil && !slices.Contains(slices.Collect(maps.Values(into)), here) {
			into[name] = here
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.saved.shelves)) {
		if into[name] != nil {
			continue
		}
		free := name
		for k := 1; w.byName[free] != nil; k++ {
			free = name + " (restored)"
			if k > 1 {
				free = fmt.Sprintf("%s (restored %d)", name, k)
			}
		}
		into[name] = &shelf{key: w.saved.shelves[name].key, papers: map[int]*paper{}}
		w.byName[free] = into[name]
	}
	for name, s := range w.saved.shelves {
		w.fill(into[name], s)
	}
}

// fill adds what a shelf had when it was backed up, and has no more.
func (w *world) fill(to, saved *shelf) {
	for document, p := range saved.papers {
		there := to.papers[document]
		if there == nil {
			there = &paper{job: p.job}
			to.papers[document] = there
		}
		had := slices.Clone(there.pieces)
		for _, c := range p.pieces {
			if !slices.ContainsFunc(had, func(o *piece) bool { return o.n == c.n }) {
				there.pieces = append(there.pieces, &piece{n: c.n, job: c.job, born: w.at})
			}
		}
	}
}

// check compares the graph with what should be in it: chunks by ontology, document, place
// and text. A document without a chunk is one that was lost.
func (w *world) check() {
	w.t.Helper()
	want := map[string]bool{}
	for name, s := range w.byName {
		want[name] = true
		for document, p := range s.papers {
			for _, c := range p.pieces {
				text, span := third(document, c.n)
				want[fmt.Sprintf("%s %s %d %s", name, corpus.ContentHash([]byte(bodies[document])), span.Start, text)] = true
			}
		}
	}
	rows, err := w.conn.Query(w.t.Context(), `SELECT o.name FROM kg_api.ontologies o
		UNION SELECT concat_ws(' ', o.name, d.document_id, s.start_byte, s.full_text)
		FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id JOIN kg_api.contents c ON c.content_hash = d.document_id LEFT JOIN kg_api.sources s ON s.document = d.id
		WHERE s.id IS NULL OR convert_to(s.full_text, 'UTF8') = substring(c.body FROM s.start_byte + 1 FOR s.end_byte - s.start_byte)`)
	must(w.t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(w.t, err)
	got := map[string]bool{}
	for _, line := range list {
		got[line] = true
		if !want[line] {
			w.t.Errorf("too much: %s", line)
		}
	}
	for line := range want {
		if !got[line] {
			w.t.Errorf("lost: %s", line)
		}
	}
}
