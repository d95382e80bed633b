package webhooks

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/kappagraph/kappa"
)

// TestSign has the library of the specification verify what was signed, with each secret.
func TestSign(t *testing.T) {
	secrets := []string{NewSecret(), NewSecret()}
	body, err := Body(JobCompleted, time.Now(), json.RawMessage(`{"job_id": "job_000000000001"}`))
	if err != nil {
		t.Fatal(err)
	}
	signature, err := Sign(secrets, "msg_1_00000001", time.Now(), body)
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{}
	header.Set(HeaderID, "msg_1_00000001")
	header.Set(HeaderTimestamp, Timestamp(time.Now()))
	header.Set(HeaderSignature, signature)
	for i, secret := range append(secrets, NewSecret()) {
		verifier, err := standard.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.Verify(body, header); (err == nil) != (i < 2) {
			t.Errorf("secret %d: %v", i, err)
		}
		if err := verifier.Verify(append(body, ' '), header); err == nil {
			t.Errorf("secret %d verifies another body", i)
		}
	}
	for _, bad := range []string{"", "whsec_", "whsec_!", "secret"} {
		if _, err := Sign([]string{bad}, "msg", time.Now(), body); bad != "whsec_" && (err == nil || strings.Contains(err.Error(), "!")) {
			t.Errorf("signed with %q: %v", bad, err)
		}
	}
	if _, err := Sign(nil, "msg", time.Now(), body); err == nil {
		t.Error("signed with no secret")
	}
}

func TestBody(t *testing.T) {
	got, err := Body(DocumentAdded, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), json.RawMessage(`{"a": 1}`))
	if want := `{"type":"document.added","timestamp":"2026-01-02T03:04:05.000Z","data":{"a":1}}`; err != nil || string(got) != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
}

func TestWait(t *testing.T) {
	var all time.Duration
	for n := 1; ; n++ {
		wait, again := Wait(n, 0, 0.5)
		if !again {
			if n != MaxAttempts() {
				t.Errorf("given up after %d attempts, want %d", n, MaxAttempts())
			}
			break
		}
		all += wait
		least, _ := Wait(n, 0, 0)
		most, _ := Wait(n, 0, 0.999)
		if least >= wait || most <= wait {
			t.Errorf("attempt %d waits %s to %s: no jitter", n, least, most)
		}
	}
	if all < 72*time.Hour || all > 80*time.Hour {
		t.Errorf("it is tried for %s, want about three days", all)
	}
	if wait, _ := Wait(1, time.Minute, 0); wait != time.Minute {
		t.Errorf("waits %s, want what was asked for", wait)
	}
	if wait, _ := Wait(1, 100*time.Hour, 0); wait != mostAskedOf {
		t.Errorf("waits %s, want at most a day", wait)
	}
	if wait, _ := Wait(4, time.Second, 0.5); wait != 2*time.Hour {
		t.Errorf("waits %s, want its own time", wait)
	}
}

func TestSettle(t *testing.T) {
	for name, c := range map[string]struct {
		attempt int
		result  Result
		want    Status
	}{
		"taken":                 {1, Result{OK: true}, Delivered},
		"refused":               {1, Result{}, Pending},
		"refused the last time": {MaxAttempts(), Result{}, Failed},
		"gone":                  {1, Result{Gone: true}, Pending}, // it waits until somebody enables the webhook
	} {
		if got := Settle(Message{Attempt: c.attempt}, c.result, 0.5); got.Status != c.want || (got.Wait > 0) != (c.want == Pending) {
			t.Errorf("%s: %s in %s, want %s", name, got.Status, got.Wait, c.want)
		}
	}
}

func TestSettingsValidate(t *testing.T) {
	good := Settings{URL: "https://example.com/hooks?key=1", Events: []Event{JobFailed}, Ontologies: []string{"A"}, JobTypes: []string{"ingestion"}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Settings){
		"body.url":           func(s *Settings) { s.URL = "ftp://example.com" },
		"user name":          func(s *Settings) { s.URL = "https://me:secret@example.com" },
		"fragment":           func(s *Settings) { s.URL = "https://example.com/#a" },
		"2048":               func(s *Settings) { s.URL = "https://example.com/" + strings.Repeat("a", MaxURL) },
		"events[0]":          func(s *Settings) { s.Events = []Event{"job.exploded"} },
		"job.awaiting":       func(s *Settings) { s.Events = []Event{Test} },
		"ontologies[1]":      func(s *Settings) { s.Ontologies = []string{"A", ""} },
		"at most 100 names":  func(s *Settings) { s.JobTypes = make([]string, 101) },
		"control characters": func(s *Settings) { s.Description = "a\x00" },
	} {
		s := good
		change(&s)
		if err := s.Validate(); kappa.ErrorCode(err) != kappa.CodeInvalid || !strings.Contains(kappa.ErrorMessage(err), strings.TrimPrefix(name, "body.")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestChange(t *testing.T) {
	w := Webhook{Settings: Settings{URL: "https://example.com"}, Enabled: true}
	if _, err := (Change{}).Apply(w); kappa.ErrorCode(err) != kappa.CodeMalformed {
		t.Errorf("nothing: %v", err)
	}
	got, err := Change{Enabled: new(false), Events: &[]Event{JobFailed, JobFailed}}.Apply(w)
	if err != nil || got.Enabled || got.DisabledReason != DisabledByHand || len(got.Events) != 1 || got.URL != w.URL {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := (Change{URL: new("nonsense")}).Apply(w); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("nonsense: %v", err)
	}
}

func TestDeliveryID(t *testing.T) {
	k := Key{Seq: 42, Tag: 0x7fffffff}
	if got, ok := ParseKey(k.ID()); !ok || got != k {
		t.Errorf("%s is read as %v %v", k.ID(), got, ok)
	}
	for _, bad := range []string{"", "msg_", "msg_0_00000000", "msg_1_80000000", "msg_1_0000000g", "msg_9999999999999999999_00000000", "msg_1_00000000 "} {
		if k, ok := ParseKey(bad); ok {
			t.Errorf("%q is read as %v", bad, k)
		}
	}
	if id := NewID(); !IsID(id) || IsID(id+"0") {
		t.Error(id)
	}
}
