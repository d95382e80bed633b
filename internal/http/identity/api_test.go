package identity

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestNonce(t *testing.T) {
	s := apitest.Serve(t, New(Config{Proof: func(nonce string) string { return "proof of " + nonce }}))
	good := strings.Repeat("a1", 16)
	for nonce, status := range map[string]int{
		"": 422, "short": 422, strings.Repeat("a", 129): 422, strings.Repeat("a", 31) + "-": 422, good: 200,
	} {
		resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/.well-known/kappa-server?nonce=" + nonce, Token: apitest.None})
		if resp.StatusCode != status || status == 200 && !strings.Contains(body, `"proof":"proof of `+good+`"`) {
			t.Errorf("%q: %d %s", nonce, resp.StatusCode, body)
		}
	}
}
