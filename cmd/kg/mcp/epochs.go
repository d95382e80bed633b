package mcp

import (
	"context"
	"strconv"

	"github.com/kappagraph/kappa/knowledge"
)

type epochsInput struct {
	Kind   string `json:"kind,omitempty" jsonschema:"only what was changed so" oneof:"ingestion reasoning breathing edit"`
	Actor  string `json:"actor,omitempty" jsonschema:"only of the user with this name"`
	Cursor int64  `json:"cursor,omitempty" jsonschema:"for the next page: only epochs below this one" bounds:"1.."`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many" bounds:"1..100" standard:"20"`
}

func (t toolset) epochs(ctx context.Context, in epochsInput, out *text) error {
	page, err := t.c.Graph.Epochs(ctx, knowledge.EpochFilter{Kind: in.Kind, Actor: in.Actor, Before: in.Cursor, Limit: in.Limit})
	if err != nil {
		return err
	}
	if len(page.Events) == 0 {
		out.line("Nothing of that kind has changed the graph.")
	}
	for _, e := range page.Events {
		d := e.Details
		who := "the server"
		if e.Actor != "" {
			who = quoted(e.Actor)
		}
		out.line("%d  %s  %s by %s: +%d -%d concepts, +%d -%d relationships", e.Number, e.At, d.Act, who, d.ConceptsAdded, d.ConceptsRemoved, d.EdgesSet, d.EdgesRemoved)
		if !e.Meaningful {
			out.line("    the time is when the server got to it")
		}
		if d.Object != "" {
			out.line("    of %s", quoted(d.Object))
		}
	}
	if page.Next != nil {
		out.moreAt(strconv.FormatInt(*page.Next, 10))
	}
	return nil
}

type lifetimeInput struct {
	ID     string `json:"id" jsonschema:"the id of the concept"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many quotes" bounds:"1..100" standard:"20"`
	Offset int    `json:"offset,omitempty" jsonschema:"how many of the oldest to leave out, for the next page" bounds:"0.."`
}

func (t toolset) lifetime(ctx context.Context, in lifetimeInput, out *text) error {
	life, err := t.c.Concepts.Lifetime(ctx, in.ID, in.Limit, in.Offset)
	if err != nil {
		return err
	}
	out.line("%s [%s] is %s, %s in %s", out.concept(life.ConceptID, life.Label), life.ConceptID, life.State, count(life.Total, "quote"), count(life.Documents, "document"))
	if life.MergedInto != nil {
		out.line("It is a part of %s now.", *life.MergedInto)
	}
	if life.CreatedAt != nil {
		out.line("It was made %s (%s).", life.CreatedAt, life.CreatedBy)
	}
	for _, c := range life.Changes {
		out.line("%s  %s by %s %s", c.At, c.Act, quoted(c.By), oneLine(c.Other))
	}
	for _, q := range life.Quotes {
		epoch := "before epochs were kept"
		if q.Epoch != nil {
			epoch = "epoch " + strconv.FormatInt(*q.Epoch, 10)
		}
		out.line("  %s  %s  %q\n    in %s, source %s", q.At, epoch, oneLine(q.Quote), out.of(q.SourceID, q.Filename, q.Ontology), q.SourceID)
	}
	out.page(life.Offset, life.Returned, life.Total)
	return nil
}
