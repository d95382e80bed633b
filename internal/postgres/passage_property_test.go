package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/storage"
)

// TestPassagesStayThoseOfTheTexts is the law of passages: whatever is ingested, cut, embedded,
// moved, renamed, undone, removed, backed up and restored in whatever order and by whichever
// version, the passages of a chunk are those that one version cuts of its text, each embedding
// is of its passage, and who follows the log has what the tables have. In the end everything
// is cut and embedded.
func TestPassagesStayThoseOfTheTexts(t *testing.T) {
	t.Parallel()
	checkPassages(t, 1, 25)
}

func TestPassagesStayThoseOfTheTexts_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkPassages(t, 40, 50)
}

func checkPassages(t *testing.T, rounds, acts int) {
	t.Helper()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	run(t, conn, "UPDATE kg_api.leader SET term = 2, worker_id = '"+workerA+"', since = now()")
	for range rounds {
		seed := rand.IntN(1 << 30)
		drawn := rapid.Custom(func(r *rapid.T) []drawnAct {
			return rapid.SliceOfN(rapid.Custom(drawAct), acts, acts).Draw(r, "acts")
		}).Example(seed)
		emptyGraph(t, s, conn)
		run(t, conn, "UPDATE kg_api.embedding_space SET model = NULL, dimensions = NULL")
		p := &passaging{curating: curating{curated: &curated{DB: s, t: t, conn: conn}}, model: "m0", replica: newPassageReplica(t, s)}
		var log []string
		for _, a := range drawn {
			act := passageActs[a.kind%len(passageActs)]
			err := act.do(p, a)
			log = append(log, fmt.Sprintf("%s %d %d %d: %v", act.name, a.a, a.b, a.c, err))
			if code := kappa.ErrorCode(err); err != nil && code != kappa.CodeConflict && code != kappa.CodeNotFound && code != kappa.CodeForbidden {
				t.Errorf("%v", err)
			}
			p.check()
			if t.Failed() {
				t.Fatalf("seed %d, after\n%s", seed, strings.Join(log, "\n"))
			}
		}
		p.settle()
		if t.Failed() {
			t.Fatalf("seed %d, settled after\n%s", seed, strings.Join(log, "\n"))
		}
	}
}

const lawTerm = 2

// passaging is a graph, and what was done with it.
type passaging struct {
	curating

	model     string // that embeds passages
	proposals []int
	ingested  []placedJob
	replica   *passageReplica
}

// sentencesOf are the sentences of a document; each is read in three chunks, whose borders are
// within sentences.
func sentencesOf(document int) (all []string) {
	for n := range 7 {
		all = append(all, fmt.Sprintf("Sentence %d of paper %d says é. ", n, document))
	}
	return all
}

func textOf(document int) string { return strings.Join(sentencesOf(document), "") }

const chunksOfPaper = 3

// placeOf is where a chunk of a document is.
func placeOf(document, n int) corpus.Span {
	text := textOf(document)
	at := func(n int) int {
		for at := n * len(text) / chunksOfPaper; ; at++ {
			if at == len(text) || text[at]&0xc0 != 0x80 {
				return at
			}
		}
	}
	return corpus.Span{Start: at(n), End: at(n + 1)}
}

const cutVersions = 3

// cutBy is what a version cuts of a document, by the chunks in which they end. Versions differ
// in headings, and in how much is one passage.
func cutBy(version, document int) [chunksOfPaper][]corpus.Passage {
	var of [chunksOfPaper][]corpus.Passage
	all, text := sentencesOf(document), textOf(document)
	at, number := 0, 0
	for n := 0; n < len(all); {
		take := 1
		if version == 1 && n > 0 {
			take = min(2, len(all)-n)
		}
		body := strings.Join(all[n:n+take], "")
		number++
		p := corpus.Passage{
			Number: number + 10*(version/2), Span: corpus.Span{Start: at, End: at + len(body)}, Text: body, Class: corpus.ClassProse, Language: "en",
			StartChar: len([]rune(text[:at])), EndChar: len([]rune(text[:at+len(body)])), Section: []string{"Top", "Other > Top", "Top"}[version],
		}
		n, at = n+take, at+len(body)
		for c := range chunksOfPaper {
			if p.End <= placeOf(document, c).End {
				of[c] = append(of[c], p)
				break
			}
		}
	}
	return of
}

// meaningOf is the embedding of a text by a model.
func meaningOf(model, text string) models.Embedding { return vector(model + text) }

var passageActs = []struct {
	name string
	do   func(p *passaging, a drawnAct) error
}{
	{"ingest", (*passaging).ingest},
	{"ingest", (*passaging).ingest},
	{"ingest", (*passaging).ingest},
	{"rename", func(p *passaging, a drawnAct) error {
		_, err := p.Ontologies().RenameOntology(p.t.Context(), shelfNames[a.a%4], shelfNames[a.b%4])
		return err
	}},
	{"move", func(p *passaging, a drawnAct) error {
		from, to := shelfNames[a.a%4], shelfNames[a.b%4]
		r := curation.Reassignment{From: from, To: to, By: "test"}
		for i, id := range sourceIDs(p.t, p.conn, from) {
			if a.c&(1<<(i%4)) > 0 {
				r.SourceIDs = append(r.SourceIDs, id)
			}
		}
		if from == to || len(r.SourceIDs) == 0 {
			return nil
		}
		_, proposal, err := p.Annealing().Reassign(p.t.Context(), r)
		p.proposals = append(p.proposals, proposal)
		return err
	}},
	{"dissolve", func(p *passaging, a drawnAct) error {
		if a.a%4 == a.b%4 {
			return nil
		}
		_, proposal, err := p.Annealing().Reassign(p.t.Context(), curation.Reassignment{From: shelfNames[a.a%4], To: shelfNames[a.b%4], By: "test"})
		p.proposals = append(p.proposals, proposal)
		return err
	}},
	{"undo a move", func(p *passaging, a drawnAct) error {
		id, ok := pick(p.proposals, a.a)
		if !ok {
			return nil
		}
		_, err := p.Annealing().UndoProposal(p.t.Context(), id, "test")
		return err
	}},
	{"undo an ingestion", func(p *passaging, a drawnAct) error {
		j, ok := pick(p.ingested, a.a)
		if !ok {
			return nil
		}
		return p.removed(corpus.Removal{DocumentID: corpus.ContentHash([]byte(textOf(j.document))), Ontology: j.ontology, By: j.id})
	}},
	{"delete", func(p *passaging, a drawnAct) error {
		return p.removed(corpus.Removal{DocumentID: corpus.ContentHash([]byte(textOf(a.a % 3)))})
	}},
	{"cut", (*passaging).cut},
	{"embed", func(p *passaging, a drawnAct) error { return p.embed(1 + a.a%9) }},
	{"another model", func(p *passaging, a drawnAct) error {
		p.model = []string{"m0", "m1"}[a.a%2]
		must(p.t, p.Embeddings().ChangeSpace(p.t.Context(), p.model))
		if a.b%2 == 0 {
			return nil
		}
		p.reembed(1 + a.b%7)
		_, err := p.PassageEmbeddings().RemoveOutdated(p.t.Context(), p.model, 1+a.c%20)
		return err
	}},
	{"back up", func(p *passaging, _ drawnAct) error {
		made := backUp(p.t, p.DB, "")
		p.archive = &made
		return nil
	}},
	{"restore", (*passaging).restore},
	{"restore", (*passaging).restore},
}

// ingest reads a document; as an older server, which cuts nothing, as one without a model, or
// as one that embeds.
func (p *passaging) ingest(a drawnAct) error {
	document, version := a.a%3, a.b%(cutVersions+1)-1
	d := drawnDocument{body: []byte(textOf(document)), ontology: shelfNames[a.c%4]}
	var of [chunksOfPaper][]corpus.Passage
	if version >= 0 {
		of = cutBy(version, document)
	}
	var model string
	must(p.t, p.conn.QueryRow(p.t.Context(), "SELECT coalesce(model, 'm0') FROM kg_api.embedding_space").Scan(&model))
	for n := range chunksOfPaper {
		g, span := chunkGraph(n+1, fmt.Sprintf("thing %d", (document+n)%4), "lease"), placeOf(document, n)
		g.Document.ID, g.Document.Ontology, g.Model = corpus.ContentHash(d.body), d.ontology, model
		g.Chunk.Text, g.Chunk.Bytes = textOf(document)[span.Start:span.End], span
		g.Chunk.StartChar, g.Chunk.EndChar = len([]rune(textOf(document)[:span.Start])), len([]rune(textOf(document)[:span.End]))
		g.Passages = of[n]
		if a.c%3 > 0 && len(g.Passages) > 0 {
			for _, one := range g.Passages {
				g.Meanings = append(g.Meanings, meaningOf(model, one.EmbeddingText()))
			}
		}
		d.chunks = append(d.chunks, g)
	}
	job := ingestDrawn(p.t, p.DB, p.conn, d)
	p.ingested = append(p.ingested, placedJob{job, d.ontology, document})
	return nil
}

func (p *passaging) removed(r corpus.Removal) error {
	embedded := knowledge.NewEmbeddings{Model: "m0", ByText: map[string]models.Embedding{}}
	must(p.t, p.conn.QueryRow(p.t.Context(), "SELECT coalesce(model, 'm0') FROM kg_api.embedding_space").Scan(&embedded.Model))
	for {
		_, missing, err := p.Documents().RemoveDocument(p.t.Context(), r, embedded)
		if err != nil || len(missing) == 0 {
			return err
		}
		for _, text := range missing {
			embedded.ByText[text] = vector(text)
		}
	}
}

func (p *passaging) restore(a drawnAct) error {
	if p.archive == nil {
		return nil
	}
	claim := restoreClaim(p.t, p.DB)
	_, err := p.Backups().Restore(p.t.Context(), claim, p.archive.restoring([]string{storage.RestoreMerge, storage.RestoreMerge, storage.RestoreReplace}[a.a%3]))
	run(p.t, p.conn, `UPDATE kg_api.jobs SET status = 'completed', completed_at = now() WHERE job_id = '`+claim.JobID+`'`)
	return err
}

// cut has the leader cut what is not cut, by one of the versions.
func (p *passaging) cut(a drawnAct) error {
	documents, err := p.Passages().UncutDocuments(p.t.Context(), -1, 100)
	must(p.t, err)
	for _, d := range documents {
		chunks, err := p.Passages().ChunksToCut(p.t.Context(), d.Number)
		must(p.t, err)
		of := map[int32][]corpus.Passage{}
		var uncut []int32
		for _, c := range chunks {
			document, n := placed2(c.Text, c.Bytes)
			of[c.Number] = cutBy(a.a%cutVersions, document)[n]
			if !c.IsCut {
				uncut = append(uncut, c.Number)
			}
		}
		must(p.t, p.Passages().CutChunks(p.t.Context(), lawTerm, uncut, of))
	}
	return nil
}

// placed2 finds which chunk of which document a text is.
func placed2(text string, span corpus.Span) (document, n int) {
	for document := range 3 {
		for n := range chunksOfPaper {
			if s := placeOf(document, n); s == span && textOf(document)[s.Start:s.End] == text {
				return document, n
			}
		}
	}
	return -1, -1
}

// embed embeds so many passages that have no embedding by the model.
func (p *passaging) embed(most int) error {
	list, err := p.PassageEmbeddings().PassagesToEmbed(p.t.Context(), p.model, 0, most)
	if err != nil || len(list) == 0 {
		return err
	}
	embeddings := make([]models.Embedding, len(list))
	for i, one := range list {
		embeddings[i] = meaningOf(p.model, one.Text)
	}
	return p.PassageEmbeddings().StorePassageEmbeddings(p.t.Context(), p.model, list, embeddings)
}

// reembed embeds so many concepts with the model of the graph.
func (p *passaging) reembed(most int) {
	p.t.Helper()
	batch, _, err := p.Embeddings().Outdated(p.t.Context(), p.model, most)
	must(p.t, err)
	embeddings := make([]models.Embedding, len(batch))
	for i, b := range batch {
		embeddings[i] = vector(b.Text)
	}
	must(p.t, p.Embeddings().Replace(p.t.Context(), p.model, batch, embeddings))
	must(p.t, p.Embeddings().FinishSpace(p.t.Context(), p.model))
}

// check compares every chunk with what the versions cut, every embedding with its passage, and
// the replica with the tables.
func (p *passaging) check() {
	p.t.Helper()
	keys, _ := passageKeys(p.t, p.DB)
	shown, err := p.Passages().ShownPassages(p.t.Context(), idsOf(keys))
	must(p.t, err)
	slices.SortFunc(shown, func(a, b corpus.ShownPassage) int { return a.Number - b.Number })
	ofChunk := map[int32][]corpus.Passage{}
	texts := map[int32]string{}
	for _, s := range shown {
		ofChunk[s.Source] = append(ofChunk[s.Source], s.Passage)
		texts[s.ID] = s.EmbeddingText()
	}
	rows, err := p.conn.Query(p.t.Context(), "SELECT s.id, s.full_text, s.start_byte, s.end_byte, s.is_cut FROM kg_api.sources s")
	must(p.t, err)
	for rows.Next() {
		var id int32
		var text string
		var span corpus.Span
		var isCut bool
		must(p.t, rows.Scan(&id, &text, &span.Start, &span.End, &isCut))
		document, n := placed2(text, span)
		if document < 0 {
			p.t.Errorf("a chunk of no document: %q", text)
			continue
		}
		if got := ofChunk[id]; !(isCut || len(got) > 0) || slices.ContainsFunc([]int{0, 1, 2}, func(v int) bool { return fmt.Sprint(cutBy(v, document)[n]) == fmt.Sprint(got) }) {
			continue
		}
		p.t.Errorf("no version cuts chunk %d of paper %d (cut: %v) into\n%+v", n, document, isCut, ofChunk[id])
	}
	must(p.t, rows.Err())
	for _, model := range []string{"m0", "m1"} {
		vectors, err := p.PassageEmbeddings().PassageVectors(p.t.Context(), model, idsOf(keys))
		must(p.t, err)
		for id, v := range vectors {
			if !slices.Equal(v, meaningOf(model, texts[id])) {
				p.t.Errorf("passage %d, %q, has the embedding of another text by %s", id, texts[id], model)
			}
		}
	}
	if bad := lines(p.t, p.conn, `SELECT c.model FROM kg_api.concept_embeddings c, kg_api.embedding_space s WHERE c.model <> s.model AND NOT s.reembedding`); len(bad) > 0 {
		p.t.Errorf("the graph is said to be embedded, and has embeddings of %q", bad)
	}
	p.replica.follow(p.model)
}

// settle has everything cut and embedded.
func (p *passaging) settle() {
	p.t.Helper()
	must(p.t, p.cut(drawnAct{}))
	for range 100 {
		must(p.t, p.embed(10))
	}
	p.check()
	if found, err := p.Checks().CheckGraph(p.t.Context(), "passages"); err != nil || found.Broken > 0 {
		p.t.Errorf("the check of passages finds %+v, %v", found, err)
	}
	if left, err := p.Passages().UncutDocuments(p.t.Context(), -1, 10); err != nil || len(left) > 0 {
		p.t.Errorf("not cut are %+v, %v", left, err)
	}
	if n, err := p.PassageEmbeddings().Unembedded(p.t.Context(), p.model); err != nil || n > 0 {
		p.t.Errorf("%d passages are not embedded, %v", n, err)
	}
}
