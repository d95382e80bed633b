package graph

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// lateConcepts is how many of the concepts that were found are considered when the time
// for the search is over.
const lateConcepts = 1000

// discover searches for candidates around both poles, a hop further each time, so that
// something is found when the time is over. It does nothing when candidates are named.
func (a *analysis) discover(ctx context.Context, v view) error {
	if len(a.query.Candidates) > 0 || !a.query.AutoDiscover {
		return nil
	}
	v = v.filtered(a.query.RelationshipFilter)
	for hops := 1; hops <= a.query.MaxHops; hops++ {
		if err := a.report("searching for candidates", 10*hops); err != nil {
			return err
		}
		found, err := v.nhop(ctx, nhopQuery{seeds: a.poles[:], hops: hops, types: a.query.Types, most: v.limits.visited, workers: a.workers()})
		if errors.Is(err, errNothingRead) {
			found, err = ball{Completeness: questions.Completeness{TimedOut: true, Missing: kappa.ErrorMessage(err)}}, nil
		}
		if err != nil {
			return err
		}
		if found.TimedOut && len(found.concepts) < len(a.found.concepts) {
			a.found.Completeness = found.Completeness // it has not come as far as the hop before
			break
		}
		if a.found = found; found.TimedOut {
			break
		}
	}
	a.result.Completeness = a.found.Completeness
	return nil
}

// workers is how many others may help to read the tables.
func (a *analysis) workers() int {
	if !a.query.UseParallel {
		return -1
	}
	return a.query.MaxWorkers
}

// choose chooses the candidates: those that are named, or of those that were found some
// with the most relationships and some at random.
func (a *analysis) choose(ctx context.Context, v view) error {
	if a.chosen != nil {
		return nil
	}
	if len(a.named) > 0 || len(a.found.concepts) == 0 {
		a.chosen = make([]int, 0, len(a.named))
		for number := range a.named {
			a.chosen = append(a.chosen, number)
		}
		slices.Sort(a.chosen)
		return nil
	}
	if err := a.report("choosing candidates", 50); err != nil {
		return err
	}
	reached := a.found.concepts
	if a.result.TimedOut {
		reached = reached[:min(len(reached), lateConcepts)]
	}
	degrees, err := v.ConceptDegrees(ctx, a.model, reached)
	if err != nil {
		return err
	}
	a.chosen = choose(degrees, a.query.MaxCandidates, a.query.RandomShare, a.seed())
	return nil
}

// seed decides what is drawn at random: the same question is answered the same way.
func (a *analysis) seed() uint64 {
	if a.query.Seed != 0 {
		return a.query.Seed
	}
	h := fnv.New64a()
	for _, id := range []string{min(a.query.PositivePole, a.query.NegativePole), max(a.query.PositivePole, a.query.NegativePole)} {
		_, _ = h.Write([]byte(id + "\x00")) // never fails
	}
	return h.Sum64()
}

// choose returns up to most of the concepts with these degrees: a share of them, rounded,
// at random, the others by degree.
func choose(degrees map[int]int, most int, randomShare float64, seed uint64) []int {
	concepts := make([]int, 0, len(degrees))
	for c := range degrees {
		concepts = append(concepts, c)
	}
	slices.SortFunc(concepts, func(x, y int) int { return cmp.Or(cmp.Compare(degrees[y], degrees[x]), cmp.Compare(x, y)) })
	if len(concepts) <= most {
		return concepts
	}
	byDegree := most - int(math.Round(float64(most)*randomShare))
	rest := concepts[byDegree:]
	random := rand.New(rand.NewPCG(seed, uint64(most)))
	for i := range most - byDegree {
		j := i + random.IntN(len(rest)-i)
		rest[i], rest[j] = rest[j], rest[i]
	}
	return concepts[:most]
}
