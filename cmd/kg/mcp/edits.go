package mcp

import (
	"context"
	"strings"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/knowledge"
)

// addEdits adds the tools that change and take away what is in the graph. Each says on request
// what it would do, and does nothing.
func (t toolset) addEdits(s *shelf) {
	add(s, tool[conceptEdit]{
		name: "edit_concept", title: "Change a concept", kind: changes, needs: access.ConceptsWrite, do: t.editConcept,
		example: `{"id":"lane_41","label":"worker lane","dry_run":true}`,
		about:   "Changes the label, the description or the other names of a concept. What is not given stays. With dry_run it only says what would change.",
	})
	add(s, tool[conceptRemoval]{
		name: "delete_note", title: "Delete a concept", kind: ends, needs: access.ConceptsDelete, do: t.deleteNote,
		example: `{"id":"lane_41","dry_run":true}`,
		about:   "Deletes a concept with its quotes and its relationships, such as one that was written down by mistake. With dry_run it only says what would go.",
	})
	add(s, tool[edgeRemoval]{
		name: "delete_relationship", title: "Delete a relationship", kind: ends, needs: access.GraphDelete, do: t.deleteRelationship,
		example: `{"from":"lane_41","type":"HAS_PART","to":"slot_7","dry_run":true}`,
		about:   "Deletes a relationship with the sentences that state it. With dry_run it only says what would go.",
	})
	add(s, tool[jobUndo]{
		name: "undo_job", title: "Undo an ingestion", kind: ends, needs: access.JobsWrite, do: t.undoJob,
		example: `{"id":"job_0123456789ab","dry_run":true}`,
		about:   "Takes what an ingestion has stored out of the graph: its document, with the concepts and relationships that no other document shows. With dry_run it only says what would go.",
	})
}

type conceptEdit struct {
	ID          string    `json:"id" jsonschema:"the concept's id"`
	Label       *string   `json:"label,omitempty" jsonschema:"what it is called from now on"`
	Description *string   `json:"description,omitempty" jsonschema:"what it is, in a sentence"`
	SearchTerms *[]string `json:"search_terms,omitempty" jsonschema:"other names for it, in place of those that it has"`
	DryRun      bool      `json:"dry_run,omitempty" jsonschema:"only say what would change"`
}

func (t toolset) editConcept(ctx context.Context, in conceptEdit, out *text) error {
	was, err := t.c.Concepts.Written(ctx, in.ID)
	if !in.DryRun { // first, since its refusal says most
		if _, err := t.c.Concepts.Edit(ctx, in.ID, knowledge.ConceptEdit{Label: in.Label, Description: in.Description, SearchTerms: in.SearchTerms}); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	verb := map[bool]string{true: "would be", false: "is"}[in.DryRun]
	changed := false
	tell := func(what, before, after string) {
		if before != after {
			changed = true
			out.line("%s: %q %s %q", what, oneLine(before), verb, oneLine(after))
		}
	}
	if in.Label != nil {
		tell("label", was.Label, *in.Label)
	}
	if in.Description != nil {
		before := ""
		if was.Description != nil {
			before = *was.Description
		}
		tell("description", before, *in.Description)
	}
	if in.SearchTerms != nil {
		tell("other names", strings.Join(was.SearchTerms, "; "), strings.Join(*in.SearchTerms, "; "))
	}
	if !changed {
		out.line("%s stays as it is.", in.ID)
	}
	return nil
}

type conceptRemoval struct {
	ID     string `json:"id" jsonschema:"the concept's id"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"only say what would go"`
}

func (t toolset) deleteNote(ctx context.Context, in conceptRemoval, out *text) error {
	gone, err := t.c.Concepts.PreviewDelete(ctx, in.ID)
	if err != nil {
		return err
	}
	if !in.DryRun {
		if err := t.c.Concepts.Delete(ctx, in.ID); err != nil {
			return err
		}
	}
	out.line("%s  id %s  %s, with %s and %s.", quoted(gone.Label), gone.ConceptID, removed(in.DryRun), count(gone.InstancesDeleted, "quote"), count(gone.RelationshipsDeleted, "relationship"))
	return nil
}

type edgeRemoval struct {
	From   string `json:"from" jsonschema:"the id of the concept that it points away from"`
	Type   string `json:"type" jsonschema:"its relationship type, such as CAUSES"`
	To     string `json:"to" jsonschema:"the id of the concept that it points to"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"only say what would go"`
}

func (t toolset) deleteRelationship(ctx context.Context, in edgeRemoval, out *text) error {
	edge := knowledge.WrittenEdge{FromID: in.From, Type: in.Type, ToID: in.To}
	gone, err := t.c.Edges.PreviewDelete(ctx, edge)
	if err != nil {
		return err
	}
	if !in.DryRun {
		if err := t.c.Edges.Delete(ctx, edge); err != nil {
			return err
		}
	}
	out.line("%s -%s-> %s  %s, with %s.", gone.FromID, gone.Type, gone.ToID, removed(in.DryRun), count(gone.EvidenceDeleted, "sentence"))
	return nil
}

type jobUndo struct {
	ID     string `json:"id" jsonschema:"the job's id, such as job_0123456789ab"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"only say what would go"`
}

func (t toolset) undoJob(ctx context.Context, in jobUndo, out *text) error {
	undo := t.c.Documents.Undo
	if in.DryRun {
		undo = t.c.Documents.PreviewUndo
	}
	gone, err := undo(ctx, in.ID)
	if err != nil {
		return err
	}
	out.line("%s (%s) of %s  %s, with %s, %s and %s.", quoted(gone.Filename), quoted(gone.Ontology), gone.JobID, removed(in.DryRun), count(gone.SourcesDeleted, "chunk"), count(gone.ConceptsDeleted, "concept"), count(gone.RelationshipsDeleted, "relationship"))
	out.line("%s, which other documents show.", count(gone.ConceptsKept, "concept")+map[bool]string{true: " would stay", false: " stay"}[in.DryRun])
	return nil
}

// removed says what became of something, or would.
func removed(dryRun bool) string {
	if dryRun {
		return "would go"
	}
	return "is deleted"
}
