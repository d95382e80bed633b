package vocabulary

import (
	"context"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

type similarInput struct {
	Type    string    `path:"type" doc:"A relationship type"`
	Limit   int       `query:"limit" default:"10" doc:"1 to 100"`
	Reverse http.Flag `query:"reverse" doc:"The least similar ones"`
}

type similarList struct {
	Type     string                   `json:"relationship_type"`
	Category string                   `json:"category"`
	Compared int                      `json:"total_compared"`
	Similar  []vocabulary.SimilarType `json:"similar_types"`
}

// word returns a type and all others.
func (a *API) word(ctx context.Context, name string) (vocabulary.TypeWord, []vocabulary.TypeWord, error) {
	if !http.Storable(name) {
		return vocabulary.TypeWord{}, nil, kappa.NewError(kappa.CodeNotFound, "Relationship type '"+http.Printable(name)+"' not found")
	}
	return a.cfg.Words.Word(ctx, name)
}

func (a *API) similar(ctx context.Context, in *similarInput) (similarList, error) {
	if err := check.Limit(in.Limit, 100); err != nil {
		return similarList{}, err
	}
	word, all, err := a.word(ctx, in.Type)
	if err != nil {
		return similarList{}, err
	}
	list := vocabulary.SimilarTypes(word, all, in.Reverse.Unless(false))
	return similarList{Type: word.Name, Category: word.Category, Compared: len(list), Similar: list[:min(in.Limit, len(list))]}, nil
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

type typeAnalysis struct {
	Type       string                      `json:"relationship_type"`
	Category   string                      `json:"category"`
	Builtin    bool                        `json:"is_builtin"`
	Edges      int                         `json:"usage_count"`
	Scores     *vocabulary.CategoryScores  `json:"category_scores"`
	Similar    []vocabulary.SimilarType    `json:"most_similar" doc:"The five most similar types"`
	Candidates []vocabulary.MergeCandidate `json:"merge_candidates" doc:"Pairs with it that are similar enough for a review"`
	Misplaced  bool                        `json:"potential_misclassification" doc:"It is more like another category than its own, or was not sorted yet"`

	Fit        float64                  `json:"category_fit" doc:"The greatest similarity to another built-in type of its category, 0 to 1; 1 for the only one"`
	Misfit     bool                     `json:"potential_miscategorization" doc:"The same as potential_misclassification"`
	Suggestion *string                  `json:"suggestion" doc:"What to do about that; null when there is nothing to do"`
	Same       []vocabulary.SimilarType `json:"most_similar_same_category" doc:"The five most similar types of its category"`
	Others     []vocabulary.SimilarType `json:"most_similar_other_categories" doc:"The five most similar types of other categories"`
}

// shownSimilar is how many similar types an analysis lists at most.
const shownSimilar = 5

func (a *API) analyze(ctx context.Context, in *typeInput) (typeAnalysis, error) {
	word, all, err := a.word(ctx, in.Type)
	if err != nil {
		return typeAnalysis{}, err
	}
	settings, err := a.cfg.Settings.VocabularySettings(ctx)
	if err != nil {
		return typeAnalysis{}, err
	}
	found := typeAnalysis{Type: word.Name, Category: word.Category, Builtin: word.Builtin, Edges: word.Edges, Candidates: []vocabulary.MergeCandidate{}}
	if scores, ok := vocabulary.ScoreCategories(word, all); ok {
		found.Scores = &scores
		found.Misplaced = scores.Category != word.Category && (!scores.Ambiguous || word.Category == vocabulary.CategoryGenerated)
		found.Misfit, found.Suggestion = found.Misplaced, suggestion(found.Misplaced, scores)
	}
	found.Fit = vocabulary.CategoryFit(word, all)
	found.compare(vocabulary.SimilarTypes(word, all, false))
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

// compare lists the types that are most like it, by category.
func (t *typeAnalysis) compare(similar []vocabulary.SimilarType) {
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
