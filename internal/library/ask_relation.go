package library

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	relationHops  = 4 // of a path that is shown, at most
	relationPaths = 3
)

// relate adds the shortest paths between the two concepts whose relation is asked for, with the
// sentences that state each step, when both are known by name. A graph that does not answer in
// time leaves the answer without them.
func (a *Asker) relate(ctx context.Context, x *asked) error {
	if x.form.name != questions.FormRelation {
		return nil
	}
	left, right, ok := answers.Relation(x.answer.Asked)
	from, to := x.named(left), x.named(right)
	if !ok || from == "" || to == "" || from == to {
		return nil
	}
	for _, ontology := range x.filter.names {
		q := questions.ConnectQuery{FromID: from, ToID: to, MaxHops: relationHops, IncludeEvidence: true, Ontology: ontology}
		q.Limit, q.NoGrounding = relationPaths, true
		found, err := a.graph.Connect(ctx, q)
		if code := kappa.ErrorCode(err); err != nil && code != kappa.CodeNotFound && code != kappa.CodeUnavailable {
			return err
		}
		x.answer.Paths = append(x.answer.Paths, found.Paths...)
	}
	slices.SortStableFunc(x.answer.Paths, func(a, b questions.Path) int { return a.Hops - b.Hops })
	x.answer.Paths = x.answer.Paths[:min(len(x.answer.Paths), relationPaths)]
	return nil
}

// named returns the id of the concept of a name, "" when none is called so. Within some
// ontologies it is the name that these have for it.
func (x *asked) named(name string) string {
	for _, c := range x.read.Concepts {
		if c.Named && (sameLabel(c.Label, name) || !x.filter.restricted() && slices.ContainsFunc(c.Names, func(n string) bool { return sameLabel(n, name) })) {
			return c.ConceptID
		}
	}
	return ""
}

func sameLabel(a, b string) bool {
	return naming.LabelKey(a) == naming.LabelKey(b) || naming.IdentityKey(a) == naming.IdentityKey(b)
}
