package extract

import (
	"cmp"
	"slices"

	"github.com/kappagraph/kappa/knowledge"
)

// Limits of the extraction of a passage that was read in pieces.
const (
	maxCollectedConcepts      = 300
	maxCollectedInstances     = 5 // of one concept
	maxCollectedRelationships = 1000
)

// collection joins the extractions of the pieces of one passage by key.
type collection struct {
	concepts      map[string]*knowledge.ExtractedConcept
	order         []string
	instances     map[string][]knowledge.ExtractedInstance
	relationships []knowledge.ExtractedRelationship
	stated        map[string]bool
}

// add takes in the extraction of the piece that starts at offset.
func (c *collection) add(e knowledge.Extraction, offset int) {
	if c.concepts == nil {
		c.concepts = map[string]*knowledge.ExtractedConcept{}
		c.instances = map[string][]knowledge.ExtractedInstance{}
		c.stated = map[string]bool{}
	}
	for _, found := range e.Concepts {
		known := c.concepts[found.Key]
		if known == nil {
			c.concepts[found.Key] = &found
			c.order = append(c.order, found.Key)
			continue
		}
		known.Weight += found.Weight
		if known.Description == "" {
			known.Description = found.Description
		}
	}
	for _, i := range e.Instances {
		i.Span.Start += offset
		i.Span.End += offset
		same := func(o knowledge.ExtractedInstance) bool { return o.Quote == i.Quote }
		if have := c.instances[i.Concept]; len(have) < maxCollectedInstances && !slices.ContainsFunc(have, same) {
			c.instances[i.Concept] = append(have, i)
		}
	}
	for _, r := range e.Relationships {
		if r.Quote != "" {
			r.Span.Start += offset
			r.Span.End += offset
			r.Marks = r.Marks.Shifted(offset)
		}
		if id := r.From + " " + r.Type + " " + r.To; !c.stated[id] {
			c.stated[id] = true
			c.relationships = append(c.relationships, r)
		}
	}
	c.trim(4)
}

// trim keeps the heaviest concepts, up to the limit times slack, and what hangs
// on them.
func (c *collection) trim(slack int) {
	if len(c.order) <= maxCollectedConcepts*slack && len(c.relationships) <= maxCollectedRelationships*slack {
		return
	}
	slices.SortStableFunc(c.order, func(a, b string) int { return cmp.Compare(c.concepts[b].Weight, c.concepts[a].Weight) })
	for _, key := range c.order[min(len(c.order), maxCollectedConcepts):] {
		delete(c.concepts, key)
		delete(c.instances, key)
	}
	c.order = c.order[:min(len(c.order), maxCollectedConcepts)]
	c.relationships = slices.DeleteFunc(c.relationships, func(r knowledge.ExtractedRelationship) bool {
		return c.concepts[r.From] == nil || c.concepts[r.To] == nil
	})
	c.relationships = c.relationships[:min(len(c.relationships), maxCollectedRelationships)]
	c.stated = map[string]bool{}
	for _, r := range c.relationships {
		c.stated[r.From+" "+r.Type+" "+r.To] = true
	}
}

// extraction returns everything that was taken in and kept.
func (c *collection) extraction() knowledge.Extraction {
	c.trim(1)
	slices.SortStableFunc(c.order, func(a, b string) int { return cmp.Compare(c.concepts[b].Weight, c.concepts[a].Weight) })
	var e knowledge.Extraction
	for _, key := range c.order {
		e.Concepts = append(e.Concepts, *c.concepts[key])
		e.Instances = append(e.Instances, c.instances[key]...)
	}
	e.Relationships = c.relationships
	return e
}
