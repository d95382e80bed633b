package mcp

import (
	"context"
	"encoding/base64"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/work"
)

// addJobs adds the tools that submit and follow work.
func (t toolset) addJobs(s *shelf) {
	add(s, tool[ingestInput]{
		name: "ingest", title: "Ingest a document", kind: adds, needs: access.IngestCreate, do: t.ingest,
		example: `{"text":"The bridge was opened in 1902.","ontology":"minutes","name":"bridge.md"}`,
		about:   "Submits a document to be read into the graph, and returns its job: a text, a file in base64, or what stands at a URL. Without approve it is analysed and priced, and waits for approve_job. The same document is not read twice.",
	})
	add(s, tool[jobInput]{
		name: "job", title: "Show a job", kind: reads, needs: access.JobsRead, do: t.job,
		example: `{"id":"job_0123456789ab"}`,
		about:   "Shows how far a job is: its status, its estimate, its progress, its result or its error.",
	})
	add(s, tool[jobsInput]{
		name: "jobs", title: "List jobs", kind: reads, needs: access.JobsRead, do: t.jobs,
		example: `{"status":"failed"}`,
		about:   "Lists jobs, the newest first, as far as you may see them.",
	})
	add(s, tool[jobInput]{
		name: "approve_job", title: "Approve a job", kind: changes, needs: access.JobsApprove, do: t.approve,
		example: `{"id":"job_0123456789ab"}`,
		about:   "Approves a job that awaits approval: it runs, and costs what its estimate says. Ask the user first unless they have asked for it.",
	})
	add(s, tool[jobInput]{
		name: "cancel_job", title: "Cancel a job", kind: ends, needs: access.JobsCancel, do: t.cancel,
		example: `{"id":"job_0123456789ab"}`,
		about:   "Cancels a job. A running one stops within a second and keeps what it has stored.",
	})
}

type ingestInput struct {
	Text     string `json:"text,omitempty" jsonschema:"the document, as plain text or Markdown; or give base64 or url"`
	Base64   string `json:"base64,omitempty" jsonschema:"the bytes of a file, such as a PDF, in base64; name says what it is called"`
	URL      string `json:"url,omitempty" jsonschema:"where the server gets it, with https or http"`
	Ontology string `json:"ontology" jsonschema:"the ontology that it belongs to; a new name makes a new one"`
	Name     string `json:"name,omitempty" jsonschema:"what the document is called in quotes, such as minutes-2026-03-01.md"`
	Approve  bool   `json:"approve,omitempty" jsonschema:"read it at once, whatever the estimate says"`
	Wait     int    `json:"wait,omitempty" jsonschema:"seconds to wait for its analysis, or with approve for its end; none without it" bounds:"1..300"`
}

// submit submits what stands in one of the three.
func (t toolset) submit(ctx context.Context, in ingestInput) (client.Submitted, error) {
	d := client.Document{Filename: in.Name, Ontology: in.Ontology, AutoApprove: in.Approve, SourceType: "mcp"}
	given := 0
	for _, v := range []string{in.Text, in.Base64, in.URL} {
		if v != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return client.Submitted{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "text", Rule: "one of text, base64 and url must be given"})
	case in.URL != "":
		return t.c.Documents.SubmitURL(ctx, in.URL, d)
	case in.Base64 != "":
		body, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(in.Base64), ""))
		if err != nil {
			return client.Submitted{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "base64", Rule: "must be base64"})
		}
		d.Body = body
	default:
		d.Body = []byte(in.Text)
	}
	return t.c.Documents.Submit(ctx, d)
}

func (t toolset) ingest(ctx context.Context, in ingestInput, out *text) error {
	done, err := t.submit(ctx, in)
	if err != nil {
		return err
	}
	out.name(aJob, done.JobID, in.Name)
	out.line("job %s", done.JobID)
	switch {
	case done.Duplicate:
		out.line("The same document was submitted before, by this job, which is %s; it is not read again. job shows what came of it.", done.Status)
		return nil
	case in.Wait > 0:
		return t.waitJob(ctx, waitInput{ID: done.JobID, Seconds: in.Wait}, out)
	case in.Approve:
		out.line("It is read as soon as a slot is free; job shows how far it is.")
	default:
		out.line("It is being analysed, which takes a moment; job then shows its estimate, and approve_job has it read.")
	}
	return nil
}

type jobInput struct {
	ID string `json:"id" jsonschema:"the job's id, such as job_0123456789ab"`
}

func (t toolset) job(ctx context.Context, in jobInput, out *text) error {
	j, err := t.c.Jobs.Get(ctx, in.ID)
	if err != nil {
		return err
	}
	out.line("%s", out.jobLine(j))
	if a := j.Analysis; a != nil && a.ImageAnalysis != nil {
		out.line("estimate: an image, about %s", kappa.Dollars(a.EstimatedCost))
	} else if a != nil {
		out.line("estimate: %d words, %d chunks, %s to %s", a.FileStats.WordCount, a.FileStats.ChunkCount(), kappa.Dollars(a.Cost.Total.CostLow), kappa.Dollars(a.Cost.Total.CostHigh))
		for _, w := range a.Warnings {
			out.line("warning: %s", oneLine(w))
		}
	}
	if p := j.Progress; p != nil {
		out.line("progress: %d %%, %s %s", p.Percent, p.Stage, oneLine(p.Message))
	}
	if w := j.WaitingFor; w != nil {
		out.line("waits for %s: %s; called again at %s", oneLine(w.Provider), oneLine(w.Reason), w.Until)
	}
	if s := j.Spent; s != nil {
		out.line("spent: %s in %d calls to models", kappa.Dollars(s.USD), s.Calls)
	}
	if j.Error != nil {
		out.line("error: %s", oneLine(*j.Error))
	}
	if len(j.Result) > 0 && string(j.Result) != "null" {
		out.line("result: %s", j.Result)
	}
	if j.Status == work.StatusAwaitingApproval {
		out.line("It costs nothing until approve_job.")
	}
	return nil
}

type jobsInput struct {
	Status   string `json:"status,omitempty" jsonschema:"only jobs in this status" oneof:"pending awaiting_approval approved processing completed failed cancelled"`
	Ontology string `json:"ontology,omitempty" jsonschema:"only jobs of this ontology"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many" bounds:"1..100" standard:"20"`
	Offset   int    `json:"offset,omitempty" jsonschema:"how many of the newest to leave out" bounds:"0.."`
}

func (t toolset) jobs(ctx context.Context, in jobsInput, out *text) error {
	f := work.JobFilter{Ontology: in.Ontology, Limit: in.Limit, Offset: in.Offset}
	if in.Status != "" {
		f.Statuses = []work.Status{work.Status(in.Status)}
	}
	all, err := t.c.Jobs.List(ctx, f)
	if err != nil {
		return err
	}
	for _, j := range all {
		out.line("%s", out.jobLine(j))
	}
	switch len(all) {
	case 0:
		return t.inOntology(ctx, in.Ontology, out, "No jobs.")
	case f.Limit:
		out.mayBeMore(f.Offset + f.Limit)
	}
	return nil
}

// jobLine is a job in a line.
func (t *text) jobLine(j work.Job) string {
	parts := []string{j.ID, j.Type, string(j.Status), "created " + j.CreatedAt.UTC().Format(time.RFC3339)}
	for _, name := range []*string{j.Filename, j.Ontology} {
		if name != nil && *name != "" {
			parts = append(parts, quoted(*name))
		}
	}
	t.name(aJob, j.ID, value(j.Filename))
	return strings.Join(parts, "  ")
}

func (t toolset) approve(ctx context.Context, in jobInput, out *text) error {
	if agreed, err := t.agreed(ctx, in.ID); err != nil {
		return err
	} else if !agreed {
		out.line("%s: the user did not agree to what it costs; it still awaits approval.", in.ID)
		return nil
	}
	done, err := t.c.Jobs.Approve(ctx, in.ID)
	if err != nil {
		return err
	}
	out.line("%s: %s", done.JobID, oneLine(done.Message))
	return nil
}

func (t toolset) cancel(ctx context.Context, in jobInput, out *text) error {
	done, err := t.c.Jobs.Cancel(ctx, in.ID)
	if err != nil {
		return err
	}
	out.line("%s: %s", done.JobID, oneLine(done.Message))
	return nil
}

// value is a text that may be missing.
func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
