package telemetry

import (
	"context"
	"fmt"
	nethttp "net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// longestDeaf is for how long a source of events may be cut off before the server
// is not ready: changes are seen all the same, but late.
const longestDeaf = 30 * time.Second

// Readiness says what GET /readyz and GET /livez check, besides the sources of
// events. What is nil is not checked. The message of an error is shown to
// everybody, if it is a kappa.Error.
type Readiness struct {
	// Schema returns the version of the schema in the database. An error is a
	// database that does not answer.
	Schema  func(ctx context.Context) (work.Schema, error)
	Version int64 // of the schema that this program is made for

	Worker   func() error                     // why this server may not work on jobs
	Lanes    func() (standby bool, err error) // why it claims no jobs; standby: another server is to
	Handlers func() error                     // why its handlers need a restart
	Locks    func()                           // takes each lock that the server's loops need, and gives it back
}

// checkStatus is how one check ended.
type checkStatus string

const (
	checkOK      checkStatus = "ok"
	checkFailed  checkStatus = "failed"
	checkUnknown checkStatus = "unknown"
)

type check struct {
	Status checkStatus `json:"status" doc:"ok, failed, or unknown while another check fails"`
	Detail string      `json:"detail,omitempty" doc:"Why, for an operator"`
}

type readyReport struct {
	Status string           `json:"status" doc:"ready, not ready, or draining"`
	Checks map[string]check `json:"checks"`
}

// Words for the status of a readyReport.
const (
	isReady    = "ready"
	isNotReady = "not ready"
	isDraining = "draining"
)

// Drain has the server answer that it is not ready, from now on.
func (a *API) Drain() { a.draining.Store(true) }

func (a *API) registerReady(r *http.Router) {
	ready := &probe[readyReport]{check: a.checkReadiness}
	r.RegisterRaw(http.Route{
		Method: "GET", Path: "/readyz", Permission: access.Public, Probe: true, ID: "health.ready", Summary: "Whether to send this server requests",
		Document: func(op *huma.Operation) {
			http.Respond(op, "200", http.JSONType, "Ready", http.SchemaOf[readyReport](r))
			http.Respond(op, "503", http.JSONType, "Not ready, or about to stop", http.SchemaOf[readyReport](r))
		},
	}, func(c *gin.Context) error {
		report := readyReport{Status: isDraining, Checks: map[string]check{}}
		if !a.draining.Load() {
			report = ready.result(c.Request.Context())
		}
		answerProbe(c, report.Status == isReady, report)
		return nil
	})
}

// answerProbe sends what a probe has found.
func answerProbe(c *gin.Context, good bool, report any) {
	status := nethttp.StatusOK
	if !good {
		status = nethttp.StatusServiceUnavailable
	}
	c.Data(status, http.JSONType, http.EncodeJSON(report))
}

// checkReadiness makes every check. It logs when the answer changes: whoever asks
// may keep it to itself.
func (a *API) checkReadiness(ctx context.Context) readyReport {
	report := readyReport{Status: isReady, Checks: a.makeChecks(ctx)}
	var failed []string
	for name, c := range report.Checks {
		if c.Status == checkFailed {
			report.Status = isNotReady
			failed = append(failed, name+": "+c.Detail)
		}
	}
	if unready := len(failed) > 0; a.unready.Swap(unready) != unready {
		if unready {
			a.cfg.Log.WarnContext(ctx, "not ready", "checks", failed)
		} else {
			a.cfg.Log.InfoContext(ctx, "ready again")
		}
	}
	return report
}

func (a *API) makeChecks(ctx context.Context) map[string]check {
	to := a.cfg.Readiness
	checks := map[string]check{"events": checkSources(a.eventSources(), time.Now())}
	if to.Schema != nil {
		checks["database"], checks["schema"] = a.checkSchema(ctx)
	}
	if to.Worker != nil {
		checks["worker"] = checkOf(to.Worker())
	}
	if to.Handlers != nil {
		checks["handlers"] = checkOf(to.Handlers())
	}
	if to.Lanes != nil {
		standby, err := to.Lanes()
		checks["lanes"] = checkOf(err)
		if standby && err == nil {
			checks["lanes"] = check{checkOK, "standby: the lanes run on the server that leads"}
		}
	}
	return checks
}

func checkOf(err error) check {
	if err != nil {
		return check{checkFailed, strings.TrimSuffix(kappa.ErrorMessage(err), "; try again")}
	}
	return check{Status: checkOK}
}

// checkSchema asks the database for its version. That tells whether it answers,
// too.
func (a *API) checkSchema(ctx context.Context) (database, schema check) {
	found, err := a.cfg.Readiness.Schema(ctx)
	switch want := a.cfg.Readiness.Version; {
	case err != nil:
		a.cfg.Log.DebugContext(ctx, "the database does not answer a probe", "err", err)
		return checkOf(err), check{checkUnknown, "the database does not answer"}
	case found.Version < want:
		return check{Status: checkOK}, check{checkFailed, fmt.Sprintf("the database has schema version %d, this program needs %d: migrate it by a restart of this server", found.Version, want)}
	case found.Version > want && found.Floor > want:
		return check{Status: checkOK}, check{checkFailed, fmt.Sprintf("the database has schema version %d, which needs a program that knows %d, and this one knows %d: install the newer program", found.Version, found.Floor, want)}
	case found.Version > want:
		return check{Status: checkOK}, check{checkOK, fmt.Sprintf("the database has schema version %d, with which this program, made for %d, works", found.Version, want)}
	}
	return check{Status: checkOK}, check{Status: checkOK}
}

// checkSources fails when a source that is in use has been cut off for long. One
// that another stands in for is not in use.
func checkSources(sources []work.EventSource, now time.Time) check {
	for _, source := range sources {
		if !source.Active || source.Connected || source.Since == nil {
			continue
		}
		if deaf := now.Sub(source.Since.Time); deaf > longestDeaf {
			return check{checkFailed, fmt.Sprintf("the event source %s has been cut off for %s; changes are seen seconds late", source.Name, deaf.Round(time.Second))}
		}
	}
	return check{Status: checkOK}
}
