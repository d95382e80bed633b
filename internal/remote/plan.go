package remote

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/work"
)

// runData is the data of a job of the type openfn_run.
type runData struct {
	Plan        map[string]json.RawMessage `json:"plan"`
	Dataclips   map[string]json.RawMessage `json:"dataclips"`
	Credentials map[string]string          `json:"credentials"`
}

// NewOpenFnRun returns the job type of runs that workers of the compatible profile take.
func NewOpenFnRun() work.JobType {
	return work.JobType{Name: work.TypeOpenFnRun, Summary: "Runs a workflow on a worker that speaks OpenFn's protocol", Remote: true, Retryable: true, Check: checkRunData}
}

// NewRemoteType returns a job type that remote workers take with any data.
func NewRemoteType(name string) work.JobType {
	return work.JobType{Name: name, Summary: "Runs on a remote worker", Remote: true, Retryable: true}
}

// checkRunData reports what is wrong with a plan, so that one which has reached a
// worker can always be delivered.
func checkRunData(data json.RawMessage) error {
	var broken []kappa.FieldError
	add := func(name, format string, args ...any) {
		broken = append(broken, kappa.FieldError{In: "body", Name: name, Rule: fmt.Sprintf(format, args...)})
	}
	var d runData
	if len(data) == 0 || json.Unmarshal(data, &d) != nil || d.Plan == nil {
		add("data.plan", "must be an object, beside dataclips, an object of objects, and credentials, an object of names")
		return kappa.Invalid(broken...)
	}
	var jobs []struct {
		ID         string `json:"id"`
		Credential any    `json:"credential"`
	}
	if json.Unmarshal(d.Plan["jobs"], &jobs) != nil || len(jobs) == 0 {
		add("data.plan.jobs", "must be a list of at least one object")
	}
	known := map[string]bool{}
	for i, j := range jobs {
		if j.ID == "" || known[j.ID] {
			add(fmt.Sprintf("data.plan.jobs.%d.id", i), "must be a name of its own")
		}
		known[j.ID] = true
		if id, ok := j.Credential.(string); ok && id != "" {
			if _, ok := d.Credentials[id]; !ok {
				add(fmt.Sprintf("data.plan.jobs.%d.credential", i), "must be among data.credentials")
			}
		}
	}
	var triggers []struct {
		ID string `json:"id"`
	}
	if raw := d.Plan["triggers"]; raw != nil && json.Unmarshal(raw, &triggers) != nil {
		add("data.plan.triggers", "must be a list of objects")
	}
	for _, t := range triggers {
		known[t.ID] = true
	}
	checkEdges(d.Plan["edges"], known, add)
	for name, raw := range d.Plan {
		if string(raw) == "null" {
			add("data.plan."+name, "must be left out rather than null")
		}
	}
	d.checkClips(add)
	if len(broken) > 0 {
		return kappa.Invalid(broken...)
	}
	return nil
}

// checkClips reports dataclips and options that are not what they must be.
func (d runData) checkClips(add func(name, format string, args ...any)) {
	if raw := d.Plan["dataclip_id"]; raw != nil {
		var id string
		if json.Unmarshal(raw, &id) != nil || d.Dataclips[id] == nil {
			add("data.plan.dataclip_id", "must be among data.dataclips")
		}
	}
	for id, raw := range d.Dataclips {
		var object map[string]json.RawMessage
		if artifacts.DataclipReference(raw) == "" && (json.Unmarshal(raw, &object) != nil || object == nil) {
			add("data.dataclips."+cut(id, 64), "must be an object, or the id of an uploaded dataclip")
		}
	}
	if raw := d.Plan["options"]; raw != nil {
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) != nil {
			add("data.plan.options", "must be an object")
		}
	}
}

// checkEdges reports edges that lead from or to what the plan does not have.
func checkEdges(raw json.RawMessage, known map[string]bool, add func(name, format string, args ...any)) {
	if raw == nil {
		return
	}
	var edges []struct {
		Source  string `json:"source_job_id"`
		Trigger string `json:"source_trigger_id"`
		Target  string `json:"target_job_id"`
	}
	if json.Unmarshal(raw, &edges) != nil {
		add("data.plan.edges", "must be a list of objects")
		return
	}
	for i, e := range edges {
		if !known[e.Target] || e.Source != "" && !known[e.Source] || e.Trigger != "" && !known[e.Trigger] {
			add(fmt.Sprintf("data.plan.edges.%d", i), "must lead from and to jobs or triggers of the plan")
		}
	}
}

// planOf returns the plan as a worker gets it: with the id of the run, the limits, and
// every member that it relies on.
func planOf(jobID string, input work.RunInput) (plan json.RawMessage, d runData, err error) {
	if err := json.Unmarshal(input.Data, &d); err != nil {
		return nil, d, fmt.Errorf("read the plan of %s: %w", jobID, err)
	}
	if d.Plan == nil {
		d.Plan = map[string]json.RawMessage{}
	}
	for name, raw := range d.Plan {
		d.Plan[name] = withoutNulls(raw)
	}
	options := map[string]any{}
	_ = json.Unmarshal(d.Plan["options"], &options) // none is an empty one
	if options == nil {
		options = map[string]any{}
	}
	options["run_timeout_ms"] = input.Deadline.Milliseconds()
	if options["payload_limit_mb"] == nil {
		options["payload_limit_mb"] = 10
	}
	d.Plan["options"], _ = json.Marshal(options)
	d.Plan["id"], _ = json.Marshal(jobID)
	for _, list := range []string{"triggers", "edges", "jobs"} {
		if d.Plan[list] == nil {
			d.Plan[list] = json.RawMessage("[]")
		}
	}
	plan, err = json.Marshal(d.Plan)
	return plan, d, err
}

// withoutNulls returns an object, or a list of objects, without their members that are
// null: a worker takes such a member for one that is there.
func withoutNulls(raw json.RawMessage) json.RawMessage {
	drop := func(object map[string]json.RawMessage) bool {
		before := len(object)
		maps.DeleteFunc(object, func(_ string, member json.RawMessage) bool { return string(member) == "null" })
		return len(object) < before
	}
	var object map[string]json.RawMessage
	var list []map[string]json.RawMessage
	changed := false
	var clean any
	switch {
	case json.Unmarshal(raw, &object) == nil:
		changed, clean = drop(object), object
	case json.Unmarshal(raw, &list) == nil:
		for _, o := range list {
			changed = drop(o) || changed
		}
		clean = list
	}
	if !changed {
		return raw
	}
	text, _ := json.Marshal(clean) //nolint:errchkjson // it was read as JSON
	return text
}

// emptyPlan is what an attempt gets that may not act: a run without work.
func emptyPlan(jobID string) json.RawMessage {
	id, _ := json.Marshal(jobID)
	return json.RawMessage(`{"id":` + string(id) + `,"triggers":[],"jobs":[],"edges":[],"options":{}}`)
}
