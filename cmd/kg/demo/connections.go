package demo

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

const (
	treeBranches  = 7
	treeTwigs     = 2   // below each branch
	pathTries     = 150 // pairs that are tried for a path worth showing
	longestPath   = 4
	shortestPath  = 2
	wantedPath    = 3
	relatedWithin = 1
)

// connections shows the neighbourhood of one concept and a path between two.
func (d *demo) connections(ctx context.Context) error {
	d.announce("What is connected, and how")
	list, err := d.client.Concepts.List(ctx, questions.ConceptFilter{Ontology: ontology, Limit: knownConcepts})
	if err != nil {
		return fmt.Errorf("list the strongest concepts: %w", err)
	}
	root, found, err := d.liveliest(ctx, list.Concepts)
	if err != nil {
		return err
	}
	if found {
		for _, line := range root.draw(d.paint) {
			d.say("  %s", line)
		}
	} else {
		d.say("  No relationship was found between these concepts.")
	}
	path, found, err := d.bestPath(ctx, d.ends(list.Concepts))
	if err != nil {
		return err
	}
	if found {
		d.say("\n  From %s to %s:", d.paint.Bold(show.OneLine(path.Nodes[0].Label)), d.paint.Bold(show.OneLine(path.Nodes[len(path.Nodes)-1].Label)))
		d.say("%s", show.Wrap(show.Path(path), d.width, "  ", "    "))
		return d.sentences(ctx, path)
	}
	return nil
}

// sentences shows where each relationship of a path stands: the surest sentence of each.
func (d *demo) sentences(ctx context.Context, path questions.Path) error {
	answer, err := d.client.Graph.Connect(ctx, questions.ConnectQuery{FromID: path.Nodes[0].ID, ToID: path.Nodes[len(path.Nodes)-1].ID, MaxHops: longestPath, IncludeEvidence: true})
	if err != nil {
		return fmt.Errorf("read the sentences of a path: %w", err)
	}
	for _, p := range answer.Paths {
		if show.Path(p) != show.Path(path) {
			continue
		}
		for i, list := range p.Evidence {
			if len(list) > 0 {
				d.say("\n%s\n%s", d.paint.Dim(show.Wrap(show.Step(p, i), d.width, "  ", "    ")), show.Statement(list[0], d.width, d.paint, "    "))
			}
		}
	}
	return nil
}

// liveliest returns the neighbourhood, as a tree, of the concept with the most
// relationships that say something.
func (d *demo) liveliest(ctx context.Context, concepts []questions.ListedConcept) (root *branch, found bool, err error) {
	strength := map[string]int{}
	for i, hit := range concepts {
		strength[hit.ConceptID] = len(concepts) - i
	}
	best := 0
	for _, hit := range concepts[:min(len(concepts), shownConcepts+4)] {
		tree, err := d.neighbours(ctx, hit.ConceptID, hit.Label, "")
		if err != nil {
			return nil, false, err
		}
		for _, b := range tree.below {
			if b.kind != vocabulary.TypeRelatedTo && !slices.Contains(d.informative, b.id) {
				d.informative = append(d.informative, b.id)
			}
		}
		if score := tree.informative(); score > best {
			root, best = tree, score
		}
	}
	if root == nil {
		return nil, false, nil
	}
	root.keep(treeBranches, strength)
	for _, b := range root.below {
		twigs, err := d.neighbours(ctx, b.id, b.label, root.id)
		if err != nil {
			return nil, false, err
		}
		twigs.keep(treeTwigs, strength)
		b.below, b.hidden = twigs.below, 0
	}
	return root, true, nil
}

// neighbours returns a concept with its direct neighbours below it, except one.
func (d *demo) neighbours(ctx context.Context, id, label, except string) (*branch, error) {
	near, err := d.client.Graph.Related(ctx, questions.RelatedQuery{ConceptID: id, MaxDepth: relatedWithin})
	if err != nil {
		return nil, fmt.Errorf("find what is related to %s: %w", id, err)
	}
	concept, err := d.client.Concepts.Get(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read the concept %s: %w", id, err)
	}
	root := &branch{id: id, label: label}
	for _, r := range near.Results {
		if r.ConceptID == except || len(r.PathTypes) == 0 {
			continue
		}
		kind := r.PathTypes[0]
		outgoing := slices.ContainsFunc(concept.Relationships, func(o questions.ConceptRelationship) bool {
			return o.ToID == r.ConceptID && o.Type == kind
		})
		root.below = append(root.below, &branch{id: r.ConceptID, label: r.Label, kind: kind, forward: outgoing})
	}
	return root, nil
}

// ends returns the ids of concepts between which to look for a path: first
// those that an informative relationship joins to one of the strongest, because a
// path from there says something too, then the strongest themselves.
func (d *demo) ends(concepts []questions.ListedConcept) []string {
	ids := slices.Clone(d.informative)
	for _, hit := range concepts {
		if !slices.Contains(ids, hit.ConceptID) {
			ids = append(ids, hit.ConceptID)
		}
	}
	return ids
}

// bestPath returns the path between two of the concepts that is most worth
// showing: of two to four relationships, of many types.
func (d *demo) bestPath(ctx context.Context, ids []string) (best questions.Path, found bool, err error) {
	tries := 0
	for i, from := range ids {
		for _, to := range ids[i+1:] {
			if tries++; tries > pathTries {
				return best, found, nil
			}
			answer, err := d.client.Graph.Connect(ctx, questions.ConnectQuery{FromID: from, ToID: to, MaxHops: longestPath})
			if err != nil {
				return best, false, fmt.Errorf("connect %s and %s: %w", from, to, err)
			}
			for _, p := range answer.Paths {
				if p.Hops >= shortestPath && p.Hops <= longestPath && (!found || dullness(p) < dullness(best)) {
					best, found = p, true
				}
			}
		}
	}
	return best, found, nil
}

// dullness says how little a path says: relationships that only say that two
// concepts stand together, types that repeat, and a length far from the wanted
// one.
func dullness(p questions.Path) int {
	weak := 0
	types := map[string]bool{}
	for _, kind := range p.Relationships {
		types[kind] = true
		if kind == vocabulary.TypeRelatedTo {
			weak++
		}
	}
	return 4*weak + 2*(len(p.Relationships)-len(types)) + max(p.Hops-wantedPath, wantedPath-p.Hops)
}

// branch is a concept in a tree, and how it is related to the one above.
type branch struct {
	id, label string
	kind      string // relationship to the concept above; empty for the root
	forward   bool   // it points from above to here
	below     []*branch
	hidden    int // branches that are not shown
}

// informative says how much the branches say: most those whose relationship says
// more than that the two concepts stand together, and the others only as many
// as are shown.
func (b *branch) informative() int {
	strong := 0
	for _, child := range b.below {
		strong += 1 - rank(child.kind)
	}
	return 4*strong + min(len(b.below), treeBranches)
}

// keep keeps the branches that say most: those of an informative relationship, then
// those of a strong concept.
func (b *branch) keep(most int, strength map[string]int) {
	slices.SortStableFunc(b.below, func(x, y *branch) int {
		return cmp.Or(cmp.Compare(rank(x.kind), rank(y.kind)), cmp.Compare(strength[y.id], strength[x.id]))
	})
	b.hidden = max(0, len(b.below)-most)
	b.below = b.below[:len(b.below)-b.hidden]
}

// rank puts the weakest type last.
func rank(kind string) int {
	if kind == vocabulary.TypeRelatedTo {
		return 1
	}
	return 0
}

// draw draws the tree, a line for each concept.
func (b *branch) draw(p show.Paint) []string {
	return append([]string{p.Bold(show.OneLine(b.label))}, b.drawBelow(p, "")...)
}

func (b *branch) drawBelow(p show.Paint, margin string) []string {
	var lines []string
	for i, child := range b.below {
		fork, deeper := "├─", "│   "
		if i == len(b.below)-1 && b.hidden == 0 {
			fork, deeper = "└─", "    "
		}
		lines = append(lines, margin+fork+" "+p.Cyan(show.Arrow(child.kind, child.forward))+" "+show.OneLine(child.label))
		lines = append(lines, child.drawBelow(p, margin+deeper)...)
	}
	if b.hidden > 0 {
		lines = append(lines, margin+p.Dim("└─ and "+show.Number(b.hidden)+" more"))
	}
	return lines
}
