package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// App is what every command works with: the console, the environment and the
// flags that all commands share.
type App struct {
	in       io.Reader
	out, err io.Writer
	env      func(string) (string, bool)
	version  string
	build    Build

	output  string   // one of formats()
	columns []string // that are asked for; none: those of each table
	apiURL  string   // from the flag; empty = not given
	caFile  string   // likewise
	noColor bool

	started bool // the command line was understood and a command has begun
	answers recorder
}

// Config is what the commands of a process work with.
type Config struct {
	In       io.Reader
	Out, Err io.Writer
	Env      func(name string) (string, bool) // the variables of the environment
	Version  string                           // of this binary
	Build    Build                            // what else is known of it
}

// New returns what every command works with.
func New(cfg Config) *App {
	return &App{in: cfg.In, out: cfg.Out, err: cfg.Err, env: cfg.Env, version: cfg.Version, build: cfg.Build, output: formatTable}
}

// Out returns standard output as a screen, as the flags want it.
func (a *App) Out() show.Screen { return a.screen(a.out) }

// In returns standard input.
func (a *App) In() io.Reader { return a.in }

// Env returns a variable of the environment, and whether it is set.
func (a *App) Env(name string) (string, bool) { return a.env(name) }

func (a *App) screen(w io.Writer) show.Screen {
	return show.Screen{Writer: w, Env: a.env, NoColor: a.noColor}
}

// paint returns how to colour what is written to w.
func (a *App) paint(w io.Writer) show.Paint { return a.screen(w).Paint() }

// Run executes one command line of root, which [App.Root] made, and returns the
// exit code.
func (a *App) Run(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exit.OK
	}
	if !a.started {
		err = &exit.Error{Code: exit.Misused, Err: err, Hint: "see: " + command.CommandPath() + " --help"}
	}
	return a.report(err)
}

// getenv returns a variable of the environment, "" when it is not set.
func (a *App) getenv(name string) string {
	value, _ := a.env(name)
	return value
}

// client returns a client for the server and the account that flags,
// environment and file choose. The caller closes it.
func (a *App) client() (*client.Client, error) {
	to, err := a.connection()
	if err != nil {
		return nil, err
	}
	return a.clientFor(to)
}

// clientFor returns a client for a server and an account. The caller closes it.
func (a *App) clientFor(to connection) (*client.Client, error) {
	carrier, err := a.httpClient(to)
	if err != nil {
		return nil, err
	}
	return client.New(client.Config{
		BaseURL: to.url, ClientID: to.clientID, ClientSecret: to.clientSecret, UserAgent: a.UserAgent(), HTTPClient: carrier,
	})
}

// withClient returns what a command does with such a client, which it closes.
func (a *App) withClient(do func(cmd *cobra.Command, c *client.Client, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := a.client()
		if err != nil {
			return err
		}
		defer c.Close()
		return do(cmd, c, args)
	}
}

// withChecked is withClient for a command that checks what it was given before it
// connects.
func (a *App) withChecked(check func(cmd *cobra.Command, args []string) error, do func(cmd *cobra.Command, c *client.Client, args []string) error) func(*cobra.Command, []string) error {
	connected := a.withClient(do)
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return err
		}
		return connected(cmd, args)
	}
}

// misused returns err as that of a wrong command line; nil stays nil.
func misused(err error) error {
	if err == nil {
		return nil
	}
	return &exit.Error{Code: exit.Misused, Err: err}
}

// UserAgent is how kg names itself to the server.
func (a *App) UserAgent() string { return "kg/" + a.version }

// note writes a line that does not belong to the result, on standard error.
func (a *App) note(format string, values ...any) {
	fmt.Fprintf(a.err, format+"\n", values...)
}

// report says what failed and returns the exit code.
func (a *App) report(err error) int {
	code, hint := exit.CodeOf(err)
	var known *exit.Error
	if errors.As(err, &known) && known.Err == nil {
		return code
	}
	paint := a.paint(a.err)
	if code == exit.Interrupted {
		a.note("%s interrupted", paint.Red("kg:"))
	} else {
		a.note("%s %s", paint.Red("kg:"), show.Printable(err.Error()))
	}
	if hint != "" {
		a.note("    %s", show.Printable(hint))
	}
	return code
}
