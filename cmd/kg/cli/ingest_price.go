package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// mostNamedJobs is how many jobs a note names to be approved.
const mostNamedJobs = 5

// price waits until the documents are analysed, and says what all of them would take together, and
// how they are approved.
func (s *submission) price(ctx context.Context) error {
	outcomes, err := s.follow(ctx)
	if err != nil {
		return s.app.interrupted(err, s.jobs)
	}
	if err := follow.Broken(outcomes); err != nil {
		return err
	}
	whole := wholePrice{ontologies: map[string]bool{}}
	for _, j := range s.jobs {
		job, err := s.client.Jobs.Get(ctx, j.ID)
		if err != nil {
			return fmt.Errorf("read the estimate of %s: %w", j.Name, err)
		}
		whole.add(job)
	}
	fmt.Fprintf(s.app.out, "\n%s\n", whole.line())
	for _, name := range whole.failed {
		s.app.note("%s", show.OneLine(name))
	}
	switch n := len(whole.waiting); {
	case n == 0:
	case n <= mostNamedJobs:
		s.app.note("Approve with: kg jobs approve %s", strings.Join(whole.waiting, " "))
	default:
		for _, ontology := range slices.Sorted(maps.Keys(whole.ontologies)) {
			s.app.note("Approve all that wait with: kg jobs approve --ontology %s", show.OneLine(shellWord(ontology)))
		}
	}
	return follow.Verdict(outcomes)
}

// wholePrice is what several documents would take together.
type wholePrice struct {
	files, words, chunks int
	cost                 corpus.CostEstimate
	images               float64  // US dollars
	waiting, failed      []string // jobs that await approval, and why others do not
	ontologies           map[string]bool
}

func (w *wholePrice) add(job work.Job) {
	if job.Status != work.StatusAwaitingApproval || job.Analysis == nil {
		if job.Error != nil {
			w.failed = append(w.failed, subject(job)+": "+*job.Error)
		}
		return
	}
	w.files++
	w.waiting = append(w.waiting, job.ID)
	if job.Ontology != nil {
		w.ontologies[*job.Ontology] = true
	}
	if image := job.Analysis.ImageAnalysis; image != nil {
		w.chunks += image.Chunks
		w.images += image.EstimatedCost
		return
	}
	w.words += job.Analysis.FileStats.WordCount
	w.chunks += job.Analysis.FileStats.ChunkCount()
	w.cost.Total.CostLow += job.Analysis.Cost.Total.CostLow
	w.cost.Total.CostHigh += job.Analysis.Cost.Total.CostHigh
}

// line says it: 3 files, 1,200 words, 4 chunks: $0.02–$0.05 in all.
func (w *wholePrice) line() string {
	cost := w.cost
	cost.Total.CostLow, cost.Total.CostHigh = cost.Total.CostLow+w.images, cost.Total.CostHigh+w.images
	price := show.Price(cost)
	if price != "free" {
		price += " in all"
	}
	return fmt.Sprintf("%s, %s words, %s: %s", show.Counted(w.files, "file"), show.Number(w.words), show.Counted(w.chunks, "chunk"), price)
}

// shellWord is a name as a shell takes it.
func shellWord(name string) string {
	if strings.ContainsAny(name, " \t'\"\\$`&|;<>()*?[]#~!{}") || name == "" {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}
