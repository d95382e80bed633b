package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// NewAuthCommand returns kg auth, which shows and changes what acts for oneself.
func NewAuthCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "auth", Short: "Show who you are and what you may do, and manage your clients, sessions and API keys", RunE: onlySubcommands}
	cmd.AddCommand(newWhoAmICommand(a), newMyPermissionsCommand(a), newPasswordCommand(a), newClientsCommand(a), newSessionsCommand(a), newKeysCommand(a))
	return cmd
}

func newWhoAmICommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "whoami", Short: "Show the account that you are logged in to", Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			user, err := c.Account.Get(cmd.Context())
			if err != nil {
				return fmt.Errorf("show the account: %w", err)
			}
			return a.showAnswer("", func() { a.writeUsers([]access.User{user}) })
		}),
	}
}

func newMyPermissionsCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "permissions", Short: "List what you may do", Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			held, err := c.Account.Permissions(cmd.Context())
			if err != nil {
				return fmt.Errorf("list what you may do: %w", err)
			}
			return a.showAnswer("permissions", func() {
				g := show.NewGrid(columns("permission", "scope")...)
				for _, p := range held {
					g.Add(p.Resource+":"+p.Action, p.Scope)
				}
				a.writeGrid(g, nil)
			})
		}),
	}
}

func newPasswordCommand(a *App) *cobra.Command {
	var fromStdin bool
	var update access.UserUpdate
	cmd := &cobra.Command{
		Use: "password", Short: "Change your password; all else that acts for you ends", Args: cobra.NoArgs,
		Long: `Change your password. The one that you have is asked for first. All else that acts for you
ends: other clients, their tokens and event streams, and all API keys.

With --password-stdin the first line is the password that you have and the second one the
new one. Within five minutes of kg login the new one alone is enough.`,
		Example: "  kg auth password\n  printf '%s\\n' \"$OLD\" \"$NEW\" | kg auth password --password-stdin",
		RunE: a.withChecked(func(*cobra.Command, []string) (err error) {
			update, err = a.readNewPassword(fromStdin)
			return err
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			if _, err := c.Account.Update(cmd.Context(), update); err != nil {
				return fmt.Errorf("change the password: %w", err)
			}
			a.note("Password changed. Other clients and all API keys have ended.")
			return nil
		}),
	}
	passwordFlag(cmd, &fromStdin)
	return cmd
}

// readNewPassword reads the password of an account and a new one: two lines from standard
// input, of which the first may be missing, or two answers on the terminal.
func (a *App) readNewPassword(fromStdin bool) (access.UserUpdate, error) {
	first, err := a.readPassword("your account, the one that you have", fromStdin)
	if err != nil {
		return access.UserUpdate{}, err
	}
	second, err := a.readPassword("your account, the new one", fromStdin)
	if fromStdin && err != nil {
		return access.UserUpdate{Password: &first}, nil //nolint:nilerr // one line is the new one alone
	}
	return access.UserUpdate{Password: &second, CurrentPassword: &first}, err
}

func newClientsCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "clients", Aliases: []string{"client"}, Short: "List the clients that act for you", Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			clients, err := c.Account.OAuthClients(cmd.Context())
			if err != nil {
				return fmt.Errorf("list the clients: %w", err)
			}
			return a.showAnswer("clients", func() {
				g := show.NewGrid(columns("client", "created", "last used", "scopes", "name")...)
				for _, k := range clients {
					g.Add(k.ClientID, k.CreatedAt.String(), lastUsed(k.LastUsedAt), strings.Join(k.Scopes, " "), k.Name)
				}
				a.writeGrid(g, nil)
			})
		}),
	}
	cmd.AddCommand(&cobra.Command{
		Use: "delete CLIENT", Short: "Delete a client; its tokens are void at once", Example: `  kg auth clients delete kg-cli-admin-bbb3c54c`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			if err := c.Account.DeleteOAuthClient(cmd.Context(), args[0]); err != nil {
				return fmt.Errorf("delete the client: %w", err)
			}
			a.note("Deleted the client %s.", show.Printable(args[0]))
			return nil
		}),
	})
	return cmd
}

func newSessionsCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "sessions", Aliases: []string{"session"}, Short: "List where you are signed in with the console", Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			sessions, err := c.Account.Sessions(cmd.Context())
			if err != nil {
				return fmt.Errorf("list the sessions: %w", err)
			}
			return a.showAnswer("sessions", func() {
				g := show.NewGrid(columns("session", "began", "last used", "ends", "browser")...)
				for _, s := range sessions {
					g.Add(s.ID, s.CreatedAt.String(), lastUsed(s.LastUsedAt), s.ExpiresAt.String(), s.Browser)
				}
				a.writeGrid(g, nil)
			})
		}),
	}
	cmd.AddCommand(&cobra.Command{
		Use: "end SESSION", Short: "End a session of yours, at once", Example: `  kg auth sessions end SESSION`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			if err := c.Account.EndSession(cmd.Context(), args[0]); err != nil {
				return fmt.Errorf("end the session: %w", err)
			}
			a.note("Ended the session %s.", show.Printable(args[0]))
			return nil
		}),
	})
	return cmd
}

func lastUsed(t *kappa.Time) string {
	if t == nil {
		return "never"
	}
	return t.String()
}

func newKeysCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "keys", Aliases: []string{"key"}, Short: "List, make and delete API keys, for programs that cannot log in", RunE: onlySubcommands}
	cmd.AddCommand(newKeysListCommand(a), newKeysCreateCommand(a), &cobra.Command{
		Use: "delete KEY", Short: "Delete an API key by its id; it is void at once", Example: `  kg auth keys delete KEY`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			if err := c.Account.DeleteAPIKey(cmd.Context(), args[0]); err != nil {
				return fmt.Errorf("delete the API key: %w", err)
			}
			a.note("Deleted the API key %s.", show.Printable(args[0]))
			return nil
		}),
	})
	return cmd
}

func newKeysListCommand(a *App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List your API keys", Example: `  kg auth keys list --all`, Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			keys, err := c.Account.APIKeys(cmd.Context(), all)
			if err != nil {
				return fmt.Errorf("list the API keys: %w", err)
			}
			return a.showAnswer("keys", func() { a.writeKeys(keys) })
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "those of all users")
	return cmd
}

func (a *App) writeKeys(keys []access.APIKey) {
	g := show.NewGrid(columns("key", "user", "created", "expires", "last used", "scopes", "name")...)
	for _, k := range keys {
		expires := "never"
		if k.ExpiresAt != nil {
			expires = k.ExpiresAt.String()
		}
		g.Add(k.ID, k.Username, k.CreatedAt.String(), expires, lastUsed(k.LastUsedAt), strings.Join(k.Scopes, " "), k.Name)
	}
	a.writeGrid(g, nil)
}

func newKeysCreateCommand(a *App) *cobra.Command {
	var n access.NewAPIKey
	var expires time.Duration
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Make an API key, and show it this once", Long: `Make an API key, a bearer for programs that cannot log in, and show it this once.`, Args: cobra.ExactArgs(1),
		Example: "  kg auth keys create ci --scope read:* --expires-in 720h",
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			if expires < 0 {
				return exit.Usage("--expires-in must not be negative, got %s", expires)
			}
			n.Name, n.ExpiresAt = args[0], after(expires)
			return nil
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			_, text, err := c.Account.NewAPIKey(cmd.Context(), n)
			if err != nil {
				return fmt.Errorf("make the API key: %w", err)
			}
			return a.showAnswer("", func() {
				fmt.Fprintln(a.out, show.OneLine(text))
				a.note("It is shown only now. Send it as: Authorization: Bearer %s…", show.Printable(text[:min(len(text), 8)]))
			})
		}),
	}
	cmd.Flags().StringVar(&n.Scope, "scope", "", "what it may be used for: read:*, write:*, admin:*, several with spaces between (default read:* write:*)")
	cmd.Flags().DurationVar(&expires, "expires-in", 0, "how long it lasts, for example 720h (default for ever)")
	return cmd
}
