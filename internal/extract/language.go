package extract

import (
	"context"

	"github.com/kappagraph/kappa/internal/extract/keyterms"
	"github.com/kappagraph/kappa/knowledge"
)

// byLanguage reads English by its rules, and what is in another language by key terms.
type byLanguage struct{ Reader }

// Extract implements Extractor.
func (b byLanguage) Extract(ctx context.Context, p knowledge.Passage) (knowledge.Extraction, error) {
	if isEnglish(p.Language) {
		return b.Reader.Extract(ctx, p)
	}
	return keyterms.Extractor{}.Extract(ctx, p)
}

// Narrow returns what of an outline matters to a passage: nothing where it is read by key terms.
func (b byLanguage) Narrow(o *knowledge.Outline, p knowledge.Passage) *knowledge.Outline {
	if isEnglish(p.Language) {
		return b.Reader.Narrow(o, p)
	}
	return nil
}

func isEnglish(language string) bool { return language == "" || language == "en" }
