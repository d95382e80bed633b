package demo

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// submit submits the documents without approval and shows what the server says
// about them.
func (d *demo) submit(ctx context.Context) error {
	d.announce(fmt.Sprintf("Submit %s to the ontology %q, for analysis only", show.Counted(len(d.documents), "document"), ontology))
	for i := range d.documents {
		doc := &d.documents[i]
		done, err := d.client.Documents.Submit(ctx, client.Document{Body: doc.body, Filename: doc.path, Ontology: ontology, SourceType: "file"})
		if err != nil {
			return fmt.Errorf("submit %s: %w", doc.path, err)
		}
		doc.job.ID = done.JobID
	}
	f := follow.New(d.client, follow.Silent{})
	f.AtOnce = len(d.documents)
	f.Stop = func(u client.Update) bool { return u.Status() == work.StatusAwaitingApproval }
	outcomes, err := f.Run(ctx, d.jobs())
	if err != nil {
		return err
	}
	for _, check := range []func([]follow.Outcome) error{follow.Broken, follow.Verdict} {
		if err := check(outcomes); err != nil {
			return fmt.Errorf("analyse the documents: %w", err)
		}
	}
	if err := d.refresh(ctx); err != nil {
		return err
	}
	d.writeAnalyses()
	return nil
}

// jobs returns the documents' jobs, named after the documents.
func (d *demo) jobs() []follow.Job {
	jobs := make([]follow.Job, len(d.documents))
	for i, doc := range d.documents {
		jobs[i] = follow.Job{ID: doc.job.ID, Name: doc.path}
	}
	return jobs
}

// refresh reads the jobs as they are now.
func (d *demo) refresh(ctx context.Context) error {
	for i := range d.documents {
		job, err := d.client.Jobs.Get(ctx, d.documents[i].job.ID)
		if err != nil {
			return fmt.Errorf("read the job of %s: %w", d.documents[i].path, err)
		}
		d.documents[i].job = job
	}
	return nil
}

// writeAnalyses draws what the server said about each document.
func (d *demo) writeAnalyses() {
	g := show.NewGrid(show.Column{Name: "document"}, show.Column{Name: "words", Right: true}, show.Column{Name: "chunks", Right: true}, show.Column{Name: "cost", Right: true}, show.Column{Name: "warnings", Flex: true})
	words := 0
	model := ""
	for _, doc := range d.documents {
		a := doc.job.Analysis
		if a == nil {
			g.Add(doc.path, "", "", "", "no analysis")
			continue
		}
		warning := ""
		if len(a.Warnings) > 0 {
			warning = a.Warnings[0]
		}
		g.Add(doc.path, show.Number(a.FileStats.WordCount), show.Number(a.FileStats.ChunkCount()), show.Price(a.Cost), warning)
		words, model = words+a.FileStats.WordCount, a.Cost.Extraction.Model
	}
	d.grid(g)
	d.say("  %s words in all, to be read by the extractor %q", show.Number(words), show.OneLine(model))
}

// approve approves the documents, and follows their jobs to the end.
func (d *demo) approve(ctx context.Context) error {
	d.announce("Approve them all, and watch")
	jobs := d.jobs()
	times := newFirstChunks(jobs)
	f := follow.New(d.client, d.display(jobs))
	f.AtOnce, f.Observe = len(jobs), times.observe
	following, cancel := context.WithCancel(ctx)
	defer cancel()
	var outcomes []follow.Outcome
	var followErr error
	var watching sync.WaitGroup
	watching.Go(func() { outcomes, followErr = f.Run(following, jobs) })
	err := d.approveAll(ctx, times)
	if err != nil {
		cancel()
	}
	watching.Wait()
	if err != nil {
		return err
	}
	if followErr != nil {
		return followErr
	}
	for _, check := range []func([]follow.Outcome) error{follow.Broken, follow.Verdict} {
		if err := check(outcomes); err != nil {
			return err
		}
	}
	if err := d.refresh(ctx); err != nil {
		return err
	}
	if err := d.writeEstimates(); err != nil {
		return err
	}
	return d.writeLatencies(ctx, times)
}

// display returns bars on a terminal, and elsewhere one line for the end of
// each job.
func (d *demo) display(jobs []follow.Job) follow.Display {
	live := follow.NewDisplay(d.out, jobs)
	if plain, ok := live.(*follow.Lines); ok {
		plain.OnlyEnds, plain.Indent = true, "  "
	}
	return live
}

// approveAll approves the jobs, once all of them are watched.
func (d *demo) approveAll(ctx context.Context, times *firstChunks) error {
	select {
	case <-times.watched:
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Minute):
		return fmt.Errorf("the streams of the jobs did not open within a minute")
	}
	for _, doc := range d.documents {
		if _, err := d.client.Jobs.Approve(ctx, doc.job.ID); err != nil {
			return fmt.Errorf("approve %s: %w", doc.path, err)
		}
	}
	return nil
}
