package ingest

import (
	"slices"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
)

// The thresholds of matching. Names decide as far as they can, see naming.SameName: what
// bears the same name is the same from the lower one on, since a word may name two
// things. Names that have no word in common are the same from the upper one on. An
// embedding that knows nothing but names (Model.NamesOnly) has no say.
const (
	sameSimilarity     = 0.85
	sameNameSimilarity = 0.75
)

// newConcept is added to the place of a draft to make the ID of a concept that has no
// row yet: above that of every row, so that of two equally similar concepts the known
// one wins.
const newConcept = 1 << 40

// matcher is the rules by which two mentions are the same concept.
type matcher struct {
	namesOnly bool                   // the embeddings compare names, not meaning
	names     map[string]naming.Name // those that have been read; nil keeps none
}

// NewMatcher returns the rules by which mentions are joined whose embeddings are
// those of model. It keeps the names that it reads: it is for one chunk, and not for
// concurrent use.
func NewMatcher(model models.Model) knowledge.Matcher {
	return matcher{namesOnly: model.NamesOnly, names: map[string]naming.Name{}}
}

// read returns what a name says.
func (m matcher) read(label string) naming.Name {
	n, ok := m.names[label]
	if !ok {
		n = naming.ReadName(label)
		if m.names != nil {
			m.names[label] = n
		}
	}
	return n
}

// named returns the candidates that bear d's name. Where names are all that is compared, one
// of another ontology that has nothing in common with what stands around d is not meant.
func (m matcher) named(d knowledge.ConceptDraft, candidates []knowledge.Candidate) []knowledge.Candidate {
	name := m.read(d.Label)
	return only(candidates, func(c knowledge.Candidate) bool {
		return m.read(c.Label).Same(name) && !(c.Elsewhere && m.namesOnly)
	})
}

// LeastSimilarity is the lowest threshold. Embeddings that compare names find nothing that
// the names do not: no similarity is enough.
func (m matcher) LeastSimilarity() float64 {
	if m.namesOnly {
		return 2
	}
	return sameNameSimilarity
}

// Certain reports whether a known concept bears the draft's name and is similar
// enough: nothing wins over that.
func (m matcher) Certain(d knowledge.ConceptDraft, namesakes []knowledge.Candidate) bool {
	_, certain := m.namesake(d, namesakes)
	return certain
}

// Match decides in the order of the drafts. A draft may also be the new concept that
// an earlier draft of the chunk becomes.
func (m matcher) Match(drafts []knowledge.ConceptDraft, candidates [][]knowledge.Candidate) []knowledge.ConceptMatch {
	matches := make([]knowledge.ConceptMatch, len(drafts))
	var fresh []knowledge.Candidate // concepts that earlier drafts become
	for i, d := range drafts {
		c, by := m.match(d, append(slices.Clip(candidates[i]), fresh...))
		known := by != ""
		if known {
			matches[i].By, matches[i].Score = by, d.Embedding.Cosine(c.Embedding)
		}
		switch {
		case !known:
			matches[i].Draft = i
			fresh = append(fresh, knowledge.Candidate{
				ID: newConcept + i, Label: d.Label, Embedding: d.Embedding, Terms: d.SearchTerms, InDocument: true,
			})
		case c.ID >= newConcept:
			matches[i].Draft = c.ID - newConcept
		default:
			matches[i].Known = c.ID
		}
	}
	return matches
}

// match returns the candidate that d is, and by what: one that the document calls so, or
// else the best that bears its name, or the best of those whose name has nothing in common.
// Without one by is "".
func (m matcher) match(d knowledge.ConceptDraft, candidates []knowledge.Candidate) (c knowledge.Candidate, by string) {
	if c, ok := m.alias(d, candidates); ok {
		return c, knowledge.MatchedByAlias
	}
	if c, ok := m.namesake(d, candidates); ok {
		return c, knowledge.MatchedByName
	}
	if m.namesOnly {
		return knowledge.Candidate{}, ""
	}
	here := only(m.named(d, candidates), func(c knowledge.Candidate) bool { return !c.Elsewhere })
	if best, similarity := nearest(d, here); similarity >= sameNameSimilarity {
		return best, knowledge.MatchedByName
	}
	name := m.read(d.Label)
	strange := only(candidates, func(c knowledge.Candidate) bool { return !m.read(c.Label).SharesWords(name) })
	if best, similarity := nearest(d, strange); similarity >= sameSimilarity {
		return best, knowledge.MatchedByEmbedding
	}
	return knowledge.Candidate{}, ""
}

// namesake returns the candidate that d's name says it is, whatever else there is.
func (m matcher) namesake(d knowledge.ConceptDraft, candidates []knowledge.Candidate) (knowledge.Candidate, bool) {
	if c, ok := m.alias(d, candidates); ok {
		return c, true
	}
	least := sameSimilarity
	if m.namesOnly {
		least = -1
	}
	label := naming.LabelKey(d.Label)
	named := m.named(d, candidates)
	exact := only(named, func(c knowledge.Candidate) bool { return naming.LabelKey(c.Label) == label })
	for _, list := range [][]knowledge.Candidate{exact, named} {
		if best, similarity := nearest(d, list); len(list) > 0 && similarity >= least {
			return best, true
		}
	}
	return knowledge.Candidate{}, false
}

// alias returns the one candidate that d is by an abbreviation or a surname that the
// document explains, or by an abbreviation that its ontology knows in one meaning. A
// concept that bears d's name in the document goes before.
func (m matcher) alias(d knowledge.ConceptDraft, candidates []knowledge.Candidate) (knowledge.Candidate, bool) {
	here, around := map[int]knowledge.Candidate{}, map[int]knowledge.Candidate{}
	for _, c := range candidates {
		if c.InDocument && m.read(c.Label).Same(m.read(d.Label)) {
			return knowledge.Candidate{}, false
		}
		alias := knowledge.AliasOf(d.ExtractedConcept, c.Label, c.Terms)
		if alias != knowledge.NoAlias && c.InDocument {
			here[c.ID] = c
		}
		if alias == knowledge.Abbreviation && c.InOntology {
			around[c.ID] = c
		}
	}
	for _, found := range []map[int]knowledge.Candidate{here, around} {
		if len(found) == 1 {
			for _, c := range found {
				return c, true
			}
		}
		if len(found) > 1 {
			break
		}
	}
	return knowledge.Candidate{}, false
}

// only returns the candidates that keep says.
func only(candidates []knowledge.Candidate, keep func(knowledge.Candidate) bool) []knowledge.Candidate {
	var kept []knowledge.Candidate
	for _, c := range candidates {
		if keep(c) {
			kept = append(kept, c)
		}
	}
	return kept
}

// nearest returns the candidate with the highest cosine similarity, which is -1
// without any. Of equals it is the oldest, with the smallest ID.
func nearest(d knowledge.ConceptDraft, candidates []knowledge.Candidate) (best knowledge.Candidate, similarity float64) {
	similarity = -1
	for _, c := range candidates {
		s := d.Embedding.Cosine(c.Embedding)
		if s > similarity || best.ID == 0 || s == similarity && c.ID < best.ID {
			best, similarity = c, s
		}
	}
	return best, similarity
}
