package admin

import (
	"testing"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// TestBadInput lists what callers get wrong.
func TestBadInput(t *testing.T) {
	const lane = "/admin/workers/lanes/interactive"
	f := &fake{}
	apitest.Refuses(t, newServer(t, f), map[string]apitest.Refusal{
		"an unknown field in a lane's settings": apitest.Refused(apitest.Request{Method: "PATCH", Path: lane, Body: `{"max_slot":3}`}, 422, "max_slot: is not a known field", "body.max_slot"),
		"an unknown field beside a good one":    apitest.Refused(apitest.Request{Method: "PATCH", Path: lane, Body: `{"max_slots":3,"job_types":[]}`}, 422, "job_types: is not a known field", ""),
		"no field at all":                       apitest.Refused(apitest.Request{Method: "PATCH", Path: lane, Body: `{}`}, 422, "No fields to update", ""),
		"only null":                             apitest.Refused(apitest.Request{Method: "PATCH", Path: lane, Body: `{"max_slots":null}`}, 422, "No fields to update", ""),
		"an empty body":                         apitest.Refused(apitest.Request{Method: "PATCH", Path: lane}, 422, "No fields to update", ""),
		"slots above the ceiling":               apitest.Refused(apitest.Request{Method: "PATCH", Path: lane, Body: `{"max_slots":17}`}, 422, "max_slots: must be at most 16, got 17", "body.max_slots"),
		"two broken rules":                      apitest.Refused(apitest.Request{Method: "PATCH", Path: lane, Body: `{"max_slots":-1,"poll_interval_ms":1}`}, 422, "max_slots: must be at least 0, got -1; poll_interval_ms: must be at least 500, got 1", ""),
		"text for a number":                     apitest.Refused(apitest.Request{Method: "PATCH", Path: lane, Body: `{"max_slots":"3"}`}, 422, "max_slots: must be a whole number", "body.max_slots"),
		"a fraction for a whole number":         apitest.Refused(apitest.Request{Method: "PATCH", Path: lane, Body: `{"max_slots":1.5}`}, 422, "max_slots: must be a whole number", "body.max_slots"),
		"a number that is out of range":         apitest.Refused(apitest.Request{Method: "PATCH", Path: lane, Body: `{"max_slots":1e30}`}, 422, "max_slots: must be in range, got number 1e30", "body.max_slots"),
		"a number for a boolean":                apitest.Refused(apitest.Request{Method: "PATCH", Path: lane, Body: `{"enabled":1}`}, 422, "enabled: must be true or false", "body.enabled"),
		"a list for an object":                  apitest.Refused(apitest.Request{Method: "PATCH", Path: lane, Body: `[1]`}, 422, "body: must be an object", "body"),
		"broken JSON":                           apitest.Refused(apitest.Request{Method: "PATCH", Path: lane, Body: `{"max_slots":`}, 400, "not valid JSON", ""),
		"two JSON values":                       apitest.Refused(apitest.Request{Method: "PATCH", Path: lane, Body: `{"max_slots":1}{}`}, 400, "not valid JSON", ""),
		"a form for JSON":                       apitest.Refused(apitest.Request{Method: "PATCH", Path: lane, Body: `max_slots=3`, ContentType: http.URLEncodedType}, 415, "application/json", ""),
		"a name with a NUL":                     apitest.Refused(apitest.Request{Method: "PATCH", Path: "/admin/workers/lanes/a%00", Body: `{"max_slots":3}`}, 404, "Lane not found", ""),
		"a lane without a name":                 apitest.Refused(apitest.Request{Method: "POST", Path: "/admin/workers/lanes", Body: `{}`}, 422, "name: is required", "body.name"),
		"a lane with a name in capitals":        apitest.Refused(apitest.Request{Method: "POST", Path: "/admin/workers/lanes", Body: `{"name":"Own"}`}, 422, "name: must be a lower-case letter", "body.name"),
		"a new lane above the ceiling":          apitest.Refused(apitest.Request{Method: "POST", Path: "/admin/workers/lanes", Body: `{"name":"own","max_slots":17}`}, 422, "max_slots: must be at most 16, got 17", "body.max_slots"),
		"a lane with an unknown field":          apitest.Refused(apitest.Request{Method: "POST", Path: "/admin/workers/lanes", Body: `{"name":"own","slots":1}`}, 422, "slots: is not a known field", "body.slots"),
		"a move of no type":                     apitest.Refused(apitest.Request{Method: "POST", Path: lane + "/types", Body: `{"job_types":[]}`}, 422, "job_types: must name at least one", "body.job_types"),
		"a move to a name with a NUL":           apitest.Refused(apitest.Request{Method: "POST", Path: "/admin/workers/lanes/a%00/types", Body: `{"job_types":["noop"]}`}, 404, "Lane not found", ""),
		"a lane that is built in deleted":       apitest.Refused(apitest.Request{Method: "DELETE", Path: lane}, 409, "is built in and cannot be deleted", ""),
		"a lane with a NUL deleted":             apitest.Refused(apitest.Request{Method: "DELETE", Path: "/admin/workers/lanes/a%00"}, 404, "Lane not found", ""),
		"a policy of an unknown type":           apitest.Refused(apitest.Request{Method: "PATCH", Path: "/admin/job-types/none", Body: `{"max_retries":1}`}, 404, "Job type not found: none", ""),
		"a policy without a setting":            apitest.Refused(apitest.Request{Method: "PATCH", Path: "/admin/job-types/noop", Body: `{}`}, 422, "No fields to update", ""),
		"a policy with an unknown setting":      apitest.Refused(apitest.Request{Method: "PATCH", Path: "/admin/job-types/noop", Body: `{"retries":1}`}, 422, "retries: is not a known field", "body.retries"),
		"a policy out of range":                 apitest.Refused(apitest.Request{Method: "PATCH", Path: "/admin/job-types/noop", Body: `{"deadline_ms":999,"jitter":2}`}, 422, "jitter: must be between 0 and 1, got 2; deadline_ms: must be at least 1000, got 999", ""),
		"a reset of no setting":                 apitest.Refused(apitest.Request{Method: "PATCH", Path: "/admin/job-types/noop", Body: `{"reset":["retries"]}`}, 422, "reset: must be any of max_retries, ", "body.reset"),
		"a schedule without a name":             apitest.Refused(apitest.Request{Method: "POST", Path: "/admin/schedules", Body: `{"job_type":"noop","cron":"* * * * *"}`}, 422, "name: is required", "body.name"),
		"a schedule with an unknown field":      apitest.Refused(apitest.Request{Method: "POST", Path: "/admin/schedules", Body: `{"name":"n","job_type":"noop","cron":"* * * * *","timezone":"UTC"}`}, 422, "timezone: is not a known field", "body.timezone"),
		"no schedule at all":                    apitest.Refused(apitest.Request{Method: "POST", Path: "/admin/schedules"}, 400, "A JSON body is required", ""),
		"an update that changes nothing":        apitest.Refused(apitest.Request{Method: "PATCH", Path: "/admin/schedules/n", Body: `{"cron":null}`}, 422, "No fields to update", ""),
		"an update without a body":              apitest.Refused(apitest.Request{Method: "PATCH", Path: "/admin/schedules/n"}, 422, "No fields to update", ""),
		"an update of an unknown field":         apitest.Refused(apitest.Request{Method: "PATCH", Path: "/admin/schedules/n", Body: `{"name":"m"}`}, 422, "name: is not a known field", "body.name"),
		"a schedule's name with a NUL":          apitest.Refused(apitest.Request{Method: "PATCH", Path: "/admin/schedules/a%00", Body: `{"cron":"* * * * *"}`}, 404, "Schedule not found", ""),
		"a removal of a name with a NUL":        apitest.Refused(apitest.Request{Method: "DELETE", Path: "/admin/schedules/a%00"}, 404, "Schedule not found", ""),
		"a run of a name with a NUL":            apitest.Refused(apitest.Request{Method: "POST", Path: "/admin/schedules/a%00/run"}, 404, "Schedule not found", ""),
		"more runs than are shown":              apitest.Refused(apitest.Request{Method: "GET", Path: "/admin/schedules/n/runs?limit=501"}, 422, "limit: must be at most 500, got 501", "query.limit"),
		"runs of a schedule's name of NULs":     apitest.Refused(apitest.Request{Method: "GET", Path: "/admin/schedules/%00/runs"}, 404, "Schedule not found", ""),
	}, func() int { return len(f.updates) + len(f.did) })
}
