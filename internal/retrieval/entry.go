package retrieval

import (
	"slices"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// english is the language whose endings are known.
const english = "en"

// seemsEnglish is the share of English function words from which on a passage whose language
// is not clear is taken for English.
const seemsEnglish = 0.1

// entryOf is a stored passage as the index takes it. A term that it defines is found by its key.
func entryOf(p *corpus.StoredPassage, key func(term string) string) index.Entry {
	isEnglish := p.Language == english || p.Language == "" && corpus.LanguageOf(p.Text).English >= seemsEnglish
	around := strings.Join(append([]string{p.Section, p.Title, p.Filename, p.Path}, p.Columns...), "\n")
	e := index.Entry{
		ID: p.ID, Source: p.Source, Document: p.Document, Ontology: p.Ontology, Stamp: p.Stamp,
		Language: p.Language, English: isEnglish, Kind: uint8(slices.Index(corpus.PassageClasses(), p.Class)),
		Text: words.Cut(p.Text, isEnglish), Around: words.Cut(around, isEnglish).Words,
	}
	if !p.Class.Main() {
		e.Class = 1
	}
	for _, term := range p.Defines {
		if k := key(term); k != "" {
			e.Definitions = append(e.Definitions, k)
		}
	}
	return e
}
