// Package reference is kg docs: it writes the references, of the API and of the command
// line, that the program is made with. It needs no server.
package reference

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/docs"
	api "github.com/kappagraph/kappa/internal/http/reference"
)

// NewCommand returns kg docs.
func NewCommand(version string) *cobra.Command {
	c := &cobra.Command{
		Use:   "docs",
		Short: "Write the reference of the API or of the commands, without a server",
		Long: `Write the references that this version of kg is made with. None of it needs a
server; one that runs shows that of the API at /docs and /openapi.json.`,
		Example: `  kg docs api --to api-reference.md
  kg docs openapi | jq .info
  kg docs man --to ~/.local/share/man/man1`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return exit.Usage("unknown command %q for %q", args[0], c.CommandPath())
			}
			return c.Help()
		},
	}
	c.AddCommand(
		page("api", "Every route, its parameters and its answers, as Markdown", func(*cobra.Command) ([]byte, error) { return API(version) }),
		page("openapi", "The OpenAPI document of the API, as JSON", func(*cobra.Command) ([]byte, error) { return openAPI(version), nil }),
		page("cli", "Every command and its flags, as Markdown", func(c *cobra.Command) ([]byte, error) { return CLI(c.Root()) }),
		man(),
	)
	return c
}

// page returns a command that writes one text.
func page(name, short string, text func(*cobra.Command) ([]byte, error)) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			body, err := text(c)
			if err != nil {
				return err
			}
			if to == "" {
				_, err = c.OutOrStdout().Write(body)
			} else {
				err = os.WriteFile(to, body, 0o644) //nolint:gosec // documentation is for everybody
			}
			if err != nil {
				return fmt.Errorf("write the reference: %w", err)
			}
			return nil
		},
	}
	c.Flags().StringVar(&to, "to", "", "write to this file, and not to standard output")
	return c
}

// man returns the command that writes a page of the manual for each command.
func man() *cobra.Command {
	var to string
	c := &cobra.Command{
		Use: "man --to DIRECTORY", Short: "A page of the manual for each command, for man(1)", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if to == "" {
				return exit.Usage("--to is required: the directory that the pages are written to")
			}
			if err := os.MkdirAll(to, 0o755); err != nil { //nolint:gosec // as any directory of documentation
				return fmt.Errorf("write the manual: %w", err)
			}
			c.Root().DisableAutoGenTag = true
			if err := doc.GenManTree(c.Root(), &doc.GenManHeader{Section: "1", Source: "Kappa", Manual: "Kappa"}, to); err != nil {
				return fmt.Errorf("write the manual: %w", err)
			}
			return nil
		},
	}
	c.Flags().StringVar(&to, "to", "", "directory that the pages are written to; it is made if need be")
	return c
}

func openAPI(version string) []byte {
	return bytes.Replace(docs.OpenAPI, []byte(`"version": "devel"`), fmt.Appendf(nil, `"version": %q`, version), 1)
}

// API returns the reference of the API as a page in Markdown.
func API(version string) ([]byte, error) {
	r, err := api.Read(openAPI(version))
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what could not be read
	}
	return []byte("# API reference\n\nEvery route of Kappa " + version + ", its parameters and its answers. Answers that are not a success are a\n[Problem](#problem).\n\n" + r.Markdown()), nil
}

// CLI returns the reference of the command line as a page in Markdown: a section for each
// command that the help lists.
func CLI(root *cobra.Command) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# Command line reference\n\nEvery command of kg, with its flags; `kg COMMAND --help` says the same.\n\n")
	err := write(&b, root)
	return b.Bytes(), err
}

func write(b *bytes.Buffer, c *cobra.Command) error {
	c.DisableAutoGenTag = true
	var section bytes.Buffer
	link := func(file string) string { // to the section of that command
		return "#" + strings.ReplaceAll(strings.TrimSuffix(file, ".md"), "_", "-")
	}
	if err := doc.GenMarkdownCustom(c, &section, link); err != nil {
		return fmt.Errorf("write %s: %w", c.CommandPath(), err)
	}
	text, _, _ := strings.Cut(section.String(), "### Options inherited from parent commands") // the same for all, and said once
	if c == c.Root() {
		text = section.String()
	}
	text, _, _ = strings.Cut(text, "### SEE ALSO")
	b.WriteString(strings.TrimRight(text, "\n") + "\n\n")
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" && sub.Name() != "completion" {
			if err := write(b, sub); err != nil {
				return err
			}
		}
	}
	return nil
}
