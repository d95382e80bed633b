package library

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// thesaurus knows which passages are similar to any question.
type thesaurus struct {
	said  questions.SimilarPassages
	among []int32 // that it was asked about
}

func (m *thesaurus) Compares() bool { return m.said.Model != "" }

func (m *thesaurus) Similar(_ context.Context, _ string, among []int32, most int, allow func(int32) bool) questions.SimilarPassages {
	m.among = among
	out := m.said
	out.Nearest = nil
	for _, id := range m.said.Nearest {
		if allow(id) && len(out.Nearest) < most {
			out.Nearest = append(out.Nearest, id)
		}
	}
	return out
}

func asJSON(t *testing.T, a questions.AskAnswer) string {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestAskByMeaning finds a passage that has no word of its question, puts it first, shows none
// that may not be shown, and changes nothing without a model.
func TestAskByMeaning(t *testing.T) {
	const text = "when does the corridor get up?" // of lane and wakes no word
	s := notes()
	plain := s.open(t).must(t, questions.Question{Text: text})
	without := s.open(t).FindByMeaning(&thesaurus{}).must(t, questions.Question{Text: text})
	if asJSON(t, plain) != asJSON(t, without) || strings.Contains(asJSON(t, plain), `"meaning"`) {
		t.Errorf("without a model it answers\n%s\nand with none configured\n%s", asJSON(t, plain), asJSON(t, without))
	}
	secret := s.passages[len(s.passages)-1].ID
	m := &thesaurus{said: questions.SimilarPassages{Model: "m", Nearest: []int32{secret, 1}, Of: map[int32]float64{secret: 8, 1: 7}}}
	found := s.open(t).FindByMeaning(m).must(t, questions.Question{Text: text, Explain: true, AskFilter: questions.AskFilter{Ontologies: []string{"ops"}}})
	if len(found.Passages) == 0 || found.Passages[0].Start != s.passages[0].Start || found.Passages[0].Features["similarity"] <= 0 || found.Meaning == nil || !found.Meaning.Used {
		t.Errorf("found %s", asJSON(t, found))
	}
	for _, p := range found.Passages {
		if p.Document != "ops" {
			t.Errorf("shows a passage of %s", p.Document)
		}
	}
	failing := &thesaurus{said: questions.SimilarPassages{Model: "m", Reason: "openai limits our calls"}}
	said := s.open(t).FindByMeaning(failing).must(t, questions.Question{Text: text})
	if remarks := strings.Join(said.Remarks(), " "); said.Meaning == nil || said.Meaning.Used || !strings.Contains(remarks, "By the words alone: openai limits our calls.") {
		t.Errorf("it says %q: %+v", remarks, said.Meaning)
	}
	said.Meaning = nil
	if asJSON(t, said) != asJSON(t, plain) {
		t.Errorf("a model that fails changes the answer to\n%s\nfrom\n%s", asJSON(t, said), asJSON(t, plain))
	}
}

// TestAskBesideAModel asks two models at once where one question is answered at once: while a
// model takes its time the place is another question's.
func TestAskBesideAModel(t *testing.T) {
	const text = "how does a lane wake up?"
	a := notes().open(t)
	a.places = make(chan struct{}, 1)
	var both sync.WaitGroup
	both.Add(2)
	a.RerankBy(Reranker{Name: "slow", Order: func(_ context.Context, _ string, _ []string) ([]int, float64, error) {
		both.Done()
		both.Wait()
		return []int{0}, 0, nil
	}})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { a.must(t, questions.Question{Text: text}) })
	}
	all.Wait()
	a.places <- struct{}{} // that was given back each time
}

// TestAskReranked wants the order of a reranker, which is not given what may not be shown; that
// of the server when it fails, said with the reason; and no call when none is wanted.
func TestAskReranked(t *testing.T) {
	const text = "how does a lane wake up?"
	s := notes()
	own := s.open(t).must(t, questions.Question{Text: text, Limit: 20})
	var given []string
	calls := 0
	reverse := Reranker{Name: "rerank/m", Order: func(_ context.Context, _ string, texts []string) (places []int, _ float64, _ error) {
		given, calls = texts, calls+1
		for i := range texts {
			places = append(places, len(texts)-1-i)
		}
		return places, 0.002, nil
	}}
	got := s.open(t).RerankBy(reverse).must(t, questions.Question{Text: text, Limit: 20})
	if r := got.Reranking; r == nil || !r.Reranked || r.Passages != len(given) || r.Cost != 0.002 || len(got.Passages) < 2 {
		t.Fatalf("answered %s", asJSON(t, got))
	}
	if last := given[len(given)-1]; !strings.Contains(last, got.Passages[0].Text) || got.Answers < own.Answers-0.01 || got.Found != own.Found {
		t.Errorf("the first of the reranker is %q, and it shows %q; found %t, answers %g, not %g", last, got.Passages[0].Text, got.Found, got.Answers, own.Answers)
	}
	s.open(t).RerankBy(reverse).must(t, questions.Question{Text: text, AskFilter: questions.AskFilter{Ontologies: []string{"ops"}}})
	for _, text := range given {
		if strings.Contains(text, "Kestrel") {
			t.Errorf("the reranker is given a passage of another ontology: %q", text)
		}
	}
	some := Reranker{Name: "rerank/m", Order: func(_ context.Context, _ string, texts []string) ([]int, float64, error) { return []int{1}, 0, nil }}
	if got := s.open(t).RerankBy(some).must(t, questions.Question{Text: text, Limit: 20}); len(got.Passages) != len(own.Passages) || !got.Reranking.Reranked {
		t.Errorf("of a reranker that returns one of them: %s", asJSON(t, got))
	}
	for want, err := range map[string]error{"rerank limits our calls": kappa.NewError(kappa.CodeUnavailable, "rerank limits our calls"), "it failed": errors.New("secret")} {
		fails := Reranker{Name: "rerank/m", Order: func(context.Context, string, []string) ([]int, float64, error) { return nil, 0, err }}
		got := s.open(t).RerankBy(fails).must(t, questions.Question{Text: text, Limit: 20})
		if r := got.Reranking; r == nil || r.Reranked || r.Reason != want || !strings.Contains(strings.Join(got.Remarks(), " "), want) {
			t.Errorf("%v: %+v", err, got.Reranking)
		}
		if got.Reranking = nil; asJSON(t, got) != asJSON(t, own) {
			t.Errorf("%v changes the answer to\n%s", err, asJSON(t, got))
		}
	}
	calls = 0
	if got := s.open(t).RerankBy(reverse).must(t, questions.Question{Text: text, Limit: 20, Plain: true}); calls != 0 || asJSON(t, got) != asJSON(t, own) {
		t.Errorf("%d calls although none is wanted", calls)
	}
}
