package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
)

const (
	// littleEnglish is below which share of function words a text is no English prose:
	// that has 0.3 to 0.5 of them, tables and lists have few.
	littleEnglish = 0.1
	// proseWords is how many words a text has at least of which that is said.
	proseWords = 50
)

// languageDoubt says what the built-in extractor, which has rules for English, will make of a
// text. foreign means that it has none for it: it finds key terms. A model reads any language.
func languageDoubt(text string, reader models.Model) (doubt string, foreign bool) {
	if !reader.Local {
		return "", false
	}
	l := corpus.LanguageOf(text)
	switch {
	case l.Foreign() && l.Name != "":
		return "The text looks like " + l.Name + ", and the built-in extractor reads English", true
	case l.Foreign():
		return "The text is in the script " + l.Script + ", and the built-in extractor reads English", true
	case l.Words >= proseWords && l.English < littleEnglish:
		return fmt.Sprintf("Few of its words (%.0f %%) are those of English sentences: the built-in extractor finds little in it", 100*l.English), false
	}
	return "", false
}

// languageWarning is what the analysis says about it.
func languageWarning(text string, reader models.Model, force bool) []string {
	doubt, foreign := languageDoubt(text, reader)
	switch {
	case doubt == "":
		return nil
	case foreign && force:
		return []string{doubt + ": with force it is read as English, and what it finds will be poor"}
	case foreign:
		return []string{doubt + ": its passages are stored and found, its concepts are key terms only, unless a model is configured (KG_EXTRACTOR)"}
	}
	return []string{doubt}
}

// unknownLanguage stands for a language that nobody has named.
const unknownLanguage = "und"

// foreignChunk returns the language of a chunk for which the built-in extractor has no rules,
// by its code, or "". A chunk of which that is not clear is in the language of its document.
func foreignChunk(chunk string, document corpus.TextLanguage) string {
	l := corpus.LanguageOf(chunk)
	// Names and formulas look like any language: in an English document it takes sentences.
	const sentences = 0.2
	if document.Code == "en" && l.Script == "Latin" && (l.Share < sentences || l.Share < 2*l.English) {
		return ""
	}
	switch {
	case l.Foreign():
		return cmp.Or(l.Likely, unknownLanguage)
	case l.Code == "" && document.Foreign():
		return cmp.Or(document.Likely, unknownLanguage)
	}
	return ""
}

// languageOf returns in which language a chunk is read, and its parts if it has several, as
// knowledge.Passage has them.
func (a *attempt) languageOf(chunk corpus.Chunk) (language string, parts []knowledge.PassagePart) {
	if a.force || !a.cfg.Extractor.Model().Local {
		return "", nil
	}
	language = foreignChunk(chunk.Text, a.language)
	return language, partsOf(chunk.Text, language)
}

// withoutText is the error of a document in which no text was found; nil for one that has
// nothing in it either.
func (a *attempt) withoutText() error {
	if a.blank {
		return nil
	}
	reasons := append([]string{"nothing of the document could be stored: no text was found in it"}, a.text.Warnings...)
	return kappa.Permanent(errors.New(strings.Join(reasons, ". ")))
}

// nothingFound says why a document that was read gave no concept.
func (a *attempt) nothingFound() string {
	reasons := a.text.Warnings
	if doubt, _ := languageDoubt(a.text.Text, a.cfg.Extractor.Model()); doubt != "" {
		reasons = append([]string{doubt}, reasons...)
	}
	if words := countWords(a.text.Text); words < proseWords {
		reasons = append([]string{fmt.Sprintf("The document has only %d words", words)}, reasons...)
	}
	if len(reasons) == 0 {
		reasons = []string{"The extractor " + a.cfg.Extractor.Model().Name + " found no terms in the text"}
	}
	return "No concepts were found. " + strings.Join(reasons, ". ")
}
