package library

import (
	"context"
	"slices"
	"strings"
	"unicode"
)

// absent returns the words of the question that stand in no document that is asked, as the
// question has them: what it asks of them is answered by nothing. Words of the candidates
// need no look; the few others are looked up, by their index.
func (a *Asker) absent(ctx context.Context, x *asked, all []candidate) ([]string, error) {
	var missing []term
	var words []string
	for _, t := range x.terms {
		if !slices.ContainsFunc(all, func(c candidate) bool { return t.in(c.words) || t.in(c.section) }) {
			missing = append(missing, t)
			words = append(words, t.written...)
		}
	}
	absent := []string{}
	if len(missing) == 0 {
		return absent, nil
	}
	known, err := a.store.KnownWords(ctx, words, x.Ontology)
	if err != nil {
		return nil, err
	}
	for _, t := range missing {
		if !slices.ContainsFunc(t.written, func(w string) bool { return known[w] }) {
			absent = append(absent, t.written[0])
		}
	}
	return absent, nil
}

// names reports whether a word of the question is a name: it has a capital letter that no
// beginning of a sentence explains, a digit or a sign.
func (x *asked) names(word string) bool {
	upper := strings.IndexFunc(word, unicode.IsUpper)
	return upper > 0 || upper == 0 && !strings.HasPrefix(strings.TrimSpace(x.Text), word) ||
		strings.ContainsFunc(word, func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune("_+#/.", r) })
}
