package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// polesOf ingests a text and returns two of its concepts.
func polesOf(t *testing.T, s *testServer) (positive, negative string) {
	t.Helper()
	submitted, err := s.client.Documents.Submit(t.Context(), client.Document{Body: []byte(lanesText), Filename: "lanes.txt", Ontology: "lanes", AutoApprove: true})
	check(t, err)
	await(t, s.client, submitted.JobID, work.StatusCompleted)
	found, err := s.client.Concepts.List(t.Context(), questions.ConceptFilter{Limit: 2})
	check(t, err)
	return found.Concepts[0].ConceptID, found.Concepts[1].ConceptID
}

// TestPolarity analyses an axis at once and in a job, and regenerates what that keeps.
func TestPolarity(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	q := questions.NewPolarityJob()
	q.PositivePole, q.NegativePole = polesOf(t, s)
	direct, err := s.client.Graph.Polarity(t.Context(), q.PolarityQuery)
	if err != nil || !direct.Success || !direct.Complete || len(direct.Projections) == 0 || direct.Axis.Magnitude <= 0 {
		t.Fatalf("got %+v, %v", direct, err)
	}
	reply, err := s.client.Graph.SubmitPolarity(t.Context(), q)
	check(t, err)
	kept := func(jobID string) api.ArtifactPayload {
		var result struct {
			ArtifactID int `json:"artifact_id"`
		}
		check(t, json.Unmarshal(await(t, s.client, jobID, work.StatusCompleted).Result, &result))
		artifact, err := s.client.Artifacts.Payload(t.Context(), result.ArtifactID)
		check(t, err)
		return artifact
	}
	first := kept(reply.JobID)
	var answer questions.PolarityResult
	check(t, json.Unmarshal(first.Payload, &answer))
	if reply.Status != work.StatusApproved || !first.Fresh || answer.Axis.Magnitude != direct.Axis.Magnitude || len(answer.Projections) != len(direct.Projections) {
		t.Errorf("%+v kept %+v", reply, first)
	}
	again, err := s.client.Artifacts.Regenerate(t.Context(), first.ID)
	check(t, err)
	if second := kept(again.JobID); second.ID == first.ID || string(second.Parameters) != string(first.Parameters) {
		t.Errorf("regenerated as %+v", second)
	}
	check(t, s.client.Artifacts.Delete(t.Context(), first.ID))
	if list, err := s.client.Artifacts.List(t.Context(), artifacts.Filter{}); err != nil || list.Total != 1 {
		t.Errorf("got %+v, %v", list, err)
	}
}

// TestPolarityTogether_Slow has 30 analyses run at once, more than there are connections,
// while documents are ingested: each ends in its time, and the server answers others.
func TestPolarityTogether_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	const together, rounds, patience = 30, 3, 10 * time.Second
	s := startServer(t, map[string]string{"KG_POOL_GRAPH": "8"})
	positive, negative := polesOf(t, s)
	done := make(chan struct{})
	var background sync.WaitGroup
	background.Go(func() {
		for n := 0; !over(done); n++ {
			text := strings.Repeat(fmt.Sprintf("A worker claims job %d of lane %d for its slot. ", n, n), 50)
			if _, err := s.client.Documents.Submit(t.Context(), client.Document{Body: []byte(text), Filename: "load.txt", Ontology: "load", AutoApprove: true}); err != nil {
				t.Error(err)
			}
		}
	})
	var waits []time.Duration
	background.Go(func() {
		for !over(done) {
			began := time.Now()
			if _, err := s.client.Health(t.Context()); err != nil {
				t.Error(err)
			}
			waits = append(waits, time.Since(began))
		}
	})
	for range rounds {
		var round sync.WaitGroup
		for range together {
			round.Go(func() {
				q := questions.NewPolarityQuery(positive, negative)
				q.TimeoutSeconds = int(patience.Seconds())
				began := time.Now()
				if r, err := s.client.Graph.Polarity(t.Context(), q); err != nil || !r.Success || time.Since(began) > patience {
					t.Errorf("after %s: %v", time.Since(began), err)
				}
			})
		}
		round.Wait()
	}
	close(done)
	background.Wait()
	slices.Sort(waits)
	if median := waits[len(waits)/2]; median > 250*time.Millisecond {
		t.Errorf("half of %d answers about health took more than %s", len(waits), median)
	}
}

// over reports whether a channel is closed.
func over(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
