package main

import (
	"context"
	"strings"
)

// attackOrigins calls the server as a page of another site would that has got hold of a
// token or has its name rebound to this machine.
func attackOrigins(ctx context.Context, t *target, out *tally) error {
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, origin := range []string{
		"https://evil.example", "http://evil.example:8000", "null", "file://", "http://127.0.0.1.evil.example", "http://localhost.evil.example", "https://127.0.0.1@evil.example",
		"chrome-extension://abc", "http://[::ffff:6.6.6.6]", "http://127.0.0.1:1", "HTTPS://EVIL.EXAMPLE", "http://evil.example, " + t.url, "javascript:alert(1)", "data:text/html,x",
	} {
		for _, token := range []string{t.admin.token, t.accounts[0].read} {
			out.try()
			a, err := t.send(ctx, request{method: "POST", path: "/mcp", token: token, contentType: "application/json", body: list, header: map[string]string{
				"Origin": origin, "Accept": "application/json, text/event-stream",
			}})
			if err != nil || a.status != 403 {
				out.hole("MCP with the origin %q: %d %v %s", origin, a.status, err, a.body)
			}
		}
		for _, path := range []string{"/jobs", "/users/me", "/auth/oauth/token"} {
			out.try()
			a, err := t.send(ctx, request{method: "OPTIONS", path: path, header: map[string]string{"Origin": origin, "Access-Control-Request-Method": "POST"}})
			if err != nil || a.header.Get("Access-Control-Allow-Origin") != "" {
				out.hole("%s allows the origin %q: %d %v", path, origin, a.status, err)
			}
		}
	}
	for _, host := range []string{"evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "[::1].evil.example", strings.Repeat("a", 5000)} {
		for _, path := range []string{"/", "/users/me", "/mcp"} {
			out.try()
			a, err := t.send(ctx, request{method: "GET", path: path, token: t.admin.token, header: map[string]string{"Host": host}})
			if err != nil && strings.Contains(err.Error(), "invalid") {
				continue // it cannot be sent
			}
			if err != nil || a.status < 400 || a.status >= 500 {
				out.hole("%s as the host %.40q: %d %v %s", path, host, a.status, err, a.body)
			}
		}
	}
	return nil
}
