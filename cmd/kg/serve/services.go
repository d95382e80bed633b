package serve

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
)

// service is a part of the server that lives as long as it.
type service struct {
	name string
	run  func(ctx context.Context) error // blocks until ctx ends and all of it is gone
}

// runServices starts the services in order and stops them in reverse, each
// after the one that was started later has ended: when ctx ends, or when one of
// them ends by itself, which is then the error.
func runServices(ctx context.Context, log *slog.Logger, services []service) error {
	type ended struct {
		service int
		err     error
	}
	all := make(chan ended, len(services))
	stops := make([]context.CancelFunc, len(services))
	gone := make([]chan struct{}, len(services))
	base := context.WithoutCancel(ctx)
	for i, s := range services {
		serviceCtx, stop := context.WithCancel(base)
		stops[i], gone[i] = stop, make(chan struct{})
		go func() {
			err := s.run(serviceCtx)
			close(gone[i])
			all <- ended{i, err}
		}()
	}
	var cause error
	select {
	case <-ctx.Done():
	case e := <-all:
		cause = fmt.Errorf("%s stopped by itself", services[e.service].name)
		if e.err != nil {
			cause = fmt.Errorf("%s failed: %w", services[e.service].name, e.err)
		}
		log.ErrorContext(ctx, "stopping the server", "err", cause)
	}
	for i, service := range slices.Backward(services) {
		log.DebugContext(ctx, "stopping", "service", service.name)
		stops[i]()
		<-gone[i]
	}
	return cause
}
