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
		about: "Finds the concepts, documents and passages that have some words, best first, and counts them by kind, ontology, language and class. For words, names and phrases; ask answers questions.",
	})
}

type findInput struct {
	Query string   `json:"query" jsonschema:"the words"`
	Only  []string `json:"only,omitempty" jsonschema:"only these: concept, document, passage"`
	passageFilter
	Limit  int    `json:"limit,omitempty" jsonschema:"how many, 1 to 50; 10 without it"`
	Cursor string `json:"cursor,omitempty" jsonschema:"where the page before ended"`
}

func (t toolset) find(ctx context.Context, in findInput, out *text) error {
	q := questions.FindQuery{
		Text: in.Query, Find: in.Only, Limit: within(in.Limit, defaultHits, maxHits), Cursor: in.Cursor,
		AskFilter: in.filter(),
	}
	found, err := t.c.Graph.Find(ctx, q)
	if err != nil {
		return err
	}
	for _, m := range found.Mended {
		out.line("“%s” stands in no document; “%s” was looked for.", oneLine(m.Written), oneLine(m.TakenAs))
	}
	for _, h := range found.Hits {
		out.line("%s", foundLine(h))
	}
	if len(found.Hits) == 0 {
		return t.inOntology(ctx, in.Ontology, out, "Nothing has these words.")
	}
	out.line("In all: %s. By ontology: %s. By class: %s.", countsLine(found.Facets.Find), countsLine(found.Facets.Ontologies), countsLine(found.Facets.Classes))
	if found.Next != nil {
		out.line("There are more: cursor %s", *found.Next)
	}
	return nil
}

// foundLine is a hit on a line.
func foundLine(h questions.FoundHit) string {
	switch h.Kind {
	case questions.FoundConcept:
		return fmt.Sprintf("concept %s [%s]", oneLine(h.Text), h.Concept.ConceptID)
	case questions.FoundDocument:
		return fmt.Sprintf("document %s (%s), %d passages, id %s", oneLine(h.Text), oneLine(h.Document.Ontology), h.Document.Passages, h.Document.DocumentID)
	}
	body := strings.Join(strings.Fields(h.Text), " ")
	if len(body) > maxFoundBytes {
		body = strings.ToValidUTF8(body[:maxFoundBytes], "") + " …"
	}
	return fmt.Sprintf("passage of %s (%s), bytes %d-%d, source %s: %s", oneLine(h.Document.Filename), oneLine(h.Document.Ontology), h.Passage.Start, h.Passage.End, h.Passage.SourceID, body)
}

func countsLine(all []questions.FacetCount) string {
	parts := make([]string, len(all))
	for i, c := range all {
		parts[i] = fmt.Sprintf("%s %d", oneLine(c.Value), c.Count)
	}
	return strings.Join(parts, ", ")
}
