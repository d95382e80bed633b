package cli

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

func TestAskAnswer(t *testing.T) {
	event := func(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }
	passages := event("passages", `{"question":"why?","found":true,"passages":[{"filename":"a.md","document":"o","start_byte":3,"end_byte":9},{"filename":"b.md","document":"o"}]}`)
	for name, c := range map[string]struct {
		stream, out, err string
		args             []string
		code             int
	}{
		"an answer": {
			stream: passages + event("offer", `{"model":"m","input_tokens":10,"most_output_tokens":700,"cost_at_most_usd":0.00123}`) +
				event("sentence", `{"text":"It is\u001b[2J so.","passages":[2,1]}`) + event("news", `{}`) + event("end", `{"answered":true,"sentences_dropped":1,"cut":true,"cost_usd":0.001,"input_tokens":12,"output_tokens":3}`),
			out: "[2][1]\n\n[1] a.md, bytes 3–9 (o)\n[2] b.md", err: "m answers, for at most $0.0012 (10 tokens and up to 700 of answer).\n1 sentence without a source left out\nThe answer became too long; its end is missing.\nIt cost $0.001 (12 tokens sent, 3 answered).\n",
		},
		"no answer":           {stream: passages + event("end", `{"answered":false}`), out: "The documents do not answer that.\n"},
		"for other programs":  {stream: passages + event("sentence", `{"text":"So.","passages":[1]}`) + event("end", `{"answered":true}`), args: []string{"-o", "json"}, out: `"sentences": [`},
		"a failure":           {stream: passages + event("error", `{"detail":"the model refused"}`), err: "the model refused", code: exit.Failed},
		"a stream that broke": {stream: passages, err: "closed the stream within an answer", code: exit.Unreachable},
		"nonsense":            {stream: event("passages", `[`), err: "the event passages is not what Kappa sends", code: exit.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			f.HandleFunc("POST /query/ask/answer", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = w.Write([]byte(c.stream))
			})
			got := f.console(t).run(t.Context(), append([]string{"ask", "--answer", "why?"}, c.args...)...)
			if got.code != c.code || !strings.Contains(got.out, c.out) || !strings.Contains(got.err, c.err) || strings.Contains(got.out, "\x1b[2J") {
				t.Errorf("code %d\nstdout %q\nstderr %q", got.code, got.out, got.err)
			}
		})
	}
}

// TestAskPassages reads what a person sees of passages: what is to be said first, the sentence
// that answers, where it stands, and the passage around it.
func TestAskPassages(t *testing.T) {
	const answer = `{"question":"so?","found":false,"nearest":true,"has_more":true,"absent":["Kafka"],"mended":[{"written":"leas","taken_as":"lease"}],"index":{"ready":false,"passages":3,"of":9},"passages":[
		{"text":"Before. A lease\nends.","filename":"docs/a.md","name":"a.md","document":"o","class":"prose","start_byte":3,"end_byte":24,"sentence":{"text":"A lease\nends.","start_byte":11,"end_byte":24},"also_in":["b.md"]},
		{"text":"lease()","filename":"c.go","document":"o","class":"code","start_byte":1,"end_byte":8,"sentence":{"text":"lease()"}},
		{"text":"Alone.","filename":"d.md","document":"o","class":"prose","start_byte":0,"end_byte":6,"sentence":{"text":"Alone."}}],
		"relationships":[{"from_label":"a","relationship_type":"RELATED_TO","to_label":"b"},{"from_label":"worker","relationship_type":"HAS","to_label":"lease"}]}`
	const out = "3. A lease ends.\n   a.md, bytes 3–24 (o)\n   Before. A lease ends.\n   also in b.md\n\n4. c.go, bytes 1–8 (o)\n   lease()\n\n5. Alone.\n   d.md, bytes 0–6 (o)\n\nConnected by\n   worker —HAS→ lease\n"
	const said = "“leas” stands in no document; “lease” was looked for.\nThe documents say nothing of “Kafka”.\nThe nearest passages, but probably not an answer.\nThe index is loading: this is from 3 of 9 passages.\nMore: --offset 5\n"
	f := newFakeAPI(t)
	f.HandleFunc("POST /query/ask", func(w http.ResponseWriter, _ *http.Request) { f.json(w, answer) })
	got := f.console(t).run(t.Context(), "ask", "--offset", "2", "--ontology", "o", "--ontology", "p", "--kind", "pdf", "--since", "2026-01-31", "--thread", "what?", "--exact", "so?")
	if got.code != 0 || got.out != out || got.err != said {
		t.Errorf("code %d\nstdout %q\nwant   %q\nstderr %q\nwant   %q", got.code, got.out, out, got.err, said)
	}
	for _, bad := range [][]string{{"--since", "monday"}, {"--kind", "scroll"}, {"--limit", "21"}, {"--offset", "-1"}} {
		if got := f.console(t).run(t.Context(), append(append([]string{"ask"}, bad...), "so?")...); got.code != exit.Misused {
			t.Errorf("%v: code %d, %s", bad, got.code, got.err)
		}
	}
}
