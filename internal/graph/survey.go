package graph

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/graph/network"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	mostSurveyedEdges    = 2_000_000 // read at most: some seconds, and 100 MB
	mostSurveyedConcepts = 500_000
	mostSurveys          = 32 // remembered of one epoch
	namedBy              = 3  // concepts in the name of a community
)

// Centrality returns the concepts with the highest PageRank in the graph or in an
// ontology, and then by number. Relationships count by their confidence. It is
// computed once for each epoch of the graph.
//
// It returns a CodeInvalid Error that names every broken rule, or when the graph is
// too large for it, CodeNotFound for an unknown ontology, CodeUnavailable after the
// deadline.
func (g *Graph) Centrality(ctx context.Context, q questions.CentralityQuery) (result questions.Centrality, err error) {
	if err := q.Validate(); err != nil {
		return questions.Centrality{}, err
	}
	err = g.read(ctx, "the centrality of concepts", func(ctx context.Context, v view) error {
		s, err := v.survey(ctx, g.surveys, q.Ontology)
		if err != nil {
			return err
		}
		result.Surveyed = s.Surveyed
		list := s.central[:min(q.Limit, len(s.central))]
		summaries, err := v.summariesOf(ctx, list)
		if err != nil {
			return err
		}
		result.Results = central(list, summaries)
		return nil
	})
	return result, err
}

// Communities returns which concepts of the graph or of an ontology belong together,
// each community named by its concepts with the highest PageRank. Errors are those of
// Centrality.
func (g *Graph) Communities(ctx context.Context, q questions.CommunitiesQuery) (result questions.Communities, err error) {
	if err := q.Validate(); err != nil {
		return questions.Communities{}, err
	}
	err = g.read(ctx, "the communities of concepts", func(ctx context.Context, v view) error {
		s, err := v.survey(ctx, g.surveys, q.Ontology)
		if err != nil {
			return err
		}
		groups, modularity, err := s.communities(ctx, q.Resolution)
		if err != nil {
			return err
		}
		result = questions.Communities{Surveyed: s.Surveyed, Count: len(groups), Modularity: math.Round(modularity*1e4) / 1e4}
		result.Communities, err = v.named(ctx, s, groups[:min(q.Limit, len(groups))], q.PerGroup)
		return err
	})
	return result, err
}

// named shows groups of concepts, each by those with the highest rank.
func (v view) named(ctx context.Context, s *survey, groups [][]int, perGroup int) ([]questions.Community, error) {
	strongest := make([][]network.Central, len(groups))
	for i, group := range groups {
		strongest[i] = s.strongest(group, max(perGroup, namedBy))
	}
	summaries, err := v.summariesOf(ctx, slices.Concat(strongest...))
	if err != nil {
		return nil, err
	}
	named := make([]questions.Community, len(groups))
	for i, group := range groups {
		named[i] = community(central(strongest[i], summaries), len(group), s.Concepts, perGroup)
	}
	return named, nil
}

// community shows a group of concepts, of which the strongest are known.
func community(strongest []questions.CentralConcept, size, of, most int) questions.Community {
	var names []string
	for _, c := range strongest[:min(namedBy, len(strongest))] {
		names = append(names, c.Label)
	}
	return questions.Community{
		Name: strings.Join(names, ", "), Size: size, Share: math.Round(float64(size)/float64(of)*1e4) / 1e4,
		Concepts: strongest[:min(most, len(strongest))],
	}
}

// summariesOf reads what is shown of concepts.
func (v view) summariesOf(ctx context.Context, list []network.Central) (map[int]knowledge.ConceptSummary, error) {
	ids := make([]int, len(list))
	for i, c := range list {
		ids[i] = c.Concept
	}
	return v.summaries(ctx, ids)
}

// central shows concepts with their ranks, in their order.
func central(list []network.Central, summaries map[int]knowledge.ConceptSummary) []questions.CentralConcept {
	shown := make([]questions.CentralConcept, 0, len(list))
	for _, c := range list {
		if s, ok := summaries[c.Concept]; ok {
			shown = append(shown, questions.CentralConcept{
				ConceptID: s.ConceptID, Label: s.Label, Rank: c.Rank, In: c.In, Out: c.Out, Grounding: s.Grounding(),
			})
		}
	}
	return shown
}

// survey is what is known of the graph, or of an ontology, as a whole.
type survey struct {
	questions.Surveyed
	network *network.Network
	central []network.Central // the highest rank first
	place   map[int]int       // of each concept in central

	mu     sync.Mutex
	groups map[float64]grouping // by resolution
}

type grouping struct {
	groups     [][]int // concepts, of each group the highest rank first
	modularity float64
}

// communities returns the communities of s, computed once for each resolution.
func (s *survey) communities(ctx context.Context, resolution float64) ([][]int, float64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.groups[resolution]; ok {
		return known.groups, known.modularity, nil
	}
	groups, modularity, err := s.network.Communities(ctx, resolution)
	if err != nil {
		return nil, 0, err
	}
	if len(s.groups) >= mostSurveys {
		clear(s.groups)
	}
	for _, group := range groups {
		slices.SortFunc(group, func(a, b int) int { return cmp.Compare(s.place[a], s.place[b]) })
	}
	s.groups[resolution] = grouping{groups, modularity}
	return groups, modularity, nil
}

// strongest returns the concepts of a community with the highest rank.
func (s *survey) strongest(group []int, most int) []network.Central {
	list := make([]network.Central, min(most, len(group)))
	for i, c := range group[:len(list)] {
		list[i] = s.central[s.place[c]]
	}
	return list
}

// survey reads and ranks the graph, or an ontology, unless that was done in this epoch.
func (v view) survey(ctx context.Context, known *surveys, ontology string) (*survey, error) {
	number := 0
	var err error
	if ontology != "" {
		if number, err = v.OntologyNumber(ctx, ontology); err != nil {
			return nil, err
		}
	}
	epoch, err := v.GraphEpoch(ctx)
	if err != nil {
		return nil, err
	}
	for {
		s, wait := known.begin(epoch, number)
		switch {
		case s != nil:
			return s, nil
		case wait == nil: // it is for this caller to make it
			defer known.end(number)
			return v.makeSurvey(ctx, known, epoch, number, ontology)
		}
		select {
		case <-wait: // for who makes it, or has failed to
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// makeSurvey reads and ranks the graph, or an ontology.
func (v view) makeSurvey(ctx context.Context, known *surveys, epoch int64, number int, ontology string) (*survey, error) {
	read, err := v.network(ctx, number)
	if err != nil {
		return nil, err
	}
	s := &survey{network: read, place: map[int]int{}, groups: map[float64]grouping{}}
	s.Surveyed = questions.Surveyed{Concepts: read.Concepts(), Relationships: read.Relationships(), Epoch: epoch}
	if ontology != "" {
		s.Ontology = &ontology
	}
	if s.central, err = read.Centrality(ctx); err != nil {
		return nil, err
	}
	for i, c := range s.central {
		s.place[c.Concept] = i
	}
	known.keep(epoch, number, s)
	return s, nil
}

// network reads the concepts of an ontology and the relationships that were read in it, or
// all for 0.
func (v view) network(ctx context.Context, ontology int) (*network.Network, error) {
	concepts, err := v.ConceptsOf(ctx, ontology)
	if err != nil {
		return nil, err
	}
	if len(concepts) > mostSurveyedConcepts {
		return nil, tooLarge(mostSurveyedConcepts, "concepts")
	}
	read := func() ([]knowledge.Edge, error) { return v.NetworkEdges(ctx, mostSurveyedEdges+1) }
	if ontology != 0 {
		read = func() ([]knowledge.Edge, error) { return v.NetworkEdgesIn(ctx, ontology, mostSurveyedEdges+1) }
	}
	edges, err := read()
	if err != nil {
		return nil, err
	}
	if len(edges) > mostSurveyedEdges {
		return nil, tooLarge(mostSurveyedEdges, "relationships")
	}
	return network.New(concepts, edges), nil
}

func tooLarge(most int, what string) error {
	return kappa.Invalid(kappa.FieldError{
		In: "body", Name: "ontology", Rule: fmt.Sprintf("must name a smaller part of the graph: more than %d %s are too many to be analysed at once", most, what),
	})
}

// surveys remembers the surveys of one epoch of the graph. Each is made by one caller at a
// time; whoever asks meanwhile waits for it.
type surveys struct {
	mu    sync.Mutex
	epoch int64
	known map[int]*survey       // by ontology
	made  map[int]chan struct{} // likewise; closed when whoever makes it has ended
}

// begin returns a survey that is known, or what is closed when the caller who makes it has
// ended. With neither it is for this caller to make it, and to call end.
func (k *surveys) begin(epoch int64, ontology int) (s *survey, wait <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s := k.known[ontology]; epoch == k.epoch && s != nil {
		return s, nil
	}
	if made := k.made[ontology]; made != nil {
		return nil, made
	}
	if k.made == nil {
		k.made = map[int]chan struct{}{}
	}
	k.made[ontology] = make(chan struct{})
	return nil, nil
}

func (k *surveys) end(ontology int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.made[ontology])
	delete(k.made, ontology)
}

func (k *surveys) keep(epoch int64, ontology int, s *survey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if epoch < k.epoch {
		return
	}
	if epoch > k.epoch || k.known == nil || len(k.known) >= mostSurveys {
		k.epoch, k.known = epoch, map[int]*survey{}
	}
	k.known[ontology] = s
}
