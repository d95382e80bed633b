package english

import (
	"context"
	"strings"

	"github.com/jdkato/prose/v3/tag"

	"github.com/kappagraph/kappa"
)

// reading is the state of reading one piece of text, from its sentences to the
// statements found in them.
type reading struct {
	extractor  *Extractor
	mask       *mask
	sentences  []sentence
	phrases    [][]phrase // of each sentence
	found      *candidates
	statements []statement
	words      int
	tagging    tagging
}

// newReading finds the sentences of text.
func newReading(e *Extractor, text string, ct kappa.ContentType) *reading {
	r := &reading{extractor: e, mask: newMask(text), found: newCandidates(e.words)}
	r.tagging = tagging{words: e.words, tagger: e.tagger, cases: map[string]caseCount{}, buffer: make([]tag.Token, 0, maxSentenceTokens)}
	for i, b := range blocksOf(r.mask, ct) {
		for _, s := range sentencesOf(r.mask, e.words, b, i) {
			r.tagging.countCases(s)
			r.words += s.words()
			r.sentences = append(r.sentences, s)
		}
	}
	r.phrases = make([][]phrase, len(r.sentences))
	return r
}

// tag tags every sentence and collects the candidates.
func (r *reading) tag(ctx context.Context) error {
	for i := range r.sentences {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := &r.sentences[i]
		r.tagging.tag(*s)
		pr := phraseReader{words: r.extractor.words, tokens: s.tokens}
		r.phrases[i] = pr.phrases()
		title := titled(*s)
		for j := range r.phrases[i] {
			p := &r.phrases[i][j]
			r.found.add(s, i, p, title)
		}
	}
	for i := range r.sentences {
		r.abbreviations(i)
	}
	r.found.joinSpellings()
	r.found.joinSurnames()
	return nil
}

// state takes the typed statements out of every sentence.
func (r *reading) state(ctx context.Context) error {
	for i := range r.sentences {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := &r.sentences[i]
		if s.kind == blockHeading {
			continue
		}
		rd := reader{
			words: r.extractor.words, rules: r.extractor.rules, classes: r.extractor.classes, found: r.found,
			sentence: s, index: i, phrases: r.phrases[i], raw: r.plain(s.start, s.end),
		}
		rd.items = itemsOf(r.extractor.words, s, rd.phrases)
		rd.gloss(r)
		rd.patterns()
		rd.verbs()
		r.statements = append(r.statements, rd.out...)
	}
	for _, st := range r.statements {
		for _, key := range []string{st.from, st.to} {
			c := r.found.find(key)
			c.linked = true
			c.statements = append(c.statements, st.sentence)
		}
	}
	return nil
}

// maxDescriptionBytes bounds a description.
const maxDescriptionBytes = 300

// plain returns text without markup and with single spaces, cut at a word.
func (r *reading) plain(start, end int) string {
	text := strings.Join(strings.Fields(r.mask.text[start:end]), " ")
	for _, mark := range []string{",", ".", ";", ":", ")"} {
		text = strings.ReplaceAll(text, " "+mark, mark)
	}
	if len(text) <= maxDescriptionBytes {
		return text
	}
	cut := strings.LastIndexByte(text[:maxDescriptionBytes], ' ')
	if cut < 0 {
		return ""
	}
	return text[:cut] + " …"
}
