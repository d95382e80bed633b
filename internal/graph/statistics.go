package graph

import (
	"time"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// reads counts what was read of the tables.
type reads struct {
	rows            int64
	chunks, workers int
}

// readsOf counts what the chunks of a level have, which so many workers helped to read.
func readsOf(chunks []chunk, helped int) reads {
	r := reads{chunks: len(chunks), workers: helped}
	for i := range chunks {
		r.rows += int64(len(chunks[i].ends))
	}
	return r
}

// statistics says what the levels of a question have read, when that is wanted.
func (v view) statistics(wanted bool, l *levels) *questions.QuestionStatistics {
	return v.statisticsOf(wanted, l.asked, l.work, time.Since(l.began))
}

func (v view) statisticsOf(wanted bool, asked []int, work reads, took time.Duration) *questions.QuestionStatistics {
	if !wanted {
		return nil
	}
	if asked == nil {
		asked = []int{}
	}
	return &questions.QuestionStatistics{
		InMemory: v.memory.View != nil, Frontier: asked, Rows: work.rows, Chunks: work.chunks, Workers: work.workers, Microseconds: took.Microseconds(),
	}
}
