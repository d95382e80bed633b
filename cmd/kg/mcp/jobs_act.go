package mcp

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

// addActs adds the tool that acts on many jobs. It is shown to who may cancel jobs; what else
// they may do, and to which jobs, the server says.
func (t toolset) addActs(s *shelf) {
	add(s, tool[actInput]{
		name: "act_on_jobs", title: "Act on many jobs", kind: ends, needs: access.JobsCancel, do: t.act,
		example: `{"act":"retry","filter":{"status":"failed"},"dry_run":true}`,
		about:   "Approves, cancels, retries, deletes, prioritises, runs now or moves the jobs that a filter selects, as far as you may. Call it with dry_run first, show the user the number and the jobs, and call it again with that number as expect.",
	})
}

type actInput struct {
	Act      string            `json:"act" jsonschema:"what to do with them" oneof:"approve cancel retry delete priority run-now move-to-queue"`
	Filter   map[string]string `json:"filter,omitempty" jsonschema:"which jobs, such as status: failed, job_type: ingestion, ontology: letters, client_id: ada, age: >1h, error: timed out; all words hold together"`
	IDs      []string          `json:"ids,omitempty" jsonschema:"the ids of the jobs, at most 500, instead of a filter"`
	DryRun   bool              `json:"dry_run,omitempty" jsonschema:"change nothing: say how many jobs are selected, and show the first ten"`
	Expect   *int64            `json:"expect,omitempty" jsonschema:"how many jobs the dry run has selected, which a filter needs; when it is off by more than a tenth nothing is changed" bounds:"0.."`
	Priority *int              `json:"priority,omitempty" jsonschema:"for priority: the higher, the sooner" bounds:"-100..100"`
	Queue    string            `json:"queue,omitempty" jsonschema:"for move-to-queue: the queue"`
	From     string            `json:"from,omitempty" jsonschema:"for retry: from where" oneof:"start checkpoint"`
}

func (t toolset) act(ctx context.Context, in actInput, out *text) error {
	words := map[string][]string{}
	for name, value := range in.Filter {
		words[name] = []string{value}
	}
	f, err := work.ParseActFilter(words)
	if err != nil {
		return err
	}
	f.IDs = in.IDs
	a := work.JobAct{Act: work.Act(in.Act), Filter: f, Expect: in.Expect, ActOptions: work.ActOptions{Priority: in.Priority, Queue: in.Queue, From: work.RetryFrom(in.From)}}
	if err := a.Validate(); err != nil {
		return err
	}
	do := t.c.Jobs.Act
	switch {
	case in.DryRun:
		do = t.c.Jobs.PreviewAct
	case len(in.IDs) == 0 && in.Expect == nil:
		return kappa.NewError(kappa.CodeInvalid, "expect is required with a filter: how many jobs the same call has selected with dry_run")
	}
	reply, err := do(ctx, a)
	if err != nil {
		return err
	}
	out.line("%s", oneLine(reply.Message))
	for _, j := range reply.Jobs {
		out.line("%s", out.jobLine(j))
	}
	for _, o := range reply.Outcomes {
		if o.Outcome != work.OutcomeDone {
			out.line("%s  %s  %s", o.JobID, o.Outcome, oneLine(o.Reason))
		}
	}
	if reply.JobID != nil {
		out.line("job %s does it; job shows how far it is.", *reply.JobID)
	}
	return nil
}
