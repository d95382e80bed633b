package ranking

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// library returns an index of texts, which are its passages 1, 2, and so on. Each is a
// document of its own, whose title stands before a colon.
func library(t testing.TB, english bool, texts ...string) *index.View {
	t.Helper()
	x, err := index.Open("", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []index.Entry
	for i, text := range texts {
		title, body, ok := strings.Cut(text, ": ")
		if !ok {
			title, body = "", text
		}
		id := int32(i + 1)
		all = append(all, index.Entry{ID: id, Source: id, Document: id, English: english, Text: words.Cut(body, english), Around: words.Cut(title, english).Words})
	}
	if err := x.Apply(all, nil); err != nil {
		t.Fatal(err)
	}
	return x.View()
}

// rank asks a question as the product does.
func rank(t testing.TB, v *index.View, english bool, question string) []Ranked {
	t.Helper()
	q := Ask(question, english, v)
	return rankOf(t, v, &q)
}

func rankOf(t testing.TB, v *index.View, q *Question) []Ranked {
	t.Helper()
	candidates, err := v.Candidates(t.Context(), index.Query{Terms: q.Terms(), Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	return Learned().Rank(q, v, candidates)
}

var normans = []string{
	"Normans: The Normans were the people who in the 10th and 11th centuries gave their name to Normandy, a region in France.",
	"Rhine: The Rhine is a river that begins in the Swiss canton of Graubünden and flows through Germany to the North Sea.",
	"Oxygen: Oxygen is a chemical element with the symbol O and the atomic number 8.",
	"Normandy: The landing in Normandy began on 6 June 1944. It was the largest invasion by sea in history.",
}

func TestRank(t *testing.T) {
	v := library(t, true, normans...)
	for question, want := range map[string]int32{
		"Who gave their name to Normandy?":          1,
		"Where does the Rhine begin?":               2,
		"What is the atomic number of oxygen?":      3,
		"When did the landing in Normandy begin?":   4,
		"what was the largset invasion in history?": 4,
		"who were the people":                       1,
	} {
		ranked := rank(t, v, true, question)
		if len(ranked) == 0 || ranked[0].ID != want {
			t.Errorf("%q finds %+v first, want %d", question, ranked, want)
			continue
		}
		if len(ranked[0].Features) != len(Learned().Names()) || ranked[0].Answers < 0.5 || ranked[0].Answers > 1 {
			t.Errorf("%q is answered with %.2f, by %d features", question, ranked[0].Answers, len(ranked[0].Features))
		}
	}
}

func TestAnswersNot(t *testing.T) {
	v := library(t, true, normans...)
	for _, question := range []string{"What is the tallest building in Tokyo?", "How many moons does Jupiter have?", "Who gave the Nobel prize to Marie Curie?"} {
		if ranked := rank(t, v, true, question); len(ranked) > 0 && ranked[0].Answers >= 0.5 {
			t.Errorf("%q is answered by %d with %.2f", question, ranked[0].ID, ranked[0].Answers)
		}
	}
}

func TestWordsThatAreWrittenAsOne(t *testing.T) {
	v := library(t, true, append(slices.Clone(normans), "A backup holds the graph and its texts.", "Graphs come back to the server when it is up.")...)
	if ranked := rank(t, v, true, "How do I back up?"); len(ranked) < 2 || ranked[0].ID != 5 && ranked[1].ID != 5 {
		t.Errorf("a backup is not found: %v", ranked)
	}
}

func TestMissing(t *testing.T) {
	v := library(t, true, normans...)
	for question, want := range map[string][]string{
		"Where does the Rhine begin?":                                      nil,
		"Is the river Rhine near New York City or the Danube?":             {"near", "New York City", "Danube"},
		"Which river flows through Germany to the baltic sea, since 1871?": {"baltic", "since", "1871"},
	} {
		q := Ask(question, true, v)
		ranked := rankOf(t, v, &q)
		if len(ranked) == 0 {
			t.Fatalf("%q finds nothing", question)
		}
		if missing := q.Missing(&ranked[0]); !slices.Equal(missing, want) {
			t.Errorf("%q misses %q, want %q", question, missing, want)
		}
	}
}

func TestQuestionsOfManyKinds(t *testing.T) {
	v := library(t, true, append(slices.Clone(normans), "Who are you? You are who you are.", "", "Shannon: x")...)
	for name, c := range map[string]struct {
		question string
		first    int32 // 0 for none
	}{
		"function words alone": {"who are you", 0}, // passages are not found by them
		"empty":                {"", 0},
		"no words":             {"?!\x00\u202e…", 0},
		"unknown words":        {"xyzzy plugh", 0},
		"longer than sensible": {strings.Repeat("Which river, if you would be so kind, begins in the canton of Graubünden? ", 200), 2},
		"many words":           {strings.Join(distinct(1500), " ") + " atomic number of oxygen", 3},
		"not UTF-8":            {strings.Repeat("\x80\xbf", 9000), 0},
		"a repeated word":      {strings.Repeat("oxygen ", 300), 3},
	} {
		t.Run(name, func(t *testing.T) {
			ranked := rank(t, v, true, c.question)
			switch {
			case c.first == 0 && len(ranked) > 0 && ranked[0].Answers >= 0.5:
				t.Errorf("%d answers with %.2f", ranked[0].ID, ranked[0].Answers)
			case c.first != 0 && (len(ranked) == 0 || ranked[0].ID != c.first):
				t.Errorf("got %v, want %d first", ranked, c.first)
			}
		})
	}
}

// distinct returns so many words, each another one.
func distinct(n int) (all []string) {
	for i := range n {
		all = append(all, "w"+string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676%26)))
	}
	return all
}

func TestPassagesOfManyKinds(t *testing.T) {
	table := "| Flag | Meaning |\n| --- | --- |\n| --lanes | how many lanes there are |\n| --color | when to colour |"
	code := "func maxJobs(lanes int) int {\n\treturn lanes * perLane\n}"
	long := strings.Repeat("A chapter that speaks of much and says little of jobs and lanes. ", 400)
	v := library(t, true, append(slices.Clone(normans), table, code, long)...)
	for question, want := range map[string]int32{"What does --lanes mean?": 5, "maxJobs": 6, "perLane": 6, "--color": 5} {
		if ranked := rank(t, v, true, question); len(ranked) == 0 || ranked[0].ID != want {
			t.Errorf("%q finds %v, want %d", question, ranked, want)
		}
	}
}

func TestLanguagesTogether(t *testing.T) {
	x, err := index.Open("", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []index.Entry
	for i, text := range []string{
		"The Rhine begins in Switzerland and flows to the North Sea.",
		"Der Rhein entspringt in der Schweiz und fließt in die Nordsee.",
		"莱茵河发源于瑞士，流入北海。",
		"Рейн берёт начало в Швейцарии и впадает в Северное море.",
		"แม่น้ำไรน์เริ่มต้นในสวิตเซอร์แลนด์",
	} {
		id := int32(i + 1)
		all = append(all, index.Entry{ID: id, Document: id, English: i == 0, Text: words.Cut(text, i == 0)})
	}
	if err := x.Apply(all, nil); err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]int32{
		"Where does the Rhine begin?": 1, "Wo entspringt der Rhein?": 2, "莱茵河流入哪里？": 3,
		"Куда впадает Рейн?": 4, "แม่น้ำไรน์เริ่มต้นที่ไหน": 5,
	} {
		if ranked := rank(t, x.View(), want == 1, question); len(ranked) == 0 || ranked[0].ID != want {
			t.Errorf("%q finds %v, want %d", question, ranked, want)
		}
	}
}

func TestMenusComeBehind(t *testing.T) {
	v := library(t, true, "Oxygen atomic number. Home. Contact.", normans[2])
	q := Ask("What is the atomic number of oxygen?", true, v)
	candidates, err := v.Candidates(t.Context(), index.Query{Terms: q.Terms(), Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	for i := range candidates {
		if candidates[i].ID == 1 {
			candidates[i].Class = 1
		}
	}
	if ranked := Learned().Rank(&q, v, candidates); len(ranked) != 2 || ranked[0].ID != 2 {
		t.Errorf("a menu comes first: %v", ranked)
	}
}

func TestAModelIsSharedSafely(t *testing.T) {
	v := library(t, true, normans...)
	want := rank(t, v, true, "When did the landing in Normandy begin?")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				rank(t, v, true, "Which river flows through Germany?")
				if got := rank(t, v, true, "When did the landing in Normandy begin?"); len(got) != len(want) || !slices.Equal(got[0].Features, want[0].Features) {
					t.Error("two questions at once disturb each other")
				}
			}
		})
	}
	all.Wait()
}

func TestWeights(t *testing.T) {
	var w Weights
	if err := json.Unmarshal(learned, &w); err != nil {
		t.Fatal(err)
	}
	for name, by := range map[string]map[string]float64{"English": w.English, "Other": w.Other, "EnglishAnswers": w.EnglishAnswers, "OtherAnswers": w.OtherAnswers} {
		known := append(slices.Clone(Learned().Names()), Bias)
		if name == "English" || name == "Other" {
			known = Learned().OrderNames()
		}
		if len(by) != len(known) {
			t.Errorf("%s has %d weights, want %d: run make train-ranking", name, len(by), len(known))
		}
		for feature, weight := range by {
			if !slices.Contains(known, feature) || math.IsNaN(weight) || math.IsInf(weight, 0) {
				t.Errorf("%s: %q weighs %v, and the features are %q", name, feature, weight, known)
			}
		}
	}
}

// TestRankAllocations: to rank ten times as many candidates takes larger slices, and not more of
// them. With the race detector a pool forgets one in four of what is put there, so some are added.
func TestRankAllocations(t *testing.T) {
	texts := make([]string, 50)
	for i := range texts {
		texts[i] = fmt.Sprintf("River %d flows through Germany to the North Sea.", i)
	}
	v := library(t, true, texts...)
	q := Ask("Which river flows to the Baltic Sea, since the year 1871 in Poland?", true, v)
	candidates, err := v.Candidates(t.Context(), index.Query{Terms: q.Terms(), Limit: 50})
	if err != nil || len(candidates) != 50 {
		t.Fatal(len(candidates), err)
	}
	allocations := func(n int) float64 {
		return testing.AllocsPerRun(20, func() { Learned().Rank(&q, v, candidates[:n]) })
	}
	if few, many := allocations(5), allocations(50); many > few+30 {
		t.Errorf("%v allocations for 5 candidates, %v for 50: those of 45 more candidates", few, many)
	}
}

func FuzzRank(f *testing.F) {
	f.Add("Where does the Rhine begin?", "The Rhine begins in Graubünden.", true)
	f.Add("a a a a", "a", false)
	f.Add("我爱北京 max_jobs", "北京。kg-data max_jobs", false)
	f.Fuzz(func(t *testing.T, question, passage string, english bool) {
		v := library(t, english, passage, passage+" "+question, question)
		q := Ask(question, english, v)
		for _, r := range rankOf(t, v, &q) {
			for i, x := range r.Features {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Fatalf("%s is %v", Learned().Names()[i], x)
				}
			}
			if !(r.Answers >= 0 && r.Answers <= 1) {
				t.Fatalf("answers with %v", r.Answers)
			}
			for _, missing := range q.Missing(&r) {
				if missing == "" || !strings.Contains(question, missing) {
					t.Fatalf("misses %q, which the question has not", missing)
				}
			}
		}
	})
}

func TestEvidence(t *testing.T) {
	v := library(t, true, normans...)
	of := func(question, feature string) float64 {
		return rank(t, v, true, question)[0].Features[slices.Index(Learned().Names(), feature)]
	}
	all, some := "What is the atomic number of oxygen?", "What is the atomic number of oxygen in Ruritania?"
	for feature, want := range map[string]float64{"cover": 1, "lacking": 0, "known": 1} {
		if got := of(all, feature); math.Abs(got-want) > 1e-9 {
			t.Errorf("%q has %q %v, want %v: the passage has all of it", all, feature, got, want)
		}
	}
	if of(some, "cover") >= 1 || of(some, "known") >= 1 || of(some, "lacking") <= 0 || of(some, "matched") != of(all, "matched") {
		t.Errorf("a word that no passage has does not count as missing in %q", some)
	}
}

func TestAgreement(t *testing.T) {
	of := func(documents ...int32) (all []Ranked) {
		for _, d := range documents {
			all = append(all, Ranked{Candidate: index.Candidate{Meta: index.Meta{Document: d}}})
		}
		return all
	}
	for _, c := range []struct {
		all  []Ranked
		want float64
	}{
		{of(1, 1, 1), 0}, // of one document all are
		{of(1, 2, 3), 0},
		{of(1, 1, 1, 2), 0.1},
		{of(1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1), 0}, // further behind says nothing
	} {
		if got := agreement(c.all, 1, len(documentsOf(c.all))); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d passages agree by %v, want %v", len(c.all), got, c.want)
		}
	}
}
