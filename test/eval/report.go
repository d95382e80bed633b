package main

import (
	"slices"
	"strings"
)

// report holds the figures of one set, or of one style of it.
type report struct {
	Set            string  `json:"set"`
	Style          string  `json:"style,omitempty"`
	Documents      int     `json:"documents"`
	Words          int     `json:"words"`
	Concepts       int     `json:"concepts"`
	WordsPerSecond float64 `json:"words_per_second"`
	InexactQuotes  int     `json:"inexact_quotes"` // quotes that are not the text at their span

	KeyphraseF5        figure `json:"keyphrase_f_at_5"`          // micro
	KeyphrasePrecision figure `json:"keyphrase_precision_at_10"` // micro
	KeyphraseRecall    figure `json:"keyphrase_recall_at_10"`    // micro
	KeyphraseF         figure `json:"keyphrase_f_at_10"`         // micro
	KeyphraseMacroF    figure `json:"keyphrase_macro_f_at_10"`   // mean of the documents
	PresentF5          figure `json:"present_f_at_5"`            // only of keyphrases that stand in the text
	PresentF           figure `json:"present_f_at_10"`

	Named         int    `json:"annotated_concepts"`
	NamedRecall   figure `json:"concept_recall"` // of all that is annotated, by all concepts
	PresentRecall figure `json:"present_concept_recall"`
	Entities      int    `json:"entities"`
	EntityRecall  figure `json:"entity_recall"`

	Typed          int    `json:"typed_relationships"`
	Judged         int    `json:"judged_relationships"` // of documents with annotated ones
	Gold           int    `json:"annotated_relationships"`
	Precision      figure `json:"relationship_precision"`
	Recall         figure `json:"relationship_recall"`
	ExactPrecision figure `json:"relationship_precision_exact"`
	ExactRecall    figure `json:"relationship_recall_exact"`
	Related        int    `json:"related_relationships"`
	RelatedShare   figure `json:"related_share"`
	RelatedShown   figure `json:"related_share_shown"` // of those with a confidence that is shown
	Alone          figure `json:"concepts_without_relationship"`
	AloneShown     figure `json:"concepts_without_shown_relationship"`
	AloneOfTyped   figure `json:"concepts_without_typed_relationship"`
	Denied         int    `json:"denied_statements"`
	Violated       int    `json:"violated"`
	Violations     figure `json:"violation_share"`

	Styles []report `json:"styles,omitempty"`
	Notes  []string `json:"notes,omitempty"` // what was wrong or missed
}

// reportOf makes the figures of counts.
func reportOf(name, style string, c counts) report {
	r := report{
		Set: name, Style: style, Documents: c.documents, Words: c.words, Concepts: c.concepts, InexactQuotes: c.inexact,
		KeyphrasePrecision: share(c.hits10, c.predicted10),
		KeyphraseRecall:    share(c.hits10, c.keyphrases),
		KeyphraseF5:        harmonic(share(c.hits5, c.predicted5), share(c.hits5, c.keyphrases)),
		PresentF5:          harmonic(share(c.hits5, c.predicted5), share(c.hits5, c.keyphrasesPresent)),
		PresentF:           harmonic(share(c.hits10, c.predicted10), share(c.hits10, c.keyphrasesPresent)),
		Named:              c.named, NamedRecall: share(c.namedFound, c.named), PresentRecall: share(c.presentFound, c.present),
		Entities: c.entities, EntityRecall: share(c.entityHits, c.entities),
		Typed: c.typed, Judged: c.judged, Gold: c.gold,
		Precision: share(c.right, c.judged), Recall: share(c.found, c.gold),
		ExactPrecision: share(c.rightExact, c.judged), ExactRecall: share(c.foundExact, c.gold),
		Related: c.related, RelatedShare: share(c.related, c.related+c.typed),
		RelatedShown: share(c.relatedShown, c.relatedShown+c.typedShown),
		Alone:        share(c.alone, c.concepts), AloneShown: share(c.aloneShown, c.concepts), AloneOfTyped: share(c.aloneOfTyped, c.concepts),
		Denied: c.denied, Violated: c.violated, Violations: share(c.violated, c.denied),
	}
	r.KeyphraseF = harmonic(r.KeyphrasePrecision, r.KeyphraseRecall)
	if c.keyed > 0 {
		r.KeyphraseMacroF = figure{c.macroF10 / float64(c.keyed), true}
	}
	if c.took > 0 {
		r.WordsPerSecond = float64(c.words) / c.took.Seconds()
	}
	return r
}

// byStyle adds the counts of documents up: all of them, and those of each style, which
// come in the order of their names.
func byStyle(name string, documents []document, each []counts) report {
	var all counts
	styles := map[string]*counts{}
	var names []string
	for i, d := range documents {
		all.add(each[i])
		if d.style == "" {
			continue
		}
		if styles[d.style] == nil {
			styles[d.style] = &counts{}
			names = append(names, d.style)
		}
		styles[d.style].add(each[i])
	}
	r := reportOf(name, "", all)
	slices.SortFunc(names, strings.Compare)
	for _, style := range names {
		r.Styles = append(r.Styles, reportOf(name, style, *styles[style]))
	}
	return r
}
