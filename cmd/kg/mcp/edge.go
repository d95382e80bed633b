package mcp

import (
	"context"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

type edgeInput struct {
	From     string `json:"from" jsonschema:"the id of the concept that it points away from"`
	Type     string `json:"type" jsonschema:"its relationship type, such as CAUSES"`
	To       string `json:"to" jsonschema:"the id of the concept that it points to"`
	Ontology string `json:"ontology,omitempty" jsonschema:"only what the documents of this ontology say"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many sentences" bounds:"1..100" standard:"20"`
	Offset   int    `json:"offset,omitempty" jsonschema:"how many of the surest to leave out, for the next page" bounds:"0.."`
}

func (t toolset) edge(ctx context.Context, in edgeInput, out *text) error {
	e, err := t.c.Edges.Get(ctx, questions.EdgeEvidenceQuery{FromID: in.From, Type: in.Type, ToID: in.To, Ontology: in.Ontology, Limit: in.Limit, Offset: in.Offset})
	if err != nil {
		return err
	}
	out.line("%s [%s] -%s-> %s [%s], confidence %.2f, %s in %s", out.concept(e.FromID, e.FromLabel), e.FromID, e.Type, out.concept(e.ToID, e.ToLabel), e.ToID, e.Confidence, count(e.Total, "sentence"), count(e.Documents, "document"))
	for _, v := range e.Evidence {
		out.quotes([]knowledge.Evidence{v.Evidence})
		if v.Before != nil {
			out.line("    before it: %q", oneLine(v.Before.Quote))
		}
		out.line("    confidence %.2f, %s", v.Confidence, origin(v))
	}
	out.page(in.Offset, len(e.Evidence), e.Total)
	return nil
}

// origin says who read a sentence, or wrote it.
func origin(e knowledge.EdgeEvidence) string {
	switch {
	case e.MadeBy != nil:
		return "written by hand by " + quoted(*e.MadeBy)
	case e.JobID != nil && e.Reader != nil:
		return "read by " + *e.JobID + " with " + oneLine(*e.Reader)
	case e.JobID != nil:
		return "read by " + *e.JobID
	}
	return "of unknown origin"
}
