package access

import (
	"encoding/json"
	"regexp"
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// PublicGroup is the number of the group of which every account is a member.
const PublicGroup = 1

// Group is a set of users who are granted something together.
type Group struct {
	ID          int        `json:"id"`
	Name        string     `json:"group_name"`
	DisplayName *string    `json:"display_name"`
	Description *string    `json:"description"`
	System      bool       `json:"is_system" doc:"It was there from the beginning and stays: public, of which every account is a member"`
	CreatedAt   kappa.Time `json:"created_at"`
	CreatedBy   *int       `json:"created_by" doc:"Id of the user"`
	Members     *int       `json:"member_count" doc:"null when they were not asked for; those of public are not counted"`
}

// NewGroup asks for a group.
type NewGroup struct {
	Name        string  `json:"group_name" doc:"A lower-case letter followed by at most 49 lower-case letters, digits, - or _"`
	DisplayName *string `json:"display_name,omitempty" doc:"At most 100 characters"`
	Description *string `json:"description,omitempty" doc:"At most 500 characters"`
}

// GroupUpdate changes a group; nil leaves a member as it is.
type GroupUpdate struct {
	DisplayName *string `json:"display_name,omitempty" doc:"At most 100 characters"`
	Description *string `json:"description,omitempty" doc:"At most 500 characters"`
}

// GroupMember is a user in a group.
type GroupMember struct {
	UserID   int        `json:"user_id"`
	Username string     `json:"username"`
	AddedAt  kappa.Time `json:"added_at"`
	AddedBy  *int       `json:"added_by"`
}

// GroupMembers are the members of a group.
type GroupMembers struct {
	GroupID   int           `json:"group_id"`
	GroupName string        `json:"group_name"`
	Members   []GroupMember `json:"members"`
	Total     int           `json:"total"`
	Implicit  bool          `json:"implicit_membership" doc:"Every account is a member, and none is listed"`
}

// What can be granted to a user or a group.
const (
	GrantOntology = "ontology"
	GrantArtifact = "artifact"
	GrantRole     = "role" // to a group only: its members have the role
)

// To whom.
const (
	PrincipalUser  = "user"
	PrincipalGroup = "group"
)

// How much of it: each has what the one before has.
const (
	AccessRead  = "read"
	AccessWrite = "write"
	AccessAdmin = "admin" // to delete it too
)

// ResourceGrant is something that a user or a group is granted.
type ResourceGrant struct {
	ID            int        `json:"id"`
	ResourceType  string     `json:"resource_type" doc:"ontology, artifact, or role"`
	ResourceID    string     `json:"resource_id" doc:"The number of an ontology or an artifact, or the name of a role"`
	ResourceName  string     `json:"resource_name" doc:"The name of an ontology, and otherwise the same as resource_id"`
	PrincipalType string     `json:"principal_type" doc:"user or group"`
	PrincipalID   int        `json:"principal_id"`
	PrincipalName string     `json:"principal_name"`
	Permission    string     `json:"permission" doc:"read, write or admin; of a role always read"`
	GrantedAt     kappa.Time `json:"granted_at"`
	GrantedBy     *int       `json:"granted_by"`
	GrantedByName *string    `json:"granted_by_name"`
}

// NewResourceGrant asks for one.
type NewResourceGrant struct {
	ResourceType  string `json:"resource_type" doc:"ontology, artifact, or role"`
	ResourceID    string `json:"resource_id" doc:"The number or the name of an ontology, the number of an artifact, or the name of a role"`
	PrincipalType string `json:"principal_type" doc:"user or group"`
	PrincipalID   int    `json:"principal_id"`
	Permission    string `json:"permission" doc:"read, write (to change it too) or admin (to delete it too); of a role read, which gives it to the members"`
}

var groupWord = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,49}$`)

// Validate returns a kappa.CodeInvalid Error that names every member that breaks a rule.
func (n NewGroup) Validate() error {
	var r check.Rules
	if !groupWord.MatchString(n.Name) {
		r.Add("body", "group_name", "must be a lower-case letter followed by at most 49 lower-case letters, digits, - or _, got "+check.Quote(n.Name))
	}
	r.Add("body", "display_name", check.OptionalText(n.DisplayName, maxRoleTitle))
	r.Add("body", "description", check.OptionalText(n.Description, maxRoleText))
	return r.Err()
}

// Validate returns a kappa.CodeInvalid Error that names every member that breaks a rule, and one
// when there is nothing to change.
func (u GroupUpdate) Validate() error {
	if u.DisplayName == nil && u.Description == nil {
		return kappa.NewError(kappa.CodeInvalid, "No fields to update")
	}
	var r check.Rules
	r.Add("body", "display_name", check.OptionalText(u.DisplayName, maxRoleTitle))
	r.Add("body", "description", check.OptionalText(u.Description, maxRoleText))
	return r.Err()
}

// Validate returns a kappa.CodeInvalid Error that names every member that breaks a rule.
func (n NewResourceGrant) Validate() error {
	var r check.Rules
	r.Add("body", "resource_type", check.OneOf(n.ResourceType, GrantOntology, GrantArtifact, GrantRole))
	r.Add("body", "principal_type", check.OneOf(n.PrincipalType, PrincipalUser, PrincipalGroup))
	r.Add("body", "permission", check.OneOf(n.Permission, AccessRead, AccessWrite, AccessAdmin))
	switch n.ResourceType {
	case GrantOntology:
		r.Add("body", "resource_id", check.Name(n.ResourceID, kappa.MaxOntologyName))
	case GrantArtifact:
		r.Add("body", "resource_id", checkScopeID("artifacts", n.ResourceID))
	case GrantRole:
		r.Add("body", "resource_id", check.Word(n.ResourceID))
		if n.PrincipalType == PrincipalUser {
			r.Add("body", "principal_type", "must be group with a role: a user is assigned one, see POST /rbac/user-roles")
		}
		if n.Permission == AccessWrite || n.Permission == AccessAdmin {
			r.Add("body", "permission", "must be read with a role: it gives what the role has")
		}
	}
	return r.Err()
}

// Share is what a grant gives whoever it is for: a role, or some permissions of one row.
type Share struct {
	Role   string
	Grants []RoleGrant
}

// NewShare returns what a grant gives. Whoever may read an ontology, whose name it takes, may
// ask the graph questions within it.
func NewShare(resource, id, name, permission string) Share {
	if resource == GrantRole {
		return Share{Role: id}
	}
	kind, actions := "ontologies", []string{"read", "write", "delete"}
	if resource == GrantArtifact {
		kind = "artifacts"
	}
	switch permission {
	case AccessRead:
		actions = actions[:1]
	case AccessWrite:
		actions = actions[:2]
	}
	s := Share{}
	for _, action := range actions {
		s.Grants = append(s.Grants, RoleGrant{Resource: kind, Action: action, Scope: ScopeInstance, ScopeID: &id, Granted: true})
	}
	if within, err := json.Marshal(RowFilter{"ontology": name}); err == nil && resource == GrantOntology {
		for _, kind := range []string{"graph", "sources"} {
			s.Grants = append(s.Grants, RoleGrant{Resource: kind, Action: "read", Scope: ScopeFilter, ScopeFilter: within, Granted: true})
		}
	}
	return s
}

// OntologyNumber returns the number of an ontology that is named by it, and 0 for a name.
func OntologyNumber(id string) int {
	n, err := strconv.ParseInt(id, 10, 32)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != id {
		return 0
	}
	return int(n)
}
