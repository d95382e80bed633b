package library

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/ranking"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// passage returns a passage for the answer, with what was read of it and of its twins.
func (x *asked) passage(k *kept, p *corpus.ShownPassage, byID map[int32]*corpus.ShownPassage, names map[int32]string, m *ranking.Model) questions.AskPassage {
	out := questions.AskPassage{
		Text: p.Text, Document: p.OntologyName, Filename: p.Filename, Name: names[p.Document], DocumentID: p.DocumentID, SourceID: p.SourceID, Paragraph: p.Chunk,
		Class: string(p.Class), Language: p.Language, Link: linkTo(p), Answers: round(k.Answers),
		WordsAsked: len(x.content), MissingWords: x.telling(x.ranking.Missing(&k.Ranked)), AlsoIn: []string{}, Columns: p.Columns,
		Span: p.Span, StartChar: p.StartChar, EndChar: p.EndChar,
	}
	out.Words = max(0, len(x.content)-countWords(out.MissingWords))
	out.Score = out.Answers
	if n := len(x.answer.Passages); n > 0 {
		out.Score = min(out.Score, x.answer.Passages[n-1].Score)
	}
	if out.MissingWords == nil {
		out.MissingWords = []string{}
	}
	if len(p.Columns) == 0 {
		out.Columns = nil
	}
	if p.Page > 0 {
		out.Page = &p.Page
	}
	if p.Section != "" {
		out.Section = &p.Section
	}
	for _, id := range k.twins {
		if twin := byID[id]; twin != nil && twin.Document != p.Document && !slices.Contains(out.AlsoIn, twin.Filename) {
			out.AlsoIn = append(out.AlsoIn, twin.Filename)
		}
	}
	x.mark(k, p, &out)
	if x.Explain {
		out.Features = map[string]float64{}
		for i, name := range m.Names() {
			out.Features[name] = round(k.Features[i])
		}
		if x.similar.Compared() {
			out.Features[ranking.Similarity] = round(k.Similar)
		}
	}
	return out
}

// mark marks the sentence of a passage that answers, and within it what the question asks for.
// Code has no sentences.
func (x *asked) mark(k *kept, p *corpus.ShownPassage, out *questions.AskPassage) {
	if p.Class == corpus.ClassCode {
		return
	}
	text := x.text(k, p)
	at := x.sentence(text, p.Language)
	if at == (corpus.Span{}) {
		return
	}
	sentence := p.Text[at.Start:at.End]
	out.Sentence = &questions.AskPart{Text: sentence, Span: corpus.Span{Start: p.Start + at.Start, End: p.Start + at.End}}
	if in, ok := x.reading.Exact(text, at); ok {
		out.Exact = &questions.AskExact{Kind: string(x.reading.Kind), AskPart: questions.AskPart{
			Text: sentence[in.Start:in.End], Span: corpus.Span{Start: out.Sentence.Start + in.Start, End: out.Sentence.Start + in.End},
		}}
	}
}

// sentence returns the sentence of a passage that answers: where it is asked what something is, the
// one that says so.
func (x *asked) sentence(text *answers.Passage, language string) corpus.Span {
	if x.form.name == questions.FormDefinition || x.form.name == questions.FormComparison {
		for _, term := range x.form.terms {
			if at, found := text.Defining(language, term); found {
				return at
			}
		}
	}
	return x.reading.Sentence(text)
}

// text returns a passage as it is read.
func (x *asked) text(k *kept, p *corpus.ShownPassage) *answers.Passage {
	if k.text == nil {
		k.text = x.texts.of(p.ID, p.Text, k.English)
	}
	return k.text
}

// weight is what a word of the question is worth in a sentence.
func (x *asked) weight(english bool, term string) float64 {
	field := index.Texts
	if english {
		field = index.Stems
	}
	return math.Log1p(float64(x.snapshot.View.Passages()) / float64(1+x.snapshot.View.Frequency(field, term)))
}

// contradictions says where passages of the answer say other numbers or dates of one thing.
func (x *asked) contradictions(shown map[int32]*corpus.ShownPassage, order []kept) {
	var statements []answers.Statement
	for i := range order {
		if p := shown[order[i].ID]; p != nil {
			statements = append(statements, answers.Statement{Document: p.DocumentID, Written: p.CreatedAt.Time, Passage: x.text(&order[i], p)})
		}
	}
	said := func(c answers.Claim) string {
		return statements[c.Statement].Passage.Text[c.Sentence.Start:c.Sentence.End]
	}
	for _, c := range answers.Contradictions(statements) {
		x.answer.Contradictions = append(x.answer.Contradictions, questions.AskContradiction{
			Passages: [2]int{c.Newer.Statement + 1, c.Older.Statement + 1},
			Texts:    [2]string{said(c.Newer), said(c.Older)},
		})
	}
}

// countWords counts the words of some phrases.
func countWords(phrases []string) int {
	n := 0
	for _, p := range phrases {
		n += len(wholeWords(p))
	}
	return n
}

func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// linkTo returns where a passage is read in its document. What has pages is opened at the
// page; all else is shown with its chunks, and the fragment counts characters (RFC 5147).
func linkTo(p *corpus.ShownPassage) string {
	document := "/documents/" + url.PathEscape(p.DocumentID)
	if p.ContentType == corpus.ContentPDF && p.Page > 0 {
		return fmt.Sprintf("%s/download#page=%d", document, p.Page)
	}
	return fmt.Sprintf("%s/content?ontology=%s#char=%d,%d", document, url.QueryEscape(p.OntologyName), p.StartChar, p.EndChar)
}

// shortNames returns the ends of the paths of documents, each as short as tells it apart from
// the others.
func shortNames(shown []corpus.ShownPassage) map[int32]string {
	whole := map[int32]string{}
	for i := range shown {
		whole[shown[i].Document] = pathOf(&shown[i])
	}
	paths := slices.Compact(slices.Sorted(maps.Values(whole)))
	short := corpus.UniqueNames(paths, nil)
	names := make(map[int32]string, len(whole))
	for id, p := range whole {
		at, _ := slices.BinarySearch(paths, p)
		names[id] = short[at]
	}
	return names
}

// pathOf returns the path of a document that ends in its name.
func pathOf(p *corpus.ShownPassage) string {
	return corpus.NamePath(p.Filename, p.Path)
}
