package auth

import (
	"context"
	"maps"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// rolesOf are the roles of a memory. The zero value has the built-in ones.
type rolesOf struct {
	custom      []access.Role
	grants      []access.RoleGrant
	assignments map[int][]access.RoleAssignment
	reads       int // of the policy
}

func (m *memory) Policy(context.Context) (*access.Policy, int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.roles.reads++
	p := &access.Policy{Grants: slices.Clone(m.roles.grants), Assignments: maps.Clone(m.roles.assignments)}
	for i, name := range access.BuiltinRoles() {
		r := access.Role{Name: name, Builtin: true, Active: true}
		if i > 0 {
			r.Parent = &access.BuiltinRoles()[i-1]
		}
		p.Roles = append(p.Roles, r)
	}
	p.Roles = append(p.Roles, m.roles.custom...)
	return p, m.epoch, m.err
}

func (m *memory) CreateRole(_ context.Context, n access.NewRole) (access.Role, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := access.Role{Name: n.Name, DisplayName: n.DisplayName, Parent: n.Parent, Active: true}
	m.roles.custom = append(m.roles.custom, r)
	m.epoch++
	return r, m.err
}

func (m *memory) UpdateRole(_ context.Context, name string, u access.RoleUpdate) (access.Role, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.roles.custom {
		if r := &m.roles.custom[i]; r.Name == name {
			if u.Active != nil {
				r.Active = *u.Active
			}
			m.epoch++
			return *r, m.err
		}
	}
	return access.Role{}, kappa.NewError(kappa.CodeNotFound, "Role not found")
}

func (m *memory) DeleteRole(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.roles.custom = slices.DeleteFunc(m.roles.custom, func(r access.Role) bool { return r.Name == name })
	m.epoch++
	return m.err
}

func (m *memory) AddGrant(_ context.Context, n access.NewRoleGrant) (access.RoleGrant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g := access.RoleGrant{ID: access.FirstGrantID + len(m.roles.grants), Role: n.Role, Resource: n.Resource, Action: n.Action, Scope: access.ScopeGlobal, Granted: true}
	if n.Scope != nil {
		g.Scope = *n.Scope
	}
	if n.Granted != nil {
		g.Granted = *n.Granted
	}
	m.roles.grants = append(m.roles.grants, g)
	m.epoch++
	return g, m.err
}

func (m *memory) RemoveGrant(_ context.Context, id int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.roles.grants = slices.DeleteFunc(m.roles.grants, func(g access.RoleGrant) bool { return g.ID == id })
	m.epoch++
	return m.err
}

func (m *memory) Assignments(_ context.Context, userID int) ([]access.RoleAssignment, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.roles.assignments[userID], m.err
}

func (m *memory) Assign(_ context.Context, n access.NewRoleAssignment) (access.RoleAssignment, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := access.RoleAssignment{ID: 1, UserID: n.UserID, Role: n.Role, Scope: n.Scope, ExpiresAt: n.ExpiresAt}
	if m.roles.assignments == nil {
		m.roles.assignments = map[int][]access.RoleAssignment{}
	}
	m.roles.assignments[n.UserID] = append(m.roles.assignments[n.UserID], a)
	m.epoch++
	return a, m.err
}

func (m *memory) Unassign(_ context.Context, id int, allow func(access.RoleAssignment) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for user, list := range m.roles.assignments {
		for _, a := range list {
			if a.ID == id {
				if err := allow(a); err != nil {
					return err
				}
				delete(m.roles.assignments, user)
				m.epoch++
				return m.err
			}
		}
	}
	return kappa.NewError(kappa.CodeNotFound, "Role assignment not found")
}

func (m *memory) ResourceTypes(context.Context) ([]access.ResourceType, error) { return nil, m.err }

func (m *memory) AddResourceType(_ context.Context, n access.NewResourceType) (access.ResourceType, error) {
	return access.ResourceType{Type: n.Type, Actions: n.Actions}, m.err
}

func (m *memory) Users(context.Context, access.UserFilter) ([]access.User, int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []access.User
	for _, u := range m.users {
		list = append(list, *u)
	}
	return list, len(list), m.err
}

func (m *memory) User(_ context.Context, id int) (access.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users[id] == nil {
		return access.User{}, errNoUser()
	}
	return *m.users[id], m.err
}

func (m *memory) Usernames(_ context.Context, ascii bool) (map[int]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	names := map[int]string{}
	for id, u := range m.users {
		if !ascii || !isASCII(u.Username) {
			names[id] = u.Username
		}
	}
	return names, m.err
}

func (m *memory) CreateUser(_ context.Context, n access.NewUser, hash string) (access.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := access.User{ID: 1001 + len(m.users), Username: n.Username, Role: n.Role, ShortPassword: !access.LongPassword(n.Password)}
	m.users[u.ID], m.hashes[u.ID] = &u, hash
	return u, m.err
}

func (m *memory) UpdateUser(_ context.Context, id int, u access.UserUpdate, hash, asks string, allow func(access.User) error) (access.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	user := m.users[id]
	if user == nil {
		return access.User{}, errNoUser()
	}
	if err := allow(*user); err != nil {
		return access.User{}, err
	}
	if u.Role != nil {
		user.Role = *u.Role
	}
	if u.Username != nil {
		user.Username = *u.Username
	}
	if u.Disabled != nil {
		user.Disabled = *u.Disabled
	}
	if hash != "" {
		m.hashes[id], user.ShortPassword = hash, !access.LongPassword(*u.Password)
		m.clients = slices.DeleteFunc(m.clients, func(c access.OAuthClient) bool { return c.UserID == id && c.ClientID != asks })
	}
	return *user, m.err
}

func (m *memory) DeleteUser(_ context.Context, id int, allow func(access.User) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users[id] == nil {
		return errNoUser()
	}
	if err := allow(*m.users[id]); err != nil {
		return err
	}
	delete(m.users, id)
	return m.err
}

func (m *memory) CreateKey(ctx context.Context, c access.OAuthClient, most int) (access.OAuthClient, error) {
	c.Key = true
	return m.CreateClient(ctx, c, "", most)
}

func (m *memory) Keys(_ context.Context, userID int) ([]access.APIKey, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []access.APIKey
	for _, c := range m.clients {
		if c.Key && (userID == 0 || c.UserID == userID) {
			list = append(list, access.APIKey{ID: c.ClientID, UserID: c.UserID})
		}
	}
	return list, m.err
}

func (m *memory) DeleteKey(ctx context.Context, userID int, id string) error {
	return m.DeleteClient(ctx, userID, id)
}
