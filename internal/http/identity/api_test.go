package identity

import (
	nethttp "net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
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

// TestOAuthMetadata reads how to get a token, at the address that was asked.
func TestOAuthMetadata(t *testing.T) {
	s := apitest.Serve(t, New(Config{Proof: func(string) string { return "" }}))
	s.MountRoute(http.Route{Path: "/mcp", Permission: access.AnyUser, Metadata: AgentsMetadata}, nethttp.NotFoundHandler())
	for path, want := range map[string]string{
		"/.well-known/oauth-protected-resource":   `{"resource":"http://example.com/mcp","resource_name":"Kappa","authorization_servers":["http://example.com"],"bearer_methods_supported":["header"]}`,
		AgentsMetadata:                            `{"resource":"http://example.com/mcp","resource_name":"Kappa","authorization_servers":["http://example.com"],"bearer_methods_supported":["header"]}`,
		"/.well-known/oauth-authorization-server": `{"issuer":"http://example.com","token_endpoint":"http://example.com/auth/oauth/token","revocation_endpoint":"http://example.com/auth/oauth/revoke","grant_types_supported":["client_credentials"],"response_types_supported":[],"token_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post"]}`,
	} {
		if resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: path, Token: apitest.None}); resp.StatusCode != 200 || strings.TrimSpace(body) != want {
			t.Errorf("%s: %d %s\nwant %s", path, resp.StatusCode, body, want)
		}
	}
	resp, _ := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/mcp", Token: apitest.None})
	if got, want := resp.Header.Get("WWW-Authenticate"), `Bearer resource_metadata="http://example.com`+AgentsMetadata+`"`; resp.StatusCode != 401 || got != want {
		t.Errorf("%d %s, want %s", resp.StatusCode, got, want)
	}
}
