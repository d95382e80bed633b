package passages

import "github.com/kappagraph/kappa/corpus"

// language says in which language the passages of a document are.
type language struct{ document corpus.TextLanguage }

func newLanguage(text string) language { return language{corpus.LanguageOf(text)} }

// of returns the language of a passage: that of the document, unless it is clear that it is
// in another one.
func (l language) of(p corpus.Passage) string {
	if own := corpus.LanguageOf(p.Text); own.Code != "" {
		return own.Code
	}
	return l.document.Code
}
