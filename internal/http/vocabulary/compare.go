package vocabulary

import (
	"context"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

type similarInput struct {
	Type    string    `path:"type" doc:"A relationship type"`
	Limit   int       `query:"limit" default:"10" doc:"1 to 100"`
	Reverse http.Flag `query:"reverse" doc:"The least similar ones"`
}

// word returns a type and all others.
func (a *API) word(ctx context.Context, name string) (vocabulary.TypeWord, []vocabulary.TypeWord, error) {
	if !http.Storable(name) {
		return vocabulary.TypeWord{}, nil, kappa.NewError(kappa.CodeNotFound, "Relationship type '"+http.Printable(name)+"' not found")
	}
	return a.cfg.Words.Word(ctx, name)
}

func (a *API) similar(ctx context.Context, in *similarInput) (api.SimilarTypes, error) {
	if err := check.Limit(in.Limit, 100); err != nil {
		return api.SimilarTypes{}, err
	}
	word, all, err := a.word(ctx, in.Type)
	if err != nil {
		return api.SimilarTypes{}, err
	}
	list := vocabulary.SimilarTypes(word, all, in.Reverse.Unless(false))
	return api.SimilarTypes{Type: word.Name, Category: word.Category, Compared: len(list), Similar: list[:min(in.Limit, len(list))]}, nil
}

type typeInput struct {
	Type string `path:"type" doc:"A relationship type"`
}

func (a *API) categoryScores(ctx context.Context, in *typeInput) (vocabulary.CategoryScores, error) {
	word, all, err := a.word(ctx, in.Type)
	if err != nil {
		return vocabulary.CategoryScores{}, err
	}
	scores, ok := vocabulary.ScoreCategories(word, all)
	if !ok {
		return scores, kappa.NewError(kappa.CodeConflict, "Relationship type '"+word.Name+"' has no embedding yet: POST /vocabulary/generate-embeddings makes it")
	}
	return scores, nil
}

// shownSimilar is how many similar types an analysis lists at most.
const shownSimilar = 5

func (a *API) analyze(ctx context.Context, in *typeInput) (api.TypeAnalysis, error) {
	word, all, err := a.word(ctx, in.Type)
	if err != nil {
		return api.TypeAnalysis{}, err
	}
	settings, err := a.cfg.Settings.VocabularySettings(ctx)
	if err != nil {
		return api.TypeAnalysis{}, err
	}
	found := api.TypeAnalysis{Type: word.Name, Category: word.Category, Builtin: word.Builtin, Edges: word.Edges, Candidates: []vocabulary.MergeCandidate{}}
	if scores, ok := vocabulary.ScoreCategories(word, all); ok {
		found.Scores = &scores
		found.Misplaced = scores.Category != word.Category && (!scores.Ambiguous || word.Category == vocabulary.CategoryGenerated)
		found.Misfit, found.Suggestion = found.Misplaced, suggestion(found.Misplaced, scores)
	}
	found.Fit = vocabulary.CategoryFit(word, all)
	compare(&found, vocabulary.SimilarTypes(word, all, false))
	for _, pair := range vocabulary.MergeCandidates(all, settings.ReviewThreshold) {
		if pair.Source == word.Name || pair.Target == word.Name {
			found.Candidates = append(found.Candidates, pair)
		}
	}
	return found, nil
}

// suggestion says which category a misplaced type is most like.
func suggestion(misplaced bool, scores vocabulary.CategoryScores) *string {
	if !misplaced {
		return nil
	}
	text := fmt.Sprintf("It is most like the category %s (%.0f %%); refreshing the categories sorts it there", scores.Category, 100*scores.Confidence)
	return &text
}

// compare lists the types that are most like that of t, by category.
func compare(t *api.TypeAnalysis, similar []vocabulary.SimilarType) {
	t.Similar, t.Same, t.Others = similar[:min(shownSimilar, len(similar))], []vocabulary.SimilarType{}, []vocabulary.SimilarType{}
	for _, s := range similar {
		list := &t.Others
		if s.Category == t.Category {
			list = &t.Same
		}
		if len(*list) < shownSimilar {
			*list = append(*list, s)
		}
	}
}
