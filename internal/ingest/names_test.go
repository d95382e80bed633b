package ingest

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
)

func TestNamesIn(t *testing.T) {
	names := namesIn("The Analytical Engine, by (Charles Babbage).")
	for _, want := range []string{"analytical engine", "charles babbage", "engine", "the analytical engine by"} {
		if !slices.Contains(names, want) {
			t.Errorf("%q is not in %q", want, names)
		}
	}
	for _, name := range names {
		if name != naming.LabelKey(name) || len(name) < shortestName {
			t.Errorf("%q is no name to look up", name)
		}
	}
	if n := len(namesIn(strings.Repeat("one two three four five six. ", 5000))); n > 30 {
		t.Errorf("%d names of six words", n)
	}
}

// What the text does not bear out is dropped and counted, and the rest is kept.
func TestCleanCounts(t *testing.T) {
	e := knowledge.Extraction{
		Concepts:      []knowledge.ExtractedConcept{{Key: "a", Label: "Ada"}, {Key: "b", Label: "Byron"}, {Key: "x", Label: "Xerxes"}},
		Instances:     []knowledge.ExtractedInstance{{Concept: "a", Quote: "Ada met Byron"}, {Concept: "b", Quote: "Byron was rich"}, {Concept: "nobody", Quote: "Ada"}},
		Relationships: []knowledge.ExtractedRelationship{{From: "a", To: "b", Type: "KNOWS"}, {From: "a", To: "nobody", Type: "KNOWS"}},
	}
	got := Clean(e, "Ada met Byron.", []string{"KNOWS"})
	if len(got.Concepts) != 2 || len(got.Relationships) != 1 || got.Dropped != 4 { // Xerxes, two quotes, one relationship
		t.Errorf("%d concepts, %d relationships, %d dropped", len(got.Concepts), len(got.Relationships), got.Dropped)
	}
	if again := Clean(got, "Ada met Byron.", []string{"KNOWS"}); again.Dropped != got.Dropped {
		t.Errorf("cleaned again, %d are dropped", again.Dropped)
	}
}
