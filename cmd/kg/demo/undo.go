package demo

import (
	"context"
	"fmt"

	"github.com/kappagraph/kappa/cmd/kg/show"
)

// undo takes the document that was submitted last out of the graph, and shows what went
// with it and what is left.
func (d *demo) undo(ctx context.Context) error {
	doc := d.documents[len(d.documents)-1]
	d.announce("Take a document out again: " + show.OneLine(doc.path))
	d.say("  %s", d.paint.Dim("kg jobs undo "+doc.job.ID))
	gone, err := d.client.Documents.Undo(ctx, doc.job.ID)
	if err != nil {
		return fmt.Errorf("undo the job of %s: %w", doc.path, err)
	}
	d.say("  gone:  %s, %s, %s and %s, which no other document supports", show.Counted(gone.SourcesDeleted, "chunk"), show.Counted(gone.InstancesDeleted, "quote"),
		show.Counted(gone.ConceptsDeleted, "concept"), show.Counted(gone.RelationshipsDeleted, "relationship"))
	d.say("  kept:  %s of it that other documents show too", show.Counted(gone.ConceptsKept, "concept"))
	stats, err := d.client.Graph.Stats(ctx)
	if err != nil {
		return fmt.Errorf("read the statistics: %w", err)
	}
	n := stats.Nodes
	d.say("  left:  %s, %s, %s and %s", show.Counted(n.Documents, "document"), show.Counted(n.Sources, "chunk"),
		show.Counted(n.Concepts, "concept"), show.Counted(stats.Relationships.Total, "relationship"))
	return nil
}
