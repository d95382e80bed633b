package cli

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

func newPermissionsCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "permissions", Aliases: []string{"permission"}, Short: "List, grant, deny and revoke permissions of roles", RunE: onlySubcommands}
	cmd.AddCommand(newPermissionsListCommand(a), newPermissionsGrantCommand(a), newPermissionsRevokeCommand(a))
	return cmd
}

func (a *App) writeGrants(grants []access.RoleGrant) {
	g := show.NewGrid(columns("id", "role", "permission", "scope", "effect", "from")...)
	for _, r := range grants {
		effect := "granted"
		if !r.Granted {
			effect = "denied"
		}
		g.Add(strconv.Itoa(r.ID), r.Role, string(r.Permission()), scopeText(r), effect, text(r.InheritedFrom))
	}
	a.writeGrid(g, nil)
}

// scopeText says which rows a grant covers.
func scopeText(g access.RoleGrant) string {
	switch {
	case g.ScopeID != nil:
		return *g.ScopeID
	case len(g.ScopeFilter) > 0 && string(g.ScopeFilter) != "null":
		return string(g.ScopeFilter)
	}
	return g.Scope
}

func newPermissionsListCommand(a *App) *cobra.Command {
	var role, resource string
	cmd := &cobra.Command{
		Use: "list", Short: "List what roles are granted and denied; of one role with what its parents give", Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			grants, err := c.Roles.Grants(cmd.Context(), role, resource)
			if err != nil {
				return fmt.Errorf("list the permissions: %w", err)
			}
			return a.showAnswer("", func() { a.writeGrants(grants) })
		}),
	}
	cmd.Flags().StringVar(&role, "role", "", "only of this role")
	cmd.Flags().StringVar(&resource, "resource", "", "only about this kind of things")
	return cmd
}

func newPermissionsGrantCommand(a *App) *cobra.Command {
	var own, deny bool
	var id string
	var where map[string]string
	cmd := &cobra.Command{
		Use: "grant ROLE RESOURCE ACTION", Short: "Grant a custom role a permission, or deny it", Args: cobra.ExactArgs(3),
		Example: "  kg admin rbac permissions grant monitor workers view\n  kg admin rbac permissions grant careful jobs approve --deny\n  kg admin rbac permissions grant reviewers jobs read --where ontology=letters",
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			scope, granted := access.ScopeGlobal, !deny
			n := access.NewRoleGrant{Role: args[0], Resource: args[1], Action: args[2], Scope: &scope, Granted: &granted}
			switch {
			case own:
				scope = access.ScopeOwn
			case id != "":
				scope, n.ScopeID = access.ScopeInstance, &id
			case len(where) > 0:
				filter, err := json.Marshal(where)
				if err != nil {
					return fmt.Errorf("encode the filter: %w", err)
				}
				scope, n.ScopeFilter = access.ScopeFilter, filter
			}
			grant, err := c.Roles.Grant(cmd.Context(), n)
			if err != nil {
				return fmt.Errorf("grant the permission: %w", err)
			}
			return a.showAnswer("", func() { a.writeGrants([]access.RoleGrant{grant}) })
		}),
	}
	cmd.Flags().BoolVar(&own, "own", false, "for rows of the user only")
	cmd.Flags().StringVar(&id, "id", "", "for the row with this id only: a job, an artifact, or the number of an ontology")
	cmd.Flags().StringToStringVar(&where, "where", nil, "for rows that are so only: ontology=NAME, job_type=NAME or artifact_type=NAME")
	cmd.MarkFlagsMutuallyExclusive("own", "id", "where")
	cmd.Flags().BoolVar(&deny, "deny", false, "deny it, whatever else grants it")
	return cmd
}

func newPermissionsRevokeCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID", Short: "Take a permission, or its denial, from a custom role", Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			id, err := numberOf(args[0], "the id of a permission", "kg admin rbac permissions list")
			if err != nil {
				return err
			}
			if err := c.Roles.RevokeGrant(cmd.Context(), id); err != nil {
				return fmt.Errorf("revoke the permission: %w", err)
			}
			a.note("Revoked.")
			return nil
		}),
	}
}

func newAssignCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "assign", Short: "List, add and remove the roles that users have besides that of the account", RunE: onlySubcommands}
	cmd.AddCommand(newAssignListCommand(a), newAssignAddCommand(a), newAssignRemoveCommand(a))
	return cmd
}

func (a *App) writeAssignments(list []access.RoleAssignment) {
	g := show.NewGrid(columns("id", "role", "scope", "expires", "assigned")...)
	for _, r := range list {
		expires := "never"
		if r.ExpiresAt != nil {
			expires = r.ExpiresAt.String()
		}
		g.Add(strconv.Itoa(r.ID), r.Role, text(r.Scope), expires, r.AssignedAt.String())
	}
	a.writeGrid(g, nil)
}

func newAssignListCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "list USER", Short: "List the roles that a user has besides that of the account", Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			user, err := findUser(cmd.Context(), c, args[0])
			if err != nil {
				return fmt.Errorf("find the account: %w", err)
			}
			list, err := c.Roles.Assignments(cmd.Context(), user.ID)
			if err != nil {
				return fmt.Errorf("list the roles of the user: %w", err)
			}
			return a.showAnswer("", func() { a.writeAssignments(list) })
		}),
	}
}

func newAssignAddCommand(a *App) *cobra.Command {
	var own bool
	var expires time.Duration
	cmd := &cobra.Command{
		Use: "add USER ROLE", Short: "Give a user a role besides that of the account", Args: cobra.ExactArgs(2),
		RunE: a.withChecked(func(*cobra.Command, []string) error {
			if expires < 0 {
				return exit.Usage("--expires-in must not be negative, got %s", expires)
			}
			return nil
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			user, err := findUser(cmd.Context(), c, args[0])
			if err != nil {
				return fmt.Errorf("find the account: %w", err)
			}
			n := access.NewRoleAssignment{UserID: user.ID, Role: args[1]}
			if own {
				n.Scope = new(access.ScopeOwn)
			}
			n.ExpiresAt = after(expires)
			given, err := c.Roles.Assign(cmd.Context(), n)
			if err != nil {
				return fmt.Errorf("assign the role: %w", err)
			}
			return a.showAnswer("", func() { a.writeAssignments([]access.RoleAssignment{given}) })
		}),
	}
	cmd.Flags().BoolVar(&own, "own", false, "for rows of the user only")
	cmd.Flags().DurationVar(&expires, "expires-in", 0, "how long, for example 168h (default for ever)")
	return cmd
}

// after returns the time so long from now, nil for 0.
func after(d time.Duration) *kappa.Time {
	if d == 0 {
		return nil
	}
	return new(kappa.At(time.Now().Add(d)))
}

func newAssignRemoveCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "remove ID", Short: "Take such a role away; the id is the assignment's", Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			id, err := numberOf(args[0], "the id of an assignment", "kg admin rbac assign list USER")
			if err != nil {
				return err
			}
			if err := c.Roles.Unassign(cmd.Context(), id); err != nil {
				return fmt.Errorf("take the role away: %w", err)
			}
			a.note("Removed.")
			return nil
		}),
	}
}

func newResourcesCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "resources", Aliases: []string{"resource"}, Short: "List and register the kinds of things that permissions are about", RunE: onlySubcommands}
	list := &cobra.Command{
		Use: "list", Short: "List them, and the actions of each", Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			types, err := c.Roles.ResourceTypes(cmd.Context())
			if err != nil {
				return fmt.Errorf("list the kinds of things: %w", err)
			}
			return a.showAnswer("", func() { a.writeResourceTypes(types) })
		}),
	}
	var n access.NewResourceType
	var owned bool
	create := &cobra.Command{
		Use: "create RESOURCE ACTION...", Short: "Register a kind of things of another program, with its actions", Args: cobra.MinimumNArgs(2),
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			n.Type, n.Actions, n.SupportsScoping = args[0], args[1:], &owned
			return misused(n.Validate())
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			t, err := c.Roles.AddResourceType(cmd.Context(), n)
			if err != nil {
				return fmt.Errorf("register it: %w", err)
			}
			return a.showAnswer("", func() { a.writeResourceTypes([]access.ResourceType{t}) })
		}),
	}
	create.Flags().BoolVar(&owned, "owned", false, "its rows belong to users")
	cmd.AddCommand(list, create)
	return cmd
}

func (a *App) writeResourceTypes(types []access.ResourceType) {
	g := show.NewGrid(columns("resource", "owned", "actions")...)
	for _, t := range types {
		owned := "no"
		if t.SupportsScoping {
			owned = "yes"
		}
		g.Add(t.Type, owned, strings.Join(t.Actions, " "))
	}
	a.writeGrid(g, nil)
}

func newCheckCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "check USER RESOURCE ACTION", Short: "Say whether a user may do something; exit code 1 when not", Args: cobra.ExactArgs(3),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			user, err := findUser(cmd.Context(), c, args[0])
			if err != nil {
				return fmt.Errorf("find the account: %w", err)
			}
			answer, err := c.Roles.Check(cmd.Context(), access.PermissionQuestion{UserID: user.ID, Resource: args[1], Action: args[2]})
			if err != nil {
				return fmt.Errorf("check the permission: %w", err)
			}
			err = a.showAnswer("", func() { fmt.Fprintln(a.out, show.OneLine(text(answer.Reason))) })
			if err == nil && !answer.Allowed {
				err = &exit.Error{Code: exit.Failed}
			}
			return err
		}),
	}
}
