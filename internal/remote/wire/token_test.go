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
		"without exp":      {sign(hs, secret, jwt.MapClaims{}), ""},
		"old with an end":  {sign(hs, secret, jwt.MapClaims{"iat": 1, "exp": now.Unix() + 60}), ""},
		"ours without end": {sign(hs, secret, jwt.MapClaims{"iss": IssuerKappa}), ""},
		"ours of 1970":     {sign(hs, secret, jwt.MapClaims{"iss": IssuerKappa, "iat": 1}), "too old"},
		"old secret":       {sign(hs, []byte("the one before it"), jwt.MapClaims{}), ""},
		"other secret":     {sign(hs, []byte("somebody else's 1"), jwt.MapClaims{}), "wrong signature"},
		"expired":          {sign(hs, secret, jwt.MapClaims{"exp": now.Unix() - 1}), "expired"},
		"none":             {sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, jwt.MapClaims{}), "wrong signature"},
		"HS512":            {sign(jwt.SigningMethodHS512, secret, jwt.MapClaims{}), "wrong signature"},
		"issuer":           {sign(hs, secret, jwt.MapClaims{"iss": "me"}), "issuer"},
		"no worker":        {sign(hs, secret, jwt.MapClaims{"worker_id": ""}), "worker_id"},
		"long worker":      {sign(hs, secret, jwt.MapClaims{"worker_id": strings.Repeat("w", 129)}), "worker_id"},
		"no iat":           {sign(hs, secret, jwt.MapClaims{"iat": nil}), "iat"},
		"a minute ahead":   {sign(hs, secret, jwt.MapClaims{"iat": now.Unix() + 60}), ""},
		"two hours ahead":  {sign(hs, secret, jwt.MapClaims{"iat": now.Unix() + 7200}), "future"},
		"garbage":          {"x.y.z", "not readable"},
		"empty":            {"", "not readable"},
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

// TestStaleWorkerTokens says which tokens are good for a worker that is known already only:
// those without an end that were not signed just now.
func TestStaleWorkerTokens(t *testing.T) {
	now, secret := time.Unix(1_800_000_000, 0), []byte("a secret of workers")
	for age, stale := range map[time.Duration]bool{0: false, WorkerTokenLife: false, WorkerTokenLife + time.Second: true, 50 * 365 * 24 * time.Hour: true} {
		for _, end := range []int64{0, now.Unix() + 1} {
			claims := jwt.MapClaims{"iss": IssuerCompat, "worker_id": "w1", "iat": now.Add(-age).Unix()}
			if end != 0 {
				claims["exp"] = end
			}
			text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(secret)
			if err != nil {
				t.Fatal(err)
			}
			got, err := CheckWorkerToken(text, now, secret)
			if err != nil || got.Stale != (stale && end == 0) {
				t.Errorf("%s old, end %d: stale is %v (%v)", age, end, got.Stale, err)
			}
		}
	}
}

// TestCriticalHeaders: a token that says that an extension must be understood is refused,
// since none is (RFC 7515, 4.1.11).
func TestCriticalHeaders(t *testing.T) {
	now, secret := time.Now(), []byte("a secret of workers")
	runs, err := NewRunTokens(nil, secret, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, crit := range map[string]any{"unknown": []string{"x"}, "b64": []string{"b64"}, "empty": []string{}, "no list": "x", "null": nil} {
		worker := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"iss": IssuerKappa, "worker_id": "w", "iat": now.Unix(), "exp": now.Unix() + 60})
		worker.Header["crit"] = crit
		text, err := worker.SignedString(secret)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := CheckWorkerToken(text, now, secret); !errors.Is(err, ErrToken) {
			t.Errorf("%s: a worker token was taken as %+v (%v)", name, got, err)
		}
		run := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"iss": runTokenIssuer, "id": "job_000000000000", "tok": "1", "sub": "w"})
		run.Header["crit"] = crit
		if text, err = run.SignedString(runs.sign); err != nil {
			t.Fatal(err)
		}
		if got, err := runs.Check(text); !errors.Is(err, ErrToken) {
			t.Errorf("%s: a run token was taken as %+v (%v)", name, got, err)
		}
	}
}
