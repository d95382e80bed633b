package cli

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

func TestModels(t *testing.T) {
	const key = "sk-canary-cli-5150"
	f := newFakeAPI(t)
	f.answer("GET /admin/models", `{"revision":3,"slots":{"extraction":{"config_id":4,"provider":"openai","model":"gpt-x","fixed":{}},"embedding":{"config_id":0,"provider":"local","model":"","fixed":{"provider":"KG_EMBEDDER"}},"vision":{"config_id":0,"provider":"","model":"","fixed":{}}},"providers":{"openai":{"url":"http://h/v1","max_calls":8,"fixed":{"url":"KG_OPENAI_BASE_URL"}}},"max_calls":32,"fixed":{},"prices":[{"provider":"openai","model":"gpt-x","input_usd_per_million_tokens":1,"output_usd_per_million_tokens":2}]}`)
	f.answer("PUT /admin/models/slots/embedding", `{"slot":"embedding","previous_config_id":0,"job_id":"job_7","config_id":5,"provider":"openai","model":"e","fixed":{}}`)
	f.answer("DELETE /admin/models/slots/vision", `{"slot":"vision","previous_config_id":3,"config_id":0,"provider":"","model":"","fixed":{}}`)
	f.answer("POST /admin/models/try", `{"provider":"ollama","model":"m","purpose":"extraction","ok":false,"error":"ollama cannot be reached"}`)
	f.answer("PUT /admin/models/providers/ollama", `{"url":"http://o","context":4096,"max_calls":2,"requests_per_minute":60,"tokens_per_minute":0,"fixed":{}}`)
	f.answer("PUT /admin/models/limits", `{"revision":3,"slots":{},"providers":{},"max_calls":16,"fixed":{},"prices":[]}`)
	f.answer("PUT /admin/models/prices", `{"provider":"openai","model":"gpt","input_usd_per_million_tokens":0.5,"output_usd_per_million_tokens":1.5}`)
	f.answer("GET /admin/keys", `[{"provider":"openai","configured":true,"masked_key":"…5150","source":"stored","validation_status":"invalid","validation_error":"the file /k holds another key","last_validated_at":null,"updated_at":null},{"provider":"anthropic","configured":true,"masked_key":"…","source":"environment","fixed_by":"ANTHROPIC_API_KEY","validation_status":"untested","validation_error":null,"last_validated_at":null,"updated_at":null}]`)
	f.answer("POST /admin/keys/openai", `{"status":"success","message":"","provider":"openai","validation_status":"valid"}`)
	f.answer("POST /admin/models/keys/rotate", `{"rotated":2,"message":""}`)
	for _, tt := range []struct {
		line string
		in   string
		code int
		out  []string
	}{
		{"admin models", "", exit.OK, []string{"extraction", "openai", "gpt-x", "KG_EMBEDDER", "http://h/v1, 8 calls at once", "up to 32 calls", "$1 and $2"}},
		{"admin models set embedding openai e --reembed", "", exit.OK, []string{"embedding  openai e, on every server", "job_7 embeds the graph anew"}},
		{"admin models set embedding", "", exit.Misused, nil},
		{"admin models reset vision", "", exit.OK, []string{"vision  nobody"}},
		{"admin models try extraction ollama m", "", exit.Failed, []string{"✗ ollama m: ollama cannot be reached"}},
		{"admin models provider ollama --calls 2", "", exit.OK, []string{"ollama  http://o, 2 calls at once, 60 a minute, a context of 4096 tokens"}},
		{"admin models provider ollama", "", exit.Misused, nil},
		{"admin models limit --calls 16", "", exit.OK, []string{"up to 16 calls"}},
		{"admin models limit", "", exit.Misused, nil},
		{"admin models price openai gpt --input 0.5 --output 1.5", "", exit.OK, []string{"openai/gpt costs $0.5"}},
		{"admin models keys", "", exit.OK, []string{"…5150", "holds another key", "fixed by ANTHROPIC_API_KEY"}},
		{"admin models keys set openai", key + "\n", exit.OK, []string{"the key of openai was tried and is stored"}},
		{"admin models keys set openai", "\n", exit.Misused, nil},
		{"admin models keys rotate", "", exit.OK, []string{"2 keys encrypted anew"}},
	} {
		c := f.console(t)
		c.in = tt.in
		c.run(t.Context(), strings.Fields(tt.line)...)
		if c.code != tt.code {
			t.Errorf("%s: code %d, stdout %q, stderr %q", tt.line, c.code, c.out, c.err)
		}
		for _, want := range tt.out {
			if !strings.Contains(c.out, want) {
				t.Errorf("%s: %q lacks %q", tt.line, c.out, want)
			}
		}
		if strings.Contains(c.out+c.err, key) {
			t.Errorf("%s shows the key: %q %q", tt.line, c.out, c.err)
		}
	}
}
