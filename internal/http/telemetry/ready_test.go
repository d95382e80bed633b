package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// wellbeing is what a server that is well says, until a test changes it.
type wellbeing struct {
	version, floor      int64
	schema, work, lanes error
	handlers            error
	hang                bool
	standby             bool
	source              work.EventSource
	checks              int
}

func (w *wellbeing) config() Config {
	cfg := (&fake{}).config()
	cfg.Sources = func() []work.EventSource { return []work.EventSource{w.source} }
	cfg.Readiness = Readiness{
		Schema: func(ctx context.Context) (work.Schema, error) {
			w.checks++
			if w.hang {
				<-ctx.Done()
				return work.Schema{}, &kappa.Error{Code: kappa.CodeUnavailable, Message: "the database took too long; try again", Err: ctx.Err()}
			}
			return work.Schema{Version: w.version, Floor: w.floor}, w.schema
		},
		Version: 7,
		Worker:  func() error { return w.work },
		Lanes:   func() (bool, error) { return w.standby, w.lanes }, Handlers: func() error { return w.handlers },
	}
	return cfg
}

func serve(t *testing.T, cfg Config) *http.Server {
	t.Helper()
	return apitest.Serve(t, New(cfg))
}

// ask returns the status and the checks of GET /readyz.
func ask(t *testing.T, s *http.Server) (int, readyReport) {
	t.Helper()
	resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/readyz", Token: apitest.None})
	var report readyReport
	if err := json.Unmarshal([]byte(body), &report); err != nil || resp.Header.Get("Content-Type") != http.JSONType {
		t.Fatalf("%s %s: %v", resp.Header.Get("Content-Type"), body, err)
	}
	return resp.StatusCode, report
}

// TestQ19_ReadyWithANewerSchema has a newer program migrate the database, with
// which this one goes on to work.
func TestQ19_ReadyWithANewerSchema(t *testing.T) {
	w := wellbeing{version: 8, floor: 7, source: work.EventSource{Name: "listen", Active: true, Connected: true, Since: new(kappa.At(time.Now()))}}
	status, report := ask(t, serve(t, w.config()))
	want := check{checkOK, "the database has schema version 8, with which this program, made for 7, works"}
	if status != 200 || report.Status != "ready" || report.Checks["schema"] != want {
		t.Errorf("%d %+v", status, report)
	}
}

// TestQ39_Readyz breaks each thing that is looked at, and mends it.
func TestQ39_Readyz(t *testing.T) {
	for name, tt := range map[string]struct {
		harm  func(w *wellbeing)
		check string
		want  string
	}{
		"the database is away": {
			func(w *wellbeing) {
				w.schema = &kappa.Error{Code: kappa.CodeUnavailable, Message: "the database cannot be reached; try again", Err: errors.New("postgres://user:hush@db")}
			}, "database", "the database cannot be reached",
		},
		"the database hangs":        {func(w *wellbeing) { w.hang = true }, "database", "the database took too long"},
		"what it says is a secret":  {func(w *wellbeing) { w.schema = errors.New("postgres://user:hush@db") }, "database", "internal error"},
		"the schema is older":       {func(w *wellbeing) { w.version = 6 }, "schema", "the database has schema version 6, this program needs 7: migrate it by a restart of this server"},
		"the schema is too new":     {func(w *wellbeing) { w.version, w.floor = 9, 8 }, "schema", "the database has schema version 9, which needs a program that knows 8, and this one knows 7: install the newer program"},
		"the lease is lost":         {func(w *wellbeing) { w.work = kappa.NewError(kappa.CodeUnavailable, "no lease") }, "worker", "no lease"},
		"the claim loop is stalled": {func(w *wellbeing) { w.lanes = kappa.NewError(kappa.CodeUnavailable, "stalled") }, "lanes", "stalled"},
		"handlers do not return":    {func(w *wellbeing) { w.handlers = kappa.NewError(kappa.CodeUnavailable, "restart the server") }, "handlers", "restart the server"},
		"notifications are dead": {
			func(w *wellbeing) {
				w.source.Connected, w.source.Since = false, new(kappa.At(time.Now().Add(-longestDeaf)))
			}, "events", "the event source listen has been cut off for 31s; changes are seen seconds late",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				well := wellbeing{version: 7, source: work.EventSource{Name: "listen", Active: true, Connected: true, Since: new(kappa.At(time.Now()))}}
				w := well
				s := serve(t, w.config())
				if status, report := ask(t, s); status != 200 || report.Status != "ready" || len(report.Checks) != 6 {
					t.Fatalf("%d %+v", status, report)
				}
				tt.harm(&w)
				time.Sleep(probeAge)
				began := time.Now()
				status, report := ask(t, s)
				if took := time.Since(began); took >= time.Second {
					t.Errorf("the answer took %s", took)
				}
				if status != 503 || report.Status != "not ready" || report.Checks[tt.check] != (check{checkFailed, tt.want}) {
					t.Errorf("%d %+v", status, report)
				}
				for name, c := range report.Checks {
					if name != tt.check && c.Status == checkFailed {
						t.Errorf("%s fails, too: %s", name, c.Detail)
					}
					if strings.Contains(c.Detail, "hush") {
						t.Errorf("%s tells a secret", name)
					}
				}
				w = well
				time.Sleep(probeAge)
				if status, report := ask(t, s); status != 200 || report.Status != "ready" {
					t.Errorf("after it was mended: %d %+v", status, report)
				}
			})
		})
	}

	t.Run("what is no reason", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			old := new(kappa.At(time.Now().Add(-time.Hour)))
			for name, source := range map[string]work.EventSource{
				"cut off for less than 30 s": {Name: "listen", Active: true, Since: new(kappa.At(time.Now().Add(-longestDeaf)))},
				"another stands in for it":   {Name: "listen", Since: old},
				"connected for long":         {Name: "listen", Active: true, Connected: true, Since: old},
			} {
				w := wellbeing{version: 7, source: source, standby: true}
				s := serve(t, w.config())
				status, report := ask(t, s)
				if lanes := report.Checks["lanes"]; status != 200 || lanes.Status != checkOK || !strings.HasPrefix(lanes.Detail, "standby") {
					t.Errorf("%s: %d %+v", name, status, report)
				}
			}
		})
	})

	t.Run("one check serves all who ask within a second", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := wellbeing{version: 7}
			s := serve(t, w.config())
			for range 5 {
				ask(t, s)
			}
			if w.checks != 1 {
				t.Errorf("%d checks", w.checks)
			}
		})
	})

	t.Run("a server that drains says so at once", func(t *testing.T) {
		w := wellbeing{version: 7}
		s := serve(t, w.config())
		ask(t, s)
		s.Drain()
		if status, report := ask(t, s); status != 503 || report.Status != "draining" {
			t.Errorf("%d %+v", status, report)
		}
		if resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/livez", Token: apitest.None}); resp.StatusCode != 200 {
			t.Errorf("it is not alive: %s", body)
		}
	})

	t.Run("a server that was told to stop drains", func(t *testing.T) {
		w := wellbeing{version: 7}
		s := serve(t, w.config())
		_, stop := apitest.Run(t, s)
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if status, report := ask(t, s); status != 503 || report.Status != "draining" {
			t.Errorf("%d %+v", status, report)
		}
	})
}

// TestQ39_Livez holds a lock for ever. A lock that is only slow to be had, and a
// database that is away, are no deadlock.
func TestQ39_Livez(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lock sync.Mutex // never held over a call that the test makes
		free := make(chan struct{})
		close(free)
		held := free
		cfg := (&fake{}).config()
		cfg.Readiness.Locks = func() {
			lock.Lock()
			wait := held
			lock.Unlock()
			<-wait
		}
		s := serve(t, cfg)
		alive := func() bool {
			t.Helper()
			began := time.Now()
			resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/livez", Token: apitest.None})
			if took := time.Since(began); took >= time.Second {
				t.Errorf("the answer took %s", took)
			}
			if want := map[bool]string{true: `{"status":"alive"}`, false: `{"status":"deadlocked"}`}[resp.StatusCode == 200]; strings.TrimSpace(body) != want {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
			return resp.StatusCode == 200
		}
		if !alive() {
			t.Fatal("a server that is well is not alive")
		}
		lock.Lock()
		held = make(chan struct{})
		lock.Unlock()
		for began := time.Now(); time.Since(began) < deadlocked-probeTimeout; time.Sleep(time.Second) {
			if !alive() {
				t.Fatalf("a lock that was not to be had for %s was called a deadlock", time.Since(began))
			}
		}
		time.Sleep(probeTimeout)
		if alive() {
			t.Error("a lock that is held for ever goes unseen")
		}
		close(held)
		if !alive() {
			t.Error("the lock was given back, and the server is still not alive")
		}
	})
}
