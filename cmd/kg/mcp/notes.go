package mcp

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/knowledge"
)

// addNotes adds the tools that write into the graph. What they write is marked as an
// agent's.
func (t toolset) addNotes(s *shelf) {
	add(s, tool[conceptNote]{
		name: "create_concept", title: "Write down a concept", kind: changes, needs: access.ConceptsWrite, do: t.createConcept,
		example: `{"label":"worker lane","ontology":"memory","description":"A named group of job types."}`,
		about:   "Writes a concept into the graph, to be found by search from then on, and marked as written by an agent. One that means the same is found instead, and its id returned. Search first.",
	})
	add(s, tool[edgeNote]{
		name: "create_edge", title: "Write down a relationship", kind: changes, needs: access.GraphCreate, do: t.createEdge,
		example: `{"from_id":"lane_41","type":"HAS_PART","to_label":"slot"}`,
		about:   "Writes a relationship between two concepts, each given by its id, or by its label. It is marked as written by an agent.",
	})
	add(s, tool[evidenceNote]{
		name: "add_evidence", title: "Write down what shows a concept", kind: changes, needs: access.ConceptsWrite, do: t.addEvidence,
		example: `{"id":"lane_41","text":"Each lane has slots of its own."}`,
		about:   "Adds a text that shows a concept: an observation, or a decision and its reason. The concept quotes it from then on.",
	})
	add(s, tool[keepApartInput]{
		name: "keep_apart", title: "Say that two concepts stay two", kind: changes, needs: access.ConceptsWrite, do: t.keepApart,
		example: `{"a":"gin_3","b":"gin_8","reason":"an index and a drink"}`,
		about:   "Says of two concepts of one name, such as GIN the index and gin the drink, that they are two things, so that namesakes does not list them again.",
	})
}

type conceptNote struct {
	Label        string   `json:"label" jsonschema:"what the concept is called, in a few words"`
	Ontology     string   `json:"ontology" jsonschema:"the ontology that keeps it; a new name makes a new one"`
	Description  string   `json:"description,omitempty" jsonschema:"what it is, in a sentence"`
	SearchTerms  []string `json:"search_terms,omitempty" jsonschema:"other names for it"`
	MatchingMode string   `json:"matching_mode,omitempty" jsonschema:"auto finds a concept that means the same, force_create makes another one, match_only makes none" oneof:"auto force_create match_only"`
}

func (t toolset) createConcept(ctx context.Context, in conceptNote, out *text) error {
	c, err := t.c.Concepts.Create(ctx, client.NewConcept{
		NewConcept: knowledge.NewConcept{Label: in.Label, Description: in.Description, SearchTerms: in.SearchTerms, MatchingMode: in.MatchingMode},
		Ontology:   in.Ontology, Provenance: knowledge.CreatedByAgent,
	})
	if err != nil {
		return err
	}
	was := "was made"
	if c.MatchedExisting {
		was = "was there already"
	}
	out.line("%s  id %s  %s", out.concept(c.ConceptID, c.Label), c.ConceptID, was)
	return nil
}

type edgeNote struct {
	FromID     string   `json:"from_id,omitempty" jsonschema:"the id of the concept that it leads from; or give from_label"`
	FromLabel  string   `json:"from_label,omitempty" jsonschema:"the label of the concept that it leads from"`
	Type       string   `json:"type" jsonschema:"such as CAUSES, SUPPORTS or PART_OF; a new one is made when none fits"`
	ToID       string   `json:"to_id,omitempty" jsonschema:"the id of the concept that it leads to; or give to_label"`
	ToLabel    string   `json:"to_label,omitempty" jsonschema:"the label of the concept that it leads to"`
	Confidence *float64 `json:"confidence,omitempty" jsonschema:"how sure it is; 1 without it" bounds:"0..1"`
	Ontology   string   `json:"ontology,omitempty" jsonschema:"the ontology that keeps it; that of the first concept without it"`
}

func (t toolset) createEdge(ctx context.Context, in edgeNote, out *text) error {
	e, err := t.c.Edges.Create(ctx, client.NewEdge{
		NewEdge:  knowledge.NewEdge{FromID: in.FromID, FromLabel: in.FromLabel, ToID: in.ToID, ToLabel: in.ToLabel, Type: in.Type, Confidence: in.Confidence},
		Ontology: in.Ontology, Provenance: knowledge.CreatedByAgent,
	})
	if err != nil {
		return err
	}
	was := "was made"
	if !e.Created {
		was = "was there already"
	}
	out.line("%s -%s-> %s  %s", e.FromID, e.Type, e.ToID, was)
	return nil
}

type evidenceNote struct {
	ID       string `json:"id" jsonschema:"the concept's id"`
	Text     string `json:"text" jsonschema:"what shows it, 1 to 10000 characters"`
	Ontology string `json:"ontology,omitempty" jsonschema:"the ontology that keeps it; that of the concept without it"`
}

func (t toolset) addEvidence(ctx context.Context, in evidenceNote, out *text) error {
	c, err := t.c.Concepts.AddEvidence(ctx, in.ID, client.Evidence{Text: in.Text, Ontology: in.Ontology, Provenance: knowledge.CreatedByAgent})
	if err != nil {
		return err
	}
	out.line("%s  id %s  is shown by it now", out.concept(c.ConceptID, c.Label), c.ConceptID)
	return nil
}
