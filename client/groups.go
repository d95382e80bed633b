package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
)

// Groups are groups of users, and what is shared with them.
type Groups struct{ c *Client }

// List returns the groups that the caller may see, by name.
func (s Groups) List(ctx context.Context) ([]access.Group, error) {
	out, err := fetch[api.GroupList](ctx, s.c, get("/groups", nil))
	return out.Groups, err
}

// Create makes a group.
func (s Groups) Create(ctx context.Context, n access.NewGroup) (access.Group, error) {
	return fetchJSON[access.Group](ctx, s.c, http.MethodPost, "/groups", n)
}

// Update changes what a group is called.
func (s Groups) Update(ctx context.Context, id int, u access.GroupUpdate) (access.Group, error) {
	return fetchJSON[access.Group](ctx, s.c, http.MethodPut, groupPath(id, ""), u)
}

// Delete deletes a group; what its members had of it ends at once.
func (s Groups) Delete(ctx context.Context, id int) error {
	return s.c.delete(ctx, groupPath(id, ""))
}

func groupPath(id int, below string) string { return "/groups/" + strconv.Itoa(id) + below }

// Members returns the members of a group.
func (s Groups) Members(ctx context.Context, id int) (access.GroupMembers, error) {
	return fetch[access.GroupMembers](ctx, s.c, get(groupPath(id, "/members"), nil))
}

// AddMember adds a user to a group.
func (s Groups) AddMember(ctx context.Context, group, user int) (access.GroupMember, error) {
	return fetchJSON[access.GroupMember](ctx, s.c, http.MethodPost, groupPath(group, "/members"), map[string]int{"user_id": user})
}

// RemoveMember takes a user out of a group.
func (s Groups) RemoveMember(ctx context.Context, group, user int) error {
	return s.c.delete(ctx, groupPath(group, "/members/"+strconv.Itoa(user)))
}

type grantsAnswer struct {
	Grants []access.ResourceGrant `json:"grants"`
}

// Grants returns what a group is granted.
func (s Groups) Grants(ctx context.Context, group int) ([]access.ResourceGrant, error) {
	out, err := fetch[grantsAnswer](ctx, s.c, get(groupPath(group, "/grants"), nil))
	return out.Grants, err
}

// ResourceGrants returns to whom an ontology, an artifact or a role is granted.
func (s Groups) ResourceGrants(ctx context.Context, resource, id string) ([]access.ResourceGrant, error) {
	out, err := fetch[grantsAnswer](ctx, s.c, get("/resources/"+url.PathEscape(resource)+"/"+url.PathEscape(id)+"/grants", nil))
	return out.Grants, err
}

// Share grants an ontology, an artifact or a role to a user or a group.
func (s Groups) Share(ctx context.Context, n access.NewResourceGrant) (access.ResourceGrant, error) {
	return fetchJSON[access.ResourceGrant](ctx, s.c, http.MethodPost, "/grants", n)
}

// Unshare takes such a grant away.
func (s Groups) Unshare(ctx context.Context, id int) error {
	return s.c.delete(ctx, "/grants/"+strconv.Itoa(id))
}
