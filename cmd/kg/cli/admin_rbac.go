package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// newRBACCommand returns kg admin rbac, which keeps the roles.
func newRBACCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "rbac", Short: "Manage roles: what they may do, and who has them", RunE: onlySubcommands}
	cmd.AddCommand(newRolesCommand(a), newPermissionsCommand(a), newAssignCommand(a), newResourcesCommand(a), newCheckCommand(a))
	return cmd
}

func newRolesCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "roles", Aliases: []string{"role"}, Short: "List, show, make, change and delete roles", RunE: onlySubcommands}
	cmd.AddCommand(newRolesListCommand(a), newRolesShowCommand(a), newRolesCreateCommand(a), newRolesUpdateCommand(a), newRolesDeleteCommand(a))
	return cmd
}

func (a *App) writeRoles(roles []access.Role) {
	g := show.NewGrid(columns("role", "kind", "parent", "state", "name")...)
	for _, r := range roles {
		kind, state := "custom", "active"
		if r.Builtin {
			kind = "built-in"
		}
		if !r.Active {
			state = "inactive"
		}
		g.Add(r.Name, kind, text(r.Parent), state, r.DisplayName)
	}
	a.writeGrid(g, nil)
}

// text returns what is there, and "" otherwise.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func newRolesListCommand(a *App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the roles", Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			roles, err := c.Roles.List(cmd.Context(), all)
			if err != nil {
				return fmt.Errorf("list the roles: %w", err)
			}
			return a.showAnswer("", func() { a.writeRoles(roles) })
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "inactive roles too")
	return cmd
}

func newRolesShowCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "show ROLE", Short: "Show a role", Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			role, err := c.Roles.Get(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("show the role: %w", err)
			}
			return a.showAnswer("", func() { a.writeRoles([]access.Role{role}) })
		}),
	}
}

func newRolesCreateCommand(a *App) *cobra.Command {
	var n access.NewRole
	var description, parent, metadata string
	cmd := &cobra.Command{
		Use: "create ROLE", Short: "Make a custom role", Args: cobra.ExactArgs(1),
		Example: "  kg admin rbac roles create monitor --display-name Monitoring\n  kg admin rbac roles create careful --parent contributor",
		RunE: a.withChecked(func(cmd *cobra.Command, args []string) error {
			n.Name = args[0]
			if n.DisplayName == "" {
				n.DisplayName = n.Name
			}
			if cmd.Flags().Changed("description") {
				n.Description = &description
			}
			if cmd.Flags().Changed("parent") {
				n.Parent = &parent
			}
			if cmd.Flags().Changed("metadata") {
				if n.Metadata = json.RawMessage(metadata); !json.Valid(n.Metadata) {
					return exit.Usage("--metadata must be a JSON object, got %q", metadata)
				}
			}
			return inFlagsOf(cmd, n.Validate(), nil)
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			role, err := c.Roles.Create(cmd.Context(), n)
			if err != nil {
				return fmt.Errorf("make the role: %w", err)
			}
			return a.showAnswer("", func() { a.writeRoles([]access.Role{role}) })
		}),
	}
	cmd.Flags().StringVar(&n.DisplayName, "display-name", "", "its name for people")
	cmd.Flags().StringVar(&description, "description", "", "what it is for")
	cmd.Flags().StringVar(&parent, "parent", "", "the role whose permissions it has too")
	cmd.Flags().StringVar(&metadata, "metadata", "", "a JSON object that other programs keep with it")
	return cmd
}

func newRolesUpdateCommand(a *App) *cobra.Command {
	var name, description, parent string
	var update access.RoleUpdate
	cmd := &cobra.Command{
		Use: "update ROLE", Short: "Change a custom role", Args: cobra.ExactArgs(1),
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) error {
			for flag, to := range map[string]struct {
				field **string
				value *string
			}{"display-name": {&update.DisplayName, &name}, "description": {&update.Description, &description}, "parent": {&update.Parent, &parent}} {
				if cmd.Flags().Changed(flag) {
					*to.field = to.value
				}
			}
			if err := givenEnabled(cmd, &update.Active); err != nil {
				return err
			}
			return inFlagsOf(cmd, update.Validate(), nil)
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			role, err := c.Roles.Update(cmd.Context(), args[0], update)
			if err != nil {
				return fmt.Errorf("change the role: %w", err)
			}
			return a.showAnswer("", func() { a.writeRoles([]access.Role{role}) })
		}),
	}
	cmd.Flags().StringVar(&name, "display-name", "", "its name for people")
	cmd.Flags().StringVar(&description, "description", "", "what it is for")
	cmd.Flags().StringVar(&parent, "parent", "", `the role whose permissions it has too; "" for none`)
	cmd.Flags().Bool("enable", false, "let it grant what it grants")
	cmd.Flags().Bool("disable", false, "let it grant nothing")
	return cmd
}

func newRolesDeleteCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "delete ROLE", Short: "Delete a custom role that nobody has", Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			if err := c.Roles.Delete(cmd.Context(), args[0]); err != nil {
				return fmt.Errorf("delete the role: %w", err)
			}
			a.note("Deleted the role %s.", show.Printable(args[0]))
			return nil
		}),
	}
}
