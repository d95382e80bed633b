package postgres

import (
	"context"
	"fmt"
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge/programs"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// CatalogStore shows what was ingested as a tree: ontologies, their documents, the chunks
// of those.
type CatalogStore struct{ *base }

// Catalog returns the store of the catalogue.
func (d *DB) Catalog() CatalogStore { return CatalogStore{&d.base} }

// NewestConcepts returns the concepts that were made last, the last one first; of an
// ontology, or of all for "".
func (s CatalogStore) NewestConcepts(ctx context.Context, ontology string, most int) ([]programs.NewestConcept, error) {
	var rows []db.ConceptsNewestRow
	var err error
	if q := db.New(s.graph); ontology == "" {
		rows, err = q.ConceptsNewest(ctx, int32(most))
	} else {
		var within []db.ConceptsNewestInRow
		within, err = q.ConceptsNewestIn(ctx, int32(most), ontology)
		for _, r := range within {
			rows = append(rows, db.ConceptsNewestRow(r))
		}
	}
	list := make([]programs.NewestConcept, len(rows))
	for i, r := range rows {
		list[i] = programs.NewestConcept{
			ConceptID: r.ConceptID, Label: r.Label, Description: r.Description, SearchTerms: r.SearchTerms, Ontology: r.Ontology,
			CreationMethod: r.CreationMethod, CreatedAt: kappa.At(r.CreatedAt),
		}
	}
	return list, translate(err, "list the newest concepts")
}

// ConceptsByID returns what is stored of concepts, in no order; those that are gone are not
// there. Within an ontology, unless it is "", they are those that it shows.
func (s CatalogStore) ConceptsByID(ctx context.Context, ids []string, ontology string) ([]programs.NewestConcept, error) {
	rows, err := db.New(s.graph).ConceptsByID(ctx, ontology, orEmpty(ids))
	list := make([]programs.NewestConcept, len(rows))
	for i, r := range rows {
		list[i] = programs.NewestConcept{
			ConceptID: r.ConceptID, Label: r.Label, Description: r.Description, SearchTerms: r.SearchTerms, Ontology: r.Ontology,
			CreationMethod: r.CreationMethod, CreatedAt: kappa.At(r.CreatedAt),
		}
	}
	return list, translate(err, "show concepts")
}

// CatalogNode returns a node; CodeNotFound when there is none. An empty kind finds an
// ontology before a document before a chunk.
func (s CatalogStore) CatalogNode(ctx context.Context, id, kind, ontology string) (questions.CatalogNode, error) {
	node, _, err := s.node(ctx, id, kind, ontology)
	return node, err
}

// node returns a node with its number in its table.
func (s CatalogStore) node(ctx context.Context, id, kind, ontology string) (node questions.CatalogNode, row int32, err error) {
	if inNoRow(id, ontology) {
		return node, 0, catalogNotFound(id)
	}
	q := db.New(s.graph)
	epoch, err := q.GraphEpoch(ctx)
	if err != nil {
		return node, 0, translate(err, "read the graph's epoch")
	}
	find := map[string]func() error{
		questions.CatalogOntology: func() error {
			o, err := q.CatalogOntology(ctx, id)
			node, row = ontologyNode(db.CatalogOntologiesRow{ID: o.ID, Name: o.Name, LifecycleState: o.LifecycleState, CreationEpoch: o.CreationEpoch, CreatedAt: o.CreatedAt, Children: o.Children}), o.ID
			return err
		},
		questions.CatalogDocument: func() error {
			d, err := q.CatalogDocument(ctx, id, ontology)
			node, row = documentNode(db.CatalogDocumentsRow{DocumentID: d.DocumentID, Filename: d.Filename, ContentType: d.ContentType, CreatedAt: d.CreatedAt, JobID: d.JobID, Children: d.Children}, d.OntologyID, d.Ontology), d.ID
			return err
		},
		questions.CatalogSource: func() error {
			c, err := q.CatalogSource(ctx, id)
			node, row = sourceNode(db.CatalogSourcesRow{SourceID: c.SourceID, ChunkNumber: c.ChunkNumber, Words: c.Words, CreatedAt: c.CreatedAt, Concepts: c.Concepts}, questions.CatalogNode{ID: c.DocumentID, Name: c.Filename, ContentType: &c.ContentType}, c.Ontology), 0
			return err
		},
	}
	for _, k := range []string{questions.CatalogOntology, questions.CatalogDocument, questions.CatalogSource} {
		if kind != "" && kind != k {
			continue
		}
		err := find[k]()
		if err == nil {
			node.GraphEpoch = epoch
			return node, row, nil
		}
		if !isNoRows(err) {
			return node, 0, translate(err, "find a node of the catalogue")
		}
	}
	return questions.CatalogNode{}, 0, catalogNotFound(id)
}

func catalogNotFound(id string) error { return notFound("Catalog node not found: %s", id) }

// CatalogChildren returns what is directly below a node; CodeNotFound when there is no
// such node.
func (s CatalogStore) CatalogChildren(ctx context.Context, q questions.CatalogQuery) (questions.CatalogPage, error) {
	page := questions.CatalogPage{ChildKind: questions.CatalogOntology, Limit: q.Limit, Offset: q.Offset, Nodes: []questions.CatalogNode{}}
	if q.Fragment != "" {
		page.Query = &q.Fragment
	}
	var row int32
	if q.Parent != "" {
		parent, id, err := s.node(ctx, q.Parent, q.Kind, q.Ontology)
		if err != nil {
			return page, err
		}
		page.Parent, row = &parent, id
	}
	epoch, err := db.New(s.graph).GraphEpoch(ctx)
	if err == nil {
		err = s.children(ctx, q, row, &page)
	}
	if err == nil && len(page.Nodes) == 0 && q.Offset > 0 { // the rows have the total
		first, q := page, q
		q.Offset, q.Limit = 0, 1
		err = s.children(ctx, q, row, &first)
		page.Total = first.Total
	}
	for i := range page.Nodes {
		page.Nodes[i].GraphEpoch = epoch
	}
	return page, translate(err, "list the catalogue")
}

// children fills a page with what is below its parent, whose number is row.
func (s CatalogStore) children(ctx context.Context, q questions.CatalogQuery, row int32, page *questions.CatalogPage) error {
	queries, skip, most := db.New(s.graph), int32(q.Offset), int32(q.Limit)
	switch {
	case page.Parent == nil:
		rows, err := queries.CatalogOntologies(ctx, db.CatalogOntologiesParams{Sort: q.Sort, Skip: skip, Most: most, Fragment: q.Fragment})
		for _, r := range rows {
			page.Nodes, page.Total = append(page.Nodes, ontologyNode(r)), int(r.Total)
		}
		return err
	case page.Parent.Kind == questions.CatalogOntology:
		page.ChildKind = questions.CatalogDocument
		rows, err := catalogDocuments(ctx, queries, q, row)
		for _, r := range rows {
			page.Nodes, page.Total = append(page.Nodes, documentNode(r, row, page.Parent.Name)), int(r.Total)
		}
		return err
	case page.Parent.Kind == questions.CatalogDocument:
		page.ChildKind = questions.CatalogSource
		rows, err := queries.CatalogSources(ctx, db.CatalogSourcesParams{Sort: q.Sort, Skip: skip, Most: most, Fragment: q.Fragment, Document: row})
		for _, r := range rows {
			page.Nodes, page.Total = append(page.Nodes, sourceNode(r, *page.Parent, fmt.Sprint(page.Parent.Properties["ontology"]))), int(r.Total)
		}
		return err
	}
	page.ChildKind = questions.CatalogSource // nothing is below a chunk
	return nil
}

// catalogDocuments reads a page of documents: by the index of their names where that is their
// order.
func catalogDocuments(ctx context.Context, queries *db.Queries, q questions.CatalogQuery, ontology int32) ([]db.CatalogDocumentsRow, error) {
	if q.Fragment == "" && q.Sort == questions.CatalogByName {
		return queries.CatalogDocuments(ctx, ontology, int32(q.Offset), int32(q.Limit))
	}
	sorted, err := queries.CatalogDocumentsSorted(ctx, db.CatalogDocumentsSortedParams{
		Sort: q.Sort, Skip: int32(q.Offset), Most: int32(q.Limit), Fragment: q.Fragment, Ontology: ontology,
	})
	rows := make([]db.CatalogDocumentsRow, len(sorted))
	for i, r := range sorted {
		rows[i] = db.CatalogDocumentsRow(r)
	}
	return rows, err
}

func ontologyNode(o db.CatalogOntologiesRow) questions.CatalogNode {
	return questions.CatalogNode{
		ID: strconv.Itoa(int(o.ID)), Kind: questions.CatalogOntology, Name: o.Name, ChildCount: int(o.Children), CreatedAt: kappa.At(o.CreatedAt),
		Properties: map[string]any{"lifecycle_state": o.LifecycleState, "creation_epoch": o.CreationEpoch},
	}
}

func documentNode(d db.CatalogDocumentsRow, ontologyID int32, ontology string) questions.CatalogNode {
	parent := strconv.Itoa(int(ontologyID))
	return questions.CatalogNode{
		ID: d.DocumentID, Kind: questions.CatalogDocument, Name: d.Filename, ParentID: &parent, ChildCount: int(d.Children), ContentType: &d.ContentType,
		CreatedAt: kappa.At(d.CreatedAt), Properties: map[string]any{"ontology": ontology, "job_id": d.JobID},
	}
}

func sourceNode(s db.CatalogSourcesRow, document questions.CatalogNode, ontology string) questions.CatalogNode {
	return questions.CatalogNode{
		ID: s.SourceID, Kind: questions.CatalogSource, Name: document.Name + " #" + strconv.Itoa(int(s.ChunkNumber)), ParentID: &document.ID, ContentType: document.ContentType,
		CreatedAt: kappa.At(s.CreatedAt), Properties: map[string]any{"ontology": ontology, "paragraph": int(s.ChunkNumber), "words": int(s.Words), "concept_count": int(s.Concepts)},
	}
}
