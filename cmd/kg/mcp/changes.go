package mcp

import (
	"context"
	"strings"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// addChanges adds the tools that say what has changed.
func (t toolset) addChanges(s *shelf) {
	add(s, tool[changesInput]{
		name: "changes", title: "What has changed", kind: reads, needs: access.GraphRead, do: t.changes,
		example: `{"since":"2026-01-31T08:00:00Z"}`,
		about:   "Lists the documents, concepts and relationships that the graph has gained and lost since a time, an epoch or a job. Ends with the time to ask with the next time.",
	})
	add(s, tool[compareInput]{
		name: "compare", title: "Compare versions of a document", kind: reads, needs: access.GraphRead, do: t.compare,
		example: `{"document_id":"sha256:0f3a"}`,
		about:   "Says what has changed between two versions of a document: concepts and relationships gained and lost, and passages whose text is another. Without versions, the newest and the one before.",
	})
	add(s, tool[versionsInput]{
		name: "versions", title: "List the versions of a document", kind: reads, needs: access.GraphRead, do: t.versions,
		example: `{"document_id":"sha256:0f3a"}`,
		about:   "Lists the versions of a document, the newest first, with when each stood. Questions are answered from the newest; with version, shows the text of that one.",
	})
}

type changesInput struct {
	Since    string `json:"since" jsonschema:"a time such as 2026-01-31T08:00:00Z, the number of an epoch, or the id of a job"`
	Ontology string `json:"ontology,omitempty" jsonschema:"only of this ontology"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many of each list" bounds:"1..100" standard:"20"`
	Offset   int    `json:"offset,omitempty" jsonschema:"how many of each list to leave out, for the next page" bounds:"0.."`
}

func (t toolset) changes(ctx context.Context, in changesInput, out *text) error {
	c, err := t.c.Graph.Changes(ctx, knowledge.ChangesQuery{Since: in.Since, Ontology: in.Ontology, Limit: in.Limit, Offset: in.Offset})
	if err != nil {
		return err
	}
	out.line("Since %s: %s came; %s and %s were gained; %d and %d of the documents that stood then were lost.", c.Since, count(c.Documents.GainedTotal, "document"),
		count(c.Concepts.GainedTotal, "concept"), count(c.Relationships.GainedTotal, "relationship"), c.Concepts.LostTotal, c.Relationships.LostTotal)
	for _, d := range c.Documents.Gained {
		what := "new document"
		if d.Before != nil {
			what = "new version of a document"
		}
		out.line("%s: %s (%s), version %d, %s, id %s", what, out.name(aDocument, d.DocumentID, d.Filename), quoted(d.Ontology), d.Version, d.At, d.DocumentID)
	}
	for _, d := range c.Documents.Lost {
		out.line("document taken out: id %s, %s", d.DocumentID, d.At)
	}
	for _, x := range c.Concepts.Gained {
		out.line("+ %s [%s]", out.concept(x.ConceptID, x.Label), x.ConceptID)
	}
	for _, x := range c.Concepts.Lost {
		if x.MergedInto != nil {
			out.line("- %s [%s], a part of %s now", quoted(x.Label), x.ConceptID, *x.MergedInto)
		} else {
			out.line("- %s [%s], of %s", quoted(x.Label), x.ConceptID, quoted(x.Filename))
		}
	}
	for _, e := range c.Relationships.Gained {
		out.line("+ %s [%s] -%s-> %s [%s]", out.concept(e.FromID, e.FromLabel), e.FromID, e.Type, out.concept(e.ToID, e.ToLabel), e.ToID)
	}
	for _, e := range c.Relationships.Lost {
		out.line("- %s [%s] -%s-> %s [%s]", quoted(e.FromLabel), e.FromID, e.Type, quoted(e.ToLabel), e.ToID)
	}
	if c.HasMore {
		out.more(c.Offset + c.Limit)
	}
	out.line("Ask the next time with since %s.", c.Until)
	return nil
}

type versionsInput struct {
	DocumentID string `json:"document_id" jsonschema:"the id of the document, or of any version of it"`
	Ontology   string `json:"ontology,omitempty" jsonschema:"of the ontologies that have it; without it the one that took it last"`
	Version    int    `json:"version,omitempty" jsonschema:"show the text of this one" bounds:"1.."`
}

func (t toolset) versions(ctx context.Context, in versionsInput, out *text) error {
	if in.Version != 0 {
		v, err := t.c.Documents.Version(ctx, in.DocumentID, in.Ontology, in.Version)
		if err != nil {
			return err
		}
		for _, chunk := range v.Text {
			out.line("%s", chunk.FullText)
		}
		return nil
	}
	list, err := t.c.Documents.Versions(ctx, in.DocumentID, in.Ontology)
	if err != nil {
		return err
	}
	for _, v := range list.Versions {
		until := "stands"
		if v.RetiredAt != nil {
			until = "until " + v.RetiredAt.String()
		}
		out.line("version %d of %s (%s), ingested %s, %s: %d words, %d concepts, id %s", v.Version, out.name(aDocument, v.DocumentID, v.Filename), quoted(list.Ontology), v.IngestedAt, until, v.Words, v.Concepts, v.DocumentID)
	}
	return nil
}

type compareInput struct {
	DocumentID string `json:"document_id" jsonschema:"the id of the document, or of any version of it"`
	Ontology   string `json:"ontology,omitempty" jsonschema:"of the ontologies that have it; without it the one that took it last"`
	Version    int    `json:"version,omitempty" jsonschema:"the earlier version; without it the one before the later" bounds:"1.."`
	With       int    `json:"with,omitempty" jsonschema:"the later version; without it the newest" bounds:"1.."`
	Limit      int    `json:"limit,omitempty" jsonschema:"how many of each list" bounds:"1..100" standard:"20"`
}

func (t toolset) compare(ctx context.Context, in compareInput, out *text) error {
	c, err := t.c.Documents.Compare(ctx, in.DocumentID, in.Ontology, corpus.CompareQuery{Version: in.Version, With: in.With, Limit: in.Limit})
	if err != nil {
		return err
	}
	out.line("%s (%s), from version %d to version %d:", out.name(aDocument, c.With.DocumentID, c.With.Filename), quoted(c.Ontology), c.Version.Version, c.With.Version)
	out.line("concepts: %d gained, %d lost, %d kept; relationships: %d gained, %d lost, %d kept; passages: %d changed, %d kept.", c.Concepts.GainedTotal, c.Concepts.LostTotal, c.Concepts.Kept,
		c.Relationships.GainedTotal, c.Relationships.LostTotal, c.Relationships.Kept, c.Passages.Total, c.Passages.Kept)
	for _, x := range c.Concepts.Gained {
		out.line("+ %s [%s]", out.concept(x.ConceptID, x.Label), x.ConceptID)
	}
	for _, x := range c.Concepts.Lost {
		out.line("- %s [%s]", quoted(x.Label), x.ConceptID)
	}
	for _, e := range c.Relationships.Gained {
		out.line("+ %s -%s-> %s", quoted(e.FromLabel), e.Type, quoted(e.ToLabel))
	}
	for _, e := range c.Relationships.Lost {
		out.line("- %s -%s-> %s", quoted(e.FromLabel), e.Type, quoted(e.ToLabel))
	}
	for _, p := range c.Passages.Changes {
		if p.Before != nil {
			out.line("- %q", strings.Join(strings.Fields(p.Before.Body), " "))
		}
		if p.After != nil {
			out.line("+ %q", strings.Join(strings.Fields(p.After.Body), " "))
		}
	}
	return nil
}
