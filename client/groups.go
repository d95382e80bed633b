package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa"
)

// Groups returns the groups that the caller may see, by name.
func (c *Client) Groups(ctx context.Context) ([]kappa.Group, error) {
	out, err := fetch[struct {
		Groups []kappa.Group `json:"groups"`
	}](ctx, c, get("/groups", nil))
	return out.Groups, err
}

// CreateGroup makes a group.
func (c *Client) CreateGroup(ctx context.Context, n kappa.NewGroup) (kappa.Group, error) {
	return fetchJSON[kappa.Group](ctx, c, http.MethodPost, "/groups", n)
}

// UpdateGroup changes what a group is called.
func (c *Client) UpdateGroup(ctx context.Context, id int, u kappa.GroupUpdate) (kappa.Group, error) {
	return fetchJSON[kappa.Group](ctx, c, http.MethodPut, groupPath(id, ""), u)
}

// DeleteGroup deletes a group; what its members had of it ends at once.
func (c *Client) DeleteGroup(ctx context.Context, id int) error {
	return c.delete(ctx, groupPath(id, ""))
}

func groupPath(id int, below string) string { return "/groups/" + strconv.Itoa(id) + below }

// GroupMembers returns the members of a group.
func (c *Client) GroupMembers(ctx context.Context, id int) (kappa.GroupMembers, error) {
	return fetch[kappa.GroupMembers](ctx, c, get(groupPath(id, "/members"), nil))
}

// AddGroupMember adds a user to a group.
func (c *Client) AddGroupMember(ctx context.Context, group, user int) (kappa.GroupMember, error) {
	return fetchJSON[kappa.GroupMember](ctx, c, http.MethodPost, groupPath(group, "/members"), map[string]int{"user_id": user})
}

// RemoveGroupMember takes a user out of a group.
func (c *Client) RemoveGroupMember(ctx context.Context, group, user int) error {
	return c.delete(ctx, groupPath(group, "/members/"+strconv.Itoa(user)))
}

type grantsAnswer struct {
	Grants []kappa.ResourceGrant `json:"grants"`
}

// GroupGrants returns what a group is granted.
func (c *Client) GroupGrants(ctx context.Context, group int) ([]kappa.ResourceGrant, error) {
	out, err := fetch[grantsAnswer](ctx, c, get(groupPath(group, "/grants"), nil))
	return out.Grants, err
}

// ResourceGrants returns to whom an ontology, an artifact or a role is granted.
func (c *Client) ResourceGrants(ctx context.Context, resource, id string) ([]kappa.ResourceGrant, error) {
	out, err := fetch[grantsAnswer](ctx, c, get("/resources/"+url.PathEscape(resource)+"/"+url.PathEscape(id)+"/grants", nil))
	return out.Grants, err
}

// Share grants an ontology, an artifact or a role to a user or a group.
func (c *Client) Share(ctx context.Context, n kappa.NewResourceGrant) (kappa.ResourceGrant, error) {
	return fetchJSON[kappa.ResourceGrant](ctx, c, http.MethodPost, "/grants", n)
}

// Unshare takes such a grant away.
func (c *Client) Unshare(ctx context.Context, id int) error {
	return c.delete(ctx, "/grants/"+strconv.Itoa(id))
}
