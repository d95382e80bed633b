package postgres_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// submittedVersion is a version of a document on its way in.
type submittedVersion struct {
	sub    work.Submission
	chunks []knowledge.ChunkGraph
}

// versionOf returns a version of a document with one chunk, which says its text.
func versionOf(body, ontology string, origin corpus.Origin) submittedVersion {
	sub := work.Submission{
		Body: []byte(body), ContentType: corpus.ContentPlain, ContentHash: corpus.ContentHash([]byte(body)), Ontology: ontology, Filename: "a.md",
		Origin: origin, Replace: corpus.ReplaceOwn, ProcessingMode: work.ModeSerial, UserID: access.SystemUserID,
	}
	g := chunkGraph(1, "lease", body)
	g.Chunk.Text, g.Chunk.Boundary = body, corpus.BoundaryEnd
	return submittedVersion{sub: sub, chunks: []knowledge.ChunkGraph{g}}
}

// submitVersion submits a version and approves it. The claim is that of a duplicate's job
// when there is one, without a token.
func submitVersion(t *testing.T, s *postgres.DB, v submittedVersion) work.Submitted {
	t.Helper()
	submitted, err := s.Ingestions().SubmitIngestion(t.Context(), v.sub, ingestionJob(v.sub.UserID))
	must(t, err)
	if !submitted.Duplicate {
		must(t, s.Ingestions().Analyzed(t.Context(), work.AnalysisClaim{JobID: submitted.JobID}, corpus.Analysis{Warnings: []string{}}, true))
	}
	return submitted
}

// documentOfVersion returns the document that a claimed job ingests.
func documentOfVersion(t *testing.T, c work.Claim, v submittedVersion) corpus.Document {
	t.Helper()
	var data struct {
		SubmittedAt time.Time `json:"submitted_at"`
	}
	must(t, json.Unmarshal(c.Data, &data))
	return corpus.Document{
		ID: v.sub.ContentHash, Ontology: v.sub.Ontology, Filename: v.sub.Filename, ContentType: corpus.ContentPlain, Origin: v.sub.Origin,
		Apart: v.sub.Apart, Replaces: v.sub.Replace, SubmittedAt: data.SubmittedAt,
	}
}

// workVersion does what the handler of an ingestion does with a claimed version, up to the end
// of its job.
func workVersion(t *testing.T, s *postgres.DB, c work.Claim, v submittedVersion) ([]string, error) {
	t.Helper()
	d := documentOfVersion(t, c, v)
	standing, err := s.Documents().Standing(t.Context(), c, d)
	must(t, err)
	if standing.LaterJob != "" && d.Versioned() {
		return nil, &corpus.SupersededError{JobID: standing.LaterJob}
	}
	if !standing.Earlier {
		err := writeChunksOf(t, s, c, d, v)
		if err == nil {
			replaced, err := finish(t, s, c, corpus.Finishing{Document: d})
			if !errors.Is(err, corpus.ErrEarlierStands) {
				return replaced, err
			}
		} else if !errors.Is(err, corpus.ErrEarlierStands) {
			return nil, err
		}
	}
	whole := knowledge.DocumentVersion{Document: d, Chunks: v.chunks, Matcher: func() knowledge.Matcher { return byLabel{} }, Embedded: knowledge.NewEmbeddings{Model: "test"}}
	return writeVersion(t, s, c, whole)
}

func writeChunksOf(t *testing.T, s *postgres.DB, c work.Claim, d corpus.Document, v submittedVersion) error {
	t.Helper()
	for _, g := range v.chunks {
		g.Document = d
		if _, err := s.Documents().WriteChunk(t.Context(), c, g, byLabel{}, noCheckpoint); err != nil {
			return err
		}
	}
	return nil
}

// ingestVersion submits a version and works on it to the end.
func ingestVersion(t *testing.T, s *postgres.DB, v submittedVersion) ([]string, work.Submitted, error) {
	t.Helper()
	submitted := submitVersion(t, s, v)
	if submitted.Duplicate {
		return nil, submitted, nil
	}
	c := claim(t, s, workerA, 1)[0]
	replaced, err := workVersion(t, s, c, v)
	must(t, err)
	_, err = s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(c)})
	return replaced, submitted, err
}

// TestVersionsModel has two servers ingest versions of one document in any order: jobs are
// submitted, claimed, read chunk by chunk beside each other, fail, are cancelled and submitted
// again. After each step the version stands alone that was submitted last of those that are
// complete, and nothing of another one is found.
func TestVersionsModel(t *testing.T) {
	t.Parallel()
	checkVersionsModel(t, 4)
}

func TestVersionsModel_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkVersionsModel(t, 150)
}

func checkVersionsModel(t *testing.T, rounds int) {
	t.Helper()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	register(t, s, workerA)
	register(t, s, workerB)
	for range rounds {
		seed := rand.Uint64()
		emptyGraph(t, s, conn)
		m := versionsModel{t: t, s: s, conn: conn, rand: rand.New(rand.NewPCG(seed, 0))}
		for range 40 {
			m.step()
			if t.Failed() {
				t.Fatalf("seed %d: %s", seed, strings.Join(m.done, ", "))
			}
		}
	}
}

// versionsModel is what is known of the versions of a document.
type versionsModel struct {
	t    *testing.T
	s    *postgres.DB
	conn *pgx.Conn
	rand *rand.Rand
	done []string

	open     []*modelJob // approved, in the order of their submission
	held     []*modelJob // claimed
	failed   []*modelJob
	complete *modelJob // of those that are, the one that was submitted last
	orders   int
}

// modelJob ingests a version.
type modelJob struct {
	version submittedVersion
	text    string
	id      string
	order   int // of its submission
	claim   work.Claim
	next    int // chunk
	begun   bool
	whole   bool
}

func (m *versionsModel) step() {
	switch pick := m.rand.IntN(10); {
	case pick < 2:
		m.submit(string(rune('a' + m.rand.IntN(4))))
	case pick < 4 && len(m.open) > 0:
		m.claim()
	case pick < 5 && len(m.held) > 0:
		m.fail(m.rand.IntN(len(m.held)))
	case pick < 6 && len(m.failed) > 0:
		m.retry(m.rand.IntN(len(m.failed)))
	case len(m.held) > 0:
		m.advance(m.rand.IntN(len(m.held)))
	}
	m.check()
}

func (m *versionsModel) submit(text string) {
	path := "/prices.md"
	v := versionOf("body of "+text, "o", corpus.Origin{SourcePath: &path})
	v.chunks = nil
	for n := range 2 {
		g := chunkGraph(n+1, "lease", fmt.Sprintf("thing %s%d", text, n))
		g.Chunk.Text = fmt.Sprintf("text %d of %s", n, text)
		v.chunks = append(v.chunks, g)
	}
	v.chunks[1].Chunk.Boundary = corpus.BoundaryEnd
	m.orders++
	submitted := submitVersion(m.t, m.s, v)
	m.done = append(m.done, fmt.Sprintf("submit %s as %s (known: %t)", text, submitted.JobID, submitted.Duplicate))
	if submitted.Duplicate {
		for _, j := range slices.Concat(m.open, m.held) {
			if j.id == submitted.JobID {
				j.order = m.orders
			}
		}
		if m.complete == nil || m.complete.id != submitted.JobID {
			return
		}
		if n := len(m.open) + len(m.held); n > 0 {
			m.t.Errorf("%s is known already, and %d other versions are under way, which would replace it", text, n)
		}
		return
	}
	m.open = append(m.open, &modelJob{version: v, text: text, id: submitted.JobID, order: m.orders})
}

func (m *versionsModel) claim() {
	worker := []string{workerA, workerB}[m.rand.IntN(2)]
	claims := claim(m.t, m.s, worker, 1)
	if len(claims) == 0 {
		return // all slots are taken
	}
	c := claims[0]
	i := slices.IndexFunc(m.open, func(j *modelJob) bool { return j.id == c.JobID })
	j := m.open[i]
	m.open = slices.Delete(m.open, i, i+1)
	j.claim, j.next, j.begun, j.whole = c, 0, false, false
	m.held = append(m.held, j)
	m.done = append(m.done, "claim "+j.text)
}

// fail ends a job that has read some of its document.
func (m *versionsModel) fail(i int) {
	j := m.held[i]
	m.held = slices.Delete(m.held, i, i+1)
	run(m.t, m.conn, "UPDATE kg_api.jobs SET status = $2, completed_at = now(), error = CASE WHEN $2 = 'failed' THEN 'x' END WHERE job_id = $1", j.id, []string{"failed", "cancelled"}[m.rand.IntN(2)])
	m.failed = append(m.failed, j)
	m.done = append(m.done, fmt.Sprintf("%s fails after %d chunks", j.text, j.next))
}

func (m *versionsModel) retry(i int) {
	j := m.failed[i]
	m.failed = slices.Delete(m.failed, i, i+1)
	again, err := m.s.Jobs().RetryJob(m.t.Context(), work.Retry{JobID: j.id, UserID: access.SystemUserID})
	if kappa.ErrorCode(err) == kappa.CodeConflict {
		return // the same is under way
	}
	must(m.t, err)
	next := *j
	next.id = again.ID
	m.open = append(m.open, &next)
	m.done = append(m.done, "retry "+j.text)
}

// advance does the next step of a job's handler.
func (m *versionsModel) advance(i int) {
	j := m.held[i]
	d := documentOfVersion(m.t, j.claim, j.version)
	if !j.begun {
		j.begun = true
		standing, err := m.s.Documents().Standing(m.t.Context(), j.claim, d)
		must(m.t, err)
		if standing.LaterJob != "" {
			m.end(i, &corpus.SupersededError{})
			return
		}
		j.whole = standing.Earlier
		return
	}
	if j.next < len(j.version.chunks) {
		g := j.version.chunks[j.next]
		g.Document = d
		j.next++
		if !j.whole {
			_, err := m.s.Documents().WriteChunk(m.t.Context(), j.claim, g, byLabel{}, noCheckpoint)
			m.went(i, err, false)
		}
		return
	}
	if j.whole {
		_, err := writeVersion(m.t, m.s, j.claim, knowledge.DocumentVersion{
			Document: d, Chunks: j.version.chunks, Matcher: func() knowledge.Matcher { return byLabel{} }, Embedded: knowledge.NewEmbeddings{Model: "test"},
		})
		m.went(i, err, true)
		return
	}
	_, err := finish(m.t, m.s, j.claim, corpus.Finishing{Document: d})
	m.went(i, err, true)
}

// went takes note of what came of a step; the last one makes the version complete.
func (m *versionsModel) went(i int, err error, last bool) {
	j := m.held[i]
	m.done = append(m.done, fmt.Sprintf("%s at %d: %v", j.text, j.next, err))
	switch {
	case errors.Is(err, corpus.ErrEarlierStands):
		if j.whole {
			m.t.Errorf("%s is written at once, and is told so: %v", j.text, err)
		}
		j.whole, j.next = true, 0
	case err != nil || last:
		m.end(i, err)
	}
}

func (m *versionsModel) end(i int, err error) {
	j := m.held[i]
	m.held = slices.Delete(m.held, i, i+1)
	later := (*corpus.SupersededError)(nil)
	switch {
	case err == nil:
		if m.complete == nil || m.complete.order < j.order {
			m.complete = j
		}
	case errors.As(err, &later):
		if m.complete == nil || m.complete.order < j.order {
			m.t.Errorf("%s is told that a later version stands: %v", j.text, err)
		}
	case kappa.ErrorCode(err) == kappa.CodeConflict && !kappa.Retryable(err): // another job has begun the same document
		run(m.t, m.conn, "UPDATE kg_api.jobs SET status = 'failed', error = 'x', completed_at = now() WHERE job_id = $1", j.id)
		return
	default:
		m.t.Errorf("%s: %v", j.text, err)
	}
	_, err = m.s.Claims().Finish(m.t.Context(), j.claim.Worker, []work.Outcome{completed(j.claim)})
	must(m.t, err)
}

// check compares what is found with what should be.
func (m *versionsModel) check() {
	m.t.Helper()
	if m.complete == nil {
		return // what is read first is shown as it comes
	}
	var documents []string
	rows, err := m.conn.Query(m.t.Context(), "SELECT s.full_text FROM kg_api.sources s ORDER BY 1")
	must(m.t, err)
	documents, err = pgx.CollectRows(rows, pgx.RowTo[string])
	must(m.t, err)
	want := []string{"text 0 of " + m.complete.text, "text 1 of " + m.complete.text}
	if !slices.Equal(documents, want) {
		m.t.Errorf("%q stand, want %q", documents, want)
	}
	rows, err = m.conn.Query(m.t.Context(), "SELECT c.label FROM kg_api.concepts c WHERE c.label LIKE 'thing%' ORDER BY 1")
	must(m.t, err)
	concepts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(m.t, err)
	if want := []string{"thing " + m.complete.text + "0", "thing " + m.complete.text + "1"}; !slices.Equal(concepts, want) {
		m.t.Errorf("the graph has %q, want %q", concepts, want)
	}
}
