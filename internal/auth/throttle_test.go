package auth

import (
	"fmt"
	"testing"
	"time"
)

func TestThrottle(t *testing.T) {
	const refill = 10 * time.Second
	start := time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
	newOne := func() *throttle { return newThrottle(rate{burst: 3, refill: refill}, 4) }
	// takes returns how many attempts there are at an instant.
	takes := func(th *throttle, key string, after time.Duration) int {
		n, now := 0, start.Add(after)
		for th.bucket(key, now).take(th.rate, now) == 0 {
			n++
		}
		return n
	}

	t.Run("gives a burst, then one each refill", func(t *testing.T) {
		th := newOne()
		if n := takes(th, "a", 0); n != 3 {
			t.Errorf("%d at once, want 3", n)
		}
		now := start.Add(refill - time.Second)
		if wait := th.bucket("a", now).take(th.rate, now); wait != time.Second {
			t.Errorf("wait %v, want 1s", wait)
		}
		if n := takes(th, "a", refill); n != 1 {
			t.Errorf("%d after a refill, want 1", n)
		}
		if n := takes(th, "a", 100*refill); n != 3 {
			t.Errorf("%d after a long time, want 3", n)
		}
	})

	t.Run("keys do not share", func(t *testing.T) {
		th := newOne()
		takes(th, "a", 0)
		if n := takes(th, "b", 0); n != 3 {
			t.Errorf("%d, want 3", n)
		}
	})

	t.Run("what is given back counts no more, and never makes more than a burst", func(t *testing.T) {
		th := newOne()
		b := th.bucket("a", start)
		for range 10 {
			if wait := b.take(th.rate, start); wait != 0 {
				t.Fatalf("wait %v", wait)
			}
			th.giveBack(b)
		}
		th.giveBack(b)
		if n := takes(th, "a", 0); n != 3 {
			t.Errorf("%d, want 3", n)
		}
	})

	t.Run("a key that failed is not forgotten for the sake of others", func(t *testing.T) {
		th := newOne()
		takes(th, "a", 0)
		for i := range 1000 {
			takes(th, fmt.Sprint(i), 0)
		}
		if n := takes(th, "a", 0); n != 0 {
			t.Errorf("%d new attempts, want none", n)
		}
		if len(th.buckets) != 4 {
			t.Errorf("%d keys, want 4", len(th.buckets))
		}
	})

	t.Run("keys without room share one bucket", func(t *testing.T) {
		th := newOne()
		for i := range 4 {
			takes(th, fmt.Sprint(i), 0)
		}
		if n, m := takes(th, "a", 0), takes(th, "b", 0); n != 3 || m != 0 {
			t.Errorf("%d and %d, want 3 and 0", n, m)
		}
	})

	t.Run("full buckets make room", func(t *testing.T) {
		th := newOne()
		now := start
		th.bucket("once", now).take(th.rate, now)
		for _, key := range []string{"b", "c", "d"} {
			takes(th, key, 0)
		}
		takes(th, "shared", 0)
		if n := takes(th, "e", refill); n != 3 {
			t.Errorf("%d, want 3: the bucket of once is full again", n)
		}
		if n := takes(th, "b", refill); n != 1 {
			t.Errorf("%d, want 1", n)
		}
		if th.buckets["once"] != nil || th.buckets["e"] == nil {
			t.Errorf("the keys are %v", th.buckets)
		}
	})

	t.Run("an attempt that is given back makes room", func(t *testing.T) {
		th := newOne()
		for _, key := range []string{"a", "b", "c", "d"} {
			takes(th, key, 0)
		}
		takes(th, "shared", 0) // looks for a full one, and finds none before 30 s
		b := th.buckets["a"]
		for range 3 {
			th.giveBack(b)
		}
		if n := takes(th, "e", time.Nanosecond); n != 3 {
			t.Errorf("%d, want 3", n)
		}
	})
}

func TestKnownPlaces(t *testing.T) {
	now := time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
	k := newKnown()
	k.add("admin", "home", now)
	home := k.bucket("admin", "home")
	if home == nil || k.bucket("admin", "elsewhere") != nil || k.bucket("somebody", "home") != nil {
		t.Fatal("the place is not known, or another is")
	}
	for i := range 3 * knownPlaces {
		k.add("admin", fmt.Sprint(i), now)
		k.add("admin", "home", now)
	}
	if len(k.accounts["admin"].places) != knownPlaces || k.bucket("admin", "home") != home {
		t.Errorf("%d places; the one used all the time is there: %t", len(k.accounts["admin"].places), k.bucket("admin", "home") == home)
	}
	for i := range knownAccounts {
		k.add(fmt.Sprint("user", i), "office", now.Add(time.Duration(i+1)*time.Second))
	}
	if len(k.accounts) != knownAccounts || k.bucket("admin", "home") != nil || k.bucket("user0", "office") == nil {
		t.Errorf("%d accounts", len(k.accounts))
	}
}

func TestAddressKey(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1":                "192.0.2.1",
		"192.0.2.1:4711":           "192.0.2.1",
		"::ffff:192.0.2.1":         "192.0.2.1",
		"2001:db8:1:2:3:4:5:6":     "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff::]:80": "2001:db8:1:2::/64",
		"fe80::1%eth0":             "fe80::/64",
		"@":                        "@",
		"":                         "",
	} {
		if got := addressKey(address, addressBits); got != want {
			t.Errorf("the key of %q is %q, want %q", address, got, want)
		}
	}
	if got := addressKey("2001:db8:1:2ff::1", networkBits); got != "2001:db8:1:200::/56" {
		t.Errorf("the network is %s", got)
	}
}
