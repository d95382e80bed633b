package auth

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/kappagraph/kappa"
)

// knownPHC is the hash of "password" with the salt "somesalt" in the argon2
// reference implementation's tests, brought into PHC form.
const knownPHC = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"

func TestPasswordHash(t *testing.T) {
	t.Run("agrees with the reference implementation", func(t *testing.T) {
		h, err := parsePHC(knownPHC)
		if err != nil {
			t.Fatal(err)
		}
		if !h.matches("password") || h.matches("Password") {
			t.Error("the known hash does not match its password alone")
		}
	})

	t.Run("differs each time and matches its password alone", func(t *testing.T) {
		h := newHasher(defaultCost())
		first, err := h.hash(t.Context(), password)
		if err != nil {
			t.Fatal(err)
		}
		second, err := h.hash(t.Context(), password)
		if err != nil || first == second {
			t.Errorf("two hashes are equal, err %v", err)
		}
		if !strings.HasPrefix(first, "$argon2id$v=19$m=19456,t=2,p=1$") {
			t.Errorf("got %s", first)
		}
		for candidate, want := range map[string]bool{password: true, password + " ": false, "": false} {
			if ok, err := h.matches(t.Context(), candidate, first); ok != want || err != nil {
				t.Errorf("%q matches: %v, err %v", candidate, ok, err)
			}
		}
	})

	t.Run("no password matches an account without one, at the same cost", func(t *testing.T) {
		h := newHasher(defaultCost())
		made := derive(password, randomBytes(saltBytes), h.cost)
		if ok, err := h.matches(t.Context(), "", ""); ok || err != nil {
			t.Errorf("matches: %v, err %v", ok, err)
		}
		d := h.dummy
		if d.cost != made.cost || len(d.salt) != len(made.salt) || len(d.key) != len(made.key) {
			t.Errorf("the dummy %s costs other than %s", d, made)
		}
	})

	t.Run("a broken hash is an error, not a wrong password", func(t *testing.T) {
		if _, err := newHasher(cheap()).matches(t.Context(), password, "$2y$10$"); !errors.Is(err, errPHC) {
			t.Errorf("got %v", err)
		}
	})
}

func TestHasherWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHasher(cheap())
		for range hashesAtOnce {
			if err := h.acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		_, err := h.hash(t.Context(), password)
		wantError(t, err, kappa.CodeUnavailable, "")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := h.hash(ctx, password); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled caller got %v", err)
		}
		h.release()
		if _, err := h.hash(t.Context(), password); err != nil {
			t.Errorf("with a free slot: %v", err)
		}
		if len(h.slots) != hashesAtOnce-1 {
			t.Errorf("%d slots are taken, want %d", len(h.slots), hashesAtOnce-1)
		}
	})
}

func TestParsePHCRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":             "",
		"another algorithm":   strings.Replace(knownPHC, "argon2id", "argon2i", 1),
		"another version":     strings.Replace(knownPHC, "v=19", "v=16", 1),
		"no passes":           strings.Replace(knownPHC, "t=2", "t=0", 1),
		"no threads":          strings.Replace(knownPHC, "p=1", "p=0", 1),
		"too much memory":     strings.Replace(knownPHC, "m=256", "m=4194304", 1),
		"too many passes":     strings.Replace(knownPHC, "t=2", "t=100", 1),
		"a leading zero":      strings.Replace(knownPHC, "t=2", "t=02", 1),
		"parameters swapped":  strings.Replace(knownPHC, "m=256,t=2", "t=2,m=256", 1),
		"a parameter missing": strings.Replace(knownPHC, ",p=1", "", 1),
		"a short salt":        strings.Replace(knownPHC, "c29tZXNhbHQ", "c29tZQ", 1),
		"a line end in it":    strings.Replace(knownPHC, "c29tZXNhbHQ", "c29t\nZXNhbHQ", 1),
		"padding":             knownPHC + "=",
		"no key":              knownPHC[:strings.LastIndex(knownPHC, "$")+1],
		"something after it":  knownPHC + "$",
		"something before it": "x" + knownPHC,
	} {
		t.Run(name, func(t *testing.T) {
			if h, err := parsePHC(text); err == nil {
				t.Errorf("accepted as %s", h)
			}
		})
	}
}

func FuzzParsePHC(f *testing.F) {
	f.Add(knownPHC)
	f.Add("$argon2id$v=19$m=19456,t=2,p=1$$")
	f.Add("$$$$$")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := parsePHC(text)
		if err != nil {
			return
		}
		if h.String() != text {
			t.Errorf("%q became %q", text, h)
		}
		if h.memoryKiB > mostMemoryKiB || h.passes > mostPasses || h.threads > mostThreads || h.passes == 0 || h.threads == 0 {
			t.Errorf("%q is out of bounds", text)
		}
	})
}
