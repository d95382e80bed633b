package auth

import (
	"strconv"
	"testing"
	"time"
)

// TestVerifiedTokens asks for the same tokens again: a forged one, one of another key and
// one that has expired since are refused then too.
func TestVerifiedTokens(t *testing.T) {
	now := time.Now()
	s, key := newSigner(func() time.Time { return now }), randomBytes(signKeyBytes)
	g := testGrant()
	token, err := s.sign(key, g)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := s.verify(key, token); err != nil || got.userID != g.userID {
			t.Fatalf("%+v %v", got, err)
		}
		if _, err := s.verify(randomBytes(signKeyBytes), token); err == nil {
			t.Error("another key's token is good")
		}
		if _, err := s.verify(key, token[:len(token)-2]+"AA"); err == nil {
			t.Error("a token with another signature is good")
		}
	}
	if len(s.verified.grants) != 1 {
		t.Errorf("%d tokens are remembered, want the good one", len(s.verified.grants))
	}
	now = g.expires.Add(clockLeeway - time.Second)
	if _, err := s.verify(key, token); err != nil {
		t.Errorf("within the leeway: %v", err)
	}
	now = g.expires.Add(clockLeeway)
	if _, err := s.verify(key, token); err == nil || len(s.verified.grants) != 0 {
		t.Errorf("an expired token: %v; %d are remembered", err, len(s.verified.grants))
	}
}

func TestVerifiedTokensAreFew(t *testing.T) {
	now := time.Now()
	for name, expires := range map[string]time.Time{"good ones": now.Add(time.Hour), "expired ones": now.Add(-time.Hour)} {
		v := newVerified()
		for i := range mostVerified + 100 {
			v.add(digestOf(nil, strconv.Itoa(i)), grant{expires: expires}, now)
		}
		if n := len(v.grants); n > mostVerified {
			t.Errorf("%s: %d are remembered", name, n)
		}
		last := digestOf(nil, strconv.Itoa(mostVerified+99))
		if _, ok := v.find(last, now); ok != expires.After(now) {
			t.Errorf("%s: the last one is remembered: %v", name, ok)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	s, key := newSigner(time.Now), randomBytes(signKeyBytes)
	token, err := s.sign(key, testGrant())
	if err != nil {
		b.Fatal(err)
	}
	for name, every := range map[string]bool{"new": true, "again": false} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if every {
					s.verified = newVerified()
				}
				if _, err := s.verify(key, token); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
