package graph

import (
	"cmp"
	"context"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// placer reads what it takes to place concepts on an axis.
type placer interface {
	// ConceptNumbers returns the numbers of concepts by their ids; ids that no concept
	// has are left out.
	ConceptNumbers(ctx context.Context, conceptIDs []string) (map[string]int, error)
	// ConceptDegrees returns how many relationships each of the concepts has, in both
	// directions. It leaves those out that have no embedding of the model.
	ConceptDegrees(ctx context.Context, model string, ids []int) (map[int]int, error)
}

// analysis is the analysis of one axis, under way.
type analysis struct {
	query questions.PolarityQuery
	model string // of the embeddings
	yield func(p work.Progress) error
	kept  bool // the answer is a job's

	poles  [2]int         // the positive one, and the negative one
	line   *axis          // nil until the poles are read
	named  map[int]string // the candidates that the query names, by number
	found  ball           // what the search has found so far
	chosen []int          // the candidates; nil until they are chosen
	result questions.PolarityResult
}

// step is a part of an analysis.
type step func(ctx context.Context, v view) error

// run takes steps one after the other, up to the first that fails.
func (a *analysis) run(ctx context.Context, v view, steps ...step) error {
	for _, take := range steps {
		if err := take(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

// begin reads the poles, and the numbers of the candidates that are named.
func (a *analysis) begin(ctx context.Context, v view) (err error) {
	q := a.query
	a.result.Completeness = questions.Completeness{Complete: true}
	numbers, err := v.ConceptNumbers(ctx, append([]string{q.PositivePole, q.NegativePole}, q.Candidates...))
	if err != nil {
		return err
	}
	for i, id := range []string{q.PositivePole, q.NegativePole} {
		number, known := numbers[id]
		if !known {
			return kappa.NewError(kappa.CodeMalformed, "Concept '"+id+"' not found")
		}
		a.poles[i] = number
	}
	if a.result.GraphEpoch, err = v.knowing(a.poles[:]...).epoch(ctx); err != nil {
		return err
	}
	a.result.Skipped = []string{}
	a.named = map[int]string{}
	for _, id := range q.Candidates {
		if number, known := numbers[id]; !known {
			a.skip(id)
		} else if !slices.Contains(a.poles[:], number) {
			a.named[number] = id
		}
	}
	return a.span(ctx, v)
}

// span reads the embeddings of the poles and lays the axis through them.
func (a *analysis) span(ctx context.Context, v view) error {
	concepts, err := v.ConceptEmbeddings(ctx, a.model, a.poles[:])
	if err != nil {
		return err
	}
	var ends [2]models.Embedding
	for _, c := range concepts {
		ends[slices.Index(a.poles[:], c.ID)] = c.Embedding
	}
	for i, id := range []string{a.query.PositivePole, a.query.NegativePole} {
		if !finite(ends[i]) {
			return kappa.NewError(kappa.CodeMalformed, "Concept '"+id+"' has no embedding of the model "+a.model+" and cannot be a pole; name another concept")
		}
	}
	line, ok := newAxis(ends[0], ends[1])
	if !ok {
		return kappa.NewError(kappa.CodeMalformed, "The poles '"+a.query.PositivePole+"' and '"+a.query.NegativePole+
			"' are too similar for an axis between them; name concepts that differ more")
	}
	a.line = &line
	return nil
}

// place reads the embeddings of the candidates, all in one query, and computes the answer.
func (a *analysis) place(ctx context.Context, v view) error {
	if err := a.report("placing candidates", 70); err != nil {
		return err
	}
	embedded, err := v.ConceptEmbeddings(ctx, a.model, a.chosen)
	if err != nil {
		return err
	}
	summaries, err := v.summaries(ctx, append(slices.Clip(a.chosen), a.poles[:]...))
	if err != nil {
		return err
	}
	list := make([]questions.PolarityProjection, 0, len(embedded))
	done := 0
	for chunk := range slices.Chunk(embedded, a.query.ChunkSize) {
		list = append(list, a.project(chunk, summaries)...)
		done += len(chunk)
		if err := a.reportPlaced(ctx, done, len(embedded)); err != nil {
			return err
		}
	}
	for _, id := range a.named {
		a.skip(id) // it has no embedding
	}
	a.complete(list, summaries)
	return a.report("completed", 100)
}

// project returns where some candidates stand.
func (a *analysis) project(candidates []knowledge.EmbeddedConcept, summaries map[int]knowledge.ConceptSummary) []questions.PolarityProjection {
	list := make([]questions.PolarityProjection, 0, len(candidates))
	for _, c := range candidates {
		if !a.line.fits(c.Embedding) {
			continue
		}
		p := a.line.project(c.Embedding)
		p.ConceptID, p.Label, p.Grounding = c.ConceptID, summaries[c.ID].Label, groundingNumber(summaries[c.ID])
		list = append(list, p)
		delete(a.named, c.ID)
	}
	return list
}

// complete fills in the answer, once the candidates are placed.
func (a *analysis) complete(list []questions.PolarityProjection, summaries map[int]knowledge.ConceptSummary) {
	slices.SortFunc(list, func(x, y questions.PolarityProjection) int {
		return cmp.Or(cmp.Compare(y.Position, x.Position), cmp.Compare(x.ConceptID, y.ConceptID))
	})
	slices.Sort(a.result.Skipped)
	a.result.Success = true
	a.result.Axis = questions.PolarityAxis{
		Positive: poleOf(a.query.PositivePole, summaries[a.poles[0]]), Negative: poleOf(a.query.NegativePole, summaries[a.poles[1]]),
		Magnitude: a.line.magnitude, Quality: a.line.quality(),
	}
	a.result.Projections = list
	a.result.Statistics = polarityStatistics(list)
	a.result.Correlation = polarityCorrelation(list)
}

// late records that the time for the search is over, unless the candidates were known
// by then.
func (a *analysis) late(context.Context, view) error {
	if a.chosen == nil {
		a.result.Complete, a.result.TimedOut = false, true
		a.result.Missing = "the time for the search for candidates was over before its end; what it had found by then is shown. Give it more time, which a job may have, or fewer hops"
	}
	return nil
}

func (a *analysis) skip(id string) {
	if !slices.Contains(a.result.Skipped, id) {
		a.result.Skipped = append(a.result.Skipped, id)
	}
}

// report yields between two steps. percent is how much of the analysis is done.
func (a *analysis) report(stage string, percent int) error {
	return a.yield(work.Progress{Stage: stage, Percent: percent, ItemsProcessed: len(a.chosen), ItemsTotal: len(a.chosen)})
}

// reportPlaced says how many candidates are placed, and returns why the analysis has to
// stop, if it has to.
func (a *analysis) reportPlaced(ctx context.Context, done, all int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return a.yield(work.Progress{Stage: "placing candidates", Percent: 70 + 29*done/all, ItemsProcessed: done, ItemsTotal: all})
}

func poleOf(id string, s knowledge.ConceptSummary) questions.PolarityPole {
	return questions.PolarityPole{ConceptID: id, Label: s.Label, Grounding: groundingNumber(s), Description: s.Description}
}

// groundingNumber is the grounding strength of a concept, 0 when it is not known.
func groundingNumber(s knowledge.ConceptSummary) float64 {
	if s.Strength == nil {
		return 0
	}
	return *s.Strength
}
