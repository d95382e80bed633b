package kappa_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/graph"
)

// newTown returns a real graph of seven concepts: a chain from 1 to 5 with a shortcut
// from 2 to 4, a hub (6) beside it, and 7 alone.
func newTown(t *testing.T) realGraph {
	t.Helper()
	g := newRealGraph(t, graph.Config{})
	g.addConcepts(t, []string{"worker lane", "claim token", "job queue", "heartbeat", "lease", "database", "island"})
	g.addEdges(t, []kappa.Edge{
		{From: 1, To: 2, Type: "CAUSES", Confidence: 0.9}, {From: 2, To: 3, Type: "REQUIRES", Confidence: 0.8},
		{From: 4, To: 3, Type: "PART_OF", Confidence: 0.7}, {From: 4, To: 5, Type: "CAUSES", Confidence: 1},
		{From: 2, To: 4, Type: kappa.TypeRelatedTo, Confidence: 0.9},
		{From: 6, To: 2, Type: "SUPPORTS", Confidence: 0.5}, {From: 6, To: 3, Type: "SUPPORTS", Confidence: 0.6},
		{From: 6, To: 3, Type: "CAUSES", Confidence: 0.2},
	})
	return g
}

func TestConnectBySearchOnARealGraph(t *testing.T) {
	g := newTown(t)
	ask := func(from, to string) (kappa.ConnectBySearchResult, error) {
		return g.ConnectBySearch(t.Context(), kappa.ConnectBySearchQuery{FromQuery: from, ToQuery: to, MaxHops: 5, Threshold: 0.5})
	}
	t.Run("phrases and ids mean concepts", func(t *testing.T) {
		result, err := ask("worker lanes", "c_5")
		if err != nil {
			t.Fatal(err)
		}
		if result.FromConcept.ID != "c_1" || result.ToConcept.Label != "lease" || *result.FromSimilarity >= 1 || *result.ToSimilarity != 1 {
			t.Errorf("from %+v (%v) to %+v (%v)", result.FromConcept, *result.FromSimilarity, result.ToConcept, *result.ToSimilarity)
		}
		var hops []int
		for _, p := range result.Paths {
			hops = append(hops, p.Hops)
		}
		if !slices.Equal(hops, []int{3, 4}) || result.Count != 2 || result.Truncated {
			t.Errorf("paths of %v hops, count %d", hops, result.Count)
		}
	})
	t.Run("what is not connected has no path, and that is no error", func(t *testing.T) {
		if result, err := ask("c_1", "island"); err != nil || result.Count != 0 || result.ToConcept.ID != "c_7" {
			t.Errorf("got %+v, %v", result, err)
		}
	})
	t.Run("a concept and itself", func(t *testing.T) {
		if result, err := ask("lease", "c_5"); err != nil || result.Count != 1 || result.Paths[0].Hops != 0 {
			t.Errorf("got %+v, %v", result, err)
		}
	})
	t.Run("nothing matches, and nothing is near", func(t *testing.T) {
		_, err := ask("zzzzzz", "lease")
		if kappa.ErrorCode(err) != kappa.CodeNotFound || kappa.ErrorMessage(err) != "No concepts found matching 'zzzzzz' at 50% similarity" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("nothing matches, and the threshold that is suggested helps", func(t *testing.T) {
		q := kappa.ConnectBySearchQuery{FromQuery: "lease", ToQuery: "basement", MaxHops: 5, Threshold: 0.9}
		_, err := g.ConnectBySearch(t.Context(), q)
		message := kappa.ErrorMessage(err)
		head, hint, _ := strings.Cut(message, ". Try: --min-similarity ")
		if kappa.ErrorCode(err) != kappa.CodeNotFound || head != "No concepts found matching 'basement' at 90% similarity" {
			t.Fatalf("got %v", err)
		}
		var near int
		if _, err := fmt.Sscanf(hint, "%f (%d near-miss concepts available)", &q.Threshold, &near); err != nil || near == 0 {
			t.Fatalf("%q: %v", message, err)
		}
		result, err := g.ConnectBySearch(t.Context(), q)
		if err != nil || result.ToConcept == nil {
			t.Errorf("with the suggestion %v: %v", q.Threshold, err)
		}
	})
}
