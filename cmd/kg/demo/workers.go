package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/work"
)

const (
	remoteOntology = "demo-remote"
	remoteWords    = 100  // of a chunk, so that there are many
	leastWords     = 1500 // of a document that is long enough to kill a worker in the middle of it
	workerLease    = 15 * time.Second
	workerPoll     = 5 * time.Millisecond
	workerPause    = 200 * time.Millisecond // until what a stopped worker has sent is stored
	mostChildren   = 500
)

// workers has a document read by kg worker: one is killed in the middle, and another one
// goes on.
func (d *demo) workers(ctx context.Context) error {
	d.announce("Have kg worker read a document, and kill it with -9 in the middle")
	doc, words := d.longest()
	if words < leastWords {
		d.say("  left out: it takes a document of at least %s words", show.Number(leastWords))
		return nil
	}
	secret, err := randomPassword()
	if err != nil {
		return err
	}
	if err := d.restart(ctx, "KG_EXTRACTOR=remote", "KG_WORKER_SECRET="+secret); err != nil {
		return err
	}
	before, err := d.client.Graph.Stats(ctx)
	if err != nil {
		return fmt.Errorf("read the statistics: %w", err)
	}
	began := time.Now()
	first, err := d.startWorker(ctx, secret, "first")
	if err != nil {
		return err
	}
	defer first.kill()
	target, overlap := remoteWords, 0
	submitted, err := d.client.Documents.Submit(ctx, client.Document{
		Body: doc.body, Filename: doc.path, Ontology: remoteOntology, AutoApprove: true, SourceType: "file",
		Chunking: corpus.ChunkRequest{TargetWords: &target, OverlapWords: &overlap},
	})
	if err != nil {
		return fmt.Errorf("submit %s: %w", doc.path, err)
	}
	d.say("  %s", d.paint.Dim("KG_EXTRACTOR=remote kg serve; kg worker --name first; kg ingest file "+show.OneLine(doc.path)))
	killed, err := d.killInTheMiddle(ctx, first, submitted.JobID)
	if err != nil {
		return err
	}
	if killed.held == 0 {
		d.say("  left out: the worker had read it before it could be killed")
		return nil
	}
	d.say("  first   had read %s and held %d when kill -9 ended it", show.Counted(killed.done, "chunk"), killed.held)
	second, err := d.startWorker(ctx, secret, "second")
	if err != nil {
		return err
	}
	defer second.kill()
	if err := d.await(ctx, submitted.JobID); err != nil {
		return second.explain(err)
	}
	took := time.Since(began)
	if err := second.stop(ctx); err != nil {
		return err
	}
	return d.writeChildren(ctx, submitted.JobID, killed, before, took)
}

// longest returns the document with the most words that is a file.
func (d *demo) longest() (doc document, words int) {
	for _, one := range d.documents {
		if a := one.job.Analysis; a != nil && a.FileStats.WordCount > words {
			doc, words = one, a.FileStats.WordCount
		}
	}
	return doc, words
}

// restart starts the server again with settings, on the same data.
func (d *demo) restart(ctx context.Context, settings ...string) error {
	d.client.Close()
	if err := d.server.stop(ctx); err != nil {
		return err
	}
	return d.serve(ctx, settings...)
}

// startWorker starts kg worker, which reads chunks here.
func (d *demo) startWorker(ctx context.Context, secret, name string) (*server, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program to start: %w", err)
	}
	log, err := os.OpenFile(filepath.Join(d.dir, serverLog), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make the worker's log: %w", err)
	}
	defer log.Close()                                                                                                                                             //nolint:errcheck // the child has its own
	cmd := exec.Command(program, "worker", "--server", d.server.url, "--name", name, "--queues", "*:4", "--lease", workerLease.String(), "--backoff", "100ms/1s") //nolint:noctx // it is stopped in order
	w := &server{dir: d.dir, stopWithin: stopTime, done: make(chan struct{}), cmd: cmd}
	cmd.Env = append(environment(os.Environ()), "KG_WORKER_SECRET="+secret)
	cmd.Stderr = log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	started := make(chan error, 1)
	go w.runChild(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	return w, ctx.Err()
}

// kill ends a child as a crash would.
func (s *server) kill() {
	_ = s.cmd.Process.Kill() // it may have ended already
	<-s.done
}

// children are the jobs that read the chunks of a document.
type children struct {
	all, done, held, attempts int
}

func (d *demo) children(ctx context.Context, parent string) (children, error) {
	var c children
	f := work.JobFilter{Parent: parent, Limit: mostChildren}
	for {
		jobs, err := d.client.Jobs.List(ctx, f)
		if err != nil {
			return c, fmt.Errorf("list the chunks' jobs: %w", err)
		}
		for _, job := range jobs {
			c.all++
			c.attempts += job.Attempt
			switch job.Status {
			case work.StatusCompleted:
				c.done++
			case work.StatusProcessing:
				c.held++
			default: // it waits
			}
		}
		if len(jobs) < mostChildren {
			return c, nil
		}
		f.Offset += mostChildren
	}
}

// killInTheMiddle kills a worker while it holds chunks, after some that it has read, and
// says how they stood. It is stopped first, so that what it holds can be counted: nothing
// when it was too quick.
func (d *demo) killInTheMiddle(ctx context.Context, w *server, parent string) (c children, err error) {
	for {
		select {
		case <-ctx.Done():
			return c, ctx.Err()
		case <-w.done:
			return c, w.explain(errors.New("the worker has ended"))
		case <-time.After(workerPoll):
		}
		if c, err = d.children(ctx, parent); err != nil {
			return c, err
		}
		if c.done == 0 {
			continue
		}
		_ = w.cmd.Process.Signal(syscall.SIGSTOP) // it may have ended: see above
		<-time.After(workerPause)
		if c, err = d.children(ctx, parent); err != nil {
			return c, err
		}
		job, err := d.client.Jobs.Get(ctx, parent)
		if err != nil {
			return c, fmt.Errorf("read the job: %w", err)
		}
		if c.held > 0 || job.Status.Terminal() {
			w.kill()
			return c, nil
		}
		_ = w.cmd.Process.Signal(syscall.SIGCONT)
	}
}

// await waits until a job has completed.
func (d *demo) await(ctx context.Context, id string) error {
	outcomes, err := follow.New(d.client, silent{}).Run(ctx, []follow.Job{{ID: id, Name: id}})
	if err != nil {
		return err
	}
	if err := follow.Verdict(outcomes); err != nil {
		return errors.Join(err, errors.New(outcomes[0].Reason))
	}
	return nil
}

// writeChildren says what became of the chunks. It fails when one was lost, or stored
// twice.
func (d *demo) writeChildren(ctx context.Context, id string, killed children, before ontologies.GraphStats, took time.Duration) error {
	c, err := d.children(ctx, id)
	if err != nil {
		return err
	}
	after, err := d.client.Graph.Stats(ctx)
	if err != nil {
		return fmt.Errorf("read the statistics: %w", err)
	}
	stored := after.Nodes.Sources - before.Nodes.Sources
	d.say("  second  read the other %d; the %d came to it when the lease of %s was over", c.done-killed.done, killed.held, workerLease)
	d.say("  in all  %s read in %s, %d stored: lost %d, stored twice %d; %s", show.Counted(c.done, "chunk"), show.Counted(c.attempts, "attempt"), stored,
		c.all-c.done, stored-c.done, show.Span(took))
	if c.done != c.all || stored != c.all || c.attempts > c.all+killed.held {
		return fmt.Errorf("of %d chunks %d were read in %d attempts and %d stored, where a worker was killed that held %d", c.all, c.done, c.attempts, stored, killed.held)
	}
	return nil
}
