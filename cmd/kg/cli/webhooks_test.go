package cli

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// hookAnswer is a webhook as a server answers it.
const hookAnswer = `{"webhook_id":"wh_000000000000000000000001","url":"https://example.com/hooks","description":"","events":["job.failed"],"ontologies":[],"job_types":[],
"enabled":true,"disabled_at":null,"disabled_reason":"","failing_since":"2026-05-01T12:00:00Z","deliveries_waiting":7,"old_secret_until":null,"owner":"ada","created_at":"2026-05-01T12:00:00Z","updated_at":"2026-05-01T12:00:00Z"}`

const (
	hookDisabled = `{"webhook_id":"wh_000000000000000000000002","url":"https://example.com/b","events":[],"ontologies":[],"job_types":[],"enabled":false,"disabled_at":"2026-05-02T12:00:00Z","disabled_reason":"its address answered 410 Gone","deliveries_waiting":1}`
	hookDelivery = `{"delivery_id":"msg_17_0123abcd","event":"job.failed","status":"pending","happened_at":"2026-05-01T12:00:00Z","attempts":2,"next_attempt_at":"2026-05-01T12:30:00Z","answer_status":500,"answer":"no","error":"it answered 500 Internal Server Error","data":{}}`
)

// hookAPI answers as a server with two webhooks, and keeps what was sent.
func hookAPI(t *testing.T) (f *fakeAPI, sent *[]string) {
	t.Helper()
	f, sent = newFakeAPI(t), &[]string{}
	keep := func(answer string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			*sent = append(*sent, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
			if answer == "" {
				w.WriteHeader(http.StatusNoContent)
				return
			}
			f.json(w, answer)
		}
	}
	secret := strings.Replace(hookAnswer, "{", `{"secret":"whsec_once",`, 1)
	const one = "/webhooks/wh_1"
	f.answer("GET /webhooks", `{"webhooks":[`+hookAnswer+`,`+hookDisabled+`]}`)
	f.HandleFunc("POST /webhooks", keep(secret))
	f.answer("GET "+one, hookAnswer)
	f.HandleFunc("PATCH "+one, keep(hookAnswer))
	f.HandleFunc("DELETE "+one, keep(""))
	f.HandleFunc("POST "+one+"/rotate", keep(secret))
	f.HandleFunc("POST "+one+"/test", keep(`{"delivered":false,"delivery_id":"msg_1_00000001","answer_status":500,"answer":"no","error":"it answered 500","took_ms":12}`))
	f.HandleFunc("GET "+one+"/deliveries", keep(`{"deliveries":[`+hookDelivery+`],"next_cursor":"abc"}`))
	f.HandleFunc("POST "+one+"/deliveries/msg_17_0123abcd/replay", keep(hookDelivery))
	f.HandleFunc("POST "+one+"/replay", keep(`{"replayed":1}`))
	return f, sent
}

func TestWebhookCommands(t *testing.T) {
	f, sent := hookAPI(t)
	for _, tt := range []struct {
		line, says, sends string
		code              int
	}{
		{"webhooks list", "wh_000000000000000000000001  failing         7  job.failed", "", exit.OK},
		{"webhooks list", "wh_000000000000000000000002  disabled        1  all", "", exit.OK},
		{"webhooks create https://example.com/hooks --event job.failed --ontology A", "secret  whsec_once", `POST /webhooks {"url":"https://example.com/hooks","description":"","events":["job.failed"],"ontologies":["A"],"job_types":null}`, exit.OK},
		{"webhooks create nonsense", "must be a URL such as", "", exit.Misused},
		{"webhooks create https://example.com --event job.exploded", "--event: must be one of", "", exit.Misused},
		{"webhooks show wh_1", "state        failing since", "", exit.OK},
		{"webhooks change wh_1 --event job.failed --job-type=", "wh_000000000000000000000001", `PATCH /webhooks/wh_1 {"events":["job.failed"],"job_types":[]}`, exit.OK},
		{"webhooks disable wh_1", "is failing", `PATCH /webhooks/wh_1 {"enabled":false}`, exit.OK},
		{"webhooks rotate wh_1 --keep-old 48h", "secret  whsec_once", `POST /webhooks/wh_1/rotate {"keep_old_hours":48}`, exit.OK},
		{"webhooks rotate wh_1 --keep-old 200h", "--keep-old: must be between 0 and 168", "", exit.Misused},
		{"webhooks test wh_1", "msg_1_00000001  answered 500 in 12 ms", "POST /webhooks/wh_1/test", exit.Failed},
		{"webhooks deliveries wh_1 --status failed", "2  it answered 500 Internal", "GET /webhooks/wh_1/deliveries?limit=50&status=failed", exit.OK},
		{"webhooks deliveries wh_1 --status lost", "--status: must be one of pending, delivered, failed", "", exit.Misused},
		{"webhooks replay wh_1 msg_17_0123abcd", "msg_17_0123abcd is sent again", "POST /webhooks/wh_1/deliveries/msg_17_0123abcd/replay", exit.OK},
		{"webhooks replay wh_1 --since 72h", "1 delivery sent again", "", exit.OK},
		{"webhooks replay wh_1", "say which delivery", "", exit.Misused},
		{"webhooks delete wh_1", "is deleted", "DELETE /webhooks/wh_1", exit.OK},
	} {
		c := f.console(t)
		c.run(t.Context(), strings.Fields(tt.line)...)
		if last := strings.Join(*sent, "\n"); c.code != tt.code || !strings.Contains(c.out+c.err, tt.says) || !strings.HasSuffix(last, tt.sends) {
			t.Errorf("%s: code %d, want %d; %q %q does not say %q, or %q does not end with %q", tt.line, c.code, tt.code, c.out, c.err, tt.says, last, tt.sends)
		}
	}
}

func TestCheckWebhooks(t *testing.T) {
	f, _ := hookAPI(t)
	c, err := client.New(client.Config{BaseURL: f.url, ClientID: "id", ClientSecret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var text strings.Builder
	for _, found := range checkWebhooks(t.Context(), c) {
		text.WriteString(found.Level + " " + found.Found + " " + found.Remedy + "\n")
	}
	for _, want := range []string{"warn wh_000000000000000000000001 has failed since", "waiting: 7 deliveries", "wh_000000000000000000000002 is disabled: its address answered 410 Gone; waiting: 1 delivery kg webhooks test"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("found %q, want %q", text.String(), want)
		}
	}
}
