package library

import (
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func TestCodeThatRepeatsTheQuestion(t *testing.T) {
	s := (&shelf{}).add("docs", "ask.md", "```\nkg ask \"On which port does the server listen?\"\n```\n\nThe server listens on port 8080, unless KG_ADDR says otherwise.\n\nA lane is a queue.")
	a := s.open(t)
	for question, want := range map[string]corpus.PassageClass{
		"On which port does the server listen?":        corpus.ClassProse,
		"\"On which port does the server listen?\"":    corpus.ClassCode, // it is to be found as it is written
		"Where is kg ask told which port is listened?": corpus.ClassCode,
	} {
		got, err := a.Ask(t.Context(), questions.Question{Text: question, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Passages) != 1 || got.Passages[0].Class != string(want) {
			t.Errorf("%s shows %+v first, want %s", question, got.Passages, want)
		}
	}
}
