package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/remote"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// readChunks has a worker read passages until the test ends, last claimed first, and
// answer each with a concept that is named as its text.
func (p *peer) readChunks(slots int) {
	p.t.Helper()
	j := kappaJoin(p.t, fmt.Sprintf("*:%d", slots))
	j.Types = []string{work.TypeExtractChunk}
	ref := p.ok("", wire.TopicQueue, wire.EventJoin, j, nil)
	for p.t.Context().Err() == nil {
		answer := p.claim(ref, "g1", slots, "*")
		var ack wire.Ack
		for _, r := range answer.Runs {
			ack.Accept = append(ack.Accept, r.RunKey)
		}
		p.ok(ref, wire.TopicQueue, wire.EventClaimAck, ack, nil)
		for _, r := range slices.Backward(answer.Runs) {
			var in struct{ Chunk struct{ Text string } }
			noError(p.t, json.Unmarshal(r.Data, &in))
			result := fmt.Sprintf(`{"concepts":[{"concept_id":"c","label":%q}],"instances":[],"relationships":[],"usage":{"model":"openai/m","input_tokens":3,"output_tokens":4}}`, in.Chunk.Text)
			p.ok(ref, wire.TopicQueue, wire.EventComplete, wire.RunComplete{RunEvent: wire.RunEvent{RunKey: r.RunKey, Seq: 1}, Result: json.RawMessage(result)}, nil)
		}
		if len(answer.Runs) == 0 {
			return
		}
	}
}

// TestRemoteExtractor has workers read passages, as the ingestion of a document does.
func TestRemoteExtractor(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	providers := s.db.Providers(models.Limits{}, postgres.CallLease)
	e := remote.NewExtractor(remote.ExtractorConfig{
		Jobs: s.db.Jobs(), Budget: s.db.Jobs().CheckBudget, Charge: providers.ChargeRun,
		CostOf: func(model string, u models.TokenUsage) float64 {
			if model != "openai/m" {
				t.Errorf("the price of %q is asked for", model)
			}
			return float64(u.Output)
		},
		Log: slog.New(slog.DiscardHandler),
	})
	parent := s.submit(t, "exec", "other", `{}`) // any job
	claim := work.Claim{JobID: parent.ID, UserID: access.SystemUserID, Token: 7}
	ctx := remote.WithParent(t.Context(), claim)
	const passages = 20
	read := func() map[string]int {
		found := map[string]int{}
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range passages {
			all.Go(func() {
				text := fmt.Sprintf("passage %d", i)
				x, err := e.Extract(ctx, knowledge.Passage{Text: text, Place: knowledge.PassagePlace{Ontology: "o", DocumentID: "sha256:d", Number: i + 1, StartChar: 10 * i, EndChar: 10*i + 9}})
				if err != nil || len(x.Concepts) != 1 || x.Concepts[0].Label != text || x.Concepts[0].Weight != 1 || x.Tokens != 7 {
					t.Errorf("%s: %+v, %v", text, x, err)
				}
				mu.Lock()
				found[text]++
				mu.Unlock()
			})
		}
		worker := make(chan struct{})
		go func() {
			defer close(worker)
			apitest.Eventually(t, "all passages wait", func() bool {
				st, err := s.db.Lanes().WorkerStatus(t.Context())
				return err == nil && slices.ContainsFunc(st.Remote.Waiting, func(q work.RemoteQueue) bool { return q.JobType == work.TypeExtractChunk && q.Count == passages })
			})
			s.kappaWorker(t, lanes.NewID()).readChunks(8)
		}()
		all.Wait()
		<-worker
		return found
	}
	if got := read(); len(got) != passages {
		t.Errorf("read %v", got)
	}
	again, err := e.Extract(ctx, knowledge.Passage{Text: "passage 2", Known: []knowledge.KnownConcept{{ID: "k", Label: "new"}}}) // by the next attempt: nobody reads it again
	if err != nil || len(again.Concepts) != 1 || again.Concepts[0].Label != "passage 2" {
		t.Errorf("%+v, %v", again, err)
	}
	want := models.Spending{Extraction: models.TokenUsage{Input: 3 * passages, Output: 4 * passages}, ExtractionCost: 4 * passages, Calls: passages}
	if spent, err := providers.Spent(t.Context(), parent.ID); err != nil || spent.Extraction != want.Extraction || spent.ExtractionCost != want.ExtractionCost || spent.Calls != want.Calls || spent.Seconds <= 0 {
		t.Errorf("the document has cost %+v (%v), want %+v: each passage once", spent, err, want)
	}
	children, err := s.db.Jobs().Jobs(t.Context(), work.JobFilter{Parent: parent.ID, Limit: 100})
	noError(t, err)
	for _, f := range []work.JobFilter{{Parent: children[0].ID}, {Parent: parent.ID, Statuses: []work.Status{work.StatusApproved}}, {Parent: parent.ID, Type: "exec"}, {Parent: parent.ID, User: "nobody"}} {
		f.Limit = 100
		if none, err := s.db.Jobs().Jobs(t.Context(), f); err != nil || len(none) != 0 {
			t.Errorf("%+v selects %d jobs (%v)", f, len(none), err)
		}
	}
	if len(children) != passages || children[0].ParentID == nil || *children[0].ParentID != parent.ID {
		t.Errorf("%d jobs for %d passages, with other parents", len(children), passages)
	}

	withBudget(t, s.dsn, parent.ID, 7*passages)
	if _, err := e.Extract(ctx, knowledge.Passage{Text: "beyond the budget"}); !kappa.Paused(err) {
		t.Errorf("a passage beyond the budget: %v", err)
	}
	withBudget(t, s.dsn, parent.ID, 7*passages+1)

	cancelled, cancel := context.WithCancelCause(ctx)
	done := make(chan error, 1)
	go func() {
		_, err := e.Extract(cancelled, knowledge.Passage{Text: "never read"})
		done <- err
	}()
	var waits work.Job
	apitest.Eventually(t, "the passage waits", func() bool {
		list, err := s.db.Jobs().Jobs(t.Context(), work.JobFilter{Type: work.TypeExtractChunk, Statuses: []work.Status{work.StatusApproved}, Limit: 10})
		if err != nil || len(list) == 0 {
			return false
		}
		waits = list[0]
		return true
	})
	cancel(kappa.ErrCancelled)
	if err := <-done; !errors.Is(err, kappa.ErrCancelled) {
		t.Errorf("the reading ended with %v", err)
	}
	s.wantStatus(t, waits.ID, work.StatusCancelled)
	_, err = s.db.Jobs().Cancel(t.Context(), parent.ID)
	noError(t, err)
	orphan, err := s.db.Jobs().SubmitJob(t.Context(), work.NewJob{
		Type: work.TypeExtractChunk, Queue: "q", AutoApprove: true, UserID: access.SystemUserID, Remote: true, ParentID: parent.ID,
	})
	noError(t, err)
	if ids, err := s.db.Remote().Orphans(t.Context(), 10); err != nil || len(ids) != 1 || ids[0] != orphan.ID {
		t.Errorf("the jobs whose parent has ended are %v (%v), want %s", ids, err, orphan.ID)
	}
}

// withBudget gives a job a budget of tokens.
func withBudget(t *testing.T, dsn, jobID string, tokens int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	noError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "UPDATE kg_api.jobs SET budget_tokens = $2 WHERE job_id = $1", jobID, tokens)
	noError(t, err)
}

// TestRemoteChunkData says what a worker gets of a chunk.
func TestRemoteChunkData(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	parent := s.submit(t, "exec", "other", `{}`)
	ctx, cancel := context.WithCancel(remote.WithParent(t.Context(), work.Claim{JobID: parent.ID, UserID: access.SystemUserID, Token: 7}))
	done := make(chan error, 1)
	go func() {
		_, err := remote.NewExtractor(remote.ExtractorConfig{Jobs: s.db.Jobs(), Log: slog.New(slog.DiscardHandler)}).Extract(ctx, knowledge.Passage{
			Text: "two words", Types: []string{"CAUSES"}, Known: []knowledge.KnownConcept{{ID: "c1", Label: "Entropy"}},
			Place: knowledge.PassagePlace{Ontology: "Physics", DocumentID: "sha256:d", Number: 3, StartChar: 20, EndChar: 29},
		})
		done <- err
	}()
	var data string
	apitest.Eventually(t, "the job", func() bool {
		err := remoteConn(t, s.dsn).QueryRow(t.Context(), `SELECT data::jsonb FROM kg_api.jobs WHERE parent_id = $1`, parent.ID).Scan(&data)
		return err == nil
	})
	cancel()
	<-done
	const want = `{"chunk": {"text": "two words", "number": 3, "end_char": 29, "start_char": 20, "word_count": 2}, "limits": {"max_concepts": 40}, ` +
		`"context": {"concepts": [{"label": "Entropy", "concept_id": "c1"}], "relationship_types": ["CAUSES"]}, "ontology": "Physics", "document_id": "sha256:d"}`
	if data != want {
		t.Errorf("the data is\n%s, want\n%s", data, want)
	}
}
