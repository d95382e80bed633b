package vocabulary

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/check"
)

// The job types that keep the vocabulary small and in order.
const (
	TypeRefresh     = "vocab_refresh"
	TypeEmbedding   = "vocab_embedding"
	TypeConsolidate = "vocab_consolidate"
)

// AmbiguousMargin is by how much the category that is most like a type must be more like
// it than the next one: otherwise the category is ambiguous.
const AmbiguousMargin = 0.05

// TypeWord is an active relationship type with what it is compared by.
type TypeWord struct {
	ID int
	RelationshipType
	Confidence *float64 // of the category; nil when it was not computed
	Ambiguous  bool
	Embedding  models.Embedding // nil while there is none
	Edges      int
}

// CategoryScores says how like a type is to each category: the greatest similarity to one
// of its built-in types, 0 to 1.
type CategoryScores struct {
	Type       string             `json:"relationship_type"`
	Category   string             `json:"category"` // the most similar
	Confidence float64            `json:"confidence"`
	Ambiguous  bool               `json:"ambiguous"` // the runner-up is about as similar
	RunnerUp   string             `json:"runner_up_category"`
	NextScore  float64            `json:"runner_up_score"`
	Scores     map[string]float64 `json:"scores"`

	Assigned     string `json:"assigned_category" doc:"The same as category"`
	RunnerUpName string `json:"runner_up" doc:"The same as runner_up_category"`
}

// ScoreCategories compares a type with the built-in ones among words. It is not ok when
// the type has no embedding, or none of them has.
func ScoreCategories(t TypeWord, words []TypeWord) (s CategoryScores, ok bool) {
	s = CategoryScores{Type: t.Name, Scores: map[string]float64{}}
	if t.Embedding == nil {
		return s, false
	}
	for _, w := range words {
		if w.Builtin && w.Embedding != nil {
			s.Scores[w.Category] = max(s.Scores[w.Category], math.Round(t.Embedding.Cosine(w.Embedding)*1e4)/1e4)
		}
	}
	names := make([]string, 0, len(s.Scores))
	for name := range s.Scores {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(s.Scores[b], s.Scores[a]), cmp.Compare(a, b)) })
	if len(names) < 2 {
		return s, false
	}
	s.Category, s.Confidence, s.RunnerUp, s.NextScore = names[0], s.Scores[names[0]], names[1], s.Scores[names[1]]
	s.Ambiguous = s.Confidence-s.NextScore < AmbiguousMargin
	s.Assigned, s.RunnerUpName = s.Category, s.RunnerUp
	return s, true
}

// CategoryFit says how like a type is to the category that it has: the greatest similarity
// to another built-in type of that, 0 to 1. The only built-in type of a category fits it; a
// category without one fits nothing.
func CategoryFit(t TypeWord, words []TypeWord) float64 {
	fit, alone := 0.0, true
	for _, w := range words {
		if w.Builtin && w.Category == t.Category && w.Name != t.Name {
			fit, alone = max(fit, t.Embedding.Cosine(w.Embedding)), false
		}
	}
	if alone && t.Builtin {
		return 1
	}
	return min(1, math.Round(fit*1e4)/1e4)
}

// RefreshedCategories says which types were sorted into categories.
type RefreshedCategories struct {
	Assigned  []CategoryScores
	Ambiguous int // of them, those that are about as similar to another category
	Skipped   int // built-in types, and those whose category was to stay
	Failed    int // types without an embedding
}

// SimilarType is a type with how like it is to another one.
type SimilarType struct {
	Name       string  `json:"relationship_type"`
	Category   string  `json:"category"`
	Builtin    bool    `json:"is_builtin"`
	Edges      int     `json:"usage_count"`
	Similarity float64 `json:"similarity"` // -1 to 1
}

// SimilarTypes returns the other words with an embedding, the most similar first, or the
// least similar ones.
func SimilarTypes(t TypeWord, words []TypeWord, least bool) []SimilarType {
	list := []SimilarType{}
	for _, w := range words {
		if w.Name != t.Name && w.Embedding != nil {
			list = append(list, SimilarType{w.Name, w.Category, w.Builtin, w.Edges, math.Round(t.Embedding.Cosine(w.Embedding)*1e4) / 1e4})
		}
	}
	slices.SortFunc(list, func(a, b SimilarType) int {
		if least {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// MergeCandidate is a pair of types that may mean the same.
type MergeCandidate struct {
	Source     string  `json:"source"` // would be merged into the target
	Target     string  `json:"target"`
	Similarity float64 `json:"similarity"`
	Reverses   bool    `json:"reverses"` // one says the reverse of the other, so that they are not merged
}

// MergeCandidates returns the pairs of words that are at least so similar, the most similar
// first. A built-in type is never merged into another one; of two others the one with fewer
// edges is.
func MergeCandidates(words []TypeWord, least float64) []MergeCandidate {
	var list []MergeCandidate
	for i, a := range words {
		for _, b := range words[i+1:] {
			if a.Builtin && b.Builtin || a.Embedding == nil || b.Embedding == nil {
				continue
			}
			similarity := math.Round(a.Embedding.Cosine(b.Embedding)*1e4) / 1e4
			if similarity < least {
				continue
			}
			source, target := a, b
			if a.Builtin || !b.Builtin && a.Edges > b.Edges {
				source, target = b, a
			}
			list = append(list, MergeCandidate{source.Name, target.Name, similarity, Reverses(a.Name, b.Name)})
		}
	}
	slices.SortFunc(list, func(a, b MergeCandidate) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Target, b.Target))
	})
	return list
}

// opposites are words of which a type has one and its reverse the other; "" is neither.
var opposites = [][2]string{
	{"BY", ""},
	{"NOT", ""},
	{"NO", ""},
	{"NEVER", ""},
	{"NON", ""},
	{"WITHOUT", "WITH"},
	{"FROM", "TO"},
	{"INTO", "FROM"},
	{"BEFORE", "AFTER"},
	{"ABOVE", "BELOW"},
	{"INCREASES", "DECREASES"},
	{"HAS", "OF"},
	{"OF", ""},
	{"OVER", "UNDER"},
	{"MORE", "LESS"},
	{"PARENT", "CHILD"},
	{"WAS", ""},
	{"SUPPORTS", "CONTRADICTS"},
	{"ENABLES", "PREVENTS"},
	{"CAUSES", "PREVENTS"},
	{"PRECEDES", "FOLLOWS"},
	{"VALIDATES", "REFUTES"},
	{"GENERALIZES", "SPECIALIZES"},
	{"PRODUCES", "CONSUMES"},
	{"STRENGTHENS", "WEAKENS"},
	{"CONFIRMS", "DISPROVES"},
}

// Reverses reports whether one of two types says the reverse of the other, or something of
// another time, by the words of their names: CAUSED_BY and CAUSES are near in letters and
// often near for a model, and mean edges in opposite directions.
func Reverses(a, b string) bool {
	first, second := strings.Split(a, "_"), strings.Split(b, "_")
	for _, pair := range opposites {
		for range 2 {
			if !slices.Contains(first, pair[0]) {
				first, second = second, first
				continue
			}
			if pair[1] == "" && !slices.Contains(second, pair[0]) {
				return true
			}
			if pair[1] != "" && slices.Contains(second, pair[1]) && !slices.Contains(first, pair[1]) {
				return true
			}
			first, second = second, first
		}
	}
	return false
}

// NewMerge is what it takes to merge a type into another one.
type NewMerge struct {
	Source, Target string
	Similarity     *float64
	Reason         string
	By             string // a user name, or the id of a job
}

// Validate reports every rule that m breaks.
func (m NewMerge) Validate() error {
	var r check.Rules
	r.Add("body", "deprecated_type", checkTypeName(m.Source))
	r.Add("body", "target_type", checkTypeName(m.Target))
	if m.Source == m.Target {
		r.Add("body", "target_type", "must be another type than deprecated_type")
	}
	r.Add("body", "reason", check.OptionalName(m.Reason, 500))
	return r.Err()
}

// checkTypeName returns the rule that the name of a relationship type breaks, or "".
func checkTypeName(name string) string {
	if rule := check.Name(name, check.MaxTypeName); rule != "" {
		return rule
	}
	for i, c := range name {
		if !(c >= 'A' && c <= 'Z' || i > 0 && (c >= '0' && c <= '9' || c == '_')) {
			return "must consist of capital letters, digits and underscores, and begin with a letter, got " + check.Quote(name)
		}
	}
	return ""
}

// Merge is a type that was merged into another one.
type Merge struct {
	ID         int         `json:"merge_id"`
	Source     string      `json:"deprecated_type"`
	Target     string      `json:"target_type"`
	Similarity *float64    `json:"similarity"`
	Reason     string      `json:"reason"`
	By         string      `json:"made_by"`
	Edges      int         `json:"edges_updated"`
	Evidence   int         `json:"evidence_moved"`
	At         kappa.Time  `json:"merged_at"`
	UndoneAt   *kappa.Time `json:"undone_at"`
}

// The states of a review.
const (
	ReviewOpen     = "open"
	ReviewAccepted = "accepted"
	ReviewRejected = "rejected"
)

// Review is a pair of types that a person is to decide about.
type Review struct {
	Source     string      `json:"source"`
	Target     string      `json:"target"`
	Similarity float64     `json:"similarity"`
	Reason     string      `json:"reason"`
	Status     string      `json:"status"`
	At         kappa.Time  `json:"created_at"`
	DecidedBy  *string     `json:"decided_by"`
	DecidedAt  *kappa.Time `json:"decided_at"`
}
