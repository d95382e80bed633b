package library

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

const (
	askChunks     = 40  // chunks whose passages are compared
	askConcepts   = 8   // concepts that a question means, and whose neighbours count
	askNeighbours = 30  // concepts around each of them
	askEdges      = 20  // relationships that are shown
	fusion        = 60  // of reciprocal ranks: how little the first places differ (Cormack, Clarke and Büttcher 2009)
	answering     = 0.5 // share of a question's words that an answer has at least
	nearlySame    = 0.8 // share of words that two passages have in common
	leastConcept  = 0.5 // similarity of a concept that a question means
)

// places finds where in their documents chunks stand, and which words stand in any.
type places interface {
	store
	PlacesOfSources(ctx context.Context, ids []int) (map[int][]corpus.Place, error)
	// KnownWords returns those of the words that stand in some document of an ontology, or
	// of any when it is "", in its name, or name a concept that it shows.
	KnownWords(ctx context.Context, words []string, ontology string) (map[string]bool, error)
}

// explorer walks around a concept.
type explorer interface {
	concepts
	Neighborhood(ctx context.Context, q questions.NeighborhoodQuery) (questions.Neighborhood, error)
	// Evidence returns the surest sentences that state each of some relationships: those of an
	// ontology, or of all when it is "".
	Evidence(ctx context.Context, edges []knowledge.Edge, ontology string) ([][]knowledge.EdgeEvidence, error)
}

// Asker finds the passages that answer a question. It is safe for concurrent use.
type Asker struct {
	store places
	graph explorer
}

// NewAsker returns an Asker over what store has; g finds concepts and their neighbours.
func NewAsker(s places, g explorer) *Asker { return &Asker{store: s, graph: g} }

// asked is a question that is being answered.
type asked struct {
	questions.Question
	terms   []term                     // its words that name something
	meant   []questions.ConceptHit     // concepts that it means, best first
	labels  map[string]string          // of concepts around them, by id
	edges   []questions.SubgraphEdge   // between those
	ranks   []map[int]int              // of chunks: by words, by concepts, by neighbours
	shown   map[int]corpus.ShownSource // of the best chunks
	places  map[int][]corpus.Place     // where their texts stand
	related []string                   // ids of the neighbours, nearest first
}

// Ask returns what the documents say to a question. Chunks are ranked by their words, by
// the concepts that the question means, and by the neighbours of those; passages of the
// best chunks are ranked by their words; and the ranks are fused. It returns a CodeInvalid
// Error for a question that breaks a rule.
func (a *Asker) Ask(ctx context.Context, q questions.Question) (questions.AskAnswer, error) {
	if err := q.Validate(); err != nil {
		return questions.AskAnswer{}, err
	}
	x := &asked{Question: q, terms: termsOf(q.Text), labels: map[string]string{}}
	for _, step := range []func(context.Context, *asked) error{a.rankByWords, a.findConcepts, a.rankByConcepts, a.show} {
		if err := step(ctx, x); err != nil {
			return questions.AskAnswer{}, err
		}
	}
	all := x.candidates()
	best := x.best(all)
	answer := questions.AskAnswer{Question: q.Text, Passages: make([]questions.AskPassage, 0, len(best)), Concepts: x.concepts()}
	var err error
	if answer.Relationships, err = a.relationships(ctx, x); err != nil {
		return questions.AskAnswer{}, err
	}
	for _, p := range best {
		passage := p.shown(x)
		answer.Found = answer.Found || float64(passage.Words) > answering*float64(passage.WordsAsked)
		answer.Passages = append(answer.Passages, passage)
	}
	absent, err := a.absent(ctx, x, all)
	if err != nil {
		return questions.AskAnswer{}, err
	}
	answer.Absent = absent
	answer.Found = answer.Found && !slices.ContainsFunc(absent, x.names)
	return answer, nil
}

// rankByWords ranks chunks by full-text search.
func (a *Asker) rankByWords(ctx context.Context, x *asked) error {
	names := strings.Join(namingWords(x.Text), " ")
	if names == "" {
		x.ranks = append(x.ranks, nil)
		return nil
	}
	found, err := a.store.SourcesByWords(ctx, corpus.SourceQuery{Query: names, Ontology: x.Ontology, Limit: askChunks}, mostMatches)
	if err != nil {
		return err
	}
	slices.SortStableFunc(found, func(m, n corpus.SourceMatch) int {
		return cmp.Compare(n.Match.Similarity(n.Rank), m.Match.Similarity(m.Rank))
	})
	ranks := map[int]int{}
	for i, m := range found[:min(len(found), askChunks)] {
		ranks[m.Source] = i + 1
	}
	x.ranks = append(x.ranks, ranks)
	return nil
}

// findConcepts finds the concepts that the question means, and what is around them.
func (a *Asker) findConcepts(ctx context.Context, x *asked) error {
	search := questions.SearchQuery{Query: x.Text, Limit: askConcepts, MinSimilarity: new(leastConcept)}
	search.NoGrounding = true
	if x.Ontology != "" {
		search.Ontology = &x.Ontology
	}
	found, err := a.graph.Search(ctx, search)
	if err != nil {
		return err
	}
	x.meant = found.Results
	for _, c := range x.meant {
		x.labels[c.ConceptID] = c.Label
	}
	return a.lookAround(ctx, x)
}

// around are the concepts that the question means most, around which others count.
func (x *asked) around() []questions.ConceptHit { return x.meant[:min(len(x.meant), askConcepts/2)] }

// meet keeps a concept around those that the question means.
func (x *asked) meet(id, label string) {
	if _, known := x.labels[id]; !known {
		x.labels[id] = label
		x.related = append(x.related, id)
	}
}

// lookAround finds what is around the concepts that the question means, as far as its
// ontology says so.
func (a *Asker) lookAround(ctx context.Context, x *asked) error {
	around := questions.Measures{NoGrounding: true}
	for _, c := range x.around() {
		n, err := a.graph.Neighborhood(ctx, questions.NeighborhoodQuery{ConceptID: c.ConceptID, Ontology: x.Ontology, MaxHops: 1, Limit: askNeighbours, Measures: around})
		if kappa.ErrorCode(err) == kappa.CodeNotFound {
			continue // removed meanwhile
		}
		if err != nil {
			return err
		}
		for _, node := range n.Nodes {
			x.meet(node.ConceptID, node.Label)
		}
		x.edges = append(x.edges, n.Edges...)
	}
	return nil
}

// rankByConcepts ranks chunks by the concepts that they show: those that the question
// means, and then those around them.
func (a *Asker) rankByConcepts(ctx context.Context, x *asked) error {
	ids := make([]string, len(x.meant))
	weights := map[string]float64{}
	for i, c := range x.meant {
		ids[i], weights[c.ConceptID] = c.ConceptID, c.Score
	}
	for i, id := range x.related {
		weights[id] = 1 / float64(i+2)
	}
	for _, some := range [][]string{ids, x.related} {
		if len(some) == 0 {
			x.ranks = append(x.ranks, nil)
			continue
		}
		quotes, err := a.store.SourcesOfConcepts(ctx, some, corpus.SourceQuery{Query: x.Text, Ontology: x.Ontology}, mostMatches)
		if err != nil {
			return err
		}
		sums := map[int]float64{}
		for _, q := range quotes {
			sums[q.Source] += weights[q.ConceptID]
		}
		x.ranks = append(x.ranks, ranksOf(sums, askChunks))
	}
	return nil
}

// ranksOf returns the places of the greatest, from 1.
func ranksOf(sums map[int]float64, most int) map[int]int {
	keys := make([]int, 0, len(sums))
	for key := range sums {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b int) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	ranks := map[int]int{}
	for i, key := range keys[:min(len(keys), most)] {
		ranks[key] = i + 1
	}
	return ranks
}

// show reads the chunks that rank best in all.
func (a *Asker) show(ctx context.Context, x *asked) (err error) {
	sums := map[int]float64{}
	for _, ranks := range x.ranks {
		for chunk, rank := range ranks {
			sums[chunk] += reciprocal(rank)
		}
	}
	var numbers []int
	for chunk := range ranksOf(sums, askChunks) {
		numbers = append(numbers, chunk)
	}
	slices.Sort(numbers)
	if x.shown, err = a.store.ShownSources(ctx, numbers); err != nil {
		return err
	}
	x.places, err = a.store.PlacesOfSources(ctx, numbers)
	return err
}

// reciprocal is what a place in a ranking counts; none counts nothing.
func reciprocal(rank int) float64 {
	if rank == 0 {
		return 0
	}
	return 1 / float64(fusion+rank)
}

// concepts returns the concepts that the question means.
func (x *asked) concepts() []questions.AskConcept {
	all := make([]questions.AskConcept, 0, len(x.meant))
	for _, c := range x.meant {
		all = append(all, questions.AskConcept{ConceptID: c.ConceptID, Label: c.Label, Description: c.Description, Score: c.Score})
	}
	return all
}

// relationships returns what connects the concepts of the answer, with the sentences that
// state it when they are asked for.
func (a *Asker) relationships(ctx context.Context, x *asked) ([]questions.AskRelationship, error) {
	shown := x.strongest()
	all, edges := make([]questions.AskRelationship, len(shown)), make([]knowledge.Edge, len(shown))
	for i, e := range shown {
		edges[i] = e.Edge()
		all[i] = questions.AskRelationship{
			FromID: e.FromID, FromLabel: x.labels[e.FromID], Type: e.Type, ToID: e.ToID, ToLabel: x.labels[e.ToID], Confidence: e.Confidence,
		}
	}
	if !x.IncludeEvidence {
		return all, nil
	}
	sentences, err := a.graph.Evidence(ctx, edges, x.Ontology)
	for i := range sentences {
		all[i].Evidence = sentences[i]
	}
	return all, err
}

// strongest returns the relationships that join two concepts of the question, then the
// strongest of one of them; what is only RELATED_TO comes last.
func (x *asked) strongest() []questions.SubgraphEdge {
	meant := map[string]bool{}
	for _, c := range x.meant {
		meant[c.ConceptID] = true
	}
	weight := func(e questions.SubgraphEdge) float64 {
		w := e.Confidence
		if meant[e.FromID] && meant[e.ToID] {
			w += 2
		}
		if e.Type == vocabulary.TypeRelatedTo {
			w -= 4
		}
		return w
	}
	slices.SortStableFunc(x.edges, func(a, b questions.SubgraphEdge) int { return cmp.Compare(weight(b), weight(a)) })
	seen := map[[3]string]bool{}
	var all []questions.SubgraphEdge
	for _, e := range x.edges {
		key := [3]string{e.FromID, e.Type, e.ToID}
		if seen[key] || !meant[e.FromID] && !meant[e.ToID] || len(all) == askEdges {
			continue
		}
		seen[key] = true
		all = append(all, e)
	}
	return all
}
