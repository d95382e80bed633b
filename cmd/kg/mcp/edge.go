package mcp

import (
	"context"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	defaultSentences = 20
	maxSentences     = 100
)

type edgeInput struct {
	From     string `json:"from" jsonschema:"the id of the concept that it points away from"`
	Type     string `json:"type" jsonschema:"its relationship type, such as CAUSES"`
	To       string `json:"to" jsonschema:"the id of the concept that it points to"`
	Ontology string `json:"ontology,omitempty" jsonschema:"only what the documents of this ontology say"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many sentences, 1 to 100; 20 without it"`
	Offset   int    `json:"offset,omitempty" jsonschema:"how many of the surest to leave out, for the next page"`
}

func (t toolset) edge(ctx context.Context, in edgeInput, out *text) error {
	e, err := t.c.Edges.Get(ctx, questions.EdgeEvidenceQuery{FromID: in.From, Type: in.Type, ToID: in.To, Ontology: in.Ontology, Limit: within(in.Limit, defaultSentences, maxSentences), Offset: in.Offset})
	if err != nil {
		return err
	}
	out.line("%s [%s] -%s-> %s [%s], confidence %.2f, %s in %s", oneLine(e.FromLabel), e.FromID, e.Type, oneLine(e.ToLabel), e.ToID, e.Confidence, count(e.Total, "sentence"), count(e.Documents, "document"))
	for _, v := range e.Evidence {
		out.quotes([]knowledge.Evidence{v.Evidence})
		if v.Before != nil {
			out.line("    before it: %q", oneLine(v.Before.Quote))
		}
		out.line("    confidence %.2f, %s", v.Confidence, origin(v))
	}
	if shown := in.Offset + len(e.Evidence); shown < e.Total {
		out.line("%d of %d are shown; the next ones: offset %d.", len(e.Evidence), e.Total, shown)
	}
	return nil
}

// origin says who read a sentence, or wrote it.
func origin(e knowledge.EdgeEvidence) string {
	switch {
	case e.MadeBy != nil:
		return "written by hand by " + oneLine(*e.MadeBy)
	case e.JobID != nil && e.Reader != nil:
		return "read by " + *e.JobID + " with " + oneLine(*e.Reader)
	case e.JobID != nil:
		return "read by " + *e.JobID
	}
	return "of unknown origin"
}
