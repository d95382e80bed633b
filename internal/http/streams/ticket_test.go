package streams

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	nethttp "net/http"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// TestTickets opens streams by tickets, each once and for what it is for (S08).
func TestTickets(t *testing.T) {
	b := withHistory(1, work.StatusProcessing)
	s := newTestServer(t, testConfig(b))
	url := listen(t, testConfig(b))
	issue := func(path string) string {
		t.Helper()
		_, body := call(t, s, apitest.Request{Method: "POST", Path: path})
		var ticket access.StreamTicket
		if err := json.Unmarshal([]byte(body), &ticket); err != nil || ticket.ExpiresIn != 60 {
			t.Fatalf("%s, %v", body, err)
		}
		return ticket.Ticket
	}
	open := func(path, header string) *watch {
		h := map[string]string{}
		if header != "" {
			h["Authorization"] = header
		}
		return openStreamOf(t, &nethttp.Transport{}, url+path, h)
	}
	stream := "/jobs/" + knownJob + "/stream"
	t.Run("open the job's stream once", func(t *testing.T) {
		ticket := issue(stream + "-ticket")
		open(stream+"?ticket="+ticket, "").want("1 snapshot")
		if status := open(stream+"?ticket="+ticket, "").resp.StatusCode; status != 401 {
			t.Errorf("status %d for a used ticket", status)
		}
	})
	t.Run("open the stream of many jobs", func(t *testing.T) {
		open("/events?jobs=*&ticket="+issue("/events/stream-ticket"), "").want("ready", "snapshot")
	})
	t.Run("are for one topic", func(t *testing.T) {
		for _, path := range []string{"/events?ticket=", "/jobs/job_ffffffffffff/stream?ticket=", "/jobs/x/stream?ticket="} {
			if status := open(path+issue(stream+"-ticket"), "").resp.StatusCode; status != 401 {
				t.Errorf("%s: status %d", path, status)
			}
		}
		if status := open(stream+"?ticket="+issue("/events/stream-ticket"), "").resp.StatusCode; status != 401 {
			t.Errorf("status %d", status)
		}
	})
	t.Run("win over a token, and a header wins over them", func(t *testing.T) {
		if status := open(stream+"?ticket=bad&token=good", "").resp.StatusCode; status != 401 {
			t.Errorf("status %d", status)
		}
		if status := open(stream+"?ticket=&token=good", "").resp.StatusCode; status != 401 {
			t.Errorf("status %d for an empty ticket", status)
		}
		ticket := issue(stream + "-ticket")
		if status := open(stream+"?ticket="+ticket, "Bearer bad").resp.StatusCode; status != 401 {
			t.Errorf("status %d", status)
		}
		open(stream+"?ticket="+ticket, "").want("1 snapshot") // it was not used up
	})
	t.Run("are no credential elsewhere", func(t *testing.T) {
		if status := open("/other/x?ticket="+issue("/events/stream-ticket"), "").resp.StatusCode; status != 401 {
			t.Errorf("status %d", status)
		}
	})
	t.Run("are refused for a job that is not there or not one's own", func(t *testing.T) {
		resp, body := call(t, s, apitest.Request{Method: "POST", Path: "/jobs/job_ffffffffffff/stream-ticket"})
		apitest.WantProblem(t, resp, body, 404)
		b.set(func() { b.user.Role = "read_only"; b.user.ID = 1001 })
		resp, body = call(t, s, apitest.Request{Method: "POST", Path: stream + "-ticket"})
		apitest.WantProblem(t, resp, body, 404)
	})
}

// TestCredentialsInURLsAreKeptSecret searches for credentials of addresses in the log and the
// answers (S08).
func TestCredentialsInURLsAreKeptSecret(t *testing.T) {
	const secret = "s3cr3t"
	log := &apitest.Log{}
	b := withHistory(1, work.StatusCompleted)
	b.jobs[jobNumber(1)] = work.Job{ID: jobNumber(1), Status: work.StatusProcessing}
	cfg := testConfig(b)
	cfg.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	addr, stop := run(t, cfg)
	requests := 0
	for _, path := range []string{
		"/jobs/" + knownJob + "/stream", "/jobs/" + jobNumber(1) + "/stream/", "/jobs/x/stream", "/events", "/api/events", "/jobs", "/nope",
		"/other/panic", "/metrics", "/jobs/" + knownJob + "/stream-ticket",
	} {
		for _, name := range []string{"ticket", "token", "access_token", "Token", "tokne", "ticket;x"} {
			for _, suffix := range []string{"", "&jobs=%zz", "&last_event_id=x", "#f"} {
				for _, value := range []string{secret, "good" + secret} {
					requests++
					header := map[string]string{}
					if requests%3 == 0 {
						header["Authorization"] = "Bearer good" + secret
					}
					w := openStreamOf(t, &nethttp.Transport{}, "http://"+addr+path+"?"+name+"="+value+suffix, header)
					if w.resp.StatusCode != 200 {
						var body bytes.Buffer
						_, _ = body.ReadFrom(w.resp.Body)
						if strings.Contains(body.String(), secret) {
							t.Errorf("%s?%s: answer %s", path, name, body.String())
						}
					}
					for header, values := range w.resp.Header {
						if strings.Contains(strings.Join(values, " "), secret) {
							t.Errorf("%s?%s: header %s", path, name, header)
						}
					}
					if got := w.resp.Header.Get("Referrer-Policy"); got != "no-referrer" {
						t.Errorf("%s: Referrer-Policy %q", path, got)
					}
					w.cancel()
				}
			}
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	text := log.String()
	if strings.Contains(text, secret) || strings.Count(text, "msg=request ") < requests {
		t.Errorf("the log has %d lines for %d requests; secret in it: %v", strings.Count(text, "msg=request "), requests, strings.Contains(text, secret))
	}
}
