package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// jobFlags are the flags that are words of a filter of jobs, see work.ParseJobFilter.
var jobFlags = []struct{ flag, word, usage string }{
	{"status", "status", "only jobs of these statuses, with commas"},
	{"ontology", "ontology", "only jobs of this ontology"},
	{"type", "job_type", "only jobs of this type"},
	{"lane", "lane", "only jobs that this lane claimed last"},
	{"queue", "queue", "only jobs of this queue"},
	{"owner", "client_id", "only jobs of the user with this name or id"},
	{"worker", "worker", "only jobs that the worker with this id claimed last"},
	{"parent", "parent", "only jobs that this job has made for parts of its work"},
	{"priority", "priority", "only jobs of this priority or range: 5, 5..9, >5"},
	{"attempt", "attempt", "only jobs that were claimed so often: 3, 2..5, >1"},
	{"age", "age", "only jobs submitted so long ago: >1h, <7d, or both with a comma"},
	{"submitted-from", "submitted_from", "only jobs submitted since: an instant, a day, or how long ago"},
	{"submitted-to", "submitted_to", "only jobs submitted before"},
	{"started-from", "started_from", "only jobs first claimed since"},
	{"started-to", "started_to", "only jobs first claimed before"},
	{"ended-from", "ended_from", "only jobs that ended since"},
	{"ended-to", "ended_to", "only jobs that ended before"},
	{"error", "error", "only jobs with this text in their error"},
	{"error-key", "error_key", "only failed jobs of this error, as kg jobs dead shows it"},
	{"file", "file", "only jobs with this text in the name of their file"},
	{"quarantined", "quarantined", "true or false: whether its workers died of it, again and again"},
	{"paused", "paused", "true or false: whether it ran and awaits approval again"},
	{"waits-for", "waits_for", "only jobs that wait for: time, pause, limit, slot, budget, approval, provider or provider:NAME"},
}

// jobFilterFlags adds those flags, and returns what reads them. Of jobs that are dead in any
// case no flag asks for it.
func jobFilterFlags(cmd *cobra.Command, dead bool) func() (work.JobFilter, error) {
	values := make([]string, len(jobFlags))
	for i, f := range jobFlags {
		cmd.Flags().StringVar(&values[i], f.flag, "", f.usage)
	}
	data := cmd.Flags().StringArray("data", nil, "only jobs with this in their data, as in url=https://example.org; may be given several times")
	if !dead {
		cmd.Flags().BoolVar(&dead, "dead", false, "only jobs that have failed for good")
	}
	completeWith(cmd, "status", statusWords()...)
	completeWith(cmd, "waits-for", "time", "slot", "budget", "approval", "provider")
	return func() (work.JobFilter, error) {
		words := map[string][]string{"data": *data}
		for i, f := range jobFlags {
			words[f.word] = []string{values[i]}
		}
		f, err := work.ParseJobFilter(words)
		f.Dead, f.Limit = dead, 1
		if err == nil {
			err = f.Validate()
		}
		return f, inFlags(err)
	}
}

// inFlags returns what is wrong with a filter in the names of the flags.
func inFlags(err error) error {
	invalid, ok := errors.AsType[*kappa.Error](err)
	if !ok {
		return err
	}
	fields := slices.Clone(invalid.Fields)
	for i, field := range fields {
		name := field.Name
		for _, f := range jobFlags {
			if f.word == name {
				name = f.flag
			}
		}
		fields[i].Name = "--" + name
	}
	return exit.Usage("%w", kappa.Invalid(fields...))
}

func newJobsListCommand(a *App) *cobra.Command {
	var filter work.JobFilter
	var sort, count string
	var limit int
	var all bool
	var read func() (work.JobFilter, error)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List jobs, newest first",
		Long: `List jobs, newest first. --status running means processing, and queued means
approved; --all fetches every page. What no index finds is looked for in parts, until
there are as many as --limit says.`,
		Example: "  kg jobs list --status processing\n  kg jobs list --status failed,cancelled --age '>1h' --error 'timed out' --lane maintenance --all\n  kg jobs list --status failed -o jsonl | jq -r .job_id",
		Args:    cobra.NoArgs,
		RunE: a.withChecked(func(*cobra.Command, []string) (err error) {
			if limit < 1 || limit > maxJobsListed {
				return exit.Usage("--limit must be between 1 and %d, got %d", maxJobsListed, limit)
			}
			if filter, err = read(); err != nil {
				return err
			}
			filter.Sort, filter.Count, filter.Limit = work.JobSort(sort), work.CountKind(count), limit
			return inFlags(filter.Validate())
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			return a.listJobs(cmd.Context(), c, filter, all)
		}),
	}
	read = jobFilterFlags(cmd, false)
	cmd.Flags().StringVar(&sort, "sort", "", "newest (the default), oldest, ended, started or priority")
	cmd.Flags().StringVar(&count, "count", "", "also say how many there are in all: exact or estimated")
	cmd.Flags().IntVar(&limit, "limit", 50, "how many to list at most, 1 to 500")
	cmd.Flags().BoolVar(&all, "all", false, "list them all, page by page")
	completeWith(cmd, "sort", "newest", "oldest", "ended", "started", "priority")
	completeWith(cmd, "count", "exact", "estimated")
	return cmd
}

// listJobs lists as many jobs as the filter says, or all, and says how many there are when it
// asks for it.
func (a *App) listJobs(ctx context.Context, c *client.Client, f work.JobFilter, all bool) error {
	most := f.Limit
	if all {
		f.Limit = work.MaxJobList
	}
	page, err := c.Jobs.Page(ctx, f)
	if err != nil {
		return fmt.Errorf("list jobs: %w", err)
	}
	jobs, total := page.Jobs, page.Total
	whole := page.Next == "" || !all && len(jobs) >= most // one answer is all there is to show
	for f.Count = ""; page.Next != "" && (all || len(jobs) < most); jobs = append(jobs, page.Jobs...) {
		f.Cursor = page.Next
		if page, err = c.Jobs.Page(ctx, f); err != nil {
			return fmt.Errorf("list jobs: %w", err)
		}
	}
	if !all {
		jobs = jobs[:min(len(jobs), most)]
	}
	if whole {
		err = a.showAnswer("", func() { a.writeJobs(jobs) })
	} else {
		err = a.show(slices.Clip(jobs), func() { a.writeJobs(jobs) })
	}
	if total != nil {
		a.note("%s in all.", totalWords(*total))
	}
	return err
}

// totalWords says how many jobs there are.
func totalWords(t work.JobTotal) string {
	n := show.Counted(int(t.Jobs), "job")
	switch t.Is {
	case "estimated":
		return "About " + n
	case "at_least":
		return "At least " + n
	}
	return n
}

func newJobsDeadCommand(a *App) *cobra.Command {
	var filter work.JobFilter
	var read func() (work.JobFilter, error)
	cmd := &cobra.Command{
		Use:   "dead",
		Short: "Show by which errors jobs have failed for good, the most frequent first",
		Long: `Show the jobs that have failed for good, or are quarantined, grouped by their type
and error: errors that differ only by quoted texts, numbers, ids, times and durations are one.`,
		Example: "  kg jobs dead\n  kg jobs dead --type ingestion --ended-from 24h\n  kg jobs list --dead --error-key 'provider … timed out after #'",
		Args:    cobra.NoArgs,
		RunE: a.withChecked(func(*cobra.Command, []string) (err error) {
			filter, err = read()
			filter.Limit = 0
			return err
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			found, err := c.Jobs.Errors(cmd.Context(), filter)
			if err != nil {
				return fmt.Errorf("show errors: %w", err)
			}
			return a.showAnswer("errors", func() { a.writeErrors(found) })
		}),
	}
	read = jobFilterFlags(cmd, true)
	return cmd
}

// writeErrors draws errors as a table.
func (a *App) writeErrors(found api.JobErrors) {
	if len(found.Errors) == 0 {
		a.note("No jobs have failed.")
		return
	}
	g := show.NewGrid(show.Column{Name: "jobs", Right: true}, show.Column{Name: "type"}, show.Column{Name: "last", Right: true}, show.Column{Name: "example"}, show.Column{Name: "error", Flex: true})
	for _, e := range found.Errors {
		g.Add(show.Number(int(e.Count)), show.OneLine(e.Type), show.Age(e.Last.Time), e.JobID, show.OneLine(e.ErrorKey))
	}
	a.writeGrid(g, nil)
	fmt.Fprintf(a.out, "\n%s have failed. List those of an error with: kg jobs list --dead --error-key ERROR\n", show.Counted(int(found.Jobs), "job"))
	if found.More {
		a.note("There are more errors than these.")
	}
	if found.Partial {
		a.note("Only the jobs that were submitted last were looked at.")
	}
}
