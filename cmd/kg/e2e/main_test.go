package e2e

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/cmd/kg/cli"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/serve"
	"github.com/kappagraph/kappa/cmd/kg/worker"
	"github.com/kappagraph/kappa/internal/pgtest"
)

const (
	// actAsKG makes the test program behave as kg serve: tests that kill a server
	// run it as a process of its own.
	actAsKG = "KG_TEST_ACT_AS_KG"

	// gcPercent is for the servers in this process, which start by the dozen and live for
	// seconds: with 100 the collector takes an eighth of the tests' time. Those that are
	// processes of their own, whose memory is measured, have what kg has.
	gcPercent = 400

	leaderLimit = 5 * time.Second
	version     = "test"
)

func TestMain(m *testing.M) {
	if os.Getenv(actAsKG) != "" {
		os.Exit(actAs(os.Args[1:]))
	}
	debug.SetGCPercent(gcPercent)
	os.Exit(pgtest.Main(m))
}

// actAs runs kg serve, kg worker or one of the commands that talk to a server in this
// process, and returns the exit code.
func actAs(args []string) int {
	ctx := context.Background()
	cmd := worker.NewCommand(version, os.Environ()) // which listens to signals itself
	switch args[0] {
	case "login", "ingest":
		a := cli.New(cli.Config{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.LookupEnv, Version: version})
		return a.Run(ctx, a.Root(cli.Group{Commands: []*cobra.Command{cli.NewLoginCommand(a), cli.NewIngestCommand(a)}}), args)
	case "serve":
		var stop func()
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		context.AfterFunc(ctx, stop)
		cmd = serve.NewCommand(version, os.Environ(), cli.ExamineServer)
	}
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args[1:])
	cmd.SetOut(os.Stdout)
	err := cmd.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "kg:", err)
	}
	code, _ := exit.CodeOf(err)
	return code
}
