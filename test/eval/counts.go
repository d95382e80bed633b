package main

import "time"

// counts are what the figures are made of: of a document, and added up of a style or a
// set.
type counts struct {
	documents, words, concepts, inexact int
	took                                time.Duration

	keyed                 int // documents with keyphrases
	keyphrases            int // annotated
	keyphrasesPresent     int // those that stand in the text
	hits5, predicted5     int
	hits10, predicted10   int
	macroF10              float64 // sum over the documents
	named, namedFound     int     // whatever is annotated as a concept, and what of it a concept bears
	present, presentFound int     // of these, what stands in the text
	entities, entityHits  int

	related, relatedShown   int // of type RELATED_TO; above the confidence that is shown
	typed, typedShown       int // whether annotated or not
	withRelationships       int // documents with annotated relationships
	judged                  int // typed relationships of these
	right, rightExact       int
	gold, found, foundExact int
	alone                   int // concepts without any relationship
	aloneShown              int // without one that is shown unasked
	aloneOfTyped            int // without a typed one
	withDenied              int // documents with denied statements
	denied, violated        int
}

// add adds the counts of another document, style or set.
func (c *counts) add(o counts) {
	c.documents += o.documents
	c.words += o.words
	c.concepts += o.concepts
	c.inexact += o.inexact
	c.took += o.took
	c.keyed += o.keyed
	c.keyphrases += o.keyphrases
	c.keyphrasesPresent += o.keyphrasesPresent
	c.hits5 += o.hits5
	c.predicted5 += o.predicted5
	c.hits10 += o.hits10
	c.predicted10 += o.predicted10
	c.macroF10 += o.macroF10
	c.named += o.named
	c.namedFound += o.namedFound
	c.present += o.present
	c.presentFound += o.presentFound
	c.entities += o.entities
	c.entityHits += o.entityHits
	c.related += o.related
	c.relatedShown += o.relatedShown
	c.typed += o.typed
	c.typedShown += o.typedShown
	c.withRelationships += o.withRelationships
	c.judged += o.judged
	c.right += o.right
	c.rightExact += o.rightExact
	c.gold += o.gold
	c.found += o.found
	c.foundExact += o.foundExact
	c.alone += o.alone
	c.aloneShown += o.aloneShown
	c.aloneOfTyped += o.aloneOfTyped
	c.withDenied += o.withDenied
	c.denied += o.denied
	c.violated += o.violated
}
