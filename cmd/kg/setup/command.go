// Package setup is kg setup: it asks five questions and writes the settings file of kg serve.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/local"
)

// Config is what the command works with.
type Config struct {
	In  io.Reader
	Out io.Writer
	Env func(name string) (string, bool)
	// Default is where kg serve looks for its settings file; "" when there is no place for one.
	Default string
	// Check returns what kg serve would say of a settings file with a text at a path.
	Check func(path, text string) error
}

// options are the flags.
type options struct {
	to, answers  string
	print, force bool
	unchecked    bool
}

const long = `Ask five questions, check the answers on this machine, and write the settings file of
kg serve: where data lives, an own or an existing database, what reads documents, the
address and how it is encrypted, and the first account. A question shows its default in
brackets. Passwords and keys go into files of their own beside it; nobody else can read them.

With --answers FILE nobody is asked. The file has lines of YAML; what it leaves out is at
its default, and a name that it does not know is an error:

  data_dir             where data lives
  database             own, or postgres://user:password@host:5432/name
  model                local, openai, anthropic or ollama
  model_key, model_key_file, model_url, check_model: true
  address              host:port to listen on
  tls                  none, files or acme
  tls_cert, tls_key    for files
  acme_domains, acme_email
  admin_password, admin_password_file; without either the first start makes one`

// NewCommand is kg setup.
func NewCommand(cfg Config) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Write the settings of a server: five questions",
		Long:  long,
		Example: `  kg setup
  kg setup --to /etc/kappa/kappa.env
  kg setup --answers answers.yaml --print`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), cfg, o) },
	}
	cmd.Flags().StringVar(&o.to, "to", "", "settings file to write (default: where kg serve looks for it)")
	cmd.Flags().StringVar(&o.answers, "answers", "", "file with the answers, - for standard input: nobody is asked")
	cmd.Flags().BoolVar(&o.print, "print", false, "show the file, without passwords, and write nothing")
	cmd.Flags().BoolVar(&o.force, "force", false, "replace a file that is there without asking")
	cmd.Flags().BoolVar(&o.unchecked, "unchecked", false, "with --answers: check nothing of this machine, as when the file is for another one")
	return cmd
}

// run asks, checks, shows and writes.
func run(ctx context.Context, cfg Config, o options) error {
	path, err := target(cfg, o)
	if err != nil {
		return err
	}
	a := answers{Database: ownDatabase, Model: localModel, Address: local.DefaultAddr, TLS: tlsNone}
	if a.DataDir, err = local.DataDir(cfg.Env); err != nil && o.answers == "" {
		return exit.Usage("%w", err)
	}
	pgBin, _ := cfg.Env("KG_PG_BIN")
	ask := newDialogue(cfg, pgBin)
	if o.answers != "" {
		err = readAnswers(o.answers, cfg.In, &a)
		if err == nil && !o.unchecked {
			err = a.checkAll(ctx, pgBin)
		}
	} else {
		if o.unchecked {
			return exit.Usage("--unchecked needs --answers: answers that are typed are checked")
		}
		if err = mayReplace(ask, path, o); err == nil {
			err = ask.all(ctx, &a)
		}
	}
	if err != nil {
		return err
	}
	if err := cfg.checkText(path, &a); err != nil {
		return err
	}
	lines := a.settings(path)
	if o.print {
		_, err := io.WriteString(cfg.Out, text(shown(lines)))
		return err
	}
	if o.answers != "" {
		if err := mayReplace(nil, path, o); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(cfg.Out, "\n%s:\n\n%s\n", path, indented(text(shown(lines))))
		ok, err := ask.yes("Write it?", true)
		if err != nil {
			return err
		}
		if !ok {
			return errNothing()
		}
	}
	if err := write(path, text(lines), a.secretFiles(path)); err != nil {
		return err
	}
	next(cfg, path, &a)
	return nil
}

// errNothing is the error of who does not want the file.
func errNothing() error {
	return &exit.Error{Code: exit.Failed, Err: errors.New("nothing was written")}
}

// target returns the path of the settings file.
func target(cfg Config, o options) (string, error) {
	path := o.to
	if path == "" {
		path = cfg.Default
	}
	if path == "" {
		return "", exit.Usage("--to: name the settings file, because there is no home directory")
	}
	return filepath.Abs(path)
}

// mayReplace returns an error unless there is no file yet, or it may be replaced: by --force,
// or because somebody says so. One that has only comments, as that of a package, may be.
func mayReplace(ask *dialogue, path string, o options) error {
	old, err := os.ReadFile(path)
	switch {
	case o.force || o.print || errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at the settings file that is there: %w", err)
	case onlyComments(string(old)):
		return nil
	case ask == nil:
		return &exit.Error{Code: exit.Failed, Err: fmt.Errorf("%s has settings already", path), Hint: "replace it with --force, or name another file with --to"}
	}
	ok, err := ask.yes(path+" has settings already, which would be lost. Replace it?", false)
	if err != nil || ok {
		return err
	}
	return errNothing()
}

// onlyComments reports whether a settings file sets nothing.
func onlyComments(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// checkText wants a file that kg serve would start with. The files with secrets are not there
// yet, and so are left out.
func (cfg Config) checkText(path string, a *answers) error {
	secrets := a.secretFiles(path)
	var kept []line
	for _, l := range a.settings(path) {
		if strings.ContainsAny(l.value, "\r\n\x00") || strings.Trim(l.value, "\"' ") != l.value {
			return exit.Usage("%s: must be one line, without quotes or spaces at its ends", l.name)
		}
		if _, secret := secrets[l.value]; !secret {
			kept = append(kept, l)
		}
	}
	if err := cfg.Check(path, text(kept)); err != nil {
		return exit.Usage("kg serve would not start with these answers:\n  %s", strings.ReplaceAll(err.Error(), "\n", "\n  "))
	}
	return nil
}

// next says what to do with the file.
func next(cfg Config, path string, a *answers) {
	fmt.Fprintf(cfg.Out, "Wrote %s.\n", path)
	for file := range a.secretFiles(path) {
		fmt.Fprintf(cfg.Out, "Wrote %s.\n", file)
	}
	start := "kg serve"
	switch path {
	case cfg.Default:
	case packaged:
		start = "sudo systemctl restart kappa"
	default:
		start += " --config " + path
	}
	fmt.Fprintf(cfg.Out, "\nStart the server:  %s\nThen log in:       kg login -u %s\n", start, access.AdminUsername)
	if a.AdminPassword == "" && a.AdminPasswordFile == "" {
		fmt.Fprintln(cfg.Out, "The first start shows the password of that account once.")
	}
}

// packaged is the settings file of the packages.
const packaged = "/etc/kappa/kappa.env"

// indented puts two spaces before each line.
func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}
