package english

import (
	"context"
	"strings"

	"github.com/jdkato/prose/v3/tag"

	"github.com/kappagraph/kappa/knowledge"
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
	near       []statement // pairs of names that are something to each other, by the weights
	words      int
	denied     []denials
	tagging    tagging
	labels     map[string]bool // see fields
}

// newReading finds the sentences of a passage.
func newReading(e *Extractor, p knowledge.Passage) *reading {
	r := &reading{extractor: e, mask: newMask(p.Text), found: newCandidates(e.words)}
	r.found.languages = namesLanguages(p.Text)
	r.tagging = tagging{languages: r.found.languages, words: e.words, tagger: e.tagger, cases: map[string]caseCount{}, buffer: make([]tag.Token, 0, maxSentenceTokens)}
	for i, b := range withoutBoilerplate(p.Text, blocksOf(r.mask, p.ContentType), p.Outline) {
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
		r.demonyms(i)
		r.abbreviations(i)
		r.aliases(i)
	}
	r.found.joinSpellings()
	r.found.joinSurnames()
	return nil
}

// before is what the sentences before the one at hand leave to it.
type before struct {
	about   topic
	who     person
	heading string // the term that the heading right before names
	table   table
	lead    lead
}

// state takes the typed statements out of every sentence: by rules, and by weights where there are
// any.
func (r *reading) state(ctx context.Context) error {
	if err := r.byRules(ctx); err != nil {
		return err
	}
	r.temper()
	if r.extractor.relations != nil {
		if err := r.learned(ctx); err != nil {
			return err
		}
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

// byRules takes the typed statements out of every sentence that rules read.
func (r *reading) byRules(ctx context.Context) error {
	r.denied = make([]denials, len(r.sentences))
	var b before
	for i := range r.sentences {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := &r.sentences[i]
		rd := reader{
			words: r.extractor.words, rules: r.extractor.rules, classes: r.extractor.classes, found: r.found,
			sentence: s, index: i, phrases: r.phrases[i],
		}
		switch {
		case s.kind == blockHeading:
			b.heading = r.headingTerm(i)
			b.about = topic{key: b.heading, block: s.block + 1}
			continue
		case s.header:
			b.table = rd.header()
			continue
		}
		if s.kind == blockParagraph && formLike(s) {
			r.denied[i] = rd.denialsOf()
			continue
		}
		rd.raw = r.plain(s.start, s.end)
		r.statementsOf(&rd, &b)
		r.denied[i] = rd.denialsOf()
	}
	return nil
}

// statementsOf takes the statements out of one sentence.
func (r *reading) statementsOf(rd *reader, b *before) {
	rd.resolve(b.about, r.statements)
	rd.resolvePerson(&b.who)
	rd.items = itemsOf(r.extractor.words, rd.sentence, rd.phrases)
	rd.refer()
	rd.headed(b.heading)
	rd.row(&b.table)
	rd.gloss(r)
	rd.entry(&b.lead)
	rd.enumerated()
	rd.patterns()
	rd.verbs()
	b.about, b.heading = rd.topic(), ""
	rd.follow(&b.who, b.about)
	if rd.sentence.kind != blockItem || b.lead.block != rd.sentence.block {
		b.lead = rd.leads()
	}
	r.statements = append(r.statements, rd.out...)
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
