package remote

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// TestBatcher has what one caller asks for go with one statement, in its order, and a
// caller that gives up leave the statement to the others.
func TestBatcher(t *testing.T) {
	calls, begun, release := 0, make(chan struct{}, 8), make(chan struct{})
	b := batcher[int, int]{run: func(_ context.Context, items []int) ([]int, error) {
		calls++
		begun <- struct{}{}
		<-release
		outs := make([]int, len(items))
		for i, n := range items {
			outs[i] = -n
		}
		return outs, nil
	}}
	ctx, giveUp := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		_, err := b.do(ctx, 7)
		over <- err
	}()
	<-begun
	giveUp()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Errorf("who gives up gets %v", err)
	}
	close(release)
	outs, err := b.doAll(t.Context(), []int{1, 2, 3})
	if err != nil || !slices.Equal(outs, []int{-1, -2, -3}) || calls != 2 {
		t.Errorf("got %v, %v with %d statements", outs, err, calls)
	}
	if outs, err := b.doAll(t.Context(), nil); err != nil || outs != nil || calls != 2 {
		t.Errorf("nothing gave %v, %v", outs, err)
	}
}
