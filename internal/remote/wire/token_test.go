package wire

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// TestRW25_WorkerToken has each rule of the worker token.
func TestRW25_WorkerToken(t *testing.T) {
	now, secret := time.Unix(1_800_000_000, 0), []byte("a secret of workers")
	sign := func(method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
		t.Helper()
		for name, value := range map[string]any{"iss": IssuerCompat, "worker_id": "w1", "iat": now.Unix()} {
			if _, ok := claims[name]; !ok {
				claims[name] = value
			} else if claims[name] == nil {
				delete(claims, name)
			}
		}
		token, err := jwt.NewWithClaims(method, claims).SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	hs := jwt.SigningMethodHS256
	for name, c := range map[string]struct{ token, problem string }{
		"without exp":     {sign(hs, secret, jwt.MapClaims{}), ""},
		"old":             {sign(hs, secret, jwt.MapClaims{"iat": 1}), ""},
		"old secret":      {sign(hs, []byte("the one before it"), jwt.MapClaims{}), ""},
		"other secret":    {sign(hs, []byte("somebody else's 1"), jwt.MapClaims{}), "wrong signature"},
		"expired":         {sign(hs, secret, jwt.MapClaims{"exp": now.Unix() - 1}), "expired"},
		"none":            {sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, jwt.MapClaims{}), "wrong signature"},
		"HS512":           {sign(jwt.SigningMethodHS512, secret, jwt.MapClaims{}), "wrong signature"},
		"issuer":          {sign(hs, secret, jwt.MapClaims{"iss": "me"}), "issuer"},
		"no worker":       {sign(hs, secret, jwt.MapClaims{"worker_id": ""}), "worker_id"},
		"long worker":     {sign(hs, secret, jwt.MapClaims{"worker_id": strings.Repeat("w", 129)}), "worker_id"},
		"no iat":          {sign(hs, secret, jwt.MapClaims{"iat": nil}), "iat"},
		"a minute ahead":  {sign(hs, secret, jwt.MapClaims{"iat": now.Unix() + 60}), ""},
		"two hours ahead": {sign(hs, secret, jwt.MapClaims{"iat": now.Unix() + 7200}), "future"},
		"garbage":         {"x.y.z", "not readable"},
		"empty":           {"", "not readable"},
	} {
		_, err := CheckWorkerToken(c.token, now, secret, []byte("the one before it"))
		switch {
		case c.problem == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.problem != "" && (!errors.Is(err, ErrToken) || !strings.Contains(err.Error(), c.problem)):
			t.Errorf("%s: %v, want %s", name, err, c.problem)
		case err != nil && c.token != "" && strings.Contains(err.Error(), c.token):
			t.Errorf("%s: the error shows the token: %v", name, err)
		}
	}
	token, err := SignWorkerToken(secret, "w9", now)
	if err != nil {
		t.Fatal(err)
	}
	got, err := CheckWorkerToken(token, now.Add(WorkerTokenLife-time.Second), secret)
	if err != nil || got != (WorkerToken{Issuer: IssuerKappa, WorkerID: "w9", IssuedAt: now}) {
		t.Errorf("%+v (%v)", got, err)
	}
	if _, err := CheckWorkerToken(token, now.Add(WorkerTokenLife+time.Second), secret); err == nil {
		t.Error("a token of kg worker has no end")
	}
	if back, ok := TokenOfSubprotocol(BearerSubprotocol(token)); !ok || back != token {
		t.Errorf("%q as a subprotocol is %q", token, back)
	}
}
