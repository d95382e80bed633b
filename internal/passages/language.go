package passages

import "github.com/kappagraph/kappa/corpus"

const (
	// otherShare is how many of the words of a passage are function words of another language
	// than that of its document, at least, for it to be in that one: lists and names look like
	// any language.
	otherShare = 0.2
	// languageBytes is how much of a passage is looked at.
	languageBytes = 800
)

// language says in which language the passages of a document are.
type language struct{ document string }

func newLanguage(text string) language { return language{corpus.LanguageOf(text).Likely} }

// of returns the language of a passage: that of the document, unless it is clear that it is
// in another one. Code is in none.
func (l language) of(p corpus.Passage) string {
	if p.Class == corpus.ClassCode || p.Class == corpus.ClassMarkup {
		return l.document
	}
	own := corpus.LanguageOf(p.Text[:min(len(p.Text), languageBytes)])
	switch {
	case own.Code == "" && l.document == "":
		return own.Likely
	case own.Code == "" && own.Foreign() && own.Likely != "": // its letters say so
		return own.Likely
	case own.Code == "", own.Code == l.document:
		return l.document
	case own.Share > 0 && l.document != "" && (own.Share < otherShare || l.document == "en" && own.Share < 2*own.English):
		return l.document
	}
	return own.Code
}
