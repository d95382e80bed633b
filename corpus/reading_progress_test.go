package corpus

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestReadingLimit begins anew with some hundred pages, and not with those that nobody has.
func TestReadingLimit(t *testing.T) {
	late := errors.New("late")
	for name, c := range map[string]struct {
		pages []int // read 50 s after each other
		want  time.Duration
	}{
		"none":            {nil, time.Minute},
		"few":             {[]int{PagesPerLimit - 1}, time.Minute},
		"many":            {[]int{PagesPerLimit, 2*PagesPerLimit + 1}, 100*time.Second + time.Minute},
		"the same again":  {[]int{PagesPerLimit, PagesPerLimit}, 50*time.Second + time.Minute},
		"more than exist": {[]int{PagesPerLimit, 5000}, 50*time.Second + time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			began, said := time.Now(), 0
			ctx := WithReadingProgress(t.Context(), func(done, _ int) { said = done })
			ctx, cancel := WithReadingLimit(ctx, time.Minute, 2000, late)
			defer cancel()
			read := make(chan struct{})
			go func() {
				defer close(read)
				for _, pages := range c.pages {
					select {
					case <-time.After(50 * time.Second):
						ReadingProgress(ctx)(pages, 5000)
					case <-ctx.Done():
						return
					}
				}
			}()
			<-ctx.Done()
			took := time.Since(began)
			<-read
			if took != c.want || !errors.Is(context.Cause(ctx), late) {
				t.Errorf("%s: ended after %v with %v, want %v", name, took, context.Cause(ctx), c.want)
			}
			if len(c.pages) > 0 && said != c.pages[min(len(c.pages), max(1, int(c.want/(50*time.Second))))-1] {
				t.Errorf("%s: said %d", name, said)
			}
		})
	}
	ReadingProgress(t.Context())(1, 2) // nobody listens
}
