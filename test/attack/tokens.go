package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kappagraph/kappa/access"
)

// fetchToken exchanges credentials for a token.
func (t *target) fetchToken(ctx context.Context, form string) (string, error) {
	a, err := t.send(ctx, request{method: "POST", path: "/auth/oauth/token", contentType: "application/x-www-form-urlencoded", body: form})
	if err != nil {
		return "", err
	}
	var got struct {
		Token string `json:"access_token"`
	}
	if a.status != 200 || json.Unmarshal([]byte(a.body), &got) != nil || got.Token == "" {
		return "", fmt.Errorf("ask for a token: %d %s", a.status, a.body)
	}
	return got.Token, nil
}

// attackTokens alters what is valid in every way that should make it void.
func attackTokens(ctx context.Context, t *target, out *tally) error {
	victim := t.accounts[len(t.accounts)-1]
	for what, token := range altered(victim.token) {
		t.wantRefused(ctx, out, what, token)
	}
	for i := range victim.key {
		for _, other := range []byte{'a', '0'} {
			if victim.key[i] != other {
				t.wantRefused(ctx, out, fmt.Sprintf("an API key with another character %d", i), victim.key[:i]+string(other)+victim.key[i+1:])
			}
		}
		t.wantRefused(ctx, out, fmt.Sprintf("an API key cut after %d", i), victim.key[:i])
	}
	t.wantRefused(ctx, out, "an API key with more behind it", victim.key+"a")
	return t.attackEnded(ctx, out)
}

// wantRefused wants a token to be nobody's, wherever it may be given.
func (t *target) wantRefused(ctx context.Context, out *tally, what, token string) {
	for where, r := range map[string]request{
		"header":       {method: "GET", path: "/users/me", token: token},
		"other scheme": {method: "GET", path: "/users/me", header: map[string]string{"Authorization": "Basic " + token}},
		"query":        {method: "GET", path: "/users/me?access_token=" + strings.ReplaceAll(token, "+", "%2B")},
		"mcp":          {method: "POST", path: "/mcp", token: token, contentType: "application/json", body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
	} {
		out.try()
		a, err := t.send(ctx, r)
		if err != nil && strings.Contains(err.Error(), "invalid header") {
			continue // it cannot be sent
		}
		if err != nil || a.status != 401 && a.status != 422 && a.status != 400 {
			out.hole("%s in the %s: %d %v %s", what, where, a.status, err, a.body)
		}
	}
}

// altered returns forms of a JWT that must all be refused.
func altered(token string) map[string]string {
	parts := strings.Split(token, ".")
	all := map[string]string{"no signature": parts[0] + "." + parts[1] + ".", "two parts": parts[0] + "." + parts[1], "four parts": token + "." + parts[2]}
	encode := func(header, claims map[string]any) string {
		h, _ := json.Marshal(header) //nolint:errchkjson // plain values
		c, _ := json.Marshal(claims) //nolint:errchkjson // plain values
		return base64.RawURLEncoding.EncodeToString(h) + "." + base64.RawURLEncoding.EncodeToString(c) + "."
	}
	read := func(part string) map[string]any {
		text, _ := base64.RawURLEncoding.DecodeString(part)
		members := map[string]any{}
		_ = json.Unmarshal(text, &members) // an empty one will do
		return members
	}
	for _, algorithm := range []string{"none", "None", "NONE", "nOnE", "RS256", "ES256", "HS384", "HS512", "PS256", "EdDSA", ""} {
		header := read(parts[0])
		header["alg"] = algorithm
		all["alg "+algorithm] = encode(header, read(parts[1])) + parts[2]
		all["alg "+algorithm+" without a signature"] = encode(header, read(parts[1]))
	}
	for name, value := range map[string]any{"crit": []string{"exp"}, "kid": "../../dev/null", "jwk": map[string]string{"kty": "oct", "k": ""}, "jku": "http://127.0.0.1:1/", "x5u": "http://127.0.0.1:1/", "typ": "none", "zip": "DEF"} {
		header := read(parts[0])
		header[name] = value
		all["header "+name] = encode(header, read(parts[1])) + parts[2]
	}
	for name, value := range map[string]any{"sub": "1000", "scope": access.ScopeAdmin, "exp": 4102444800, "iat": 0, "nbf": 0, "aud": "x", "iss": "x", "jti": "x"} {
		claims := read(parts[1])
		claims[name] = value
		all["claim "+name] = encode(read(parts[0]), claims) + parts[2]
	}
	for i := range parts[2] {
		flipped := []byte(parts[2])
		flipped[i] ^= 1
		if text, err := base64.RawURLEncoding.DecodeString(string(flipped)); err == nil {
			if was, _ := base64.RawURLEncoding.DecodeString(parts[2]); string(was) != string(text) {
				all[fmt.Sprintf("signature with another character %d", i)] = parts[0] + "." + parts[1] + "." + string(flipped)
			}
		}
		all[fmt.Sprintf("signature cut after %d", i)] = parts[0] + "." + parts[1] + "." + parts[2][:i]
	}
	return all
}

// attackEnded uses credentials after they were taken away: of a new password, of an account
// that is disabled, and of one that is deleted.
func (t *target) attackEnded(ctx context.Context, out *tally) error {
	for what, end := range map[string]func(access.User) error{
		"a new password": func(u access.User) error {
			text := password + " new"
			_, err := t.admin.client.Users.Update(ctx, u.ID, access.UserUpdate{Password: &text})
			return err
		},
		"an account that is deleted": func(u access.User) error { return t.admin.client.Users.Delete(ctx, u.ID) },
	} {
		user, err := t.admin.client.Users.Create(ctx, access.NewUser{Username: "short_lived", Password: password, Role: access.RoleAdmin})
		if err != nil {
			return err
		}
		a, err := t.logIn(ctx, user.Username, access.RoleAdmin)
		if err != nil {
			return err
		}
		if err := end(a.User); err != nil {
			return err
		}
		for kind, token := range map[string]string{"token": a.token, "token to read": a.read, "API key": a.key} {
			t.wantRefused(ctx, out, "a "+kind+" after "+what, token)
		}
		_ = t.admin.client.Users.Delete(ctx, user.ID) // one of the two is gone already
	}
	return nil
}
