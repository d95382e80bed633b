// Command kg is Kappa's one binary: the server (kg serve) and the commands that
// talk to it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the context, and with it every command in good
	// order; the second one has its usual effect.
	context.AfterFunc(ctx, stop)
	code := run(ctx, newApp(os.Stdin, os.Stdout, os.Stderr, os.LookupEnv), os.Args[1:])
	stop()
	os.Exit(code)
}
