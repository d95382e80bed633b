package access

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// Role is a set of permissions that users can be given. The built-in ones come from
// the code and cannot be changed.
type Role struct {
	Name        string          `json:"role_name"`
	DisplayName string          `json:"display_name"`
	Description *string         `json:"description"`
	Builtin     bool            `json:"is_builtin"`
	Active      bool            `json:"is_active" doc:"An inactive role grants nothing"`
	Parent      *string         `json:"parent_role" doc:"The role whose permissions this one has too"`
	CreatedAt   kappa.Time      `json:"created_at"`
	CreatedBy   *int            `json:"created_by" doc:"Id of the user; null for a built-in role"`
	Metadata    json.RawMessage `json:"metadata"`
}

// NewRole asks for a custom role.
type NewRole struct {
	Name        string  `json:"role_name" doc:"Lower-case letters, digits and _, 1 to 50"`
	DisplayName string  `json:"display_name" doc:"1 to 100 characters"`
	Description *string `json:"description,omitempty" doc:"At most 500 characters"`
	Parent      *string `json:"parent_role,omitempty" doc:"The role whose permissions it has too"`

	Metadata json.RawMessage `json:"metadata,omitempty" doc:"An object of at most 16 KB that other programs keep with it"`
}

// RoleUpdate changes a custom role; nil leaves a member as it is. An empty Parent
// takes the parent away.
type RoleUpdate struct {
	DisplayName *string `json:"display_name,omitempty"`
	Description *string `json:"description,omitempty"`
	Parent      *string `json:"parent_role,omitempty" doc:"Empty: none"`
	Active      *bool   `json:"is_active,omitempty"`

	Metadata json.RawMessage `json:"metadata,omitempty" doc:"Takes the place of the whole object"`
}

// The scopes of a grant; those of an assignment are the first two.
const (
	ScopeGlobal   = "global"   // rows of everybody
	ScopeOwn      = "own"      // rows of the user
	ScopeInstance = "instance" // one row
	ScopeFilter   = "filter"   // rows that are as a filter says
)

// RoleGrant is one permission that a role has, or is denied.
type RoleGrant struct {
	ID            int             `json:"id"`
	Role          string          `json:"role_name"`
	Resource      string          `json:"resource_type"`
	Action        string          `json:"action"`
	Scope         string          `json:"scope_type" doc:"global, own, instance or filter"`
	ScopeID       *string         `json:"scope_id" doc:"Of scope instance: the id of the row"`
	ScopeFilter   json.RawMessage `json:"scope_filter" doc:"Of scope filter: what the rows are"`
	Granted       bool            `json:"granted" doc:"false denies it, whatever else grants it"`
	InheritedFrom *string         `json:"inherited_from" doc:"The role that it comes from"`
	CreatedAt     kappa.Time      `json:"created_at"`
	CreatedBy     *int            `json:"created_by"`
}

// Permission returns what is granted or denied.
func (g RoleGrant) Permission() Permission { return Permission(g.Resource + ":" + g.Action) }

// NewRoleGrant asks for a permission of a custom role.
type NewRoleGrant struct {
	Role        string          `json:"role_name"`
	Resource    string          `json:"resource_type"`
	Action      string          `json:"action"`
	Scope       *string         `json:"scope_type,omitempty" doc:"global (the default), own, instance or filter"`
	ScopeID     *string         `json:"scope_id,omitempty" doc:"With scope instance: the id of the row"`
	ScopeFilter json.RawMessage `json:"scope_filter,omitempty" doc:"With scope filter: an object with the ontology, the job_type or the artifact_type of the rows"`
	Granted     *bool           `json:"granted,omitempty" doc:"Default: true; false denies it"`
}

// RoleAssignment is a role that a user has besides that of the account.
type RoleAssignment struct {
	ID         int         `json:"id"`
	UserID     int         `json:"user_id"`
	Role       string      `json:"role_name"`
	Scope      *string     `json:"scope_type" doc:"global or own; own narrows the role to rows of the user"`
	ScopeID    *string     `json:"scope_id" doc:"Always null"`
	AssignedAt kappa.Time  `json:"assigned_at"`
	AssignedBy *int        `json:"assigned_by"`
	ExpiresAt  *kappa.Time `json:"expires_at"`
}

// NewRoleAssignment asks for a role of a user.
type NewRoleAssignment struct {
	UserID    int         `json:"user_id"`
	Role      string      `json:"role_name"`
	Scope     *string     `json:"scope_type,omitempty" doc:"global (the default) or own"`
	ScopeID   *string     `json:"scope_id,omitempty" doc:"Not supported: rows are granted to roles"`
	ExpiresAt *kappa.Time `json:"expires_at,omitempty"`
}

// ResourceType is a kind of thing that permissions are about.
type ResourceType struct {
	Type            string          `json:"resource_type"`
	Description     *string         `json:"description"`
	Parent          *string         `json:"parent_type"`
	Actions         []string        `json:"available_actions"`
	SupportsScoping bool            `json:"supports_scoping" doc:"Whether a grant may be limited to some of its rows: to one's own, where they belong to users, to one, or to those that are so"`
	Metadata        json.RawMessage `json:"metadata"`
	RegisteredAt    kappa.Time      `json:"registered_at"`
	RegisteredBy    *int            `json:"registered_by"`
}

// NewResourceType registers a kind of thing of another program, whose permissions
// custom roles can be granted, and which that program asks about.
type NewResourceType struct {
	Type            string          `json:"resource_type" doc:"Lower-case letters, digits and _, 1 to 50"`
	Description     *string         `json:"description,omitempty"`
	Parent          *string         `json:"parent_type,omitempty"`
	Actions         []string        `json:"available_actions"`
	SupportsScoping *bool           `json:"supports_scoping,omitempty"`
	Metadata        json.RawMessage `json:"metadata,omitempty"`
}

// PermissionQuestion asks whether a user may do something.
type PermissionQuestion struct {
	UserID   int             `json:"user_id"`
	Resource string          `json:"resource_type"`
	Action   string          `json:"action"`
	ID       *string         `json:"resource_id,omitempty"`
	Context  json.RawMessage `json:"resource_context,omitempty" doc:"An object: owner_id says whose row it is, and its texts what filters ask, as ontology"`
}

// PermissionAnswer says whether, and why.
type PermissionAnswer struct {
	Allowed bool    `json:"allowed"`
	Reason  *string `json:"reason"`
}

// PermissionHeld is one line of what a user may do.
type PermissionHeld struct {
	Resource string `json:"resource"`
	Action   string `json:"action"`
	Granted  bool   `json:"granted" doc:"Always true: what is not granted is not listed"`
	Scope    string `json:"scope_type" doc:"global, own, or some: only rows that are granted one by one or by what they are"`
}

const (
	maxRoleName     = 50
	maxRoleTitle    = 100
	maxRoleText     = 500
	maxRoleDepth    = 20 // of parents
	maxRoleMetadata = 16 << 10
)

// Validate returns a kappa.CodeInvalid Error that names every member that breaks a rule.
func (n NewRole) Validate() error {
	var r check.Rules
	r.Add("body", "role_name", check.Word(n.Name))
	r.Add("body", "display_name", check.Name(n.DisplayName, maxRoleTitle))
	r.Add("body", "description", check.OptionalText(n.Description, maxRoleText))
	r.Add("body", "metadata", checkMetadata(n.Metadata))
	return r.Err()
}

// Validate returns a kappa.CodeInvalid Error that names every member that breaks a rule, and
// one when there is nothing to change.
func (u RoleUpdate) Validate() error {
	var r check.Rules
	if u.DisplayName == nil && u.Description == nil && u.Parent == nil && u.Active == nil && !givenMetadata(u.Metadata) {
		return kappa.NewError(kappa.CodeInvalid, "No fields to update")
	}
	if u.DisplayName != nil {
		r.Add("body", "display_name", check.Name(*u.DisplayName, maxRoleTitle))
	}
	r.Add("body", "description", check.OptionalText(u.Description, maxRoleText))
	r.Add("body", "metadata", checkMetadata(u.Metadata))
	return r.Err()
}

// givenMetadata reports whether there is an object; null counts as absent.
func givenMetadata(object json.RawMessage) bool {
	return len(object) > 0 && string(object) != "null"
}

// MetadataOr returns an object that was given, or else another one.
func MetadataOr(given, other json.RawMessage) json.RawMessage {
	if givenMetadata(given) {
		return given
	}
	return other
}

// checkMetadata returns the rule that the metadata of a role or a kind of thing breaks.
func checkMetadata(object json.RawMessage) string {
	switch {
	case !givenMetadata(object):
		return ""
	case len(object) > maxRoleMetadata:
		return "must have at most 16 KB"
	case object[0] != '{':
		return "must be an object"
	}
	return ""
}

// Validate returns a kappa.CodeInvalid Error for a grant that breaks a rule. types are the
// registered kinds of things.
func (n NewRoleGrant) Validate(types []ResourceType) error {
	var r check.Rules
	i := slices.IndexFunc(types, func(t ResourceType) bool { return t.Type == n.Resource })
	switch {
	case i < 0:
		r.Add("body", "resource_type", "is not registered, got "+check.Quote(n.Resource))
	case !slices.Contains(types[i].Actions, n.Action):
		r.Add("body", "action", "must be one of "+strings.Join(types[i].Actions, ", ")+", got "+check.Quote(n.Action))
	case scopeOf(n.Scope) != ScopeGlobal && !types[i].SupportsScoping:
		r.Add("body", "scope_type", "must be global: "+n.Resource+" do not belong to users")
	case scopeOf(n.Scope) != ScopeGlobal && n.Resource == "ontologies" && n.Action == "create":
		r.Add("body", "scope_type", "must be global: what is created is no row yet")
	case scopeOf(n.Scope) == ScopeOwn && scopeFacts[n.Resource] != nil && !slices.Contains(ownedResources, n.Resource):
		r.Add("body", "scope_type", "must be global, instance or filter: "+n.Resource+" do not belong to users")
	}
	r.Add("body", "scope_type", check.OneOf(scopeOf(n.Scope), ScopeGlobal, ScopeOwn, ScopeInstance, ScopeFilter))
	r.Add("body", "scope_type", checkNarrowed(Permission(n.Resource+":"+n.Action), scopeOf(n.Scope)))
	if scope := scopeOf(n.Scope); (scope == ScopeInstance || scope == ScopeFilter) && slices.Contains(ownedResources, n.Resource) && scopeFacts[n.Resource] == nil {
		r.Add("body", "scope_type", "must be global or own: "+n.Resource+" cannot be granted one by one")
	}
	if n.Granted != nil && !*n.Granted && scopeOf(n.Scope) != ScopeGlobal {
		r.Add("body", "scope_type", "must be global with granted false: what is denied is denied for all rows")
	}
	n.checkRows(&r)
	return r.Err()
}

// checkRows adds the rules that the rows of n break.
func (n NewRoleGrant) checkRows(r *check.Rules) {
	filtered := len(n.ScopeFilter) > 0 && string(n.ScopeFilter) != "null"
	switch scope := scopeOf(n.Scope); {
	case scope == ScopeInstance && n.ScopeID == nil:
		r.Add("body", "scope_id", "is required with scope_type instance: it says which row")
	case scope == ScopeInstance:
		r.Add("body", "scope_id", checkScopeID(n.Resource, *n.ScopeID))
	case n.ScopeID != nil:
		r.Add("body", "scope_id", "goes with scope_type instance only")
	}
	switch scope := scopeOf(n.Scope); {
	case scope == ScopeFilter && !filtered:
		r.Add("body", "scope_filter", "is required with scope_type filter: it says which rows")
	case scope == ScopeFilter:
		_, rule := parseScopeFilter(n.Resource, n.ScopeFilter)
		r.Add("body", "scope_filter", rule)
	case filtered:
		r.Add("body", "scope_filter", "goes with scope_type filter only")
	}
}

// Validate returns a kappa.CodeInvalid Error for an assignment that breaks a rule.
func (n NewRoleAssignment) Validate(now time.Time) error {
	var r check.Rules
	r.Add("body", "scope_type", check.OneOf(scopeOf(n.Scope), ScopeGlobal, ScopeOwn))
	if n.ScopeID != nil {
		r.Add("body", "scope_id", "is not supported: grant the rows to the role, see POST /rbac/permissions")
	}
	if n.ExpiresAt != nil {
		r.Add("body", "expires_at", check.Instant(*n.ExpiresAt))
		if !n.ExpiresAt.After(now) {
			r.Add("body", "expires_at", "must lie ahead")
		}
	}
	return r.Err()
}

// Validate returns a kappa.CodeInvalid Error for a kind of thing that breaks a rule.
func (n NewResourceType) Validate() error {
	var r check.Rules
	r.Add("body", "resource_type", check.Word(n.Type))
	r.Add("body", "description", check.OptionalText(n.Description, maxRoleText))
	if n.Parent != nil {
		r.Add("body", "parent_type", check.Word(*n.Parent))
	}
	if len(n.Actions) == 0 || len(n.Actions) > 50 {
		r.Add("body", "available_actions", "must name 1 to 50 actions")
	}
	for _, action := range n.Actions {
		r.Add("body", "available_actions", check.Word(action))
	}
	r.Add("body", "metadata", checkMetadata(n.Metadata))
	return r.Err()
}

func scopeOf(scope *string) string {
	if scope == nil {
		return ScopeGlobal
	}
	return *scope
}

// ownedResources are the kinds of things whose rows belong to users.
var ownedResources = []string{"jobs", "artifacts", "queries", "oauth_clients", "api_keys"}

// BuiltinResources returns the kinds of things that Kappa's own permissions are about,
// by name.
func BuiltinResources() []ResourceType {
	actions := map[string][]string{}
	for _, p := range Permissions() {
		actions[p.Resource()] = append(actions[p.Resource()], p.Action())
	}
	var list []ResourceType
	for _, name := range slices.Sorted(maps.Keys(actions)) {
		list = append(list, ResourceType{
			Type: name, Actions: actions[name], SupportsScoping: slices.Contains(ownedResources, name) || scopeFacts[name] != nil, Metadata: json.RawMessage("{}"),
		})
	}
	return list
}

// BuiltinGrants returns the permissions of the built-in roles as rows: each where a role
// has it first, or reaches more rows than the role before it. Their ids are below
// FirstGrantID.
func BuiltinGrants() []RoleGrant {
	var list []RoleGrant
	for _, role := range BuiltinRoles() {
		for _, p := range Permissions() {
			scope := ScopeGlobal
			switch r := builtinRights[p]; role {
			case r.all:
			case r.own:
				scope = ScopeOwn
			default:
				continue
			}
			list = append(list, RoleGrant{
				ID: len(list) + 1, Role: role, Resource: p.Resource(), Action: p.Action(), Scope: scope, Granted: true,
			})
		}
	}
	return list
}

// FirstGrantID is the least id of a grant of a custom role.
const FirstGrantID = 10001
