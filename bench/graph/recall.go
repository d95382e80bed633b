package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// recallCandidates are the numbers of candidates that recall is measured for.
var recallCandidates = []int{100, 300, 1000, 2000}

func recallHeading() []string {
	heading := []string{"of the ten nearest"}
	for _, n := range recallCandidates {
		heading = append(heading, fmt.Sprintf("%d candidates", n))
	}
	return heading
}

// hit counts what was found of what there is.
type hit struct{ found, all int }

func (h hit) String() string {
	if h.all == 0 {
		return "none"
	}
	return fmt.Sprintf("%.4f of %d", float64(h.found)/float64(h.all), h.all)
}

// recall returns the share of the ten nearest concepts of each query that are among so
// many candidates whose signatures differ least: of all, and of those that a search
// with the usual and with a loose threshold shows.
func (l *library) recall(queries []string) [][]string {
	signatures := make([]models.Signature, len(l.embeddings))
	inParallel(len(signatures), func(i int) { signatures[i] = l.embeddings[i].Signature() })
	thresholds := []float64{-1, questions.LooseSimilarity, questions.DefaultSimilarity}
	hits := make([][]hit, len(thresholds))
	for i := range hits {
		hits[i] = make([]hit, len(recallCandidates))
	}
	var mu sync.Mutex
	embedder := extract.BuiltinEmbedder()
	inParallel(len(queries), func(i int) {
		list, err := embedder.Embed(context.Background(), queries[i:i+1])
		if err != nil {
			return // it fails with its context only
		}
		cosines := make([]float64, len(l.embeddings))
		for n, e := range l.embeddings {
			cosines[n] = list[0].Cosine(e)
		}
		distances := make([]int, len(signatures))
		own := list[0].Signature()
		for n, s := range signatures {
			distances[n] = own.Distance(s)
		}
		byCosine := order(len(cosines), func(a, b int) int { return cmp.Compare(cosines[b], cosines[a]) })
		byDistance := order(len(distances), func(a, b int) int { return cmp.Compare(distances[a], distances[b]) })
		rank := make([]int, len(byDistance))
		for place, n := range byDistance {
			rank[n] = place
		}
		mu.Lock()
		defer mu.Unlock()
		for t, threshold := range thresholds {
			for _, n := range byCosine[:10] {
				if cosines[n] < threshold {
					continue
				}
				for c, most := range recallCandidates {
					hits[t][c].all++
					if rank[n] < most {
						hits[t][c].found++
					}
				}
			}
		}
	})
	var rows [][]string
	for t, name := range []string{"all", "from 0.3 on", "from 0.6 on"} {
		row := []string{name}
		for _, h := range hits[t] {
			row = append(row, h.String())
		}
		rows = append(rows, row)
	}
	return rows
}

// order returns 0 to n-1 in the order of compare, then ascending.
func order(n int, compare func(a, b int) int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, compare)
	return list
}

// inParallel calls do for 0 to n-1 on two processors.
func inParallel(n int, do func(i int)) {
	var workers sync.WaitGroup
	for w := range 2 {
		workers.Go(func() {
			for i := w; i < n; i += 2 {
				do(i)
			}
		})
	}
	workers.Wait()
}
