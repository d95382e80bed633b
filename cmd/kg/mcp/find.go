package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// maxFoundBytes is how much of a passage that was found is shown.
const maxFoundBytes = 400

// addFind adds the tool that finds what has some words.
func (t toolset) addFind(s *shelf) {
	add(s, tool[findInput]{
		name: "find", title: "Find words", kind: reads, needs: access.GraphRead, do: t.find,
		example: `{"query":"SKIP LOCKED","only":["passage"]}`,
		about:   "Finds the concepts, documents and passages that have some words, best first, and counts them by kind, ontology, language and class. For words, names and phrases; ask answers questions.",
	})
}

type findInput struct {
	Query string   `json:"query" jsonschema:"the words"`
	Only  []string `json:"only,omitempty" jsonschema:"only these kinds" oneof:"concept document passage"`
	passageFilter
	Limit  int    `json:"limit,omitempty" jsonschema:"how many" bounds:"1..50" standard:"10"`
	Cursor string `json:"cursor,omitempty" jsonschema:"where the page before ended"`
}

func (t toolset) find(ctx context.Context, in findInput, out *text) error {
	q := questions.FindQuery{
		Text: in.Query, Find: in.Only, Limit: in.Limit, Cursor: in.Cursor,
		AskFilter: in.filter(),
	}
	found, err := t.c.Graph.Find(ctx, q)
	if err != nil {
		return err
	}
	for _, m := range found.Mended {
		out.line("%s stands in no document; %s was looked for.", quoted(m.Written), quoted(m.TakenAs))
	}
	for _, h := range found.Hits {
		out.line("%s", out.found(h))
	}
	if len(found.Hits) == 0 {
		return t.inOntology(ctx, in.Ontology, out, "Nothing has these words.")
	}
	out.line("In all: %s. By ontology: %s. By class: %s.", countsLine(found.Facets.Find), countsLine(found.Facets.Ontologies), countsLine(found.Facets.Classes))
	if found.Next != nil {
		out.moreAt(*found.Next)
	}
	return nil
}

// found is a hit on a line.
func (t *text) found(h questions.FoundHit) string {
	switch h.Kind {
	case questions.FoundConcept:
		return fmt.Sprintf("concept %s [%s]", t.concept(h.Concept.ConceptID, h.Text), h.Concept.ConceptID)
	case questions.FoundDocument:
		return fmt.Sprintf("document %s (%s), %d passages, id %s", t.name(aDocument, h.Document.DocumentID, h.Text), quoted(h.Document.Ontology), h.Document.Passages, h.Document.DocumentID)
	}
	body := strings.Join(strings.Fields(h.Text), " ")
	if len(body) > maxFoundBytes {
		body = strings.ToValidUTF8(body[:maxFoundBytes], "") + " …"
	}
	return fmt.Sprintf("passage of %s, bytes %d-%d, source %s: %s", t.of(h.Passage.SourceID, h.Document.Filename, h.Document.Ontology), h.Passage.Start, h.Passage.End, h.Passage.SourceID, body)
}

func countsLine(all []questions.FacetCount) string {
	parts := make([]string, len(all))
	for i, c := range all {
		parts[i] = fmt.Sprintf("%s %d", quoted(c.Value), c.Count)
	}
	return strings.Join(parts, ", ")
}
