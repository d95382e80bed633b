package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/retrieval"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// shelf is a library whose tables are lists.
type shelf struct {
	passages []corpus.ShownPassage
	names    map[string]int
	concepts []questions.AskReadConcept
	edges    []questions.AskReadEdge
	epoch    atomic.Int64 // of the graph
	mu       sync.Mutex
	reads    int // of the tables by questions

	documents []int32 // that searches have read
}

// add adds a document of paragraphs, which end at blank lines.
func (s *shelf) add(ontology, path, text string) *shelf {
	if s.names == nil {
		s.names = map[string]int{}
	}
	if s.names[ontology] == 0 {
		s.names[ontology] = len(s.names) + 1
	}
	document := int32(1)
	if n := len(s.passages); n > 0 {
		document = s.passages[n-1].Document + 1
	}
	at, section := 0, ""
	for paragraph := range strings.SplitAfterSeq(text, "\n\n") {
		body := strings.TrimSpace(paragraph)
		if heading, ok := strings.CutPrefix(body, "# "); ok {
			section, body = heading, ""
		}
		if body != "" {
			p := corpus.ShownPassage{DocumentID: fmt.Sprintf("sha256:%d", document), OntologyName: ontology, SourceID: fmt.Sprintf("src-%d", document), Chunk: 1, ContentType: corpus.ContentMarkdown, CreatedAt: kappa.At(time.Unix(int64(document), 0))}
			p.PassageKey = corpus.PassageKey{ID: int32(len(s.passages) + 1), Source: document, Document: document, Ontology: int32(s.names[ontology])}
			start := at + strings.Index(paragraph, body)
			p.Passage = corpus.Passage{Number: len(s.passages) + 1, Span: corpus.Span{Start: start, End: start + len(body)}, StartChar: start, EndChar: start + len(body), Text: body, Class: corpus.ClassProse, Language: "en", Section: section}
			if strings.HasPrefix(body, "- ") {
				p.Class = corpus.ClassList
			}
			if strings.HasPrefix(body, "```") {
				p.Class = corpus.ClassCode
			}
			p.Defines = answers.Definitions(p.Passage, true)
			p.Filename, p.Path = filepath.Base(path), path
			s.passages = append(s.passages, p)
		}
		at += len(paragraph)
	}
	return s
}

func (s *shelf) GraphMark(context.Context) (knowledge.GraphMark, error) {
	return knowledge.GraphMark{Epoch: s.epoch.Load()}, nil
}

func (s *shelf) PassagesTouched(context.Context, knowledge.GraphMark, int) (knowledge.PassagesTouched, error) {
	return knowledge.PassagesTouched{Until: knowledge.GraphMark{Epoch: s.epoch.Load()}, Ontologies: 1}, nil
}

func (s *shelf) PassageKeys(_ context.Context, yield func(corpus.PassageKey) error) (knowledge.GraphMark, error) {
	for _, p := range s.passages {
		if err := yield(p.PassageKey); err != nil {
			return knowledge.GraphMark{}, err
		}
	}
	return knowledge.GraphMark{Epoch: s.epoch.Load()}, nil
}

func (s *shelf) PassagesOfSources(_ context.Context, sources []int32) (list []corpus.StoredPassage, _ error) {
	for _, p := range s.passages {
		if slices.Contains(sources, p.Source) {
			list = append(list, p.StoredPassage)
		}
	}
	return list, nil
}

func (s *shelf) OntologyNumbers(context.Context) (map[string]int, error) { return s.names, nil }

// read counts how often the tables were read.
func (s *shelf) read() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
}

func (s *shelf) ReadAnswer(_ context.Context, r questions.AskReading) (read questions.AskRead, _ error) {
	s.read()
	if r.Since != nil {
		read.Changed, read.Epoch = r.Since.Epoch != s.epoch.Load(), s.epoch.Load()
	}
	for _, id := range r.Passages {
		for _, p := range s.passages {
			if p.ID == id {
				read.Passages = append(read.Passages, p)
			}
		}
	}
	read.Concepts, read.Edges = slices.Clone(s.concepts), slices.Clone(s.edges)
	return read, nil
}

func (s *shelf) AskDocuments(_ context.Context, q questions.AskDocuments) (ids []int32, _ error) {
	for _, p := range s.passages {
		if len(q.DocumentIDs) == 0 || slices.Contains(q.DocumentIDs, p.DocumentID) {
			ids = append(ids, p.Document)
		}
	}
	return ids, nil
}

// ReadPassages, PassagesAround and ReadFound read the lists.
func (s *shelf) ReadPassages(_ context.Context, ids []int32) (read []corpus.ShownPassage, _ error) {
	s.read()
	for _, id := range ids {
		read = append(read, s.passages[id-1])
	}
	return read, nil
}

func (s *shelf) PassagesAround(_ context.Context, passage int32) (ids []int32, _ error) {
	of := s.passages[passage-1]
	for _, p := range s.passages {
		if p.Document == of.Document && p.Class == of.Class && p.Section == of.Section {
			ids = append(ids, p.ID)
		}
	}
	return ids, nil
}

func (s *shelf) ReadFound(_ context.Context, r questions.FindReading) (questions.FindRead, error) {
	s.read()
	read := questions.FindRead{Documents: map[int32]questions.FoundDocumentRow{}}
	if r.Since != nil {
		read.Changed, read.Epoch = r.Since.Epoch != s.epoch.Load(), s.epoch.Load()
	}
	s.documents = append(s.documents, r.Documents...)
	for _, id := range r.Shown {
		read.Passages = append(read.Passages, s.passages[id-1])
	}
	for _, p := range s.passages {
		if slices.Contains(r.Documents, p.Document) {
			read.Documents[p.Document] = questions.FoundDocumentRow{
				DocumentFound: questions.DocumentFound{DocumentID: p.DocumentID, Ontology: p.OntologyName, Filename: p.Filename, ContentType: p.ContentType},
				Number:        p.Document, OntologyNumber: p.Ontology, Path: p.Path,
			}
		}
	}
	for _, c := range s.concepts {
		if c.Named = slices.Contains(r.Phrases, c.Label); c.Named && (!r.Restricted || slices.Contains(r.Ontologies, 1)) {
			read.Concepts = append(read.Concepts, c)
		}
	}
	return read, nil
}

// Connect joins any two concepts by one path.
func (s *shelf) Connect(_ context.Context, q questions.ConnectQuery) (questions.ConnectResult, error) {
	return questions.ConnectResult{Paths: []questions.Path{{Nodes: []questions.PathNode{{ID: q.FromID}, {ID: q.ToID}}, Hops: 1}}}, nil
}

func (s *shelf) Evidence(_ context.Context, edges []knowledge.Edge, ontology string) ([][]knowledge.EdgeEvidence, error) {
	all := make([][]knowledge.EdgeEvidence, len(edges))
	for i := range edges {
		all[i] = []knowledge.EdgeEvidence{{Evidence: knowledge.Evidence{Quote: "said in " + ontology}}}
	}
	return all, nil
}

// open returns an Asker of the shelf.
func (s *shelf) open(t testing.TB) *Asker {
	t.Helper()
	s.epoch.Store(7)
	f := retrieval.NewFollower(retrieval.Config{Store: s, DefinedKey: answers.DefinedKey})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	await.That(t, "the index is ready", func() bool { return f.Status().Ready })
	return NewAsker(f, s, s)
}

func (a *Asker) must(t testing.TB, q questions.Question) questions.AskAnswer {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 3
	}
	answer, err := a.Ask(t.Context(), q)
	if err != nil {
		t.Fatalf("%q: %v", q.Text, err)
	}
	return answer
}

// documentation is the pages of this repository.
func documentation(t testing.TB) *shelf {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 15 {
		t.Fatal(len(pages), err)
	}
	s := &shelf{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		s.add("docs", page, string(text))
	}
	return s
}

func BenchmarkAsk(b *testing.B) {
	a := documentation(b).open(b)
	asked := []string{"how long is a lease?", "what ends a lease", "how does a lane wake up", "who may cancel a job", "what happens when the database is away"}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		a.must(b, questions.Question{Text: asked[i%len(asked)], Limit: 5})
	}
}

// notes are two ontologies that know nothing of each other.
func notes() *shelf {
	s := (&shelf{}).add("ops", "manual/lanes.md", `# Waking up

A lane wakes up at an approval. It polls every ten seconds besides.

A lease is a promise of a worker to be alive. It ends after 15 seconds.

# Errors

When the disk is full, the server says "no space left on device" and stops. The flag --keep-free reserves some.`).
		add("ops", "guide/lanes.md", `# Dogs

Dogs bark at the moon, and at the window of a lane.

A lane wakes up at an approval! It polls every ten seconds besides.`).
		add("secret", "plans.md", `# Plans

The turbine of project Kestrel wakes up at midnight.`)
	s.concepts = []questions.AskReadConcept{{ConceptID: "lane_1", Label: "lane", Named: true}, {ConceptID: "approval_2", Label: "approval"}}
	s.edges = []questions.AskReadEdge{
		{AskRelationship: questions.AskRelationship{FromID: "dog_3", Type: "RELATED_TO", ToID: "moon_4"}},
		{AskRelationship: questions.AskRelationship{FromID: "lane_1", Type: "USES", ToID: "approval_2"}},
	}
	return s
}

func TestAsk(t *testing.T) {
	s := notes()
	a := s.open(t)
	answer := a.must(t, questions.Question{Text: "How does a lane wake up?"})
	if len(answer.Passages) == 0 || answer.Epoch != 7 || !answer.Index.Ready || answer.Index.Passages != len(s.passages) {
		t.Fatalf("%+v", answer)
	}
	first := answer.Passages[0]
	if !strings.HasPrefix(first.Text, "A lane wakes up at an approval") || first.Words != 3 || first.WordsAsked != 3 || len(first.MissingWords) != 0 {
		t.Errorf("first is %+v", first)
	}
	if first.Sentence == nil || strings.TrimRight(first.Sentence.Text, ".!") != "A lane wakes up at an approval" || first.Sentence.Start != first.Start {
		t.Errorf("its sentence is %+v", first.Sentence)
	}
	if len(first.AlsoIn) != 1 || first.Name == first.Filename || !strings.HasSuffix(first.Name, "/lanes.md") {
		t.Errorf("called %q, also in %q", first.Name, first.AlsoIn)
	}
	if want := fmt.Sprintf("/documents/%s/content?ontology=ops#char=%d,%d", first.DocumentID, first.StartChar, first.EndChar); first.Link != want {
		t.Errorf("link %q, want %q", first.Link, want)
	}
	if len(answer.Concepts) != 1 || answer.Concepts[0].Score != 1 {
		t.Errorf("concepts %+v", answer.Concepts)
	}
	if len(answer.Relationships) != 2 || answer.Relationships[0].Type != "USES" || answer.Relationships[0].Evidence != nil {
		t.Errorf("relationships %+v", answer.Relationships)
	}
	if s.reads != 1 {
		t.Errorf("the tables were read %d times for one question", s.reads)
	}
	stated := a.must(t, questions.Question{Text: "How does a lane wake up?", IncludeEvidence: true})
	if e := stated.Relationships[0].Evidence; len(e) != 1 || e[0].Quote != "said in " {
		t.Errorf("evidence %+v", e)
	}
	for i, p := range answer.Passages {
		if p.Score < 0 || p.Score > 1 || i > 0 && p.Score > answer.Passages[i-1].Score {
			t.Errorf("score %v of passage %d", p.Score, i+1)
		}
	}
}

// late has read the log before the last change.
type late struct{ *retrieval.Follower }

func (l late) Latest() (retrieval.Snapshot, bool) {
	s, ok := l.Follower.Latest()
	s.Mark.Epoch--
	return s, ok
}

// TestAskAgain answers from what was committed before the question, though the index did not
// have it yet.
func TestAskAgain(t *testing.T) {
	s := notes()
	a := s.open(t).FindByMeaning(&thesaurus{}) // as a server has it, without a model
	a.passages = late{a.passages.(*retrieval.Follower)}
	if answer := a.must(t, questions.Question{Text: "How does a lane wake up?"}); answer.Epoch != 7 || len(answer.Passages) == 0 || s.reads != 2 {
		t.Errorf("read %d times, as of %d: %+v", s.reads, answer.Epoch, answer.Passages)
	}
}

// TestAskMany asks more at once than are answered at once.
func TestAskMany(t *testing.T) {
	a := notes().open(t)
	a.places = make(chan struct{}, 1)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { a.must(t, questions.Question{Text: "How does a lane wake up?"}) })
	}
	all.Wait()
	a.places <- struct{}{} // that was given back each time
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Ask(ctx, questions.Question{Text: "a lane?", Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("without a place: %v", err)
	}
}

// TestAskWhatItWants asks for what comes first for what it is.
func TestAskWhatItWants(t *testing.T) {
	a := notes().open(t)
	for question, want := range map[string]struct{ form, first string }{
		"What is a lease?": {questions.FormDefinition, "A lease is"},
		"lease?":           {questions.FormDefinition, "A lease is"},
		"what does \"no space left on device\" mean": {questions.FormDefinition, "When the disk"},
		"--keep-free":                                   {questions.FormDefinition, "When the disk"},
		"at which times does a lane poll?":              {questions.FormPassage, "A lane wakes up"},
		"what is the difference between lane and lease": {questions.FormComparison, "A lease is"},
	} {
		answer := a.must(t, questions.Question{Text: question})
		if len(answer.Passages) == 0 || !strings.HasPrefix(answer.Passages[0].Text, want.first) {
			t.Errorf("%s: %+v", question, answer.Passages)
		}
		if answer.Form != want.form && question[0] != 'w' {
			t.Errorf("%s: is a %s", question, answer.Form)
		}
	}
}

// TestAskForAll wants a list before a sentence that has the same words.
func TestAskForAll(t *testing.T) {
	s := (&shelf{}).add("ops", "a.md", "# Lanes\n\nThe lanes of the server are many, and lanes have slots.\n\nOther things are here.\n\n- the lane interactive of the server\n- the lane system").add("ops", "b.md", "Dogs bark.\n\nCats sleep.")
	answer := s.open(t).must(t, questions.Question{Text: "list all lanes of the server", Limit: 1})
	if answer.Form != questions.FormList || len(answer.Passages) != 1 || answer.Passages[0].Class != "list" {
		t.Errorf("%s: %+v", answer.Form, answer.Passages)
	}
}

// TestAskWithin wants nothing of another ontology in any part of an answer.
func TestAskWithin(t *testing.T) {
	a := notes().open(t)
	for _, text := range []string{"when does the turbine of Kestrel wake up?", "turbine", "turbin", "What is Kestrel?", "\"project Kestrel\"", "Kestral"} {
		answer := a.must(t, questions.Question{Text: text, AskFilter: questions.AskFilter{Ontologies: []string{"ops"}}})
		if answer.Found || len(answer.Mended) > 0 || answer.Index != (knowledge.PassageIndexState{Ready: true}) || slices.ContainsFunc(answer.Passages, func(p questions.AskPassage) bool { return p.Document != "ops" }) {
			t.Errorf("%s: %+v", text, answer)
		}
		if len(answer.Absent) == 0 {
			t.Errorf("%s: nothing is absent", text)
		}
		if answer := a.must(t, questions.Question{Text: text, AskFilter: questions.AskFilter{Ontologies: []string{"ops", "secret"}}}); len(answer.Passages) == 0 || answer.Passages[0].Document != "secret" {
			t.Errorf("%s, within both: %+v", text, answer.Passages)
		}
	}
	none := a.must(t, questions.Question{Text: "how does a lane wake up", AskFilter: questions.AskFilter{Ontologies: []string{"gone"}}})
	if len(none.Passages) > 0 || none.Found || len(none.Absent) != 2 {
		t.Errorf("within an ontology that is not there: %+v", none)
	}
	only := a.must(t, questions.Question{Text: "how does a lane wake up", AskFilter: questions.AskFilter{DocumentIDs: []string{"sha256:3"}}})
	if len(only.Passages) != 1 || only.Passages[0].DocumentID != "sha256:3" {
		t.Errorf("of one document: %+v", only.Passages)
	}
	if other := a.must(t, questions.Question{Text: "how does a lane wake up", AskFilter: questions.AskFilter{Languages: []string{"de"}}}); len(other.Passages) > 0 {
		t.Errorf("in German: %+v", other.Passages)
	}
}

// TestAskMends takes slips for what they are slips of, says so, and can be told not to.
func TestAskMends(t *testing.T) {
	a := notes().open(t)
	answer := a.must(t, questions.Question{Text: "how is an apprvoal given?"})
	if want := []questions.AskMended{{Written: "apprvoal", TakenAs: "approval"}}; !slices.Equal(answer.Mended, want) || answer.Asked != "how is an approval given?" || !strings.Contains(answer.Passages[0].Text, "approval") {
		t.Errorf("%+v", answer)
	}
	for _, q := range []questions.Question{{Text: "how is an apprvoal given?", Exact: true}, {Text: "\"apprvoal\""}, {Text: "who wrote Beethoven's ninth?"}} {
		if answer := a.must(t, q); len(answer.Mended) > 0 || answer.Found {
			t.Errorf("%s: %+v", q.Text, answer)
		}
	}
}

// TestAskCode shows code as it stands: it has no sentence that answers.
func TestAskCode(t *testing.T) {
	s := (&shelf{}).add("ops", "start.md", "# Start\n\n```sh\nkg serve --address everywhere\n```")
	answer := s.open(t).must(t, questions.Question{Text: "kg serve --address"})
	if len(answer.Passages) != 1 || answer.Passages[0].Sentence != nil || answer.Passages[0].Exact != nil {
		t.Errorf("%+v", answer.Passages)
	}
}

// TestSlips holds words that are slips of others apart from words of their own.
func TestSlips(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"notifcation", "notification"}: true, {"postgers", "postgres"}: true, {"apprvoal", "approval"}: true, {"lanne", "lane"}: true, {"notigication", "notification"}: true,
		{"change", "charge"}: false, {"house", "horse"}: false, {"former", "farmer"}: false,
	} {
		if got := slips(pair[0], pair[1]) <= len(pair[0])/longWord+1; got != want {
			t.Errorf("%s is a slip of %s: %t", pair[0], pair[1], got)
		}
	}
}

// TestAskWithoutAnAnswer wants what is missing to be said.
func TestAskWithoutAnAnswer(t *testing.T) {
	a := notes().open(t)
	answer := a.must(t, questions.Question{Text: "Who invented the telephone of Kafka?"})
	if answer.Found || answer.Passages == nil || answer.Nearest != (len(answer.Passages) > 0) || !slices.Contains(answer.Absent, "Kafka") || !slices.Contains(answer.MissingWords, "telephone") {
		t.Errorf("%+v", answer)
	}
	for _, q := range []questions.Question{{Text: "", Limit: 1}, {Text: "x"}, {Text: "x", Limit: 21}, {Text: strings.Repeat("x", 2001), Limit: 1}, {Text: "x", Limit: 1, Offset: -1}, {Text: "x", Limit: 1, AskFilter: questions.AskFilter{Kinds: []string{"scroll"}}}} {
		if _, err := a.Ask(t.Context(), q); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("%d characters, limit %d: %v", len(q.Text), q.Limit, err)
		}
	}
}

// TestAskPages wants every passage once on the pages of an answer.
func TestAskPages(t *testing.T) {
	a := notes().open(t)
	const text = "lane lease disk turbine"
	whole := a.must(t, questions.Question{Text: text, Limit: 20})
	seen := map[int]bool{}
	for offset := 0; ; offset++ {
		answer := a.must(t, questions.Question{Text: text, Limit: 1, Offset: offset, Explain: true})
		for _, p := range answer.Passages {
			key := p.Start + 1000*int(p.DocumentID[7])
			if seen[key] || len(p.Features) < 10 {
				t.Errorf("again, or unexplained: %+v", p)
			}
			seen[key] = true
		}
		if !answer.More {
			break
		}
	}
	if len(seen) != len(whole.Passages) || len(seen) < 3 {
		t.Errorf("%d passages on all pages, and %d on one", len(seen), len(whole.Passages))
	}
}

// TestAskWithinAnotherLanguage wants a passage of no clear language to be found by words that
// nearly all passages have, though others, in English, have all words of the question.
func TestAskWithinAnotherLanguage(t *testing.T) {
	s := (&shelf{}).add("open", "a.txt", "Kafka uses Zookeeper.").add("hush", "b.txt", "Kafka uses the quorum. What does Kafka use?")
	s.passages[0].Language = ""
	answer := s.open(t).must(t, questions.Question{Text: "What uses Kafka?", AskFilter: questions.AskFilter{Ontologies: []string{"open"}}})
	if len(answer.Passages) != 1 {
		t.Errorf("%+v", answer)
	}
}
