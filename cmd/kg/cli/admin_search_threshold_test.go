package cli

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

func TestSearchThreshold(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /admin/config/search-threshold", `{"key":"search_similarity_threshold","threshold":0.45,"fallback":0.6}`)
	f.answer("PUT /admin/config/search-threshold", `{"key":"search_similarity_threshold","threshold":0.5}`)
	c := f.console(t)
	for _, tt := range []struct {
		line string
		code int
		out  string
	}{
		{"admin search-threshold", exit.OK, "0.45 (set; the default is 0.6)\n"},
		{"admin search-threshold 0.5", exit.OK, "searches show concepts from 0.5 on\n"},
		{"admin search-threshold 0.5 -o jsonl", exit.OK, `{"key":"search_similarity_threshold","threshold":0.5}` + "\n"},
		{"admin search-threshold 1.5", exit.Misused, ""},
		{"admin search-threshold NaN", exit.Misused, ""},
		{"admin search-threshold half", exit.Misused, ""},
		{"admin search-threshold 0.5 0.6", exit.Misused, ""},
	} {
		if c.run(t.Context(), strings.Fields(tt.line)...); c.code != tt.code || c.out != tt.out {
			t.Errorf("%s: code %d, stdout %q, stderr %q", tt.line, c.code, c.out, c.err)
		}
	}
}
