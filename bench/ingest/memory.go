package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/work"
)

// mostMemory is what the server may hold while it reads a document of 50 MB, in bytes.
const mostMemory = 200 << 20

// memory measures what the server holds of a large document, at most: while it is
// submitted, analysed and read.
func (b *bench) memory(ctx context.Context) error {
	started, err := serving.Start(ctx, b.kg)
	if err != nil {
		return err
	}
	defer started.Stop()
	server, pid := &server{started.API}, started.PID()
	var text strings.Builder
	source := newCorpus(5000, 1, vocabulary)
	for n := 0; text.Len() < b.megabytes<<20; n++ {
		text.WriteString(source.document(n))
		text.WriteString("\n\n")
	}
	body := []byte(text.String()[:b.megabytes<<20])
	idle, err := mostHeld(pid)
	if err != nil {
		return err
	}
	submitted, err := server.Documents.Submit(ctx, client.Document{Body: body, Filename: "large.txt", Ontology: "bench"})
	if err != nil {
		return err
	}
	uploaded, err := mostHeld(pid)
	if err != nil {
		return err
	}
	if err := server.reach(ctx, submitted.JobID, work.StatusAwaitingApproval); err != nil {
		return err
	}
	analysed, err := mostHeld(pid)
	if err != nil {
		return err
	}
	if _, err := server.Jobs.Approve(ctx, submitted.JobID); err != nil {
		return err
	}
	done, err := server.readFor(ctx, submitted.JobID, b.largeFor)
	if err != nil {
		return err
	}
	held, err := mostHeld(pid)
	if err != nil {
		return err
	}
	fmt.Printf("memory: a document of %d MB; held at most: idle %s, when it is submitted %s, analysed %s, and while it was read (%s) %s\n",
		b.megabytes, mb(idle), mb(uploaded), mb(analysed), done, mb(held))
	fmt.Printf("at most %s, must be ≤ %s: %s\n", mb(held), mb(mostMemory), b.verdict(held <= mostMemory))
	return nil
}

func mb(n int64) string { return fmt.Sprintf("%d MB", n>>20) }

// reach waits until a job has a status.
func (s *server) reach(ctx context.Context, id string, status work.Status) error {
	for {
		job, err := s.Jobs.Get(ctx, id)
		if err != nil {
			return err
		}
		if job.Status == status {
			return nil
		}
		if job.Status.Terminal() {
			return fmt.Errorf("%s is %s: %v", id, job.Status, job.Error)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// readFor waits until a job has completed or has worked for so long, and then cancels it. It
// returns how far it came.
func (s *server) readFor(ctx context.Context, id string, most time.Duration) (string, error) {
	var began time.Time
	for {
		job, err := s.Jobs.Get(ctx, id)
		if err != nil {
			return "", err
		}
		if job.Status == work.StatusProcessing && began.IsZero() {
			began = time.Now()
		}
		if job.Status == work.StatusCompleted {
			return "all of it", nil
		}
		if job.Status.Terminal() {
			return "", fmt.Errorf("%s is %s: %v", id, job.Status, job.Error)
		}
		if most > 0 && !began.IsZero() && time.Since(began) > most {
			if _, err := s.Jobs.Cancel(ctx, id); err != nil {
				return "", err
			}
			if err := s.reach(ctx, id, work.StatusCancelled); err != nil {
				return "", err
			}
			percent := 0
			if job.Progress != nil {
				percent = job.Progress.Percent
			}
			return fmt.Sprintf("%d %% of it, in %s", percent, most), nil
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// mostHeld returns how much memory a process has held at most, in bytes.
func mostHeld(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" {
			kb, err := strconv.ParseInt(fields[1], 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("the memory of process %d is not known", pid)
}
