package auth

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestThrottle(t *testing.T) {
	const refill = 10 * time.Second
	inBubble := func(name string, f func(t *testing.T, b *throttle)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, newThrottle(3, refill, 4)) })
		})
	}
	// takes returns how many attempts there are now.
	takes := func(b *throttle, key string) int {
		n := 0
		for b.take(key) == 0 {
			n++
		}
		return n
	}

	inBubble("gives a burst, then one each refill", func(t *testing.T, b *throttle) {
		if n := takes(b, "a"); n != 3 {
			t.Errorf("%d at once, want 3", n)
		}
		time.Sleep(refill - time.Second)
		if wait := b.take("a"); wait != time.Second {
			t.Errorf("wait %v, want 1s", wait)
		}
		time.Sleep(time.Second)
		if n := takes(b, "a"); n != 1 {
			t.Errorf("%d after a refill, want 1", n)
		}
		time.Sleep(100 * refill)
		if n := takes(b, "a"); n != 3 {
			t.Errorf("%d after a long time, want 3", n)
		}
	})

	inBubble("keys do not share", func(t *testing.T, b *throttle) {
		takes(b, "a")
		if n := takes(b, "b"); n != 3 {
			t.Errorf("%d, want 3", n)
		}
	})

	inBubble("what is given back counts no more, and never makes more than a burst", func(t *testing.T, b *throttle) {
		b.giveBack("a")
		for range 10 {
			if wait := b.take("a"); wait != 0 {
				t.Fatalf("wait %v", wait)
			}
			b.giveBack("a")
		}
		b.giveBack("a")
		if n := takes(b, "a"); n != 3 {
			t.Errorf("%d, want 3", n)
		}
	})

	inBubble("remembers a bounded number of keys and forgets the idlest", func(t *testing.T, b *throttle) {
		takes(b, "a")
		for i := range 1000 {
			b.take(fmt.Sprint(i))
			b.take("a")
		}
		if len(b.buckets) != 4 || b.recent.Len() != 4 {
			t.Errorf("%d keys, %d in order; want 4", len(b.buckets), b.recent.Len())
		}
		if b.take("a") == 0 {
			t.Error("the key asked for most was forgotten")
		}
	})
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
		if got := addressKey(address); got != want {
			t.Errorf("the key of %q is %q, want %q", address, got, want)
		}
	}
}
