package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// app is what every command works with: the console, the environment and the
// flags that all commands share.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      func(string) (string, bool)

	output  string // table, json or jsonl
	apiURL  string // from the flag; empty = not given
	noColor bool

	started bool // the command line was understood and a command has begun
	answers recorder
}

func newApp(in io.Reader, out, err io.Writer, env func(string) (string, bool)) *app {
	return &app{in: in, out: out, err: err, env: env, output: formatTable}
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, a *app, args []string) int {
	root := newRootCommand(a)
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
func (a *app) getenv(name string) string {
	value, _ := a.env(name)
	return value
}

// client returns a client for the server and the account that flags,
// environment and file choose. The caller closes it.
func (a *app) client() (*client.Client, error) {
	to, err := a.connection()
	if err != nil {
		return nil, err
	}
	return client.New(client.Config{
		BaseURL: to.url, ClientID: to.clientID, ClientSecret: to.clientSecret,
		UserAgent: userAgent(), HTTPClient: a.httpClient(),
	})
}

// withClient returns what a command does with such a client, which it closes.
func (a *app) withClient(do func(cmd *cobra.Command, c *client.Client, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := a.client()
		if err != nil {
			return err
		}
		defer c.Close()
		return do(cmd, c, args)
	}
}

// httpClient returns an HTTP client that keeps the last answer for -o json.
func (a *app) httpClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = watchesAtOnce
	a.answers.next = transport
	return &http.Client{Transport: &a.answers}
}

// note tells the user something that does not belong to the result.
func (a *app) note(format string, values ...any) {
	fmt.Fprintf(a.err, format+"\n", values...)
}

// isTerminal reports whether w is a terminal.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// size returns the columns and lines of the terminal that w is. Elsewhere the
// columns are COLUMNS when that is set, and 0, which is unlimited, otherwise.
func (a *app) size(w io.Writer) (columns, lines int) {
	if f, ok := w.(*os.File); ok {
		if columns, lines, err := term.GetSize(int(f.Fd())); err == nil {
			return columns, lines
		}
	}
	columns, _ = strconv.Atoi(a.getenv("COLUMNS")) // 0 when it is not a number
	return max(columns, 0), 0
}

// report tells the user what failed and returns the exit code.
func (a *app) report(err error) int {
	code, hint := exit.CodeOf(err)
	var known *exit.Error
	if errors.As(err, &known) && known.Err == nil {
		return code
	}
	paint := a.paint(a.err)
	if code == exit.Interrupted {
		a.note("%s interrupted", paint.red("kg:"))
		return code
	}
	a.note("%s %s", paint.red("kg:"), printable(err.Error()))
	if hint != "" {
		a.note("    %s", printable(hint))
	}
	return code
}
