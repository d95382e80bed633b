package mcp

import (
	"context"

	"github.com/kappagraph/kappa/knowledge"
)

type namesakesInput struct {
	Apart bool `json:"apart,omitempty" jsonschema:"list those of which somebody said that they stay two"`
	Limit int  `json:"limit,omitempty" jsonschema:"how many pairs" bounds:"1..100" standard:"20"`
}

func (t toolset) namesakes(ctx context.Context, in namesakesInput, out *text) error {
	list, err := t.c.Concepts.Namesakes(ctx, in.Apart, in.Limit)
	if err != nil {
		return err
	}
	switch {
	case len(list) == 0 && in.Apart:
		out.line("Nobody said of two concepts that they stay two.")
	case len(list) == 0:
		out.line("No concepts of one name are left to decide about.")
	}
	for _, pair := range list {
		for _, c := range []knowledge.Namesake{pair.A, pair.B} {
			out.line("%s  id %s  %s in %s", out.concept(c.ConceptID, c.Label), c.ConceptID, count(c.Quotes, "quote"), allQuoted(c.Ontologies))
			if len(c.Neighbors) > 0 {
				out.line("    related with %s", allQuoted(c.Neighbors))
			}
		}
		if k := pair.Apart; k != nil {
			out.line("    they stay two, says %s: %s", quoted(k.By), quoted(k.Reason))
		}
	}
	return nil
}

type keepApartInput struct {
	A      string `json:"a" jsonschema:"the id of a concept"`
	B      string `json:"b" jsonschema:"the id of the other one"`
	Reason string `json:"reason,omitempty" jsonschema:"what makes them two"`
}

func (t toolset) keepApart(ctx context.Context, in keepApartInput, out *text) error {
	if _, err := t.c.Concepts.KeepApart(ctx, knowledge.NewKeptApart{A: in.A, B: in.B, Reason: in.Reason}); err != nil {
		return err
	}
	out.line("%s and %s stay two.", in.A, in.B)
	return nil
}
