// Command kg is Kappa's one binary: the server (kg serve) and the commands that
// talk to it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/kappagraph/kappa/cmd/kg/cli"
	"github.com/kappagraph/kappa/cmd/kg/read"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == read.Command { // started by a server, before anything else
		os.Exit(read.Main(context.Background(), os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the context, and with it every command in good
	// order; the second one has its usual effect.
	context.AfterFunc(ctx, stop)
	is := build()
	app := cli.New(cli.Config{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.LookupEnv, Version: is.Version, Build: is})
	code := app.Run(ctx, newRootCommand(app, is.Version, os.Environ()), os.Args[1:])
	stop()
	os.Exit(code)
}
