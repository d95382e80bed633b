package projection

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/projection"
)

const (
	trustNeighbors = 12
	trustSample    = 500
	decimals       = 1e4 // coordinates are rounded to a ten-thousandth
)

// Store reads what is projected, and the projections that are kept.
type Store interface {
	// ProjectionInput returns CodeNotFound for an unknown ontology.
	ProjectionInput(ctx context.Context, q projection.Query, model string) (projection.Input, error)
	// ProjectionItems returns the items of an input too, as of the same moment.
	ProjectionItems(ctx context.Context, q projection.Query, model string) ([]projection.Item, projection.Input, error)
	// Projection returns CodeNotFound where none is kept.
	Projection(ctx context.Context, ontology, source string) (projection.Kept, error)
	// LookedAtProjection records that somebody looks at a projection.
	LookedAtProjection(ctx context.Context, ontology, source string) error
	RemoveProjection(ctx context.Context, ontology, source string, dry bool) (int64, error)
}

// Service makes projections. Its methods may be called from many goroutines.
type Service struct {
	store Store
	model func() string // of the embeddings
	now   func() time.Time
}

// NewService returns a Service for the embeddings of the model that model names.
func NewService(store Store, model func() string, now func() time.Time) *Service {
	return &Service{store: store, model: model, now: now}
}

// State returns the changelist that a projection of q would have now, and how many items.
func (s *Service) State(ctx context.Context, q projection.Query) (changelist string, items int, err error) {
	in, err := s.store.ProjectionInput(ctx, q, s.model())
	return Changelist(in, q), in.Items, err
}

// Kept returns the projection that is kept, and whether it is stale: its input has changed
// since. Somebody has looked at it then. It returns CodeNotFound where none is kept.
func (s *Service) Kept(ctx context.Context, ontology, source string) (projection.Kept, error) {
	kept, err := s.store.Projection(ctx, ontology, source)
	if err == nil {
		err = s.store.LookedAtProjection(ctx, ontology, source)
	}
	if err != nil {
		return kept, err
	}
	q := kept.Query
	q.Ontology, q.Source = ontology, source
	current, _, err := s.State(ctx, q)
	kept.Stale = current != kept.Changelist
	return kept, err
}

// Remove deletes the projections of an ontology, of one kind of item or of all for "", and
// returns how many; a dry run only counts them.
func (s *Service) Remove(ctx context.Context, ontology, source string, dry bool) (int64, error) {
	return s.store.RemoveProjection(ctx, ontology, source, dry)
}

// Changelist identifies the input of a projection: the epoch of the graph, the items with
// their embeddings, and the parameters.
func Changelist(in projection.Input, q projection.Query) string {
	q.Force, q.CreateArtifact, q.RefreshGrounding = false, false, false
	text, _ := json.Marshal(struct { // always encodes
		In projection.Input
		Q  projection.Query
	}{in, q})
	sum := sha256.Sum256(text)
	return "cl_" + hex.EncodeToString(sum[:8])
}

// Compute lays the items of q out. They begin where the projection that is kept has them,
// when it was made with the same parameters, so that a picture changes no more than what it
// shows; with force they do not.
func (s *Service) Compute(ctx context.Context, q projection.Query, report Report) (projection.Projection, error) {
	began := time.Now()
	items, in, err := s.store.ProjectionItems(ctx, q, s.model())
	if err != nil {
		return projection.Projection{}, err
	}
	items = alike(items)
	if len(items) < projection.MinItems {
		return projection.Projection{}, kappa.NewError(kappa.CodeInvalid, fmt.Sprintf("A projection needs at least %d items with an embedding, and %s has %d", projection.MinItems, q.Ontology, len(items)))
	}
	p := projection.Projection{
		Ontology: q.Ontology, ChangelistID: Changelist(in, q), Algorithm: q.Algorithm, Source: q.Source,
		Parameters: q.Parameters, ComputedAt: kappa.At(s.now()), GraphEpoch: in.Epoch,
	}
	start, err := s.start(ctx, q, items)
	if err != nil {
		return projection.Projection{}, err
	}
	vectors := make([]models.Embedding, len(items))
	for i, item := range items {
		vectors[i] = item.Vector
		items[i].Vector = nil // NewSpace has it
	}
	o := Options{
		Algorithm: q.Algorithm, Components: q.Components, Perplexity: q.Perplexity, Euclidean: q.Metric == "euclidean",
		NormalizeL2: q.NormalizeL2, Center: q.Center, Seed: seedOf(q.Ontology, p.ChangelistID), Start: start,
	}
	width := len(vectors[0])
	space := NewSpace(vectors, o)
	layout, err := Layout(ctx, space, o, report)
	if err != nil {
		return projection.Projection{}, err
	}
	clusters, count, err := Clusters(ctx, layout)
	if err != nil {
		return projection.Projection{}, err
	}
	p.Places = shownPlaces(items, layout, clusters, q)
	p.Statistics = sumUp(p.Places, count)
	p.Statistics.Dimensions = width
	if q.Algorithm == projection.AlgorithmTSNE {
		p.Statistics.Perplexity = new(projection.EffectivePerplexity(q.Perplexity, len(items)))
	}
	p.Statistics.Trustworthiness, err = Trustworthiness(ctx, space, layout, trustNeighbors, trustSample)
	p.Statistics.Trustworthiness = math.Round(p.Statistics.Trustworthiness*decimals) / decimals
	p.Statistics.Milliseconds = time.Since(began).Milliseconds()
	return p, err
}

// start returns where the projection that is kept has the items, nil for an item that it
// does not have, and nil at all where there is none that fits.
func (s *Service) start(ctx context.Context, q projection.Query, items []projection.Item) ([][]float64, error) {
	if q.Force || q.Algorithm != projection.AlgorithmTSNE {
		return nil, nil
	}
	kept, err := s.store.Projection(ctx, q.Ontology, q.Source)
	if kappa.ErrorCode(err) == kappa.CodeNotFound || err == nil && kept.Query.Parameters != q.Parameters {
		return nil, nil
	}
	var last projection.Projection
	if err == nil {
		err = json.Unmarshal(kept.Body, &last)
	}
	if err != nil {
		return nil, fmt.Errorf("read the last projection: %w", err)
	}
	places := make(map[string][]float64, len(last.Places))
	for _, p := range last.Places {
		places[p.ID] = []float64{p.X, p.Y, p.Z}
	}
	list := make([][]float64, len(items))
	for i, item := range items {
		list[i] = places[item.ID]
	}
	return list, nil
}

// alike returns the items whose embeddings have the same length as the first one:
// others cannot be compared.
func alike(items []projection.Item) []projection.Item {
	return slices.DeleteFunc(items, func(i projection.Item) bool {
		return len(i.Vector) == 0 || len(i.Vector) != len(items[0].Vector)
	})
}

// seedOf returns what decides about chance: the same for the same input.
func seedOf(ontology, changelist string) uint64 {
	sum := sha256.Sum256([]byte(ontology + "\x00" + changelist))
	var seed uint64
	for _, b := range sum[:8] {
		seed = seed<<8 | uint64(b)
	}
	return seed
}

func shownPlaces(items []projection.Item, layout [][]float64, clusters []int, q projection.Query) []projection.Place {
	list := make([]projection.Place, len(items))
	for i, item := range items {
		at := make([]float64, projection.MaxComponents)
		for k, v := range layout[i] {
			at[k] = math.Round(v*decimals) / decimals
		}
		list[i] = projection.Place{ID: item.ID, Label: item.Label, X: at[0], Y: at[1], Z: at[2], Ontology: item.Ontology, Kind: item.Kind}
		if q.IncludeGrounding {
			list[i].Grounding = rounded(item.Grounding)
		}
		if q.IncludeDegree {
			list[i].Degree = item.Degree
		}
		if clusters[i] != Noise {
			list[i].Cluster = &clusters[i]
		}
	}
	return list
}

// sumUp returns the statistics of places. A cluster is named after the item in it with
// the most relationships.
func sumUp(list []projection.Place, clusters int) projection.Statistics {
	s := projection.Statistics{Concepts: len(list), Clusters: clusters, ClusterSizes: map[string]int{}, ClusterNames: map[string]string{}}
	named := map[string]projection.Place{}
	for _, p := range list {
		if g := p.Grounding; g != nil {
			if s.GroundingRange == nil {
				s.GroundingRange = []float64{*g, *g}
			}
			s.GroundingRange[0], s.GroundingRange[1] = min(s.GroundingRange[0], *g), max(s.GroundingRange[1], *g)
		}
		if p.Cluster == nil {
			s.Noise++
			continue
		}
		key := strconv.Itoa(*p.Cluster)
		s.ClusterSizes[key]++
		if best, known := named[key]; !known || byDegree(p, best) < 0 {
			named[key] = p
			s.ClusterNames[key] = p.Label
		}
	}
	return s
}

func byDegree(a, b projection.Place) int {
	degree := func(p projection.Place) int {
		if p.Degree == nil {
			return 0
		}
		return *p.Degree
	}
	return cmp.Or(cmp.Compare(degree(b), degree(a)), cmp.Compare(a.ID, b.ID))
}

// rounded returns a figure as answers show it; nil stays nil.
func rounded(v *float64) *float64 {
	if v == nil {
		return nil
	}
	return knowledge.Rounded(*v)
}

// Changelist identifies the input of q as it is now, and that of the projection that is
// kept, "" where none is.
func (s *Service) Changelist(ctx context.Context, q projection.Query) (current, kept string, err error) {
	if current, _, err = s.State(ctx, q); err != nil {
		return "", "", err
	}
	last, err := s.store.Projection(ctx, q.Ontology, q.Source)
	if kappa.ErrorCode(err) == kappa.CodeNotFound {
		return current, "", nil
	}
	return current, last.Changelist, err
}
