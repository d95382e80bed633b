package kappa_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
)

func TestDollars(t *testing.T) {
	for usd, want := range map[float64]string{
		0: "$0.00", 0.0028: "$0.0028", 0.00284: "$0.0028", 0.012: "$0.012", 0.096: "$0.096", 0.5: "$0.50", 1: "$1.00", 12.345: "$12.35",
		0.000001234: "$0.0000012", 1234.5: "$1234.50", 0.0999: "$0.10", 0.03: "$0.03", 0.001: "$0.001", 100: "$100.00",
	} {
		if got := kappa.Dollars(usd); got != want {
			t.Errorf("%v is written %s, want %s", usd, got, want)
		}
	}
}

// What costs something is never rounded to nothing, and never off by more than a twentieth
// or half a cent, whichever is less for it.
func TestRoundMoney(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		usd := rapid.Float64Range(1e-9, 1e6).Draw(t, "usd") * math.Pow(10, rapid.Float64Range(-6, 0).Draw(t, "scale"))
		got := kappa.RoundMoney(usd)
		if got <= 0 || math.Abs(got-usd) > min(0.0050001, 0.0500001*usd) {
			t.Fatalf("%v becomes %v", usd, got)
		}
		if again := kappa.RoundMoney(got); again != got {
			t.Fatalf("%v becomes %v, and that %v", usd, got, again)
		}
	})
}
