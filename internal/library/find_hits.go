package library

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/words"
	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// What a concept scores by its name, and a document.
const (
	sameName     = 1
	phraseInName = 0.97
	wordsInName  = 0.9
	formsInName  = 0.85
	otherName    = 0.7 // a name of it that is not shown, or a part of the query
	someOfName   = 0.3 // and more, by the share of the name that the query has
	shareOfName  = 0.1
	behindText   = 0.1 // a document behind the best of its passages, unless its name has the words
)

// hit is something that was found, before it is shown.
type hit struct {
	kind    string
	score   float64
	concept *questions.AskReadConcept
	source  *questions.FoundDocumentRow
	passage *foundPassage
}

// show puts all that was found in one order, counts it, and shows a page of it.
func (f *Finder) show(ctx context.Context, x *finding) error {
	documents := x.documents()
	concepts := x.concepts()
	x.answer.Facets = x.facets(len(concepts), len(documents))
	for _, list := range [][]hit{concepts, documents, x.texts()} {
		if len(list) > 0 && x.Finds(list[0].kind) {
			x.hits = append(x.hits, list...)
		}
	}
	slices.SortStableFunc(x.hits, func(a, b hit) int { return -cmp.Compare(a.score, b.score) })
	x.answer.Total = len(x.hits)
	from := min(x.Offset(), len(x.hits))
	to := min(from+x.Limit, len(x.hits))
	if to < len(x.hits) {
		x.answer.Next = new(x.After(to))
	}
	byID, err := f.shownPassages(ctx, x, x.hits[from:to])
	if err != nil {
		return err
	}
	for i := range x.hits[from:to] {
		if shown, there := x.shown(&x.hits[from+i], byID); there {
			x.answer.Hits = append(x.answer.Hits, shown)
		}
	}
	x.answer.Count = len(x.answer.Hits)
	return nil
}

// shownPassages returns the passages of a page, by their numbers; those are read that were not.
func (f *Finder) shownPassages(ctx context.Context, x *finding, page []hit) (map[int32]*corpus.ShownPassage, error) {
	byID := make(map[int32]*corpus.ShownPassage, len(page))
	add := func(read []corpus.ShownPassage) {
		for i := range read {
			byID[read[i].ID] = &read[i]
		}
	}
	add(x.read.Passages)
	var ids []int32
	for _, h := range page {
		if h.passage != nil && byID[h.passage.ID] == nil {
			ids = append(ids, h.passage.ID)
		}
	}
	if len(ids) == 0 {
		return byID, nil
	}
	read, err := f.tables.ReadPassages(ctx, ids)
	add(read)
	return byID, err
}

// texts are the passages as hits.
func (x *finding) texts() []hit {
	all := make([]hit, len(x.passages))
	for i := range x.passages {
		d := x.read.Documents[x.passages[i].Document]
		all[i] = hit{kind: questions.FoundPassage, score: x.passages[i].score, passage: &x.passages[i], source: &d}
	}
	return all
}

// documents are the documents of the passages, the best first.
func (x *finding) documents() []hit {
	at := map[int32]int{}
	var all []hit
	for i := range x.passages {
		p := &x.passages[i]
		n, known := at[p.Document]
		if !known {
			d := x.read.Documents[p.Document]
			n = len(all)
			at[p.Document] = n
			all = append(all, hit{kind: questions.FoundDocument, source: &d, score: max(0, p.score-behindText, x.named(d))})
		}
		all[n].source.Passages++
	}
	slices.SortStableFunc(all, func(a, b hit) int { return -cmp.Compare(a.score, b.score) })
	return all
}

// named is what a document scores by its name and title; 0 when they lack words.
func (x *finding) named(d questions.FoundDocumentRow) (score float64) {
	names := []string{strings.TrimSuffix(d.Filename, path.Ext(d.Filename))}
	if d.Title != nil {
		names = append(names, *d.Title)
	}
	for _, name := range names {
		if m := x.matcher.matchText(name); m != corpus.SomeWords {
			score = max(score, nameScore(m))
			if !slices.ContainsFunc(wholeWords(name), func(w words.Word) bool { return !x.matcher.has(w) }) {
				score = sameName
			}
		}
	}
	return score
}

func nameScore(m corpus.WordMatch) float64 {
	return [...]float64{corpus.SomeWords: 0, corpus.StemsMatch: formsInName, corpus.AllWords: wordsInName, corpus.PhraseMatch: phraseInName}[m]
}

// concepts are those that the query names, and those that its passages show of which it has
// words, the best first.
func (x *finding) concepts() []hit {
	var all []hit
	for i := range x.read.Concepts {
		c := &x.read.Concepts[i]
		if score := x.means(c); score > 0 {
			all = append(all, hit{kind: questions.FoundConcept, concept: c, score: round(score)})
		}
	}
	slices.SortStableFunc(all, func(a, b hit) int {
		return cmp.Or(-cmp.Compare(a.score, b.score), cmp.Compare(len(a.concept.Label), len(b.concept.Label)))
	})
	return all
}

// means is what a concept scores.
func (x *finding) means(c *questions.AskReadConcept) float64 {
	if naming.LabelKey(c.Label) == naming.LabelKey(x.answer.Looked) {
		return sameName
	}
	if score := nameScore(x.matcher.matchText(c.Label)); score > 0 {
		return score
	}
	if c.Named {
		return otherName
	}
	has, all := 0, wholeWords(c.Label)
	for _, w := range all {
		if x.matcher.has(w) {
			has++
		}
	}
	if has == 0 {
		return 0
	}
	return someOfName + shareOfName*float64(has)/float64(len(all))
}

// shown is a hit as it is shown; false when it has gone.
func (x *finding) shown(h *hit, byID map[int32]*corpus.ShownPassage) (questions.FoundHit, bool) {
	out := questions.FoundHit{Kind: h.kind, Score: h.score}
	english := true
	switch h.kind {
	case questions.FoundConcept:
		out.Text, out.Concept = h.concept.Label, &questions.ConceptFound{ConceptID: h.concept.ConceptID}
		if h.concept.Description != "" {
			out.Concept.Description = &h.concept.Description
		}
	case questions.FoundDocument:
		out.Text, out.Document = h.source.Filename, &h.source.DocumentFound
	case questions.FoundPassage:
		p := byID[h.passage.ID]
		if p == nil || !x.asked.filter.allowsOntology(p.Ontology) {
			return out, false
		}
		english = h.passage.English
		out.Text, out.Passage = p.Text, foundPart(p)
		out.Document = &questions.DocumentFound{DocumentID: p.DocumentID, Ontology: p.OntologyName, Filename: p.Filename, ContentType: p.ContentType, Passages: 1}
	}
	out.Highlights = x.matcher.highlights(out.Text, english)
	return out, true
}

func foundPart(p *corpus.ShownPassage) *questions.PassageFound {
	part := &questions.PassageFound{
		SourceID: p.SourceID, Paragraph: p.Chunk, Class: string(p.Class), Language: p.Language, Link: linkTo(p),
		TextSpan: questions.TextSpan{Span: p.Span, StartChar: p.StartChar, EndChar: p.EndChar},
	}
	if p.Page > 0 {
		part.Page = &p.Page
	}
	if p.Section != "" {
		part.Section = &p.Section
	}
	return part
}

// highlights returns where the words of the query stand in a text.
func (m *matcher) highlights(text string, english bool) []questions.TextSpan {
	all := []questions.TextSpan{}
	at, chars, end := 0, 0, 0
	for _, w := range words.Cut(text, english).Words {
		if w.Start < end || !m.has(w) {
			continue // a part of a joined word that is marked
		}
		if at > w.Start {
			at, chars = 0, 0 // a part that begins before the end of the one before
		}
		chars += utf8.RuneCountInString(text[at:w.Start])
		length := utf8.RuneCountInString(text[w.Start:w.End])
		all = append(all, questions.TextSpan{Span: corpus.Span{Start: w.Start, End: w.End}, StartChar: chars, EndChar: chars + length})
		at, chars, end = w.End, chars+length, w.End
	}
	return all
}
