package postgres_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/work"
)

// TestSubmissionAnswers carries out requests under keys whose answers were lost: each
// makes what it asks for once.
func TestSubmissionAnswers(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	under := func(key, request string) work.SubmissionKey {
		return work.SubmissionKey{UserID: access.SystemUserID, Key: key, Fingerprint: []byte("same"), RequestID: request}
	}

	t.Run("a job, although its type takes no key", func(t *testing.T) {
		job := work.NewJob{Type: "polarity", Queue: work.DefaultQueue, UserID: access.SystemUserID}
		ids := make([]string, 8)
		var group sync.WaitGroup
		for i := range ids {
			group.Go(func() {
				made, err := s.Jobs().SubmitJob(work.WithSubmissionKey(t.Context(), under("job", string(rune('a'+i)))), job)
				if err != nil {
					t.Error(err)
				}
				ids[i] = made.ID
			})
		}
		group.Wait()
		for _, id := range ids {
			if id != ids[0] || id == "" {
				t.Fatalf("the jobs are %v, want one", ids)
			}
		}
		other := under("job", "z")
		other.Fingerprint = []byte("other")
		if _, err := s.Jobs().SubmitJob(work.WithSubmissionKey(t.Context(), other), job); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("another request: %v", err)
		}
	})
	t.Run("a document, also one that is forced", func(t *testing.T) {
		sub := work.Submission{Body: []byte("text"), ContentHash: "sha256:" + strings.Repeat("0", 64), Ontology: "demo", Force: true, Filename: "a", ProcessingMode: work.ModeSerial, UserID: access.SystemUserID}
		job := work.NewJob{Type: "ingestion", Queue: work.DefaultQueue, UserID: access.SystemUserID, Data: json.RawMessage(`{}`)}
		var ids [3]string
		for i, key := range []string{"doc", "doc", "doc-2"} {
			done, err := s.Ingestions().SubmitIngestion(work.WithSubmissionKey(t.Context(), under(key, string(rune('a'+i)))), sub, job)
			if err != nil || done.Duplicate {
				t.Fatalf("%+v, %v", done, err)
			}
			ids[i] = done.JobID
		}
		if ids[0] != ids[1] || ids[1] == ids[2] {
			t.Errorf("the jobs are %v, want two", ids)
		}
	})
	t.Run("a thing that is no job", func(t *testing.T) {
		artifact := artifacts.NewArtifact{
			Label:   artifacts.Label{Type: "report", Representation: "cli", Parameters: json.RawMessage(`{}`)},
			Payload: json.RawMessage(`{}`), OwnerID: access.SystemUserID,
		}
		if _, err := s.Artifacts().AddArtifact(work.WithSubmissionKey(t.Context(), under("art", "a")), artifact); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Artifacts().AddArtifact(work.WithSubmissionKey(t.Context(), under("art", "b")), artifact); kappa.ErrorCode(err) != kappa.CodeConflict {
			t.Errorf("again: %v, want a conflict", err)
		}
		if n := number(t, dsn, "SELECT count(*) FROM kg_api.artifacts"); n != 1 {
			t.Errorf("%d artifacts, want 1", n)
		}
	})
	t.Run("answers are kept, the first one of a key", func(t *testing.T) {
		for _, answer := range []string{"first", "second"} {
			must(t, s.Jobs().KeepAnswer(t.Context(), under("art", "a"), 201, []byte(answer)))
		}
		kept, known, err := s.Jobs().Submission(t.Context(), access.SystemUserID, "art")
		if err != nil || !known || kept.Status != 201 || string(kept.Answer) != "first" || kept.JobID != "" {
			t.Errorf("kept %+v, %t, %v", kept, known, err)
		}
		must(t, s.Jobs().KeepAnswer(t.Context(), under("new", "a"), 200, []byte("only")))
		if kept, _, _ := s.Jobs().Submission(t.Context(), access.SystemUserID, "new"); string(kept.Answer) != "only" {
			t.Errorf("kept %+v", kept)
		}
		if _, known, err := s.Jobs().Submission(t.Context(), access.SystemUserID, "none"); known || err != nil {
			t.Errorf("a key that nobody used: %t, %v", known, err)
		}
	})
}
