package await_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/internal/await"
)

// failing is a test that fails.
type failing struct {
	testing.TB
	said string
}

func (f *failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) {
	f.said = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// said runs a function as a test of its own, and returns what that failed with.
func said(t *testing.T, run func(t testing.TB)) string {
	f := &failing{TB: t}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run(f)
	}()
	<-ended
	return f.said
}

func TestThat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		await.That(t, "three seconds pass", func() bool { return time.Since(began) >= 3*time.Second })
		if late := time.Since(began) - 3*time.Second; late < 0 || late > 16*time.Millisecond {
			t.Errorf("it returned after %s", time.Since(began))
		}
		if s := said(t, func(t testing.TB) { await.That(t, "pigs fly", func() bool { return false }) }); !strings.Contains(s, "pigs fly") {
			t.Errorf("it says %q", s)
		}
	})
}

func TestNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		await.Never(t, time.Second, "pigs fly", func() bool { return false })
		if took := time.Since(began); took != time.Second {
			t.Errorf("it watched for %s", took)
		}
		soon := time.Now().Add(time.Second / 2)
		if s := said(t, func(t testing.TB) {
			await.Never(t, time.Second, "pigs fly", func() bool { return time.Now().After(soon) })
		}); !strings.Contains(s, "pigs fly") {
			t.Errorf("it says %q", s)
		}
	})
}
