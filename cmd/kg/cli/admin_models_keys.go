package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus/models"
)

// newModelsKeysCommand returns kg admin models keys.
func newModelsKeysCommand(a *App) *cobra.Command {
	list := a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
		keys, err := c.Models.Keys(cmd.Context())
		if err != nil {
			return fmt.Errorf("list the keys of providers: %w", err)
		}
		return a.showAnswer("", func() { a.writeProviderKeys(keys) })
	})
	cmd := &cobra.Command{
		Use: "keys", Aliases: []string{"key"}, Short: "Show for which providers there are keys, and set them",
		Long: `Keys of providers are stored encrypted, and no command shows one again: only its last four
characters. The key that encrypts them is in a file of the server, see KG_SECRETS_KEY_FILE.`,
		Args: cobra.NoArgs, RunE: list,
	}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "List for which providers there are keys", Example: `  kg admin models keys list`, Args: cobra.NoArgs, RunE: list},
		&cobra.Command{
			Use: "set PROVIDER", Short: "Try the key of a provider and store it; it is asked for, or read from standard input",
			Example: "  kg admin models keys set openai < key.txt", Args: cobra.ExactArgs(1),
			RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
				key, err := a.readKey(args[0])
				if err != nil {
					return err
				}
				if err := c.Models.SetKey(cmd.Context(), args[0], key); err != nil {
					return fmt.Errorf("set the key of %s: %w", args[0], err)
				}
				return a.showAnswer("", func() { fmt.Fprintf(a.out, "the key of %s was tried and is stored\n", show.OneLine(args[0])) })
			}),
		},
		&cobra.Command{
			Use: "delete PROVIDER", Short: "Delete the stored key of a provider; calls that need it wait", Example: `  kg admin models keys delete openai`, Args: cobra.ExactArgs(1),
			RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
				if err := c.Models.DeleteKey(cmd.Context(), args[0]); err != nil {
					return fmt.Errorf("delete the key of %s: %w", args[0], err)
				}
				a.note("The key of %s is deleted.", args[0])
				return nil
			}),
		},
		&cobra.Command{
			Use: "rotate", Short: "Encrypt every stored key anew with another key, all of them or none", Example: `  kg admin models keys rotate`, Args: cobra.NoArgs,
			RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
				n, err := c.Models.RotateKeys(cmd.Context())
				if err != nil {
					return fmt.Errorf("encrypt the keys anew: %w", err)
				}
				a.note("Servers that do not share the file with the key need a copy of the new one.")
				return a.showAnswer("", func() { fmt.Fprintf(a.out, "%s encrypted anew\n", show.Counted(n, "key")) })
			}),
		},
	)
	return cmd
}

// readKey asks for a key without an echo, or reads the first line of standard input when that
// is no terminal.
func (a *App) readKey(provider string) (string, error) {
	var key string
	if f, ok := a.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprintf(a.err, "Key of %s: ", show.Printable(provider))
		typed, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(a.err)
		if err != nil {
			return "", fmt.Errorf("read the key: %w", err)
		}
		key = string(typed)
	} else {
		line, err := readLine(io.LimitReader(a.in, maxPassword))
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read the key: %w", err)
		}
		key = line
	}
	if key = strings.TrimSpace(key); key == "" {
		return "", exit.Usage("the key of %s is empty; give it at the prompt, or on standard input", provider)
	}
	return key, nil
}

func (a *App) writeProviderKeys(keys []models.KeyStatus) {
	g := show.NewGrid(show.Column{Name: "provider"}, show.Column{Name: "key"}, show.Column{Name: "from"}, show.Column{Name: "state", Flex: true})
	for _, k := range keys {
		masked, state := "", ""
		if k.MaskedKey != nil {
			masked = *k.MaskedKey
		}
		switch {
		case k.Error != nil:
			state = *k.Error
		case k.FixedBy != "":
			state = "fixed by " + k.FixedBy
		case k.ValidatedAt != nil:
			state = "tried " + k.ValidatedAt.String()
		}
		g.Add(k.Provider, masked, k.Source, state)
	}
	a.writeGrid(g, nil)
}
