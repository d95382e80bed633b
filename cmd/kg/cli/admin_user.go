package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// newUserCommand returns kg admin user, which keeps the accounts.
func newUserCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "user", Aliases: []string{"users"}, Short: "List, create, change and delete accounts", RunE: onlySubcommands}
	cmd.AddCommand(newUserListCommand(a), newUserGetCommand(a), newUserCreateCommand(a), newUserUpdateCommand(a), newUserDeleteCommand(a))
	return cmd
}

// columns returns columns with these names, of which the last one is flexible.
func columns(names ...string) []show.Column {
	list := make([]show.Column, len(names))
	for i, name := range names {
		list[i] = show.Column{Name: name, Flex: i == len(names)-1}
	}
	return list
}

func (a *App) writeUsers(users []access.User) {
	g := show.NewGrid(columns("id", "role", "state", "last login", "name")...)
	for _, u := range users {
		state, login := "enabled", "never"
		if u.Disabled {
			state = "disabled"
		}
		if u.LastLogin != nil {
			login = u.LastLogin.String()
		}
		g.Add(strconv.Itoa(u.ID), u.Role, state, login, u.Username)
	}
	a.writeGrid(g, nil)
}

// findUser returns the account with an id or a name.
func findUser(ctx context.Context, c *client.Client, idOrName string) (access.User, error) {
	if id, err := strconv.Atoi(idOrName); err == nil {
		return c.Users.Get(ctx, id)
	}
	users, _, err := c.Users.List(ctx, access.UserFilter{Username: idOrName, Limit: 1})
	if err == nil && len(users) == 0 {
		err = kappa.NewError(kappa.CodeNotFound, "User not found: "+idOrName)
	}
	if err != nil {
		return access.User{}, err
	}
	return users[0], nil
}

func newUserListCommand(a *App) *cobra.Command {
	f := access.UserFilter{}
	cmd := &cobra.Command{
		Use: "list", Short: "List the accounts", Example: `  kg admin user list --role curator`, Args: cobra.NoArgs,
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) error { return inFlagsOf(cmd, f.Validate(), nil) },
			func(cmd *cobra.Command, c *client.Client, _ []string) error {
				users, _, err := c.Users.List(cmd.Context(), f)
				if err != nil {
					return fmt.Errorf("list the accounts: %w", err)
				}
				return a.showAnswer("users", func() { a.writeUsers(users) })
			}),
	}
	cmd.Flags().StringVar(&f.Role, "role", "", "only accounts with this role")
	cmd.Flags().IntVar(&f.Limit, "limit", 50, "how many to list at most, 1 to 500")
	cmd.Flags().IntVar(&f.Skip, "skip", 0, "how many to leave out at the beginning")
	return cmd
}

func newUserGetCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "get USER", Aliases: []string{"show"}, Short: "Show an account, by its id or its name", Example: `  kg admin user get ada`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			user, err := findUser(cmd.Context(), c, args[0])
			if err != nil {
				return fmt.Errorf("show the account: %w", err)
			}
			return a.show(user, func() { a.writeUsers([]access.User{user}) })
		}),
	}
}

// passwordFlag lets a command read a password.
func passwordFlag(cmd *cobra.Command, fromStdin *bool) {
	cmd.Flags().BoolVar(fromStdin, "password-stdin", false, "read the password from standard input; else it is asked for on the terminal")
}

func newUserCreateCommand(a *App) *cobra.Command {
	var fromStdin bool
	n := access.NewUser{}
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Make an account", Args: cobra.ExactArgs(1),
		Example: "  kg admin user create ada --role curator --password-stdin < password.txt",
		RunE: a.withChecked(func(_ *cobra.Command, args []string) (err error) {
			n.Username = args[0]
			if err := misused(access.CheckUsername(n.Username)); err != nil {
				return err
			}
			n.Password, err = a.readPassword(n.Username, fromStdin)
			return err
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			user, err := c.Users.Create(cmd.Context(), n)
			if err != nil {
				return fmt.Errorf("make the account: %w", err)
			}
			return a.showAnswer("", func() { a.writeUsers([]access.User{user}) })
		}),
	}
	cmd.Flags().StringVar(&n.Role, "role", access.RoleContributor, "what it may do; see kg admin rbac roles list")
	passwordFlag(cmd, &fromStdin)
	completeWith(cmd, "role", access.BuiltinRoles()...)
	return cmd
}

func newUserUpdateCommand(a *App) *cobra.Command {
	var role string
	var password, fromStdin bool
	var update access.UserUpdate
	cmd := &cobra.Command{
		Use: "update USER", Short: "Change the role or the password of an account, or disable it", Args: cobra.ExactArgs(1),
		Long: `Change an account. It counts from the next request on. A new password ends every
client and API key of the account.`,
		Example: "  kg admin user update ada --role contributor\n  kg admin user update ada --disable\n  kg admin user update ada --password-stdin < password.txt",
		RunE: a.withChecked(func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("role") {
				update.Role = &role
			}
			if password || fromStdin {
				text, err := a.readPassword(args[0], fromStdin)
				if err != nil {
					return err
				}
				update.Password = &text
			}
			err := givenEnabled(cmd, &update.Disabled)
			if update.Disabled != nil {
				disabled := !*update.Disabled
				update.Disabled = &disabled
			}
			if err == nil && update == (access.UserUpdate{}) {
				err = exit.Usage("nothing to change: give --role, --password, --enable or --disable")
			}
			return err
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			user, err := findUser(cmd.Context(), c, args[0])
			if err == nil {
				user, err = c.Users.Update(cmd.Context(), user.ID, update)
			}
			if err != nil {
				return fmt.Errorf("change the account: %w", err)
			}
			return a.showAnswer("", func() { a.writeUsers([]access.User{user}) })
		}),
	}
	cmd.Flags().StringVar(&role, "role", "", "what it may do")
	cmd.Flags().BoolVar(&password, "password", false, "ask for a new password on the terminal")
	cmd.Flags().Bool("enable", false, "let it log in again")
	cmd.Flags().Bool("disable", false, "refuse all that acts for it")
	passwordFlag(cmd, &fromStdin)
	completeWith(cmd, "role", access.BuiltinRoles()...)
	return cmd
}

func newUserDeleteCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "delete USER", Short: "Delete an account; its jobs stay, as those of the system", Example: `  kg admin user delete ada`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			user, err := findUser(cmd.Context(), c, args[0])
			if err == nil {
				err = c.Users.Delete(cmd.Context(), user.ID)
			}
			if err != nil {
				return fmt.Errorf("delete the account: %w", err)
			}
			a.note("Deleted the account %s.", show.Printable(user.Username))
			return nil
		}),
	}
}
