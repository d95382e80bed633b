package library

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// shelf is a store of chunks that are texts; every word of a query counts.
type shelf struct {
	texts  []string // chunk n is number n+1, of the document n/2
	quotes map[string][]int
}

func (s shelf) SourcesByWords(_ context.Context, q corpus.SourceQuery, _ int) ([]corpus.SourceMatch, error) {
	var found []corpus.SourceMatch
	for i, text := range s.texts {
		n := 0
		for w := range strings.FieldsSeq(q.Query) {
			if strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
				n++
			}
		}
		if n > 0 {
			found = append(found, corpus.SourceMatch{Source: i + 1, Match: corpus.SomeWords, Rank: float64(n)})
		}
	}
	return found, nil
}

func (s shelf) SourcesOfConcepts(_ context.Context, ids []string, _ corpus.SourceQuery, _ int) ([]corpus.SourceQuote, error) {
	var quotes []corpus.SourceQuote
	for _, id := range ids {
		for _, source := range s.quotes[id] {
			quotes = append(quotes, corpus.SourceQuote{Source: source, ConceptID: id})
		}
	}
	return quotes, nil
}

func (s shelf) ShownSources(_ context.Context, ids []int) (map[int]corpus.ShownSource, error) {
	shown := map[int]corpus.ShownSource{}
	for _, id := range ids {
		document := string(rune('a' + (id-1)/2))
		shown[id] = corpus.ShownSource{ID: id, SourceID: "src", DocumentID: document, Filename: document + ".md", Ontology: "o", FullText: s.texts[id-1], Start: 1000 * id}
	}
	return shown, nil
}

func (s shelf) DocumentsOfSources(ctx context.Context, ids []int) (map[int]corpus.ShownSource, error) {
	return s.ShownSources(ctx, ids)
}

func (shelf) ConceptsOfSources(context.Context, []int, string) (map[int][]corpus.SourceConcept, error) {
	return nil, nil
}

func (shelf) PlacesOfSources(_ context.Context, ids []int) (map[int][]corpus.Place, error) {
	places := map[int][]corpus.Place{}
	for _, id := range ids {
		places[id] = []corpus.Place{{Start: 1000 * id, Page: id, Section: "One"}, {Start: 1000*id + 500, Section: "Two"}}
	}
	return places, nil
}

func (s shelf) KnownWords(_ context.Context, words []string, _ string) (map[string]bool, error) {
	known := map[string]bool{}
	for _, w := range words {
		known[w] = slices.ContainsFunc(s.texts, func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(w)) })
	}
	return known, nil
}

// laneGraph is a graph in which lane means c_1, which is next to c_2.
type laneGraph struct{}

func (laneGraph) Search(_ context.Context, q questions.SearchQuery) (questions.SearchResult, error) {
	if !strings.Contains(q.Query, "lane") {
		return questions.SearchResult{}, nil
	}
	return questions.SearchResult{Results: []questions.ConceptHit{{ConceptID: "c_1", Label: "lane", Score: 0.9}}}, nil
}

func (laneGraph) Neighborhood(_ context.Context, q questions.NeighborhoodQuery) (questions.Neighborhood, error) {
	switch q.Ontology {
	case "a":
		return questions.Neighborhood{}, nil
	case "b": // alone says it
		n := questions.Neighborhood{Edges: []questions.SubgraphEdge{{FromID: q.ConceptID, ToID: "said_in_b", Type: "USES", Confidence: 0.9}}}
		n.Nodes = append(n.Nodes, questions.NeighborhoodNode{GraphNode: questions.GraphNode{ConceptID: "said_in_b", Label: "said in b"}})
		return n, nil
	}
	if q.ConceptID != "c_1" {
		return questions.Neighborhood{}, kappa.NewError(kappa.CodeNotFound, "no such concept")
	}
	n := questions.Neighborhood{Edges: []questions.SubgraphEdge{{FromID: "c_1", ToID: "c_2", Type: vocabulary.TypeRelatedTo, Confidence: 1}, {From: 1, To: 3, FromID: "c_1", ToID: "c_3", Type: "HAS_PART", Confidence: 0.5}, {FromID: "c_2", ToID: "c_3", Type: "CAUSES", Confidence: 1}}}
	for _, id := range []string{"c_1", "c_2", "c_3"} {
		n.Nodes = append(n.Nodes, questions.NeighborhoodNode{GraphNode: questions.GraphNode{ConceptID: id, Label: "label of " + id}})
	}
	return n, nil
}

// Evidence states each relationship by its type.
func (laneGraph) Evidence(_ context.Context, edges []knowledge.Edge, _ string) ([][]knowledge.EdgeEvidence, error) {
	list := make([][]knowledge.EdgeEvidence, len(edges))
	for i, e := range edges {
		list[i] = []knowledge.EdgeEvidence{{Evidence: knowledge.Evidence{Quote: fmt.Sprintf("%d %s %d", e.From, e.Type, e.To)}}}
	}
	return list, nil
}

var books = shelf{
	texts: []string{
		"A lane is a group of job types.\n\n# Waking up\n\nAn approval notifies the lane, which wakes up within milliseconds." + strings.Repeat(" Much more is said of other things here.", 12),
		"Cats sleep on the windowsill. Nothing wakes them.",
		"An approval notifies the lane, which wakes up within milliseconds, too.",
		"Dogs bark.",
		"Slots are parts.",
	},
	quotes: map[string][]int{"c_1": {1}, "c_3": {5}},
}

func ask(t *testing.T, question string) questions.AskAnswer {
	t.Helper()
	answer, err := NewAsker(books, laneGraph{}).Ask(t.Context(), questions.Question{Text: question, Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestAsk(t *testing.T) {
	answer := ask(t, "How does a lane wake up?")
	if !answer.Found || len(answer.Passages) == 0 || answer.Passages == nil {
		t.Fatalf("%+v", answer)
	}
	first := answer.Passages[0]
	if !strings.HasPrefix(first.Text, "# Waking up") || first.Words != 2 || first.WordsAsked != 2 {
		t.Errorf("first is %.60q with %d of %d words", first.Text, first.Words, first.WordsAsked)
	}
	if text := books.texts[0]; first.Start != 1000+strings.Index(text, "# Waking") || books.texts[0][first.Start-1000:first.End-1000] != first.Text {
		t.Errorf("bytes %d to %d", first.Start, first.End)
	}
	if *first.Section != "One" || *first.Page != 1 {
		t.Errorf("it stands in %v, page %v", *first.Section, *first.Page)
	}
	for _, p := range answer.Passages {
		if strings.Contains(p.Text, "Dogs") || p.Score < 0 || p.Score > 1 {
			t.Errorf("shown: %+v", p)
		}
	}
	if len(answer.Relationships) != 2 || answer.Relationships[0].Type != "HAS_PART" || answer.Relationships[1].ToLabel != "label of c_2" {
		t.Errorf("relationships %+v", answer.Relationships)
	}
	if answer.Relationships[0].Evidence != nil {
		t.Errorf("sentences that nobody asked for: %+v", answer.Relationships[0].Evidence)
	}
	stated, err := NewAsker(books, laneGraph{}).Ask(t.Context(), questions.Question{Text: "How does a lane wake up?", Limit: 3, IncludeEvidence: true})
	if err != nil || len(stated.Relationships) != 2 || len(stated.Relationships[0].Evidence) != 1 || stated.Relationships[0].Evidence[0].Quote != "1 HAS_PART 3" {
		t.Errorf("%+v, %v", stated.Relationships, err)
	}
	if len(answer.Concepts) != 1 || answer.Concepts[0].Label != "lane" {
		t.Errorf("concepts %+v", answer.Concepts)
	}
}

// TestParticles wants the small word behind a verb not to be looked for by itself, but with
// the verb as one word.
func TestParticles(t *testing.T) {
	for question, want := range map[string]string{
		"How does a turbine wake up?": "turbin wake", "how do I back up a turbine": "back turbin", "what runs out?": "run", "up": "up",
	} {
		var stems []string
		for _, term := range termsOf(question) {
			stems = append(stems, term.stem)
		}
		if got := strings.Join(stems, " "); got != want {
			t.Errorf("%s: looks for %q, want %q", question, got, want)
		}
	}
	if back := termsOf("how do I back up a turbine")[0]; !back.in(stems("The backup of a turbine.")) {
		t.Errorf("%+v is not found in a backup", back)
	}
}

func TestAskWithoutAnAnswer(t *testing.T) {
	for _, question := range []string{"Who invented the telephone?", "why?"} {
		answer := ask(t, question)
		if answer.Found || answer.Passages == nil || answer.Concepts == nil || answer.Relationships == nil {
			t.Errorf("%s: %+v", question, answer)
		}
	}
	for _, q := range []questions.Question{{Text: "", Limit: 1}, {Text: "x", Limit: 0}, {Text: "x", Limit: 21}, {Text: strings.Repeat("x", 2001), Limit: 1}} {
		if _, err := NewAsker(books, laneGraph{}).Ask(t.Context(), q); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("%d characters, limit %d: %v", len(q.Text), q.Limit, err)
		}
	}
}

// TestNearDuplicates folds a passage that another document has, too.
func TestNearDuplicates(t *testing.T) {
	twice := shelf{texts: []string{"The turbine turns at night.", "Cats.", "The turbine turns at night!", "Cats sleep."}}
	answer, err := NewAsker(twice, laneGraph{}).Ask(t.Context(), questions.Question{Text: "turbine", Limit: 5})
	if err != nil || len(answer.Passages) != 1 || len(answer.Passages[0].AlsoIn) != 1 || answer.Passages[0].AlsoIn[0] != "b.md" {
		t.Errorf("%+v, %v", answer.Passages, err)
	}
}

// TestSplit checks that passages cover a text, in order, and stay small.
func TestSplit(t *testing.T) {
	for _, text := range []string{
		"", " ", "one", strings.Repeat("é", 3000), strings.Repeat("One two three. ", 300), strings.Repeat("short\n\n", 300), books.texts[0],
	} {
		var joined strings.Builder
		end := 0
		for _, p := range split(text) {
			if p.Start < end || p.End-p.Start > maxPassageBytes || strings.TrimSpace(text[end:p.Start]) != "" {
				t.Errorf("passage %+v after %d of %.20q", p, end, text)
			}
			joined.WriteString(text[p.Start:p.End])
			end = p.End
		}
		if got, want := strings.Join(strings.Fields(joined.String()), ""), strings.Join(strings.Fields(text), ""); got != want {
			t.Errorf("%.20q lost something: %d of %d bytes", text, len(got), len(want))
		}
	}
}

// TestTablesInAnswers wants rows of a table as passages of their own, with the names of
// their columns, and prose before rows that have the same words.
func TestTablesInAnswers(t *testing.T) {
	long := strings.Repeat("| Cats | purr at night, "+strings.Repeat("and sleep ", 22)+"| yes |\n", 9)
	table := "# Turbines\n\n| When | Turbine | Test |\n|---|---|---|\n" + long + "| The gearbox jams | stops | `TestJam` |\n" + long
	turbines := shelf{texts: []string{table, "Dogs bark.", "When the gearbox jams, the machine stops."}}
	answer, err := NewAsker(turbines, laneGraph{}).Ask(t.Context(), questions.Question{Text: "what if the gearbox jams?", Limit: 5})
	if err != nil || len(answer.Passages) != 2 {
		t.Fatalf("%+v, %v", answer.Passages, err)
	}
	if p := answer.Passages[0]; p.Columns != nil || !strings.HasPrefix(p.Text, "When the gearbox") {
		t.Errorf("first is %q", p.Text)
	}
	p := answer.Passages[1]
	if p.Text != "| The gearbox jams | stops | `TestJam` |" || !slices.Equal(p.Columns, []string{"When", "Turbine", "Test"}) {
		t.Errorf("the row is %q of %q", p.Text, p.Columns)
	}
	if at := p.Start - 1000; table[at:at+len(p.Text)] != p.Text {
		t.Errorf("bytes %d to %d", p.Start, p.End)
	}
	if answer, err = NewAsker(turbines, laneGraph{}).Ask(t.Context(), questions.Question{Text: "turbines", Limit: 5}); err != nil || slices.ContainsFunc(answer.Passages, func(p questions.AskPassage) bool { return p.Text == "# Turbines" }) {
		t.Errorf("a heading alone is an answer: %+v, %v", answer.Passages, err)
	}
}

// TestSplitTables checks that rows without a head, short rows, and long ones are passages.
func TestSplitTables(t *testing.T) {
	short := "| a | b |\n| c | d |\n"
	for text, want := range map[string][]string{
		"One.\n\n" + short + "\nTwo.\n":                         {"One.", strings.TrimSpace(short), "Two."},
		"| h | i |\n|---|:-:|\n" + short:                        {strings.TrimSpace(short)},
		"| alone |\n":                                           {"| alone |"},
		"|" + strings.Repeat(" é", 400) + " |\n| a |\n":         {"|" + strings.Repeat(" é", 299), strings.Repeat("é ", 101) + "|", "| a |"},
		strings.Repeat("| "+strings.Repeat("x", 100)+" |\n", 3): {"| " + strings.Repeat("x", 100) + " |\n| " + strings.Repeat("x", 100) + " |", "| " + strings.Repeat("x", 100) + " |"},
	} {
		var got []string
		for _, p := range split(text) {
			got = append(got, text[p.Start:p.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%.40q\n got %q\nwant %q", text, got, want)
		}
	}
}

// TestAskSaysWhatIsAbsent asks about what no document has a word of.
func TestAskSaysWhatIsAbsent(t *testing.T) {
	for _, test := range []struct {
		question string
		absent   []string
		found    bool
	}{
		{"How does a lane wake up?", []string{}, true},
		{"Does a lane with an approval use Kafka?", []string{"use", "Kafka"}, false},
		{"does an approval notify the lane of a gizmo", []string{"gizmo"}, true}, // no name
		{"Kafka?", []string{"Kafka"}, false},
		{"What do dogs bark at, and is it 5G?", []string{"5G"}, false},
		{"the window sill of cats", []string{}, true}, // "windowsill" stands there
		{"", []string{}, false},
	} {
		if test.question == "" {
			test.question = "what is it about?"
		}
		answer := ask(t, test.question)
		if !slices.Equal(answer.Absent, test.absent) || answer.Absent == nil {
			t.Errorf("%s: absent are %q, want %q", test.question, answer.Absent, test.absent)
		}
		if answer.Found != test.found {
			t.Errorf("%s: found is %v", test.question, answer.Found)
		}
	}
}

// were read there, and none that others say of the same concepts.
func TestAskWithinAnOntology(t *testing.T) {
	for ontology, want := range map[string]int{"a": 0, "b": 1} {
		answer, err := NewAsker(books, laneGraph{}).Ask(t.Context(), questions.Question{Text: "how does a lane wake up?", Ontology: ontology, Limit: 3})
		if err != nil || len(answer.Concepts) == 0 {
			t.Fatalf("%d concepts (%v)", len(answer.Concepts), err)
		}
		if len(answer.Relationships) != want || want == 1 && answer.Relationships[0].ToLabel != "said in b" {
			t.Errorf("within %s: %+v", ontology, answer.Relationships)
		}
	}
}
