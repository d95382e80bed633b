package ingest

import (
	"fmt"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
)

const (
	// littleEnglish is below which share of function words a text is no English prose:
	// that has 0.3 to 0.5 of them, tables and lists have few.
	littleEnglish = 0.1
	// proseWords is how many words a text has at least of which that is said.
	proseWords = 50
)

// languageDoubt says what the built-in extractor, which reads English, will make of a
// text. foreign means that it would store nothing that is true: only a submission with
// force has it read all the same. A model reads any language.
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
		return []string{doubt + ": what it finds will be poor"}
	case foreign:
		return []string{doubt + ": nothing will be stored, unless it is submitted with force, or a model is configured (KG_EXTRACTOR)"}
	}
	return []string{doubt}
}

// unread says why the built-in extractor does not read the document, or "".
func (a *attempt) unread() string {
	doubt, foreign := languageDoubt(a.text.Text, a.cfg.Extractor.Model())
	if !foreign || a.force {
		return ""
	}
	return "Nothing was stored. " + doubt + ". Submit it with force, or configure a model (KG_EXTRACTOR)"
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
