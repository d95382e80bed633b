package ingest

import (
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

const laneText = "A Lane is a group of job types. It claims jobs by priority.\n\nNobody waits here. The write-ahead log keeps what the lanes have done."

// laneExtraction is what a model says of laneText: without any place of a relationship.
func laneExtraction(r knowledge.ExtractedRelationship) knowledge.Extraction {
	r.Type, r.Confidence = "USES", 1
	return knowledge.Extraction{
		Concepts: []knowledge.ExtractedConcept{
			{Key: "lane", Label: "lane"},
			{Key: "job", Label: "job"},
			{Key: "type", Label: "job type"},
			{Key: "wal", Label: "WAL", SearchTerms: []string{"write ahead log"}},
			{Key: "nobody", Label: "nobody"},
		},
		Instances: []knowledge.ExtractedInstance{
			{Concept: "lane", Quote: "A Lane is a group of job types."},
			{Concept: "type", Quote: "job types"},
			{Concept: "job", Quote: "It claims jobs by priority."},
			{Concept: "wal", Quote: "The write-ahead log keeps what the lanes have done."},
			{Concept: "nobody", Quote: "Nobody waits here."},
		},
		Relationships: []knowledge.ExtractedRelationship{r},
	}
}

func TestStatements(t *testing.T) {
	tests := map[string]struct {
		in                      knowledge.ExtractedRelationship
		quote, from, to, before string // what is marked; "" is not in the quote
	}{
		"the quote of one end names both, in another form": {
			in: knowledge.ExtractedRelationship{From: "lane", To: "type"}, quote: "A Lane is a group of job types.", from: "Lane", to: "job types",
		},
		"a search term is a name, whatever its hyphens": {
			in: knowledge.ExtractedRelationship{From: "wal", To: "lane"}, quote: "The write-ahead log keeps what the lanes have done.", from: "write-ahead log", to: "lanes",
		},
		"no sentence names both: the later one, and the other before it": {
			in: knowledge.ExtractedRelationship{From: "wal", To: "nobody"}, quote: "The write-ahead log keeps what the lanes have done.", from: "write-ahead log", before: "Nobody waits here.",
		},
		"a quote that is given is kept, and marked": {
			in:    knowledge.ExtractedRelationship{From: "lane", To: "job", Quote: "A LANE is a group of job types."},
			quote: "A Lane is a group of job types.", from: "Lane", to: "job",
		},
		"a word that refers is kept as the reader says": {
			in: knowledge.ExtractedRelationship{From: "lane", To: "job", Quote: "It claims jobs by priority.", Marks: knowledge.Marks{
				From: knowledge.Mark{Kind: knowledge.MarkReference, Span: corpus.Span{Start: 0, End: 2}}, Before: "A Lane is a group of job types.",
			}},
			quote: "It claims jobs by priority.", from: "It", to: "jobs", before: "A Lane is a group of job types.",
		},
		"marks outside of the quote and a sentence that is not there are dropped": {
			in: knowledge.ExtractedRelationship{From: "lane", To: "job", Quote: "It claims jobs by priority.", Marks: knowledge.Marks{
				From: knowledge.Mark{Kind: knowledge.MarkReference, Span: corpus.Span{Start: 20, End: 200}}, To: knowledge.Mark{Kind: "made up", Span: corpus.Span{Start: 1, End: 3}}, Before: "Lanes are wide.",
			}},
			quote: "It claims jobs by priority.", to: "jobs",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Clean(laneExtraction(tt.in), laneText, []string{"USES"}).Relationships
			if len(got) != 1 {
				t.Fatalf("got %+v", got)
			}
			r := got[0]
			if r.Quote != tt.quote || laneText[r.Span.Start:r.Span.End] != r.Quote {
				t.Errorf("quote %q at %v, want %q", r.Quote, r.Span, tt.quote)
			}
			for _, end := range []struct {
				mark knowledge.Mark
				want string
			}{{r.Marks.From, tt.from}, {r.Marks.To, tt.to}} {
				if shown := knowledge.ShownMark(r.Quote, end.mark); shown.Text != end.want {
					t.Errorf("marked %q (%+v), want %q", shown.Text, end.mark, end.want)
				}
			}
			if b := r.Marks; b.Before != tt.before || laneText[b.BeforeSpan.Start:b.BeforeSpan.End] != tt.before {
				t.Errorf("before %q at %v, want %q", b.Before, b.BeforeSpan, tt.before)
			}
		})
	}
}

// TestStatementsOfLongTexts wants the search for sentences to read a text once, however
// many relationships there are.
func TestStatementsOfLongTexts(t *testing.T) {
	text := strings.Repeat("A lane is not a worker, and the log knows neither of them here. ", 400)
	e := knowledge.Extraction{Concepts: []knowledge.ExtractedConcept{}}
	for _, label := range []string{"lane", "worker", "log", "neither", "here", "missing"} {
		e.Concepts = append(e.Concepts, knowledge.ExtractedConcept{Key: label, Label: label})
		e.Instances = append(e.Instances, knowledge.ExtractedInstance{Concept: label, Quote: label})
	}
	for _, from := range e.Concepts {
		for _, to := range e.Concepts {
			for range 30 {
				e.Relationships = append(e.Relationships, knowledge.ExtractedRelationship{From: from.Key, To: to.Key, Type: "USES", Confidence: 1})
			}
		}
	}
	begin := time.Now()
	if got := Clean(e, text, []string{"USES"}); len(got.Relationships) != 20 || got.Relationships[0].Quote == "" {
		t.Errorf("%d relationships", len(got.Relationships))
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}
