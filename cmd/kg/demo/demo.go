// Package demo is kg demo: documents become a knowledge graph on a server of its
// own, and all of it is removed at the end.
package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

const (
	ontology      = "demo"
	steps         = 9
	mostDocuments = 100
)

// NewCommand is kg demo. screen returns where it shows what it does.
func NewCommand(screen func() show.Screen, userAgent string) *cobra.Command {
	var databaseURL string
	var stay bool
	cmd := &cobra.Command{
		Use:     "demo [PATH...]",
		Short:   "Watch documents become a knowledge graph, on a server of its own",
		Example: `  kg demo notes/ report.md`,
		Long: `Start a server of its own on a private PostgreSQL and a free port, submit
documents (README.md and docs/ of this directory with a PDF and an HTML page of
its own, or the given files and directories), show what the server says about
them, approve them, follow the jobs live, and show what was built and how it
compares with the estimate. It takes the last document out again, and has remote
workers read one, of which it kills the first. All that it started is stopped and removed
at the end; with --stay at Ctrl-C, and until then it can be asked. It needs nothing but PostgreSQL's programs, and no other server or
database is touched.`,
		RunE: func(cmd *cobra.Command, paths []string) error {
			out := screen()
			d := &demo{out: out, paint: out.Paint(), width: out.Width(), userAgent: userAgent, databaseURL: databaseURL, stay: stay}
			err := d.run(cmd.Context(), paths)
			if errors.Is(err, context.Canceled) {
				return &exit.Error{Code: exit.Interrupted, Err: err}
			}
			return err
		},
	}
	cmd.Flags().StringVar(&databaseURL, "database-url", "", "an empty PostgreSQL database to use instead of a private one")
	cmd.Flags().BoolVar(&stay, "stay", false, "keep the server until Ctrl-C, and say how to open its console")
	return cmd
}

// demo is one run of the demonstration.
type demo struct {
	out         show.Screen
	paint       show.Paint
	width       int
	userAgent   string
	databaseURL string
	stay        bool // at the end, until it is interrupted

	client      *client.Client
	server      *server
	password    string // of its administrator
	dir         string // of the server, and of what the demo writes
	documents   []document
	informative []string // ids of concepts that have a relationship worth showing
	step        int
}

// run shows everything, and stops and removes what it started, whatever
// happens.
func (d *demo) run(ctx context.Context, paths []string) (err error) {
	if d.documents, err = readDocuments(paths); err != nil {
		return err
	}
	if len(paths) == 0 {
		d.documents = append(d.documents, madeDocuments()...)
	}
	d.say("%s", d.paint.Bold("Kappa: from "+show.Counted(len(d.documents), "document")+" to a knowledge graph"))
	dir, err := os.MkdirTemp("", "kg-demo-")
	if err != nil {
		return fmt.Errorf("make a directory for the demo: %w", err)
	}
	d.dir = dir
	if err := d.start(ctx); err != nil {
		return errors.Join(err, removeAll(dir))
	}
	defer func() {
		d.say("")
		stopErr := d.server.stop(context.WithoutCancel(ctx))
		if err = errors.Join(err, stopErr, removeAll(dir)); err == nil {
			d.say("The server has stopped and its data is removed.")
		}
	}()
	if err := d.show(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return d.server.explain(err)
	}
	return nil
}

// start starts the server and logs in.
func (d *demo) start(ctx context.Context) (err error) {
	what := "on a private PostgreSQL"
	if d.databaseURL != "" {
		what = "on the given PostgreSQL"
	}
	d.announce("Start a server of its own, " + what + " and a free port")
	began := time.Now()
	if d.password, err = randomPassword(); err != nil {
		return err
	}
	if err := d.serve(ctx); err != nil {
		return err
	}
	d.say("  ready at %s after %s; its data is in %s", d.server.url, show.Span(time.Since(began)), d.dir)
	d.say("  its console: %s/console/; to sign in to it, and to keep it: kg demo --stay", d.server.url)
	return nil
}

// serve starts the server with settings and logs in.
func (d *demo) serve(ctx context.Context, settings ...string) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the program to start: %w", err)
	}
	started, err := startServer(ctx, program, d.dir, d.databaseURL, d.password, settings...)
	if err != nil {
		return err
	}
	d.server = started
	if d.client, err = d.login(ctx, d.server.url, d.password); err != nil {
		return errors.Join(d.server.explain(err), d.server.stop(context.WithoutCancel(ctx)))
	}
	return nil
}

// login makes a client of the new server; its credentials are kept in memory
// only.
func (d *demo) login(ctx context.Context, url, password string) (*client.Client, error) {
	settings := client.Config{BaseURL: url, UserAgent: d.userAgent, HTTPClient: httpClient()}
	visitor, err := client.New(settings)
	if err != nil {
		return nil, err
	}
	made, err := visitor.Login(ctx, "admin", password, "kg demo")
	if err != nil {
		return nil, fmt.Errorf("log in to the new server: %w", err)
	}
	settings.ClientID, settings.ClientSecret = made.ClientID, made.Secret
	return client.New(settings)
}

// httpClient returns a client for as many streams as there are documents.
func httpClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = mostDocuments
	return &http.Client{Transport: transport}
}

// show does and shows everything from the submission on.
func (d *demo) show(ctx context.Context) error {
	defer func() { d.client.Close() }() // of the last server
	for _, step := range []func(context.Context) error{d.submit, d.approve, d.built, d.concepts, d.connections, d.undo, d.datasets, d.workers} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	d.goodbye()
	if d.stay {
		d.remain(ctx)
	}
	return nil
}

// remain keeps the server until ctx ends, which here is no failure.
func (d *demo) remain(ctx context.Context) {
	d.say("\n%s", d.paint.Bold("The server stays at "+d.server.url+" until Ctrl-C"))
	d.console()
	d.say("  or ask it in another terminal:")
	d.say("    export KG_API_URL=%s; kg login -u admin; kg ask \"What is a lane?\"", d.server.url)
	<-ctx.Done()
}

// console says where the console is, and how to sign in.
func (d *demo) console() {
	d.say("  open %s in a browser, and sign in as %s with the password %s", d.paint.Bold(d.server.url+"/console/"), d.paint.Bold("admin"), d.paint.Bold(d.password))
}

// announce says which step begins.
func (d *demo) announce(what string) {
	d.step++
	d.say("\n%s %s", d.paint.Dim(fmt.Sprintf("[%d/%d]", d.step, steps)), d.paint.Bold(what))
}

// say writes a line.
func (d *demo) say(format string, values ...any) { fmt.Fprintf(d.out, format+"\n", values...) }

// goodbye says how to go on.
func (d *demo) goodbye() {
	d.say("\n%s", d.paint.Bold("Your turn"))
	d.say("  kg serve                                          keeps serving until Ctrl-C")
	d.say("  kg login -u admin                                 with the password that it shows once")
	d.say("  kg ingest directory DIR --ontology NAME --wait    your own documents")
	d.say("  kg search connect \"ONE THING\" \"ANOTHER\"           and what joins them")
}
