package graph

import (
	"context"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// The tables are narrowed by their own statements, to several ontologies at once.

func (whole) ConceptRows(context.Context, questions.TableSelection, func(*questions.ConceptRow) error) error {
	return errWhole
}

func (whole) RelationshipRows(context.Context, questions.TableSelection, func(*questions.RelationshipRow) error) error {
	return errWhole
}

func (whole) EvidenceRows(context.Context, questions.TableSelection, func(*questions.EvidenceRow) error) error {
	return errWhole
}

func (whole) DocumentRows(context.Context, questions.TableSelection, func(*questions.DocumentRow) error) error {
	return errWhole
}

func (whole) TablesMark(context.Context) (questions.TablesMark, error) {
	return questions.TablesMark{}, errWhole
}
