package annealing

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/work"
)

const (
	sampledConcepts = 1000 // whose embeddings say how coherent an ontology is
	candidates      = 5    // concepts of each ontology that a promotion may be about
)

// Store measures ontologies, and keeps what was found.
type Store interface {
	measurer
	// StoreScores keeps scores, unless newer ones are kept.
	StoreScores(ctx context.Context, o curation.Scores) error
	// Scores returns those that are kept, of one ontology or for "" of all.
	Scores(ctx context.Context, name string) ([]curation.Scores, error)
	OntologyEdgesOf(ctx context.Context, id int) ([]curation.Edge, error)
	FinishAnnealing(ctx context.Context, c work.Claim, edges []curation.NewEdge, found curation.Annealed, next func(curation.Annealed) work.Checkpoint) (curation.Annealed, error)
}

// measurer reads the graph.
type measurer interface {
	// AnnealingOntologies returns all ontologies, or for a name that one or CodeNotFound.
	AnnealingOntologies(ctx context.Context, name string) (list []curation.Measures, epoch int64, err error)
	MeasureOntology(ctx context.Context, o curation.Measures, model string, most int) (curation.Measures, []models.Embedding, error)
	Affinities(ctx context.Context, id int) ([]curation.Affinity, error)
	Degrees(ctx context.Context, id, most int) ([]curation.ConceptDegree, error)
	DocumentsAbout(ctx context.Context, id int, conceptID string) (int, error)
	GraphEpoch(ctx context.Context) (int64, error)
}

// Annealing scores ontologies. Its methods may be called from many goroutines.
type Annealing struct {
	store Store
	model func() string // of the embeddings
}

// New returns an Annealing that compares embeddings of the model that model names.
func New(store Store, model func() string) *Annealing { return &Annealing{store, model} }

// Score scores an ontology, or for "" all of them, and keeps the scores. It calls each
// before the first ontology and after every one; its error ends it, and what was scored
// until then is kept. It returns CodeNotFound for an unknown ontology.
func (a *Annealing) Score(ctx context.Context, name string, each func(done, of int) error) ([]curation.Scores, error) {
	scores, _, _, err := a.score(ctx, name, true, each)
	return scores, err
}

// score also returns the affinities, by ontology with the greatest first, and the epoch.
func (a *Annealing) score(ctx context.Context, name string, keep bool, each func(done, of int) error) (scores []curation.Scores, near map[int][]curation.Affinity, epoch int64, err error) {
	list, epoch, err := a.store.AnnealingOntologies(ctx, name)
	if err != nil {
		return nil, nil, 0, err
	}
	if err := each(0, len(list)); err != nil {
		return nil, nil, 0, err
	}
	only := 0
	if name != "" {
		only = list[0].ID
	}
	affinities, err := a.store.Affinities(ctx, only)
	if err != nil {
		return nil, nil, 0, err
	}
	near = map[int][]curation.Affinity{}
	for _, n := range affinities {
		near[n.Ontology] = append(near[n.Ontology], n)
	}
	for i, o := range list {
		measured, vectors, err := a.store.MeasureOntology(ctx, o, a.model(), sampledConcepts)
		if err != nil {
			return nil, nil, 0, err
		}
		greatest := 0.0
		if len(near[o.ID]) > 0 {
			greatest = near[o.ID][0].Similarity
		}
		s := curation.NewScores(measured, vectors, greatest, epoch)
		if keep {
			if err := a.store.StoreScores(ctx, s); err != nil {
				return nil, nil, 0, err
			}
		}
		scores = append(scores, s)
		if err := each(i+1, len(list)); err != nil {
			return nil, nil, 0, err
		}
	}
	return scores, near, epoch, nil
}

// Candidates returns the concepts of an ontology with the most relationships within it, up
// to most. It returns CodeNotFound for an unknown ontology.
func (a *Annealing) Candidates(ctx context.Context, name string, most int) ([]curation.ConceptDegree, error) {
	o, err := a.one(ctx, name)
	if err != nil {
		return nil, err
	}
	return a.store.Degrees(ctx, o.ID, most)
}

// Affinity returns the ontologies that share the most concepts with one, up to most. It
// returns CodeNotFound for an unknown one.
func (a *Annealing) Affinity(ctx context.Context, name string, most int) ([]curation.Affinity, error) {
	o, err := a.one(ctx, name)
	if err != nil {
		return nil, err
	}
	list, err := a.store.Affinities(ctx, o.ID)
	return list[:min(most, len(list))], err
}

// Scores returns the scores that are kept, the best protected first, of one ontology or for
// "" of all; none of one that was not scored yet. It returns CodeNotFound for an unknown one.
func (a *Annealing) Scores(ctx context.Context, name string) ([]curation.Scores, error) {
	if name != "" {
		if _, err := a.one(ctx, name); err != nil {
			return nil, err
		}
	}
	return a.store.Scores(ctx, name)
}

// Epoch returns that of the graph.
func (a *Annealing) Epoch(ctx context.Context) (int64, error) { return a.store.GraphEpoch(ctx) }

// Edges returns how an ontology overlaps with others, as of the last annealing. It returns
// CodeNotFound for an unknown one.
func (a *Annealing) Edges(ctx context.Context, name string) ([]curation.Edge, error) {
	o, err := a.one(ctx, name)
	if err != nil {
		return nil, err
	}
	return a.store.OntologyEdgesOf(ctx, o.ID)
}

func (a *Annealing) one(ctx context.Context, name string) (curation.Measures, error) {
	list, _, err := a.store.AnnealingOntologies(ctx, name)
	if err != nil {
		return curation.Measures{}, err
	}
	return list[0], nil
}

// Cycle scores all ontologies, and proposes what should be changed: first what another
// ontology holds already, then what holds little, then what could be an ontology of its
// own, each ontology once. It calls each before the first step and after every one. All
// but the scores is kept at the end, in one transaction with the checkpoint that next
// makes; a dry run keeps nothing.
func (a *Annealing) Cycle(ctx context.Context, c work.Claim, o curation.Annealing, next func(curation.Annealed) work.Checkpoint, each func(done, of int) error) (curation.Annealed, error) {
	found := curation.Annealed{DryRun: o.DryRun, IDs: []int{}, Candidates: curation.AnnealingCandidates{
		Demotions: []curation.DemotionCandidate{}, Promotions: []curation.PromotionCandidate{}, Merges: []curation.MergingCandidate{},
	}}
	scores, near, epoch, err := a.score(ctx, "", !o.DryRun, func(done, of int) error { return each(done, 2*of) })
	if err != nil {
		return found, err
	}
	found.Epoch = epoch
	if !o.DryRun {
		found.Scores = len(scores)
	}
	run := cycle{a: a, o: o, found: &found, touched: map[int]bool{}, by: c.JobID}
	for _, s := range scores {
		run.merge(s, near[s.ID])
	}
	for _, s := range scores {
		run.demote(s, near[s.ID])
	}
	for i, s := range scores {
		if err := run.promote(ctx, s); err != nil {
			return found, err
		}
		if err := each(len(scores)+i+1, 2*len(scores)); err != nil {
			return found, err
		}
	}
	candidates := found.Candidates
	found.Demotions, found.Promotions, found.Merges = len(candidates.Demotions), len(candidates.Promotions), len(candidates.Merges)
	if o.DryRun {
		return found, nil
	}
	return a.store.FinishAnnealing(ctx, c, edgesOf(near), found, next)
}

// edgesOf returns the edges between ontologies.
func edgesOf(near map[int][]curation.Affinity) []curation.NewEdge {
	var all []curation.Affinity
	for _, list := range near {
		all = append(all, list...)
	}
	slices.SortFunc(all, func(x, y curation.Affinity) int {
		if x.Ontology != y.Ontology {
			return x.Ontology - y.Ontology
		}
		return x.Other - y.Other
	})
	return curation.Edges(all)
}

// cycle collects proposals. An ontology that one of them touches is in no other one: what
// is executed would change what the other one was made of.
type cycle struct {
	a       *Annealing
	o       curation.Annealing
	found   *curation.Annealed
	touched map[int]bool
	by      string
}

// merge proposes that an ontology becomes part of a larger one that holds most of it.
func (r *cycle) merge(s curation.Scores, near []curation.Affinity) {
	if p, ok := r.o.ProposeMerge(s, nearest(near)); ok {
		r.found.Candidates.Merges = append(r.found.Candidates.Merges, curation.MergingCandidate{Ontology: s.Name, Target: *p.Target, Affinity: near[0].Similarity})
		r.add(p)
	}
}

// demote proposes that an ontology that holds little becomes part of another one.
func (r *cycle) demote(s curation.Scores, near []curation.Affinity) {
	if _, ok := r.o.ProposeMerge(s, nearest(near)); ok || s.Lifecycle != ontologies.LifecycleActive || s.Protection >= r.o.DemotionThreshold {
		return
	}
	p, ok := r.o.ProposeDemotion(s, nearest(near))
	r.found.Candidates.Demotions = append(r.found.Candidates.Demotions, curation.DemotionCandidate{Ontology: s.Name, Protection: s.Protection, Target: p.Target})
	if ok {
		r.add(p)
	}
}

func nearest(near []curation.Affinity) *curation.Affinity {
	if len(near) == 0 {
		return nil
	}
	return &near[0]
}

// promote proposes that the documents about a concept become an ontology: the first of the
// candidates that there are documents enough about.
func (r *cycle) promote(ctx context.Context, s curation.Scores) error {
	if r.touched[s.ID] || s.Lifecycle != ontologies.LifecycleActive {
		return nil
	}
	list, err := r.a.store.Degrees(ctx, s.ID, candidates)
	if err != nil {
		return err
	}
	proposed := false
	for _, c := range list {
		if c.Degree < r.o.PromotionMinDegree || c.Centrality < r.o.PromotionCentrality {
			continue
		}
		r.found.Candidates.Promotions = append(r.found.Candidates.Promotions, curation.PromotionCandidate{Concept: c.Label, ConceptID: c.ConceptID, Ontology: s.Name, Degree: c.Degree})
		if proposed {
			continue
		}
		documents, err := r.a.store.DocumentsAbout(ctx, s.ID, c.ConceptID)
		if err != nil {
			return err
		}
		if p, ok := r.o.ProposePromotion(s, c, documents); ok {
			r.add(p)
			proposed = true
		}
	}
	return nil
}

func (r *cycle) add(p curation.Proposal) {
	if r.touched[p.OntologyID] || r.touched[p.TargetID] || len(r.found.Proposals) >= r.o.MaxProposals {
		return
	}
	r.touched[p.OntologyID] = true
	if p.TargetID != 0 {
		r.touched[p.TargetID] = true
	}
	p.MadeBy = r.by
	r.found.Proposals = append(r.found.Proposals, p)
}
