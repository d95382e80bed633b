package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// newGroupsCommand returns kg admin groups.
func newGroupsCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "groups", Aliases: []string{"group"}, Short: "Groups of users, and the ontologies, artifacts and roles that they are granted",
		Long: `Groups of users, and what they are granted: single ontologies and artifacts, and roles.
What is given or taken counts at once, on every server and for streams that are open. A
group is named by its name or its number. Every account is a member of the group public.`,
		RunE: onlySubcommands,
	}
	cmd.AddCommand(newGroupsListCommand(a), newGroupsShowCommand(a), newGroupsCreateCommand(a), newGroupsUpdateCommand(a), newGroupsDeleteCommand(a),
		newGroupsMemberCommand(a, true), newGroupsMemberCommand(a, false), newGroupsGrantCommand(a), newGroupsGrantsCommand(a), newGroupsRevokeCommand(a))
	return cmd
}

// findGroup returns the group with a number or a name.
func findGroup(ctx context.Context, c *client.Client, idOrName string) (access.Group, error) {
	list, err := c.Groups.List(ctx)
	if err != nil {
		return access.Group{}, fmt.Errorf("find the group: %w", err)
	}
	if i := slices.IndexFunc(list, func(g access.Group) bool { return g.Name == idOrName || strconv.Itoa(g.ID) == idOrName }); i >= 0 {
		return list[i], nil
	}
	return access.Group{}, fmt.Errorf("find the group: %w", kappa.NewError(kappa.CodeNotFound, "Group not found: "+idOrName))
}

func (a *App) writeGroups(list []access.Group) {
	g := show.NewGrid(show.Column{Name: "id", Right: true}, show.Column{Name: "group"}, show.Column{Name: "members", Right: true}, show.Column{Name: "name"}, show.Column{Name: "description", Flex: true})
	for _, group := range list {
		members := ""
		switch {
		case group.ID == access.PublicGroup:
			members = "all"
		case group.Members != nil:
			members = show.Number(*group.Members)
		}
		g.Add(strconv.Itoa(group.ID), group.Name, members, text(group.DisplayName), text(group.Description))
	}
	a.writeGrid(g, nil)
}

func (a *App) writeResourceGrants(list []access.ResourceGrant) {
	g := show.NewGrid(show.Column{Name: "grant", Right: true}, show.Column{Name: "to"}, show.Column{Name: "what"}, show.Column{Name: "access"}, show.Column{Name: "granted"}, show.Column{Name: "name", Flex: true})
	for _, r := range list {
		g.Add(strconv.Itoa(r.ID), r.PrincipalType+" "+r.PrincipalName, r.ResourceType, r.Permission, r.GrantedAt.String(), r.ResourceName)
	}
	a.writeGrid(g, nil)
}

func newGroupsListCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the groups", Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			list, err := c.Groups.List(cmd.Context())
			if err != nil {
				return fmt.Errorf("list the groups: %w", err)
			}
			return a.showAnswer("groups", func() { a.writeGroups(list) })
		}),
	}
}

func newGroupsShowCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "show GROUP", Short: "Show the members of a group, and what it is granted", Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			group, err := findGroup(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			grants, err := c.Groups.Grants(cmd.Context(), group.ID)
			if err != nil {
				return fmt.Errorf("list what the group is granted: %w", err)
			}
			members, err := c.Groups.Members(cmd.Context(), group.ID)
			if err != nil {
				return fmt.Errorf("list the members: %w", err)
			}
			return a.show(map[string]any{"group": group, "members": members.Members, "grants": grants}, func() {
				a.writeGroups([]access.Group{group})
				if len(members.Members) > 0 {
					fmt.Fprintln(a.out)
					g := show.NewGrid(show.Column{Name: "id", Right: true}, show.Column{Name: "member"}, show.Column{Name: "since", Flex: true})
					for _, m := range members.Members {
						g.Add(strconv.Itoa(m.UserID), m.Username, m.AddedAt.String())
					}
					a.writeGrid(g, nil)
				}
				if len(grants) > 0 {
					fmt.Fprintln(a.out)
					a.writeResourceGrants(grants)
				}
			})
		}),
	}
}

func newGroupsCreateCommand(a *App) *cobra.Command {
	var n access.NewGroup
	var display, description string
	cmd := &cobra.Command{
		Use: "create GROUP", Short: "Make a group", Args: cobra.ExactArgs(1),
		Example: "  kg admin groups create reviewers --name Reviewers",
		RunE: a.withChecked(func(cmd *cobra.Command, args []string) error {
			n.Name, n.DisplayName, n.Description = args[0], given(cmd, "name", &display), given(cmd, "description", &description)
			return inFlagsOf(cmd, n.Validate(), map[string]string{"display_name": "name"})
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			group, err := c.Groups.Create(cmd.Context(), n)
			if err != nil {
				return fmt.Errorf("make the group: %w", err)
			}
			return a.showAnswer("", func() { a.writeGroups([]access.Group{group}) })
		}),
	}
	cmd.Flags().StringVar(&display, "name", "", "what it is called for people")
	cmd.Flags().StringVar(&description, "description", "", "what it is for")
	return cmd
}

func newGroupsUpdateCommand(a *App) *cobra.Command {
	var display, description string
	cmd := &cobra.Command{
		Use: "update GROUP", Short: "Change what a group is called", Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			u := access.GroupUpdate{DisplayName: given(cmd, "name", &display), Description: given(cmd, "description", &description)}
			if u.DisplayName == nil && u.Description == nil {
				return exit.Usage("give --name or --description")
			}
			group, err := findGroup(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			if group, err = c.Groups.Update(cmd.Context(), group.ID, u); err != nil {
				return fmt.Errorf("change the group: %w", err)
			}
			return a.showAnswer("", func() { a.writeGroups([]access.Group{group}) })
		}),
	}
	cmd.Flags().StringVar(&display, "name", "", "what it is called for people")
	cmd.Flags().StringVar(&description, "description", "", "what it is for")
	return cmd
}

// given returns the value of a flag, nil when it was not given.
func given(cmd *cobra.Command, flag string, value *string) *string {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	return value
}

func newGroupsDeleteCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "delete GROUP", Short: "Delete a group; what its members had of it ends at once", Example: `  kg admin groups delete reviewers`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			group, err := findGroup(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			if err := c.Groups.Delete(cmd.Context(), group.ID); err != nil {
				return fmt.Errorf("delete the group: %w", err)
			}
			a.note("Deleted.")
			return nil
		}),
	}
}

func newGroupsMemberCommand(a *App, add bool) *cobra.Command {
	use, short, done := "remove-member GROUP USER", "Take a user out of a group; what came of it ends at once", "Removed."
	if add {
		use, short, done = "add-member GROUP USER", "Add a user to a group", "Added."
	}
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(2),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			group, err := findGroup(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			user, err := findUser(cmd.Context(), c, args[1])
			if err != nil {
				return fmt.Errorf("find the account: %w", err)
			}
			if add {
				_, err = c.Groups.AddMember(cmd.Context(), group.ID, user.ID)
			} else {
				err = c.Groups.RemoveMember(cmd.Context(), group.ID, user.ID)
			}
			if err != nil {
				return fmt.Errorf("change the members: %w", err)
			}
			a.note("%s", done)
			return nil
		}),
	}
}

func newGroupsGrantCommand(a *App) *cobra.Command {
	n := access.NewResourceGrant{PrincipalType: access.PrincipalGroup}
	cmd := &cobra.Command{
		Use: "grant GROUP RESOURCE ID", Short: "Grant a group an ontology, an artifact or a role", Args: cobra.ExactArgs(3),
		Long: `Grant a group an ontology (its name or number), an artifact (its number) or a role (its
name). With an ontology or an artifact, --access says how far: read, write to change it
too, or admin to delete it too. The members have what the role has.`,
		Example: "  kg admin groups grant reviewers ontology letters --access write\n  kg admin groups grant reviewers role auditor",
		RunE: a.withChecked(func(cmd *cobra.Command, args []string) error {
			n.ResourceType, n.ResourceID = args[1], args[2]
			return inFlagsOf(cmd, n.Validate(), map[string]string{"permission": "access"})
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			group, err := findGroup(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			n.PrincipalID = group.ID
			grant, err := c.Groups.Share(cmd.Context(), n)
			if err != nil {
				return fmt.Errorf("grant it: %w", err)
			}
			return a.showAnswer("", func() { a.writeResourceGrants([]access.ResourceGrant{grant}) })
		}),
	}
	cmd.Flags().StringVar(&n.Permission, "access", access.AccessRead, "read, write or admin")
	completeWith(cmd, "access", access.AccessRead, access.AccessWrite, access.AccessAdmin)
	return cmd
}

func newGroupsGrantsCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "grants RESOURCE ID", Short: "List to whom an ontology, an artifact or a role is granted", Args: cobra.ExactArgs(2),
		Example: "  kg admin groups grants ontology letters",
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			list, err := c.Groups.ResourceGrants(cmd.Context(), args[0], args[1])
			if err != nil {
				return fmt.Errorf("list the grants: %w", err)
			}
			return a.showAnswer("grants", func() { a.writeResourceGrants(list) })
		}),
	}
}

func newGroupsRevokeCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "revoke GRANT", Short: "Take a grant away, by its number", Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			id, err := numberOf(args[0], "a grant", "kg admin groups show GROUP")
			if err != nil {
				return err
			}
			if err := c.Groups.Unshare(cmd.Context(), id); err != nil {
				return fmt.Errorf("revoke the grant: %w", err)
			}
			a.note("Revoked.")
			return nil
		}),
	}
}
