package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
)

// writeJobs draws jobs as a table.
func (a *app) writeJobs(jobs []kappa.Job) {
	if len(jobs) == 0 {
		a.note("No jobs.")
		return
	}
	g := newGrid(column{name: "job"}, column{name: "status"}, column{name: "type"}, column{name: "done", right: true}, column{name: "age", right: true}, column{name: "document", flex: true})
	for _, j := range jobs {
		g.add(j.ID, string(j.Status), j.Type, percent(j), age(j.CreatedAt.Time), subject(j))
	}
	p := a.paint(a.out)
	a.writeGrid(g, func(column int, cell string) string {
		if column == 1 {
			return p.status(kappa.Status(cell))
		}
		return cell
	})
}

// status colours a status.
func (p paint) status(s kappa.Status) string {
	switch s {
	case kappa.StatusCompleted:
		return p.green(string(s))
	case kappa.StatusFailed:
		return p.red(string(s))
	case kappa.StatusCancelled, kappa.StatusAwaitingApproval:
		return p.yellow(string(s))
	case kappa.StatusProcessing:
		return p.cyan(string(s))
	}
	return string(s)
}

// percent says how far a job is.
func percent(j kappa.Job) string {
	switch {
	case j.Status == kappa.StatusCompleted:
		return "100 %"
	case j.Progress == nil:
		return ""
	}
	return fmt.Sprintf("%d %%", j.Progress.Percent)
}

// age says how long ago an instant is, in its largest unit.
func age(t time.Time) string {
	switch d := max(time.Since(t), 0); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	default:
		return fmt.Sprintf("%d d", int(d.Hours())/24)
	}
}

// subject says what a job is about.
func subject(j kappa.Job) string {
	for _, s := range []*string{j.Filename, j.SourcePath, j.Ontology} {
		if s != nil && *s != "" {
			return *s
		}
	}
	return ""
}

// orEmpty returns what a pointer points to, "" for nil.
func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// writeJob shows one job as lines of name and value.
func (a *app) writeJob(j kappa.Job) {
	p := a.paint(a.out)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(a.out, "%s %s\n", p.bold(pad(name, 13)), value)
		}
	}
	line("Job", j.ID)
	line("Status", p.status(j.Status)+queued(j))
	line("Type", oneLine(j.Type))
	line("Document", oneLine(orEmpty(j.Filename)))
	line("Ontology", oneLine(orEmpty(j.Ontology)))
	line("Owner", oneLine(orEmpty(j.Username)))
	line("Submitted", when(&j.CreatedAt))
	line("Approved", strings.TrimSpace(when(j.ApprovedAt)+" "+by(j.ApprovedBy)))
	line("Started", when(j.StartedAt))
	line("Ended", when(j.CompletedAt))
	if j.Status == kappa.StatusAwaitingApproval {
		line("Expires", when(j.ExpiresAt))
	}
	if j.Retries > 0 {
		line("Retries", fmt.Sprintf("%d of %d", j.Retries, j.MaxRetries))
	}
	if j.Progress != nil {
		c := course{status: j.Status, progress: *j.Progress}
		line("Progress", join(", ", percent(j), oneLine(j.Progress.Stage), c.counts(), c.found()))
	}
	line("Error", oneLine(orEmpty(j.Error)))
	a.writeAnalysis(line, j.Analysis)
	a.writeResult(line, j.Result)
	if j.Status == kappa.StatusAwaitingApproval {
		fmt.Fprintf(a.out, "\nApprove with: kg jobs approve %s\n", j.ID)
	}
}

// queued says where an approved job waits, or until when. One whose time has come
// waits for the scheduler; a suspect does so for its turn.
func queued(j kappa.Job) string {
	switch {
	case j.QueuePosition != nil:
		return fmt.Sprintf(", number %d in the queue", *j.QueuePosition)
	case j.RunAt == nil:
		return ""
	case j.RunAt.After(time.Now()):
		return ", waits until " + when(j.RunAt)
	default:
		return ", waits for its turn"
	}
}

// writeAnalysis shows what the server said before anything was spent.
func (a *app) writeAnalysis(line func(name, value string), analysis *kappa.Analysis) {
	if analysis == nil {
		return
	}
	f := analysis.FileStats
	line("Size", join(", ", f.SizeHuman, number(f.WordCount)+" words", "about "+counted(f.EstimatedChunks, "chunk")))
	line("Estimate", price(analysis.Cost)+" with "+oneLine(analysis.Cost.Extraction.Model))
	for _, warning := range analysis.Warnings {
		line("Warning", oneLine(warning))
	}
}

// price shows an estimate.
func price(cost kappa.CostEstimate) string {
	if cost.Total.CostHigh == 0 {
		return "free"
	}
	return fmt.Sprintf("$%.2f–$%.2f", cost.Total.CostLow, cost.Total.CostHigh)
}

// writeResult shows the result of an ingestion in words, any other as JSON.
func (a *app) writeResult(line func(name, value string), result json.RawMessage) {
	if len(result) == 0 || string(result) == "null" {
		return
	}
	var r struct {
		Chunks *int `json:"chunks_processed"`
		Stats  struct {
			Created       int `json:"concepts_created"`
			Linked        int `json:"concepts_linked"`
			Relationships int `json:"relationships_created"`
		} `json:"stats"`
	}
	if json.Unmarshal(result, &r) != nil || r.Chunks == nil {
		line("Result", oneLine(string(result)))
		return
	}
	line("Result", join(", ", counted(*r.Chunks, "chunk"), counted(r.Stats.Created, "new concept"), number(r.Stats.Linked)+" known", counted(r.Stats.Relationships, "relationship")))
}

// when shows an instant in the local zone and how long ago it is.
func when(t *kappa.Time) string {
	if t == nil || t.IsZero() {
		return ""
	}
	relative := "just now"
	switch ago := time.Since(t.Time); {
	case ago <= -time.Second:
		relative = "in " + span(-ago)
	case ago >= time.Second:
		relative = span(ago) + " ago"
	}
	return t.Local().Format(time.DateTime) + " (" + relative + ")"
}

func by(who *string) string {
	if who == nil {
		return ""
	}
	return "by " + oneLine(*who)
}

// join joins the parts that are not empty.
func join(separator string, parts ...string) string {
	var kept []string
	for _, part := range parts {
		if part != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, separator)
}

// showJobs shows jobs as they are now.
func (a *app) showJobs(ctx context.Context, c *client.Client, jobs []followed) error {
	var all []kappa.Job
	var answers []json.RawMessage
	for _, j := range jobs {
		job, err := c.Job(ctx, j.id)
		if err != nil {
			return fmt.Errorf("show job %s: %w", j.id, err)
		}
		all, answers = append(all, job), append(answers, a.answers.answer())
	}
	switch {
	case a.output != formatTable:
		return a.showAnswers(answers)
	case len(all) == 1:
		a.writeJob(all[0])
	default:
		a.writeJobs(all)
	}
	return nil
}
