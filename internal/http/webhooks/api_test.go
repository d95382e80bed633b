package webhooks

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/webhooks"
)

const (
	known1  = "wh_000000000000000000000001"
	unknown = "wh_000000000000000000000002"
	message = "msg_17_0123abcd"
)

// fake knows one webhook with one delivery, and notes what it is asked.
type fake struct{ asked []string }

func (f *fake) note(format string, values ...any) {
	f.asked = append(f.asked, fmt.Sprintf(format, values...))
}

func (*fake) Webhooks(context.Context) ([]webhooks.Webhook, error) {
	return []webhooks.Webhook{{ID: known1, Settings: webhooks.Settings{URL: "https://example.com"}.Normal()}}, nil
}

func (*fake) Webhook(_ context.Context, id string) (webhooks.Webhook, error) {
	if id != known1 {
		return webhooks.Webhook{}, kappa.NewError(kappa.CodeNotFound, "Webhook not found: "+id)
	}
	return webhooks.Webhook{ID: known1, Enabled: true, Settings: webhooks.Settings{URL: "https://example.com"}.Normal()}, nil
}

func (f *fake) ChangeWebhook(ctx context.Context, id string, c webhooks.Change) (webhooks.Webhook, error) {
	w, err := f.Webhook(ctx, id)
	if err != nil {
		return w, err
	}
	return c.Apply(w)
}

func (f *fake) DeleteWebhook(ctx context.Context, id string) error {
	_, err := f.Webhook(ctx, id)
	return err
}

func (f *fake) Deliveries(_ context.Context, _ string, filter webhooks.Filter) ([]webhooks.Delivery, error) {
	f.note("list %+v", filter)
	key, _ := webhooks.ParseKey(message)
	return []webhooks.Delivery{{ID: message, Event: webhooks.JobFailed, Status: webhooks.Failed, Key: key, Data: []byte(`{}`)}}, nil
}

func (f *fake) Replay(_ context.Context, _ string, key webhooks.Key) (webhooks.Delivery, error) {
	f.note("replay %s", key.ID())
	return webhooks.Delivery{ID: key.ID(), Event: webhooks.JobFailed, Status: webhooks.Pending, Data: []byte(`{}`)}, nil
}

func (f *fake) ReplayFailed(_ context.Context, _ string, since time.Time) (int, error) {
	f.note("replay since %s", since.UTC())
	return 3, nil
}

func (*fake) Create(_ context.Context, s webhooks.Settings, _ int) (webhooks.Webhook, string, error) {
	w := webhooks.Webhook{ID: known1, Settings: s.Normal(), Enabled: true}
	return w, "whsec_secret", w.Validate()
}

func (f *fake) Rotate(ctx context.Context, id string, keep time.Duration) (webhooks.Webhook, string, error) {
	f.note("keep %s", keep)
	w, err := f.Webhook(ctx, id)
	return w, "whsec_another", err
}

func (f *fake) Try(ctx context.Context, id string) (string, webhooks.Result, error) {
	_, err := f.Webhook(ctx, id)
	return message, webhooks.Result{AnswerStatus: 500, Answer: "no\xff", Error: "it answered 500", Took: time.Second}, err
}

func TestWebhooks(t *testing.T) {
	f, woken := &fake{}, 0
	s := apitest.Serve(t, New(Config{Webhooks: f, Deliveries: f, Service: f, Wake: func() { woken++ }}))
	one := "/webhooks/" + known1
	for _, c := range []struct {
		name   string
		r      apitest.Request
		status int
		want   string
	}{
		{"the list", apitest.Request{Method: "GET", Path: "/webhooks"}, 200, `"webhook_id":"` + known1},
		{"a new one", apitest.Request{Method: "POST", Path: "/webhooks", Body: `{"url":"https://example.com/a","events":["job.failed"]}`}, 201, `"secret":"whsec_secret"`},
		{"an event that is none", apitest.Request{Method: "POST", Path: "/webhooks", Body: `{"url":"https://example.com/a","events":["job.exploded"]}`}, 422, "events[0]"},
		{"no address", apitest.Request{Method: "POST", Path: "/webhooks", Body: `{}`}, 422, "url"},
		{"a member that is none", apitest.Request{Method: "POST", Path: "/webhooks", Body: `{"url":"https://example.com/a","secret":"x"}`}, 422, "secret"},
		{"one", apitest.Request{Method: "GET", Path: one}, 200, `"ontologies":[]`},
		{"an unknown one", apitest.Request{Method: "GET", Path: "/webhooks/" + unknown}, 404, "not found"},
		{"no id", apitest.Request{Method: "GET", Path: "/webhooks/1"}, 404, "not found"},
		{"a change", apitest.Request{Method: "PATCH", Path: one, Body: `{"enabled":false}`}, 200, `"disabled_reason":"disabled by an operator"`},
		{"no change", apitest.Request{Method: "PATCH", Path: one, Body: `{}`}, 400, "Nothing is to be changed"},
		{"a change that breaks", apitest.Request{Method: "PATCH", Path: one, Body: `{"url":"nonsense"}`}, 422, "must be a URL"},
		{"a test", apitest.Request{Method: "POST", Path: one + "/test"}, 200, `"delivered":false,"delivery_id":"` + message + `","answer_status":500`},
		{"another secret", apitest.Request{Method: "POST", Path: one + "/rotate"}, 200, `"secret":"whsec_another"`},
		{"another secret, and the old one for long", apitest.Request{Method: "POST", Path: one + "/rotate", Body: `{"keep_old_hours":169}`}, 422, "keep_old_hours"},
		{"another secret, and the old one no more", apitest.Request{Method: "POST", Path: one + "/rotate", Body: `{"keep_old_hours":0}`}, 200, "secret"},
		{"deliveries", apitest.Request{Method: "GET", Path: one + "/deliveries?status=failed&limit=1"}, 200, `"delivery_id":"` + message},
		{"deliveries in a state that is none", apitest.Request{Method: "GET", Path: one + "/deliveries?status=lost"}, 422, "status"},
		{"too many deliveries", apitest.Request{Method: "GET", Path: one + "/deliveries?limit=501"}, 422, "limit"},
		{"deliveries at a place that is none", apitest.Request{Method: "GET", Path: one + "/deliveries?cursor=x"}, 422, "cursor"},
		{"deliveries of an unknown one", apitest.Request{Method: "GET", Path: "/webhooks/" + unknown + "/deliveries"}, 404, "not found"},
		{"a replay", apitest.Request{Method: "POST", Path: one + "/deliveries/" + message + "/replay"}, 200, `"status":"pending"`},
		{"a replay of nothing", apitest.Request{Method: "POST", Path: one + "/deliveries/17/replay"}, 404, "Delivery not found"},
		{"a replay of what failed", apitest.Request{Method: "POST", Path: one + "/replay", Body: `{"since":"2026-01-02T03:04:05Z"}`}, 200, `"replayed":3`},
		{"a replay since never", apitest.Request{Method: "POST", Path: one + "/replay", Body: `{}`}, 422, "since"},
		{"a deletion", apitest.Request{Method: "DELETE", Path: one}, 204, ""},
		{"a deletion of an unknown one", apitest.Request{Method: "DELETE", Path: "/webhooks/" + unknown}, 404, "not found"},
	} {
		if resp, body := apitest.Call(t, s, c.r); resp.StatusCode != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %.300s, want %d with %s", c.name, resp.StatusCode, body, c.status, c.want)
		}
		c.r.Token = apitest.None
		if resp, _ := apitest.Call(t, s, c.r); resp.StatusCode != 401 {
			t.Errorf("%s: %d without a token", c.name, resp.StatusCode)
		}
	}
	asked := strings.Join(f.asked, "\n")
	for _, want := range []string{"keep 24h0m0s", "keep 0s", "list {Status:failed Event: Limit:1 Cursor:}", "replay " + message, "replay since 2026-01-02 03:04:05 +0000 UTC"} {
		if !strings.Contains(asked, want) {
			t.Errorf("asked for\n%s\nwant %s", asked, want)
		}
	}
	if woken != 2 {
		t.Errorf("woken %d times, want 2: once for each replay", woken)
	}
}
