package auth

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// testGrant is a grant that a token carries without loss.
func testGrant() grant {
	return grant{
		userID: 1000, clientID: "kg-cli-admin-0123abcd", generation: 3, scopes: []string{"read:*", "write:*"},
		tokenID: "T", expires: time.Now().Add(time.Hour).Truncate(time.Second),
	}
}

func TestSignerKeepsTheGrant(t *testing.T) {
	s, key, want := newSigner(time.Now), randomBytes(signKeyBytes), testGrant()
	token, err := s.sign(key, want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.verify(key, token)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, err %v, want %+v", got, err, want)
	}
}

func TestSignerRefuses(t *testing.T) {
	s, key := newSigner(time.Now), randomBytes(signKeyBytes)
	good := func() jwt.MapClaims {
		return jwt.MapClaims{
			"iss": issuer, "aud": audience, "sub": "1000", "jti": "T", "exp": time.Now().Add(time.Hour).Unix(),
			"client_id": "c", "generation": 1, "scope": "read:*",
		}
	}
	signed := func(method jwt.SigningMethod, key any, change func(c jwt.MapClaims)) string {
		c := good()
		change(c)
		token, err := jwt.NewWithClaims(method, c).SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	set := func(name string, value any) func(jwt.MapClaims) { return func(c jwt.MapClaims) { c[name] = value } }
	without := func(name string) func(jwt.MapClaims) { return func(c jwt.MapClaims) { delete(c, name) } }
	same := func(jwt.MapClaims) {}
	hs256 := jwt.SigningMethodHS256
	critical := func(crit any) string {
		token := jwt.NewWithClaims(hs256, good())
		token.Header["crit"] = crit
		text, err := token.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	valid := signed(hs256, key, same)
	if _, err := s.verify(key, valid); err != nil {
		t.Fatalf("the token that the others differ from is refused: %v", err)
	}
	for name, token := range map[string]string{
		"another key":                          signed(hs256, randomBytes(signKeyBytes), same),
		"no signature":                         signed(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, same),
		"another algorithm":                    signed(jwt.SigningMethodHS512, key, same),
		"another issuer":                       signed(hs256, key, set("iss", "evil")),
		"no issuer":                            signed(hs256, key, without("iss")),
		"another audience":                     signed(hs256, key, set("aud", "other")),
		"no audience":                          signed(hs256, key, without("aud")),
		"expired":                              signed(hs256, key, set("exp", time.Now().Add(-time.Minute).Unix())),
		"no expiry":                            signed(hs256, key, without("exp")),
		"not yet valid":                        signed(hs256, key, set("nbf", time.Now().Add(time.Minute).Unix())),
		"a subject without number":             signed(hs256, key, set("sub", "admin")),
		"an extension that must be understood": critical([]string{"exp"}),
		"no extension that must be understood": critical([]string{}),
		"no client":                            signed(hs256, key, without("client_id")),
		"no id":                                signed(hs256, key, without("jti")),
		"a generation of text":                 signed(hs256, key, set("generation", "1")),
		"longer than any of ours":              signed(hs256, key, set("scope", strings.Repeat("read:* ", 400))),
		"claims changed afterwards":            tampered(t, valid),
		"cut":                                  valid[:len(valid)-1],
		"two of three parts":                   valid[:strings.LastIndex(valid, ".")],
		"with the scheme":                      "Bearer " + valid,
		"empty":                                "",
	} {
		t.Run(name, func(t *testing.T) {
			if g, err := s.verify(key, token); err == nil {
				t.Errorf("accepted as %+v", g)
			}
		})
	}
}

// tampered returns a token with another user under the same signature.
func tampered(t *testing.T, token string) string {
	t.Helper()
	parts := strings.Split(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	var c map[string]any
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	c["sub"] = "1001"
	raw, err = json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return parts[0] + "." + base64.RawURLEncoding.EncodeToString(raw) + "." + parts[2]
}

// FuzzVerify looks for a token that says anything but what was signed.
func FuzzVerify(f *testing.F) {
	s, key, want := newSigner(time.Now), []byte("a fixed key, so that findings can be repeated"), testGrant()
	want.expires = time.Date(2100, 1, 1, 0, 0, 0, 0, time.Local)
	token, err := s.sign(key, want)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{token, token[:40], "..", "", "eyJhbGciOiJub25lIn0.e30.", token + ".x", strings.ToUpper(token)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := s.verify(key, text)
		if err == nil && !reflect.DeepEqual(g, want) {
			t.Errorf("%q was accepted as %+v", text, g)
		}
		if err != nil && err.Error() != errToken.Error() {
			t.Errorf("the error says %q", err)
		}
	})
}
