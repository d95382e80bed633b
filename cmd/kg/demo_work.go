package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
)

// submit submits the documents without approval and shows what the server says
// about them.
func (d *demo) submit(ctx context.Context) error {
	d.announce(fmt.Sprintf("Submit %s to the ontology %q, for analysis only", counted(len(d.documents), "document"), demoOntology))
	for i := range d.documents {
		doc := &d.documents[i]
		done, err := d.client.Submit(ctx, client.Document{Body: doc.body, Filename: doc.path, Ontology: demoOntology, SourceType: "file"})
		if err != nil {
			return fmt.Errorf("submit %s: %w", doc.path, err)
		}
		doc.job.ID = done.JobID
	}
	f := newFollower(d.client, silent{})
	f.atOnce = len(d.documents)
	f.stop = func(u client.Update) bool { return u.Status() == kappa.StatusAwaitingApproval }
	outcomes, err := f.run(ctx, d.jobs())
	if err != nil {
		return err
	}
	for _, check := range []func([]outcome) error{broken, verdict} {
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
func (d *demo) jobs() []followed {
	jobs := make([]followed, len(d.documents))
	for i, doc := range d.documents {
		jobs[i] = followed{id: doc.job.ID, name: doc.path}
	}
	return jobs
}

// refresh reads the jobs as they are now.
func (d *demo) refresh(ctx context.Context) error {
	for i := range d.documents {
		job, err := d.client.Job(ctx, d.documents[i].job.ID)
		if err != nil {
			return fmt.Errorf("read the job of %s: %w", d.documents[i].path, err)
		}
		d.documents[i].job = job
	}
	return nil
}

// writeAnalyses draws what the server said about each document.
func (d *demo) writeAnalyses() {
	g := newGrid(column{name: "document"}, column{name: "words", right: true}, column{name: "chunks", right: true}, column{name: "cost", right: true}, column{name: "warnings", flex: true})
	words := 0
	model := ""
	for _, doc := range d.documents {
		a := doc.job.Analysis
		if a == nil {
			g.add(doc.path, "", "", "", "no analysis")
			continue
		}
		warning := ""
		if len(a.Warnings) > 0 {
			warning = a.Warnings[0]
		}
		g.add(doc.path, number(a.FileStats.WordCount), number(a.FileStats.EstimatedChunks), price(a.Cost), warning)
		words, model = words+a.FileStats.WordCount, a.Cost.Extraction.Model
	}
	d.grid(g)
	d.say("  %s words in all, to be read by the extractor %q", number(words), oneLine(model))
}

// approve approves the documents, and follows their jobs to the end.
func (d *demo) approve(ctx context.Context) error {
	d.announce("Approve them all, and watch")
	jobs := d.jobs()
	times := newFirstChunks(jobs)
	f := newFollower(d.client, d.liveDisplay(jobs))
	f.atOnce, f.observe = len(jobs), times.observe
	following, cancel := context.WithCancel(ctx)
	defer cancel()
	var outcomes []outcome
	var followErr error
	var follow sync.WaitGroup
	follow.Go(func() { outcomes, followErr = f.run(following, jobs) })
	err := d.approveAll(ctx, times)
	if err != nil {
		cancel()
	}
	follow.Wait()
	if err != nil {
		return err
	}
	if followErr != nil {
		return followErr
	}
	for _, check := range []func([]outcome) error{broken, verdict} {
		if err := check(outcomes); err != nil {
			return err
		}
	}
	if err := d.refresh(ctx); err != nil {
		return err
	}
	return d.writeLatencies(ctx, times)
}

// liveDisplay returns bars on a terminal, and elsewhere one line for the end of
// each job.
func (d *demo) liveDisplay(jobs []followed) display {
	live := d.app.newDisplay(d.out, jobs)
	if plain, ok := live.(*plainLines); ok {
		plain.onlyEnds, plain.indent = true, "  "
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
		if _, err := d.client.Approve(ctx, doc.job.ID); err != nil {
			return fmt.Errorf("approve %s: %w", doc.path, err)
		}
	}
	return nil
}

// silent is a display that shows nothing.
type silent struct{}

func (silent) update(client.Update) {}
func (silent) tick()                {}
func (silent) close()               {}
