package postgres

import (
	"context"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// Past returns what stood at a moment in ontologies, or in all for none: as of one moment now. What
// was deleted since is not there. It returns CodeNotFound for an epoch that is not known, and
// CodeTooLarge where more than corpus.MostPastPassages would have to be read.
func (s LibraryStore) Past(ctx context.Context, a corpus.AsOf, ontologies []string) (past corpus.Past, err error) {
	err = GraphStore(s).View(ctx, func(v *GraphSnapshot) error {
		past = corpus.Past{At: a.At, Documents: map[int32]bool{}}
		if a.Epoch != 0 {
			at, err := v.q.ChangesOfEpoch(ctx, a.Epoch)
			if isNoRows(err) {
				return notFound("Epoch not found: %d", a.Epoch)
			}
			if err != nil {
				return err
			}
			past.At = at
		}
		stood, err := v.q.VersionsStood(ctx, past.At, orEmpty(ontologies))
		if err != nil {
			return err
		}
		for _, id := range stood {
			past.Documents[id] = true
		}
		rows, err := v.q.VersionsPassagesStood(ctx, past.At, orEmpty(ontologies), corpus.MostPastPassages+1)
		if err != nil {
			return err
		}
		if len(rows) > corpus.MostPastPassages {
			return kappa.NewError(kappa.CodeTooLarge, fmt.Sprintf("More than %d passages of earlier versions stood then; ask within one ontology", corpus.MostPastPassages))
		}
		past.Passages = make([]corpus.ShownPassage, len(rows))
		for i := range rows {
			past.Passages[i] = pastPassage(&rows[i], int32(-1-i))
		}
		return nil
	})
	return past, translate(err, "read what stood")
}

func pastPassage(r *db.VersionsPassagesStoodRow, id int32) corpus.ShownPassage {
	return corpus.ShownPassage{
		StoredPassage: corpus.StoredPassage{
			PassageKey: corpus.PassageKey{ID: id, Source: id, Document: -r.Version, Ontology: r.OntologyID},
			Passage: corpus.Passage{
				Number: int(r.Number), Span: corpus.Span{Start: int(r.StartByte), End: int(r.EndByte)}, StartChar: int(r.StartChar), EndChar: int(r.EndChar),
				Text: r.Body, Class: corpus.PassageClass(r.Class), Language: r.Language, Page: int(r.Page), Section: r.Section, Columns: r.Columns, Defines: r.Defines,
			},
			Filename: r.Filename, Path: r.SourcePath,
		},
		DocumentID: r.DocumentID, OntologyName: r.Ontology, SourceID: r.SourceID, Chunk: int(r.Chunk), ContentType: corpus.ContentType(r.ContentType), CreatedAt: kappa.At(r.CreatedAt),
	}
}
