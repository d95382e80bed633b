package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/access"
)

// Groups returns the groups that the caller may see, by name.
func (c *Client) Groups(ctx context.Context) ([]access.Group, error) {
	out, err := fetch[struct {
		Groups []access.Group `json:"groups"`
	}](ctx, c, get("/groups", nil))
	return out.Groups, err
}

// CreateGroup makes a group.
func (c *Client) CreateGroup(ctx context.Context, n access.NewGroup) (access.Group, error) {
	return fetchJSON[access.Group](ctx, c, http.MethodPost, "/groups", n)
}

// UpdateGroup changes what a group is called.
func (c *Client) UpdateGroup(ctx context.Context, id int, u access.GroupUpdate) (access.Group, error) {
	return fetchJSON[access.Group](ctx, c, http.MethodPut, groupPath(id, ""), u)
}

// DeleteGroup deletes a group; what its members had of it ends at once.
func (c *Client) DeleteGroup(ctx context.Context, id int) error {
	return c.delete(ctx, groupPath(id, ""))
}

func groupPath(id int, below string) string { return "/groups/" + strconv.Itoa(id) + below }

// GroupMembers returns the members of a group.
func (c *Client) GroupMembers(ctx context.Context, id int) (access.GroupMembers, error) {
	return fetch[access.GroupMembers](ctx, c, get(groupPath(id, "/members"), nil))
}

// AddGroupMember adds a user to a group.
func (c *Client) AddGroupMember(ctx context.Context, group, user int) (access.GroupMember, error) {
	return fetchJSON[access.GroupMember](ctx, c, http.MethodPost, groupPath(group, "/members"), map[string]int{"user_id": user})
}

// RemoveGroupMember takes a user out of a group.
func (c *Client) RemoveGroupMember(ctx context.Context, group, user int) error {
	return c.delete(ctx, groupPath(group, "/members/"+strconv.Itoa(user)))
}

type grantsAnswer struct {
	Grants []access.ResourceGrant `json:"grants"`
}

// GroupGrants returns what a group is granted.
func (c *Client) GroupGrants(ctx context.Context, group int) ([]access.ResourceGrant, error) {
	out, err := fetch[grantsAnswer](ctx, c, get(groupPath(group, "/grants"), nil))
	return out.Grants, err
}

// ResourceGrants returns to whom an ontology, an artifact or a role is granted.
func (c *Client) ResourceGrants(ctx context.Context, resource, id string) ([]access.ResourceGrant, error) {
	out, err := fetch[grantsAnswer](ctx, c, get("/resources/"+url.PathEscape(resource)+"/"+url.PathEscape(id)+"/grants", nil))
	return out.Grants, err
}

// Share grants an ontology, an artifact or a role to a user or a group.
func (c *Client) Share(ctx context.Context, n access.NewResourceGrant) (access.ResourceGrant, error) {
	return fetchJSON[access.ResourceGrant](ctx, c, http.MethodPost, "/grants", n)
}

// Unshare takes such a grant away.
func (c *Client) Unshare(ctx context.Context, id int) error {
	return c.delete(ctx, "/grants/"+strconv.Itoa(id))
}
