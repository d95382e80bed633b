package library

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// TestAskForTheWholeList wants all rows of a list that was cut into several passages, in their
// order, with their places, and none of another list.
func TestAskForTheWholeList(t *testing.T) {
	const text = "# Lanes\n\nThe lanes of the server are these.\n\n- the lane interactive of the server\n- the lane system\n  of the leader\n\n- the lane slow\n- the lane quick\n\nOther things are here.\n\n- a dog\n- a cat"
	answer := (&shelf{}).add("ops", "a.md", text).open(t).must(t, questions.Question{Text: "list all lanes of the server", Limit: 1})
	l := answer.Listing
	if l == nil || l.Class != "list" || l.Section == nil || *l.Section != "Lanes" || l.Truncated || l.Link == "" {
		t.Fatalf("%+v", l)
	}
	var rows []string
	for _, r := range l.Rows {
		if text[r.Start:r.End] != r.Text || r.Start < l.Start || r.End > l.End {
			t.Errorf("row %+v is not at its place", r)
		}
		rows = append(rows, r.Text)
	}
	if got := strings.Join(rows, "|"); got != "- the lane interactive of the server|- the lane system\n  of the leader|- the lane slow|- the lane quick" {
		t.Errorf("rows %q", got)
	}
	if other := notes().open(t).must(t, questions.Question{Text: "How does a lane wake up?"}); other.Listing != nil || len(other.Paths) > 0 {
		t.Errorf("not asked for: %+v, %+v", other.Listing, other.Paths)
	}
}

func TestRowsOf(t *testing.T) {
	table := corpus.Passage{Class: corpus.ClassTable, Columns: []string{"Lane", "Slots"}, Text: "| Lane | Slots |\n|---|---|\n| slow | 1 |\n\n| quick | 8 |"}
	list := corpus.Passage{Class: corpus.ClassList, Text: "It has\n1. one\n  more\n2) two\n* three"}
	plain := corpus.Passage{Class: corpus.ClassList, Text: "one: 1\ntwo: 2\n"}
	for want, p := range map[string]corpus.Passage{"| slow | 1 |/| quick | 8 |": table, "1. one\n  more/2) two/* three": list, "one: 1/two: 2": plain} {
		var rows []string
		for _, at := range rowsOf(&p) {
			rows = append(rows, p.Text[at.Start:at.End])
		}
		if got := strings.Join(rows, "/"); got != want {
			t.Errorf("rows %q, want %q", got, want)
		}
	}
}

// TestAskForARelation wants the path between two concepts whose names are known.
func TestAskForARelation(t *testing.T) {
	s := notes()
	s.concepts = append(s.concepts, questions.AskReadConcept{ConceptID: "lease_5", Label: "lease of a worker", Named: true, Names: []string{"leases", "lease"}})
	a := s.open(t)
	for question, want := range map[string]string{
		"How does the lane relate to the lease?": "lane_1 lease_5", "what is the relationship between a lease and a lane": "lease_5 lane_1",
		"how does a lane relate to the turbine": "", "how does a lane wake up?": "", "how does a lane relate to lanes": "",
	} {
		got := ""
		if paths := a.must(t, questions.Question{Text: question}).Paths; len(paths) == 1 {
			got = paths[0].Nodes[0].ID + " " + paths[0].Nodes[1].ID
		}
		if got != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
	narrowed := a.must(t, questions.Question{Text: "How does the lane relate to the lease?", AskFilter: questions.AskFilter{Ontologies: []string{"ops"}}})
	if len(narrowed.Paths) > 0 {
		t.Errorf("by a name that the ontology does not have: %+v", narrowed.Paths)
	}
}

// TestAskSaysNothingOfAskingWords wants no word that only asks to be named as missing.
func TestAskSaysNothingOfAskingWords(t *testing.T) {
	a := (&shelf{}).add("o", "a.md", "Die Spur hat einen Platz.\n\nA lane has a slot.\n\n東京は首都です。").open(t)
	for question, absent := range map[string]string{
		"Wann hat die Spur einen Platz?": "", "how does a lane relate to a slot?": "", "what is the difference between a lane and a slot?": "", "list all lanes": "", "東京はどこですか": "",
		"Wann hat die Spur einen Kessel?": "Kessel", "how does a lane relate to a kettle?": "kettle",
	} {
		answer := a.must(t, questions.Question{Text: question})
		if got := strings.Join(answer.Absent, " "); got != absent || len(answer.Passages) == 0 {
			t.Errorf("%s: absent %q, want %q", question, got, absent)
		}
		for _, p := range answer.Passages {
			if p.Words < 0 || p.Words > p.WordsAsked {
				t.Errorf("%s: %d of %d words", question, p.Words, p.WordsAsked)
			}
		}
	}
}
