package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

// writeJobs draws jobs as a table.
func (a *App) writeJobs(jobs []work.Job) {
	if len(jobs) == 0 {
		a.note("No jobs.")
		return
	}
	g := show.NewGrid(show.Column{Name: "job"}, show.Column{Name: "status"}, show.Column{Name: "type"}, show.Column{Name: "done", Right: true}, show.Column{Name: "age", Right: true}, show.Column{Name: "document", Flex: true})
	for _, j := range jobs {
		g.Add(j.ID, string(j.Status), j.Type, percent(j), show.Age(j.CreatedAt.Time), subject(j))
		g.Note(reason(j))
	}
	p := a.paint(a.out)
	a.writeGrid(g, func(column int, cell string) string {
		if column == 1 {
			return paintStatus(p, work.Status(cell))
		}
		return cell
	})
}

// reason says why a job waits or has failed, as far as the job itself says; kg jobs why asks the
// server for the rest.
func reason(j work.Job) string {
	switch {
	case j.Status == work.StatusFailed && j.Error != nil:
		return *j.Error
	case j.Status == work.StatusProcessing && j.CancelRequested:
		return "it is being cancelled"
	case j.Status == work.StatusAwaitingApproval && j.PauseReason != nil:
		return *j.PauseReason
	case j.Status == work.StatusAwaitingApproval && j.ExpiresAt != nil:
		return "until it is approved; expires " + show.When(j.ExpiresAt)
	case j.Status == work.StatusAwaitingApproval:
		return "until it is approved"
	case j.Status != work.StatusApproved:
		return ""
	case j.WaitingFor != nil:
		return "for " + j.WaitingFor.Provider + " until " + show.When(&j.WaitingFor.Until) + ": " + j.WaitingFor.Reason
	case j.RunAt != nil && j.RunAt.After(time.Now()) && j.Error != nil:
		return "tried again " + show.When(j.RunAt) + ", after: " + *j.Error
	case j.RunAt != nil && j.RunAt.After(time.Now()):
		return "until " + show.When(j.RunAt)
	case j.QueuePosition != nil:
		return "for a slot, as number " + strconv.Itoa(*j.QueuePosition) + " of its queue"
	}
	return ""
}

// paintStatus colours a status.
func paintStatus(p show.Paint, s work.Status) string {
	switch s {
	case work.StatusCompleted:
		return p.Green(string(s))
	case work.StatusFailed:
		return p.Red(string(s))
	case work.StatusCancelled, work.StatusAwaitingApproval:
		return p.Yellow(string(s))
	case work.StatusProcessing:
		return p.Cyan(string(s))
	}
	return string(s)
}

// percent says how far a job is.
func percent(j work.Job) string {
	switch {
	case j.Status == work.StatusCompleted:
		return "100 %"
	case j.Progress == nil:
		return ""
	}
	return fmt.Sprintf("%d %%", j.Progress.Percent)
}

// subject says what a job is about.
func subject(j work.Job) string {
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

// writeParts says how the jobs are that a job has made for parts of its work. What it
// cannot read it leaves out.
func (a *App) writeParts(ctx context.Context, c *client.Client, j work.Job) {
	parts, err := c.Jobs.List(ctx, work.JobFilter{Parent: j.ID, Limit: maxJobsListed})
	if err != nil || len(parts) == 0 {
		return
	}
	count := map[work.Status]int{}
	for _, p := range parts {
		count[p.Status]++
	}
	var words []string
	for _, s := range work.Statuses() {
		if count[s] > 0 {
			words = append(words, fmt.Sprintf("%d %s", count[s], s))
		}
	}
	more := ""
	if len(parts) == maxJobsListed {
		more = "at least "
	}
	fmt.Fprintf(a.out, "\nParts: %s%d jobs (%s). List them with: kg jobs list --parent %s\n", more, len(parts), strings.Join(words, ", "), j.ID)
}

// writeJob shows one job as lines of name and value.
func (a *App) writeJob(j work.Job) {
	p := a.paint(a.out)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(a.out, "%s %s\n", p.Bold(show.Pad(name, 13)), value)
		}
	}
	line("Job", j.ID)
	line("Status", paintStatus(p, j.Status)+queued(j))
	line("Type", show.OneLine(j.Type))
	line("Document", show.OneLine(orEmpty(j.Filename)))
	line("Ontology", show.OneLine(orEmpty(j.Ontology)))
	line("Owner", show.OneLine(orEmpty(j.Username)))
	line("Submitted", show.When(&j.CreatedAt))
	line("Approved", strings.TrimSpace(show.When(j.ApprovedAt)+" "+by(j.ApprovedBy)))
	line("Started", show.When(j.StartedAt))
	line("Ended", show.When(j.CompletedAt))
	if j.Status == work.StatusAwaitingApproval {
		line("Expires", show.When(j.ExpiresAt))
	}
	if j.Retries > 0 {
		allowed := fmt.Sprintf(" of %d", j.MaxRetries)
		if j.Retries > j.MaxRetries { // its type has another number by now
			allowed = ""
		}
		line("Retries", strconv.Itoa(j.Retries)+allowed)
	}
	if j.Progress != nil {
		line("Progress", commas(percent(j), show.OneLine(j.Progress.Stage), follow.Counts(*j.Progress), follow.Found(*j.Progress)))
	}
	if j.Budget != nil {
		line("Budget", j.Budget.String())
	}
	if s := j.Spent; s != nil && s.Tokens > 0 {
		so := ""
		if !j.Status.Terminal() {
			so = " so far"
		}
		line("Cost", fmt.Sprintf("%s%s, %s tokens in %s to models", kappa.Dollars(s.USD), so, show.Number(int(s.Tokens)), show.Counted(s.Calls, "call")))
	}
	line("Waits for", waitsFor(j.WaitingFor))
	line("Part of", orEmpty(j.ParentID))
	line("Retry of", orEmpty(j.RetryOf))
	if r := j.RetriedAs; r != nil {
		line("Retried as", r.JobID+"  "+paintStatus(p, r.Status))
	}
	line("Error", show.OneLine(orEmpty(j.Error)))
	line("Paused", show.OneLine(orEmpty(j.PauseReason)))
	a.writeAnalysis(line, j.Analysis)
	a.writeResult(line, j.Result)
	switch {
	case j.PauseReason != nil:
		fmt.Fprintf(a.out, "\nResume with: kg jobs resume %s --budget AMOUNT\n", j.ID)
	case j.Status == work.StatusAwaitingApproval:
		fmt.Fprintf(a.out, "\nApprove with: kg jobs approve %s\n", j.ID)
	}
}

// waitsFor says for which provider of models a job waits, and why.
func waitsFor(w *models.ProviderWait) string {
	if w == nil {
		return ""
	}
	return fmt.Sprintf("%s since %s, called again at %s: %s", show.OneLine(w.Provider), show.When(&w.Since), w.Until.Local().Format("15:04:05"), show.OneLine(w.Reason))
}

// queued says where an approved job waits, or until when. One whose time has come
// waits for the scheduler; a suspect does so for its turn.
func queued(j work.Job) string {
	switch {
	case j.QueuePosition != nil:
		return fmt.Sprintf(", number %d in the queue", *j.QueuePosition)
	case j.RunAt == nil:
		return ""
	case j.RunAt.After(time.Now()):
		return ", waits until " + show.When(j.RunAt)
	default:
		return ", waits for its turn"
	}
}

// writeAnalysis shows what the server said before anything was spent.
func (a *App) writeAnalysis(line func(name, value string), analysis *corpus.Analysis) {
	if analysis == nil {
		return
	}
	if v := analysis.Version; v != nil {
		line("Version", show.OneLine(v.Note))
	}
	if image := analysis.ImageAnalysis; image != nil {
		line("Estimate", fmt.Sprintf("an image, about %s and %d seconds", kappa.Dollars(image.EstimatedCost), image.EstimatedTimeSeconds))
		return
	}
	f := analysis.FileStats
	chunks := show.Counted(f.ChunkCount(), "chunk")
	if f.Chunks == 0 {
		chunks = "about " + chunks
	}
	line("Size", commas(f.SizeHuman, show.Number(f.WordCount)+" words", chunks))
	line("Estimate", show.Price(analysis.Cost)+" with "+show.OneLine(analysis.Cost.Extraction.Model))
	for _, warning := range analysis.Warnings {
		line("Warning", show.OneLine(warning))
	}
}

// writeResult shows the result of an ingestion in words, any other as JSON.
func (a *App) writeResult(line func(name, value string), result json.RawMessage) {
	if len(result) == 0 || string(result) == "null" {
		return
	}
	var r struct {
		Chunks   *int     `json:"chunks_processed"`
		Language string   `json:"language"`
		Message  string   `json:"message"`
		Reused   int      `json:"chunks_reused"`
		Replaced []string `json:"documents_replaced"`
		Stats    struct {
			Passages      int `json:"passages_stored"`
			Created       int `json:"concepts_created"`
			Linked        int `json:"concepts_linked"`
			Relationships int `json:"relationships_created"`
		} `json:"stats"`
	}
	read := json.Unmarshal(result, &r) == nil
	if !read || r.Chunks == nil && r.Message == "" {
		line("Result", show.OneLine(string(result)))
		return
	}
	if r.Message != "" {
		line("Result", show.OneLine(r.Message))
	}
	if r.Chunks == nil {
		return
	}
	passages := "" // an older server counts none
	if r.Stats.Passages > 0 {
		passages = show.Counted(r.Stats.Passages, "passage")
		if r.Language != "" {
			passages += " in " + show.OneLine(r.Language)
		}
	}
	line("Result", commas(show.Counted(*r.Chunks, "chunk"), passages, show.Counted(r.Stats.Created, "new concept"), show.Number(r.Stats.Linked)+" known", show.Counted(r.Stats.Relationships, "relationship")))
	if n := len(r.Replaced); n > 0 {
		line("Replaced", show.Counted(n, "earlier version"))
	}
	if r.Reused > 0 {
		line("Not read anew", fmt.Sprintf("%s of %s, which were known", show.Number(r.Reused), show.Counted(*r.Chunks, "chunk")))
	}
}

func by(who *string) string {
	if who == nil {
		return ""
	}
	return "by " + show.OneLine(*who)
}

// commas joins the parts that are not empty, with commas.
func commas(parts ...string) string {
	var kept []string
	for _, part := range parts {
		if part != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, ", ")
}

// showJobs shows jobs as they are now.
func (a *App) showJobs(ctx context.Context, c *client.Client, jobs []follow.Job) error {
	var all []work.Job
	var answers []json.RawMessage
	for _, j := range jobs {
		job, err := c.Jobs.Get(ctx, j.ID)
		if err != nil {
			return fmt.Errorf("show job %s: %w", j.ID, err)
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
