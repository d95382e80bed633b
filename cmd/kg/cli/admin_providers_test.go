package cli

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

func TestProviders(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /admin/providers", `{"providers":[{"name":"openai","extraction_model":"gpt-x","limits":{"max_calls":8},"in_flight":3,"waiting":12,"failures":2,"last_error":"openai limits our calls (429)"}]}`)
	f.answer("GET /admin/models/spending", `{"days":7,"usd":0.5,"usage":[{"model":"gpt-x","purpose":"extraction","calls":1234,"failed_calls":1,"input_tokens":5,"output_tokens":6,"usd":0.5,"seconds":1}]}`)
	f.answer("POST /admin/providers/check", `{"ok":false,"checks":[{"provider":"openai","model":"gpt-x","purpose":"extraction","ok":true,"seconds":0.52},{"provider":"ollama","model":"e","purpose":"embedding","ok":false,"error":"ollama cannot be reached"}]}`)
	f.answer("GET /embedding/config", `{"model":"openai/e","graph_model":"local-ngram-768","graph_dimensions":768,"matches":false}`)
	c := f.console(t)
	for _, tt := range []struct {
		line string
		code int
		out  []string
	}{
		{"admin providers", exit.OK, []string{"openai", "gpt-x", "3/8", "12", "openai limi"}},
		{"admin providers -o jsonl", exit.OK, []string{`{"name":"openai"`}},
		{"admin providers spending --days 7", exit.OK, []string{"gpt-x", "1,234", "0.5000", "$0.5000 in 7 days"}},
		{"admin providers check", exit.Failed, []string{"✓ openai gpt-x reads (0.5 s)\n", "✗ ollama e: ollama cannot be reached\n"}},
		{"admin providers now", exit.Misused, nil},
		{"admin embeddings", exit.OK, []string{"openai/e", "local-ngram-768 (768 dimensions)", "kg admin embeddings reembed"}},
	} {
		c.run(t.Context(), strings.Fields(tt.line)...)
		if c.code != tt.code {
			t.Errorf("%s: code %d, stdout %q, stderr %q", tt.line, c.code, c.out, c.err)
		}
		for _, want := range tt.out {
			if !strings.Contains(c.out, want) {
				t.Errorf("%s: %q lacks %q", tt.line, c.out, want)
			}
		}
	}
}
