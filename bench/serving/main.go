package serving

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a bench until it has ended or is interrupted, and returns with what the program is
// to exit: 1 when it failed, or when it is strict and missed a demand, and else 0.
func Main(strict bool, run func(ctx context.Context) (missed int, err error)) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	missed, err := run(ctx)
	stop()
	if err == nil && strict && missed > 0 {
		err = fmt.Errorf("%d demands were missed", missed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return 0
}
