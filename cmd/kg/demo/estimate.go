package demo

import (
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// took is what the analyses of documents have estimated, and what their ingestion took.
type took struct {
	chunksEstimated, chunks               int
	conceptsLow, conceptsHigh, concepts   int
	documents, withinBand, chunksExpected int // documents; those within the estimate of their concepts; those with as many chunks
	estimate                              corpus.CostRange
	cost                                  float64 // US dollars
}

// compare adds up what was estimated of jobs and what they took. Jobs without an analysis
// or a result are left out.
func compare(jobs []work.Job) (took, error) {
	var all took
	for _, job := range jobs {
		if job.Analysis == nil || len(job.Result) == 0 {
			continue
		}
		var result struct {
			Stats struct {
				Chunks int `json:"chunks_processed"`
				corpus.Counts
			} `json:"stats"`
			Cost struct {
				Total float64 `json:"total_usd"`
			} `json:"cost"`
		}
		if err := json.Unmarshal(job.Result, &result); err != nil {
			return took{}, fmt.Errorf("read the result of the job %s: %w", job.ID, err)
		}
		estimated, e := job.Analysis.FileStats.ChunkCount(), job.Analysis.Cost
		concepts := result.Stats.ConceptsCreated + result.Stats.ConceptsLinked
		all.documents++
		all.chunksEstimated += estimated
		all.chunks += result.Stats.Chunks
		if estimated == result.Stats.Chunks {
			all.chunksExpected++
		}
		all.conceptsLow += e.Embeddings.ConceptsLow
		all.conceptsHigh += e.Embeddings.ConceptsHigh
		all.concepts += concepts
		if e.Embeddings.ConceptsLow <= concepts && concepts <= e.Embeddings.ConceptsHigh {
			all.withinBand++
		}
		all.estimate.CostLow += e.Total.CostLow
		all.estimate.CostHigh += e.Total.CostHigh
		all.cost += result.Cost.Total
	}
	return all, nil
}

// writeEstimates draws the estimate of all documents beside what they took.
func (d *demo) writeEstimates() error {
	jobs := make([]work.Job, len(d.documents))
	for i, doc := range d.documents {
		jobs[i] = doc.job
	}
	all, err := compare(jobs)
	if err != nil {
		return err
	}
	of := func(n int) string { return fmt.Sprintf("%d of %d", n, all.documents) }
	spent := "free"
	if all.cost > 0 {
		spent = kappa.Dollars(all.cost)
	}
	g := show.NewGrid(show.Column{Name: "all documents"}, show.Column{Name: "estimate", Right: true}, show.Column{Name: "actual", Right: true}, show.Column{Name: "documents as estimated", Right: true})
	g.Add("chunks", show.Number(all.chunksEstimated), show.Number(all.chunks), of(all.chunksExpected))
	g.Add("concepts named", show.Number(all.conceptsLow)+"–"+show.Number(all.conceptsHigh), show.Number(all.concepts), of(all.withinBand))
	g.Add("cost", show.Price(corpus.CostEstimate{Total: all.estimate}), spent, "")
	d.say("")
	d.grid(g)
	d.say("")
	return nil
}
