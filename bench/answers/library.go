package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// library is a server that has read articles.
type library struct {
	*serving.Server

	articles []article
	ontology string
	cluster  string // the data of its PostgreSQL
}

// open starts a server and has it read articles, each a document of one ontology.
func (b *bench) open(ctx context.Context, name string, articles []article) (*library, error) {
	server, err := serving.Start(ctx, b.kg)
	if err != nil {
		return nil, err
	}
	l := &library{Server: server, articles: articles, ontology: name, cluster: server.Cluster()}
	began := time.Now()
	if err := l.read(ctx); err != nil {
		server.Stop()
		return nil, err
	}
	paragraphs, words := 0, 0
	for _, a := range articles {
		paragraphs += len(a.paragraphs)
		words += len(strings.Fields(a.text()))
	}
	fmt.Printf("\n%s: %d documents of %d paragraphs and %d words, read in %.1f s\n", name, len(articles), paragraphs, words, time.Since(began).Seconds())
	return l, nil
}

// read submits the articles and waits until they are completed.
func (l *library) read(ctx context.Context) error {
	ids := make([]string, len(l.articles))
	for i, a := range l.articles {
		submitted, err := l.API.Documents.Submit(ctx, client.Document{Body: []byte(a.text()), Filename: a.filename(), Ontology: l.ontology, AutoApprove: true})
		if err != nil {
			return err
		}
		ids[i] = submitted.JobID
	}
	for i, id := range ids {
		for {
			job, err := l.API.Jobs.Get(ctx, id)
			if err != nil {
				return err
			}
			if job.Status == work.StatusCompleted {
				break
			}
			if job.Status == work.StatusFailed || job.Status == work.StatusCancelled {
				return fmt.Errorf("%s is %s", l.articles[i].title, job.Status)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	return nil
}

// ask asks for three passages.
func (l *library) ask(ctx context.Context, text string) (questions.AskAnswer, error) {
	q := questions.Question{Text: text, Limit: 3}
	if l.ontology != "" {
		q.Ontologies = []string{l.ontology}
	}
	return l.API.Graph.Ask(ctx, q)
}

// shows reports whether a passage is of the paragraph that a question belongs to: most of it
// stands there.
func (l *library) shows(p questions.AskPassage, q asked) bool {
	a := l.articles[q.article]
	if p.Filename != a.filename() && !strings.HasSuffix(p.Filename, a.filename()) {
		return false
	}
	start, end := a.span(q.paragraph)
	common := min(p.End, end) - max(p.Start, start)
	return 2*common > p.End-p.Start || 2*common > end-start
}
