package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// typesOf returns the job types of the lanes that there are, by lane.
func typesOf(t *testing.T, s *postgres.DB) map[string][]string {
	t.Helper()
	lanes, err := s.Lanes().Lanes(t.Context())
	must(t, err)
	types := map[string][]string{}
	for _, l := range lanes {
		types[l.Name] = l.JobTypes
	}
	return types
}

// TestLanesComeAndGo makes a lane, moves types into it, and deletes it, as the audit log has it.
func TestLanesComeAndGo(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	ctx := asActor(t)
	created, err := s.Lanes().CreateLane(ctx, work.NewLane{Name: "own", JobTypes: []string{"polarity", "noop"}, Known: []string{"noop"}})
	must(t, err)
	if !slices.Equal(created.Lane.JobTypes, []string{"polarity", "noop"}) || !slices.Equal(created.Moved["polarity"], []string{"interactive"}) || len(created.Moved["noop"]) != 0 {
		t.Errorf("created %+v", created)
	}
	if types := typesOf(t, s); slices.Contains(types["interactive"], "polarity") || !slices.Contains(types["own"], "polarity") {
		t.Errorf("the lanes are %v", types)
	}
	submit(t, s, "polarity")
	submit(t, s, "polarity")
	batch, err := s.Claims().Claim(t.Context(), work.ClaimRequest{Lane: "own", Worker: workerA, Types: []string{"polarity"}, Most: 1})
	if err != nil || len(batch.Claims) != 1 {
		t.Fatalf("the lane claims %+v, %v", batch, err)
	}
	if batch, err := s.Claims().Claim(t.Context(), work.ClaimRequest{Lane: "interactive", Worker: workerA, Types: []string{"polarity"}, Most: 1}); err != nil || len(batch.Claims) != 0 {
		t.Errorf("the other lane claims %+v, %v", batch, err)
	}

	_, err = s.Lanes().DeleteLane(ctx, work.LaneDeletion{Name: "own", Home: map[string]string{"polarity": "interactive"}})
	if kappa.ErrorCode(err) != kappa.CodeConflict || !strings.Contains(kappa.ErrorMessage(err), "1 of polarity") {
		t.Errorf("while a job waits: %v, want it refused with the number", err)
	}
	moved, err := s.Lanes().MoveTypes(ctx, work.TypeMove{Lane: "system", JobTypes: []string{"noop"}})
	if err != nil || !slices.Equal(moved.Moved["noop"], []string{"own"}) || !slices.Contains(moved.Lane.JobTypes, "noop") {
		t.Errorf("moved %+v, %v", moved, err)
	}
	deleted, err := s.Lanes().DeleteLane(ctx, work.LaneDeletion{Name: "own", MoveTo: "interactive"})
	if err != nil || deleted.Moved["polarity"] != "interactive" || len(deleted.Moved) != 1 {
		t.Errorf("deleted %+v, %v", deleted, err)
	}
	if types := typesOf(t, s); types["own"] != nil || !slices.Contains(types["interactive"], "polarity") || !slices.Contains(types["system"], "noop") {
		t.Errorf("the lanes are %v", types)
	}
	if running := number(t, dsn, "SELECT count(*) FROM kg_api.jobs WHERE status = 'processing' AND lane = 'own'"); running != 1 {
		t.Errorf("%d jobs run that the deleted lane has claimed, want 1", running)
	}
	must(t, errOf(s.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: batch.Claims[0], Status: work.StatusCompleted}})))
	entries, err := s.Audit().Entries(t.Context(), access.AuditFilter{Object: "lane", Limit: 10})
	must(t, err)
	var did []string
	for _, e := range entries {
		did = append(did, e.Action+" "+e.ObjectID)
	}
	if want := []string{"lane.delete own", "lane.move-types system", "lane.create own"}; !slices.Equal(did, want) {
		t.Errorf("recorded %q, want %q", did, want)
	}
}

func errOf[T any](_ T, err error) error { return err }

// TestLaneRowsRefused asks for lanes that cannot be.
func TestLaneRowsRefused(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	before := typesOf(t, s)
	for what, c := range map[string]struct {
		err  error
		code kappa.Code
	}{
		"a name that is taken": {errOf(s.Lanes().CreateLane(t.Context(), work.NewLane{Name: "system"})), kappa.CodeConflict},
		"an unknown type":      {errOf(s.Lanes().CreateLane(t.Context(), work.NewLane{Name: "own", JobTypes: []string{"nothing"}})), kappa.CodeInvalid},
		"an unknown lane":      {errOf(s.Lanes().MoveTypes(t.Context(), work.TypeMove{Lane: "own", JobTypes: []string{"polarity"}})), kappa.CodeNotFound},
		"an unknown one moved": {errOf(s.Lanes().MoveTypes(t.Context(), work.TypeMove{Lane: "system", JobTypes: []string{"nothing"}})), kappa.CodeInvalid},
		"an unknown deleted":   {errOf(s.Lanes().DeleteLane(t.Context(), work.LaneDeletion{Name: "own"})), kappa.CodeNotFound},
	} {
		if kappa.ErrorCode(c.err) != c.code {
			t.Errorf("%s: %v", what, c.err)
		}
	}
	for n := len(before); n < work.MaxLanes; n++ {
		must(t, errOf(s.Lanes().CreateLane(t.Context(), work.NewLane{Name: fmt.Sprintf("own%d", n)})))
	}
	if err := errOf(s.Lanes().CreateLane(t.Context(), work.NewLane{Name: "more"})); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("more lanes than there may be: %v", err)
	}
}

// TestTypesHaveOneLane moves one type to several lanes at once: it ends in one.
func TestTypesHaveOneLane(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			if i%2 == 0 {
				_, err := s.Lanes().CreateLane(t.Context(), work.NewLane{Name: fmt.Sprintf("own%d", i), JobTypes: []string{"polarity"}})
				if err != nil {
					t.Error(err)
				}
				return
			}
			if _, err := s.Lanes().MoveTypes(t.Context(), work.TypeMove{Lane: "system", JobTypes: []string{"polarity"}}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	in := 0
	for _, types := range typesOf(t, s) {
		if slices.Contains(types, "polarity") {
			in++
		}
	}
	if in != 1 {
		t.Errorf("the type is in %d lanes: %v", in, typesOf(t, s))
	}
}
