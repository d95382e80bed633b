package mcp

import (
	"context"
	"strings"

	"github.com/kappagraph/kappa/knowledge"
)

type namesakesInput struct {
	Apart bool `json:"apart,omitempty" jsonschema:"list those of which somebody said that they stay two"`
	Limit int  `json:"limit,omitempty" jsonschema:"how many pairs, 1 to 100; 20 without it"`
}

func (t toolset) namesakes(ctx context.Context, in namesakesInput, out *text) error {
	list, err := t.c.Concepts.Namesakes(ctx, in.Apart, within(in.Limit, defaultSentences, maxSentences))
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
			out.line("%s  id %s  %s in %s", oneLine(c.Label), c.ConceptID, count(c.Quotes, "quote"), oneLine(strings.Join(c.Ontologies, ", ")))
			if len(c.Neighbors) > 0 {
				out.line("    related with %s", oneLine(strings.Join(c.Neighbors, ", ")))
			}
		}
		if k := pair.Apart; k != nil {
			out.line("    they stay two, says %s: %s", oneLine(k.By), oneLine(k.Reason))
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
