package ingest

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
)

// The most that one chunk adds to the graph, and the longest texts, in
// characters.
const (
	maxConcepts      = 100
	maxInstances     = 2000
	maxRelationships = 1000
	maxLabel         = 200
	maxDescription   = 1000
	maxSearchTerms   = 20
)

// Clean keeps of an extraction what the text it was read from bears out, as a
// model may return anything. Afterwards every concept has a label of its own
// and at least one instance; every quote is text[Span.Start:Span.End]; every
// instance and relationship names concepts that are there; a relationship has the sentence
// that states it, as far as there is one, with its ends marked; relationship types
// are words of the vocabulary, or new ones in its form; confidences are in [0,
// 1]; nothing has NUL bytes or invalid UTF-8. At most 100 concepts are kept, by
// weight. An extraction that is so already stays as it is.
func Clean(e knowledge.Extraction, text string, vocabulary []string) knowledge.Extraction {
	c := cleaner{text: locator{text: text}, vocabulary: vocabulary, keys: map[string]string{}, names: map[string][]string{}, places: map[string][]corpus.Span{}}
	concepts := c.concepts(e.Concepts)
	instances := c.instances(e.Instances)
	concepts, instances = c.withEvidence(concepts, instances)
	c.shown = instances
	for _, concept := range concepts {
		c.names[concept.Key] = append([]string{concept.Label}, concept.SearchTerms...)
	}
	relationships := c.relationships(e.Relationships)
	return knowledge.Extraction{
		Concepts:      concepts,
		Instances:     instances,
		Relationships: relationships,
		Tokens:        max(e.Tokens, 0),
		Dropped:       max(e.Dropped, 0) + c.dropped,
	}
}

type cleaner struct {
	text       locator
	vocabulary []string
	keys       map[string]string // of each kept concept, under every key it goes by
	dropped    int               // what the text does not bear out

	// What finds the sentence of a relationship.
	names map[string][]string // of each concept that is kept, its label first
	shown []knowledge.ExtractedInstance
	parts []corpus.Span // the sentences of the text, once they are needed

	places map[string][]corpus.Span // where the text names each concept, once it is needed
	byKey  map[string][]corpus.Span // what may be names, likewise
}

// concepts cleans the texts, drops concepts without a label, and joins those
// with the same label.
func (c *cleaner) concepts(in []knowledge.ExtractedConcept) []knowledge.ExtractedConcept {
	var kept []knowledge.ExtractedConcept
	byLabel := map[string]int{}
	for _, concept := range in {
		concept.Label = cleanText(concept.Label, maxLabel)
		if !strings.ContainsFunc(concept.Label, letterOrNumber) {
			continue
		}
		if concept.Key == "" {
			concept.Key = concept.Label
		}
		if _, taken := c.keys[concept.Key]; taken {
			continue
		}
		concept.Description = cleanText(concept.Description, maxDescription)
		if !(concept.Weight > 0) || math.IsInf(concept.Weight, 1) {
			concept.Weight = 1
		}
		name := naming.LabelKey(concept.Label) + "\n" + naming.IdentityKey(concept.Label) // US is not us
		i, known := byLabel[name]
		if !known {
			i = len(kept)
			byLabel[name] = i
			kept = append(kept, concept)
			kept[i].SearchTerms = []string{} // the database has no null here
		}
		c.keys[concept.Key] = kept[i].Key
		kept[i].Weight = max(kept[i].Weight, concept.Weight)
		if kept[i].Description == "" {
			kept[i].Description = concept.Description
		}
		kept[i].SearchTerms = addTerms(kept[i], concept.SearchTerms)
	}
	return kept
}

// addTerms returns the search terms of c and terms, without doubles.
func addTerms(c knowledge.ExtractedConcept, terms []string) []string {
	all := c.SearchTerms
	known := map[string]bool{naming.LabelKey(c.Label): true, "": true}
	for _, term := range all {
		known[naming.LabelKey(term)] = true
	}
	for _, term := range terms {
		term = cleanText(term, maxLabel)
		if key := naming.LabelKey(term); !known[key] && len(all) < maxSearchTerms {
			known[key] = true
			all = append(all, term)
		}
	}
	return all
}

// instances keeps each quote that is in the text, once for a concept.
func (c *cleaner) instances(in []knowledge.ExtractedInstance) []knowledge.ExtractedInstance {
	type key struct{ concept, quote string }
	seen := map[key]bool{}
	var kept []knowledge.ExtractedInstance
	for _, instance := range in {
		concept, known := c.keys[instance.Concept]
		span, found := c.text.at(instance.Span, instance.Quote)
		if !known || !found {
			c.dropped++
			continue
		}
		if len(kept) == maxInstances {
			continue
		}
		quote := c.text.text[span.Start:span.End]
		if k := (key{concept, quote}); !seen[k] {
			seen[k] = true
			kept = append(kept, knowledge.ExtractedInstance{Concept: concept, Quote: quote, Span: span})
		}
	}
	return kept
}

// withEvidence drops concepts that the text does not show, then those of the
// least weight above the limit, and the instances of both. A concept without a
// quote that was found is shown by its label, if the text has that.
func (c *cleaner) withEvidence(concepts []knowledge.ExtractedConcept, instances []knowledge.ExtractedInstance) ([]knowledge.ExtractedConcept, []knowledge.ExtractedInstance) {
	shown := map[string]bool{}
	for _, instance := range instances {
		shown[instance.Concept] = true
	}
	for _, concept := range concepts {
		if shown[concept.Key] {
			continue
		}
		if span, found := c.text.at(corpus.Span{}, concept.Label); found {
			shown[concept.Key] = true
			instances = append(instances, knowledge.ExtractedInstance{
				Concept: concept.Key, Quote: c.text.text[span.Start:span.End], Span: span,
			})
		}
	}
	heaviest := slices.DeleteFunc(slices.Clone(concepts), func(e knowledge.ExtractedConcept) bool { return !shown[e.Key] })
	c.dropped += len(concepts) - len(heaviest)
	slices.SortStableFunc(heaviest, func(a, b knowledge.ExtractedConcept) int { return cmp.Compare(b.Weight, a.Weight) })
	kept := map[string]bool{}
	for _, concept := range heaviest[:min(len(heaviest), maxConcepts)] {
		kept[concept.Key] = true
	}
	for key, concept := range c.keys {
		if !kept[concept] {
			delete(c.keys, key)
		}
	}
	return slices.DeleteFunc(concepts, func(e knowledge.ExtractedConcept) bool { return !kept[e.Key] }),
		slices.DeleteFunc(instances, func(i knowledge.ExtractedInstance) bool { return !kept[i.Concept] })
}

// relationships keeps those between two different concepts that are left, once
// for each type, with the best confidence.
func (c *cleaner) relationships(in []knowledge.ExtractedRelationship) []knowledge.ExtractedRelationship {
	type key struct{ from, to, kind string }
	seen := map[key]int{}
	var kept []knowledge.ExtractedRelationship
	for _, r := range in {
		r, ok := c.relationship(r)
		if !ok {
			c.dropped++
			continue
		}
		k := key{r.From, r.To, r.Type}
		if i, double := seen[k]; double {
			if r.Confidence > kept[i].Confidence {
				kept[i] = r
			}
			continue
		}
		if len(kept) < maxRelationships {
			seen[k] = len(kept)
			kept = append(kept, r)
		}
	}
	return kept
}

func (c *cleaner) relationship(r knowledge.ExtractedRelationship) (knowledge.ExtractedRelationship, bool) {
	r.From, r.To = c.keys[r.From], c.keys[r.To]
	r.Type = NormalizeType(c.vocabulary, r.Type)
	if r.From == "" || r.To == "" || r.From == r.To || r.Type == "" {
		return r, false
	}
	switch r.Direction {
	case knowledge.Outward, knowledge.Inward, knowledge.Bidirectional:
	default:
		r.Direction = knowledge.Outward
	}
	if math.IsNaN(r.Confidence) {
		r.Confidence = 1 // as when it is missing
	}
	r.Confidence = min(max(r.Confidence, 0), 1)
	given := r.Quote
	span, found := c.text.at(r.Span, r.Quote)
	r.Quote, r.Span = c.text.text[span.Start:span.End], span
	return c.stated(r, found, given), true
}

// cleanText folds white space and control characters, drops invalid UTF-8, and
// cuts s to so many characters.
func cleanText(s string, most int) string {
	fields := strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	})
	s = strings.Join(fields, " ")
	n := 0
	for i := range s {
		if n == most {
			return strings.TrimSpace(s[:i])
		}
		n++
	}
	return s
}

func letterOrNumber(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
