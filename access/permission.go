package access

import (
	"maps"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
)

// Permission is what a route, a tool or a command demands: "resource:action",
// Public or AnyUser. The empty Permission is none of them; nothing can be
// registered with it.
type Permission string

// Public takes no token at all, AnyUser any valid one.
const (
	Public  Permission = "public"
	AnyUser Permission = "user"
)

// The permissions. Which roles have them is in the table builtinRights.
const (
	GraphRead   Permission = "graph:read"
	GraphCreate Permission = "graph:create"
	GraphWrite  Permission = "graph:write"
	GraphDelete Permission = "graph:delete"
	GraphImport Permission = "graph:import"

	ConceptsRead      Permission = "concepts:read"
	ConceptsWrite     Permission = "concepts:write"
	ConceptsDelete    Permission = "concepts:delete"
	VocabularyRead    Permission = "vocabulary:read"
	VocabularyWrite   Permission = "vocabulary:write"
	VocabularyApprove Permission = "vocabulary:approve"
	VocabularyDelete  Permission = "vocabulary:delete"
	OntologiesRead    Permission = "ontologies:read"
	OntologiesCreate  Permission = "ontologies:create"
	OntologiesWrite   Permission = "ontologies:write"
	OntologiesDelete  Permission = "ontologies:delete"
	SourcesRead       Permission = "sources:read"
	SourcesDelete     Permission = "sources:delete"
	CatalogRead       Permission = "catalog:read"

	JobsRead     Permission = "jobs:read"
	JobsWrite    Permission = "jobs:write"
	JobsApprove  Permission = "jobs:approve"
	JobsCancel   Permission = "jobs:cancel"
	JobsDelete   Permission = "jobs:delete"
	IngestCreate Permission = "ingest:create"

	ArtifactsRead   Permission = "artifacts:read"
	ArtifactsWrite  Permission = "artifacts:write"
	ArtifactsDelete Permission = "artifacts:delete"
	DatasetsQuery   Permission = "datasets:query"
	QueriesRead     Permission = "queries:read"
	QueriesWrite    Permission = "queries:write"
	QueriesDelete   Permission = "queries:delete"

	WorkersView     Permission = "workers:view"
	WorkersManage   Permission = "workers:manage"
	AdminStatus     Permission = "admin:status"
	AuditRead       Permission = "audit:read"
	DatabaseRead    Permission = "database:read"
	DatabaseExecute Permission = "database:execute"
	StorageRead     Permission = "storage:read"
	WebhooksRead    Permission = "webhooks:read"
	WebhooksWrite   Permission = "webhooks:write"

	BackupsRead    Permission = "backups:read"
	BackupsCreate  Permission = "backups:create"
	BackupsRestore Permission = "backups:restore"
	BackupsDelete  Permission = "backups:delete"

	SearchConfigRead      Permission = "search_config:read"
	SearchConfigWrite     Permission = "search_config:write"
	ExtractionConfigRead  Permission = "extraction_config:read"
	ExtractionConfigWrite Permission = "extraction_config:write"
	EmbeddingConfigRead   Permission = "embedding_config:read"
	EmbeddingConfigWrite  Permission = "embedding_config:write"

	UsersRead          Permission = "users:read"
	UsersCreate        Permission = "users:create"
	UsersWrite         Permission = "users:write"
	UsersDelete        Permission = "users:delete"
	OAuthClientsRead   Permission = "oauth_clients:read"
	OAuthClientsCreate Permission = "oauth_clients:create"
	OAuthClientsWrite  Permission = "oauth_clients:write"
	OAuthClientsDelete Permission = "oauth_clients:delete"
	APIKeysRead        Permission = "api_keys:read"
	APIKeysWrite       Permission = "api_keys:write"
	APIKeysDelete      Permission = "api_keys:delete"
	RolesRead          Permission = "roles:read"
	ResourcesRead      Permission = "resources:read"
	RBACRead           Permission = "rbac:read"
	RBACCreate         Permission = "rbac:create"
	RBACWrite          Permission = "rbac:write"
	RBACDelete         Permission = "rbac:delete"
)

// Resource returns the kind of thing that p is about, "" for Public and AnyUser.
func (p Permission) Resource() string {
	resource, _, ok := strings.Cut(string(p), ":")
	if !ok {
		return ""
	}
	return resource
}

// Action returns what p allows to be done, "" for Public and AnyUser.
func (p Permission) Action() string {
	_, action, _ := strings.Cut(string(p), ":")
	return action
}

// Reads reports whether p is a permission to be shown something.
func (p Permission) Reads() bool {
	switch p.Action() {
	case "read", "view", "status":
		return true
	}
	return false
}

// Reach is whose rows a permission covers.
type Reach int

// The reaches, each within the next one.
const (
	ReachNone Reach = iota // the permission is not granted
	ReachOwn               // rows of the user
	ReachAll               // rows of everybody, the system's too
)

// The roles that every installation has, each with all rights of the one before.
const (
	RoleReadOnly      = "read_only"
	RoleContributor   = "contributor"
	RoleCurator       = "curator"
	RoleAdmin         = "admin"
	RolePlatformAdmin = "platform_admin"
)

// BuiltinRoles returns the names of the built-in roles. Each has all rights of the
// one before it.
func BuiltinRoles() []string {
	return []string{RoleReadOnly, RoleContributor, RoleCurator, RoleAdmin, RolePlatformAdmin}
}

// right says from which built-in role on a permission is held: for the user's own
// rows, and for all rows. An empty own means that there is no such step.
type right struct{ own, all string }

// builtinRights is the matrix of the built-in roles. A permission that is not in it
// is granted to nobody.
var builtinRights = map[Permission]right{
	GraphRead:   {all: RoleReadOnly},
	GraphCreate: {all: RoleContributor},
	GraphWrite:  {all: RoleAdmin},
	GraphDelete: {all: RoleAdmin},
	GraphImport: {all: RoleAdmin},

	ConceptsRead:      {all: RoleReadOnly},
	ConceptsWrite:     {all: RoleContributor},
	ConceptsDelete:    {all: RoleAdmin},
	VocabularyRead:    {all: RoleReadOnly},
	VocabularyWrite:   {all: RoleCurator},
	VocabularyApprove: {all: RoleCurator},
	VocabularyDelete:  {all: RoleAdmin},
	OntologiesRead:    {all: RoleReadOnly},
	OntologiesCreate:  {all: RoleCurator},
	OntologiesWrite:   {all: RoleCurator},
	OntologiesDelete:  {all: RoleAdmin},
	SourcesRead:       {all: RoleReadOnly},
	SourcesDelete:     {all: RoleAdmin},
	CatalogRead:       {all: RoleReadOnly},

	JobsRead:     {own: RoleReadOnly, all: RoleCurator},
	JobsWrite:    {own: RoleContributor, all: RoleCurator},
	JobsApprove:  {own: RoleContributor, all: RoleCurator},
	JobsCancel:   {own: RoleContributor, all: RoleAdmin},
	JobsDelete:   {all: RoleAdmin},
	IngestCreate: {all: RoleContributor},

	ArtifactsRead:   {own: RoleReadOnly, all: RoleAdmin},
	ArtifactsWrite:  {own: RoleContributor, all: RoleAdmin},
	ArtifactsDelete: {own: RoleContributor, all: RoleAdmin},
	DatasetsQuery:   {all: RoleContributor},
	QueriesRead:     {own: RoleReadOnly, all: RoleAdmin},
	QueriesWrite:    {own: RoleContributor, all: RoleAdmin},
	QueriesDelete:   {own: RoleContributor, all: RoleAdmin},

	WorkersView:     {all: RoleAdmin},
	WorkersManage:   {all: RoleAdmin},
	AdminStatus:     {all: RoleAdmin},
	AuditRead:       {own: RoleReadOnly, all: RoleAdmin},
	DatabaseRead:    {all: RoleAdmin},
	DatabaseExecute: {all: RolePlatformAdmin},
	StorageRead:     {all: RoleAdmin},
	WebhooksRead:    {all: RoleAdmin},
	WebhooksWrite:   {all: RoleAdmin},

	BackupsRead:    {all: RoleAdmin},
	BackupsCreate:  {all: RoleAdmin},
	BackupsRestore: {all: RoleAdmin},
	BackupsDelete:  {all: RoleAdmin},

	SearchConfigRead:      {all: RoleAdmin},
	SearchConfigWrite:     {all: RoleAdmin},
	ExtractionConfigRead:  {all: RoleAdmin},
	ExtractionConfigWrite: {all: RolePlatformAdmin},
	EmbeddingConfigRead:   {all: RoleAdmin},
	EmbeddingConfigWrite:  {all: RolePlatformAdmin},

	UsersRead:          {all: RoleAdmin},
	UsersCreate:        {all: RoleAdmin},
	UsersWrite:         {all: RoleAdmin},
	UsersDelete:        {all: RoleAdmin},
	OAuthClientsRead:   {own: RoleReadOnly, all: RoleAdmin},
	OAuthClientsCreate: {own: RoleReadOnly, all: RoleAdmin},
	OAuthClientsWrite:  {own: RoleReadOnly, all: RoleAdmin},
	OAuthClientsDelete: {own: RoleReadOnly, all: RoleAdmin},
	APIKeysRead:        {own: RoleReadOnly, all: RoleAdmin},
	APIKeysWrite:       {own: RoleReadOnly, all: RolePlatformAdmin},
	APIKeysDelete:      {own: RoleReadOnly, all: RolePlatformAdmin},
	RolesRead:          {all: RoleCurator},
	ResourcesRead:      {all: RoleCurator},
	RBACRead:           {all: RoleAdmin},
	RBACCreate:         {all: RolePlatformAdmin},
	RBACWrite:          {all: RolePlatformAdmin},
	RBACDelete:         {all: RolePlatformAdmin},
}

// Permissions returns every permission that can be granted, sorted.
func Permissions() []Permission {
	list := make([]Permission, 0, len(builtinRights))
	for p := range builtinRights {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}

// RoleReach returns whose rows a built-in role may use a permission on. Unknown
// roles and unknown permissions reach nothing.
func RoleReach(role string, p Permission) Reach {
	roles := BuiltinRoles()
	rank := slices.Index(roles, role)
	r, known := builtinRights[p]
	switch {
	case rank < 0 || !known:
		return ReachNone
	case rank >= slices.Index(roles, r.all):
		return ReachAll
	case r.own != "" && rank >= slices.Index(roles, r.own):
		return ReachOwn
	}
	return ReachNone
}

// The scopes of a token. A scope narrows what the user's role allows and never
// widens it.
const (
	ScopeRead  = "read:*"
	ScopeWrite = "write:*"
	ScopeAdmin = "admin:*"
)

// InScope reports whether the scopes of p's token let a permission be used: any scope
// permits reading; all else takes write:* or admin:*. It is the whole rule for what all
// users may do with what is theirs alone, such as their clients; for all else see Reach.
func (p Principal) InScope(permission Permission) bool {
	if slices.Contains(p.Scopes, ScopeWrite) || slices.Contains(p.Scopes, ScopeAdmin) {
		return true
	}
	return permission.Reads() && slices.Contains(p.Scopes, ScopeRead)
}

// Reach returns whose rows p may use a permission on: what the user's role grants,
// narrowed by the scopes of the token. It is ReachAll for Public and AnyUser.
func (p Principal) Reach(permission Permission) Reach {
	if permission == Public || permission == AnyUser {
		return ReachAll
	}
	if !p.InScope(permission) {
		return ReachNone
	}
	if p.Grants != nil {
		return p.Grants[permission]
	}
	return RoleReach(p.User.Role, permission)
}

// Permit returns a kappa.CodeForbidden Error unless p has a permission for some rows at
// least. Code that then reads or changes a row asks PermitRow.
func (p Principal) Permit(permission Permission) error {
	if p.Reach(permission) == ReachNone {
		return kappa.NewError(kappa.CodeForbidden, "Permission denied: "+permission.Action()+" on "+permission.Resource())
	}
	return nil
}

// PermitSome returns a kappa.CodeForbidden Error unless p has a permission for some rows, be it
// for single ones. It is for code that then asks PermitRow for every row: to make
// something new takes Permit.
func (p Principal) PermitSome(permission Permission) error {
	if !p.Granted(permission).Empty() {
		return nil
	}
	return p.Permit(permission)
}

// Granted returns the rows that a permission is granted for one by one or by what they are.
func (p Principal) Granted(permission Permission) RowSet {
	if len(p.Rows) == 0 || !p.InScope(permission) {
		return RowSet{}
	}
	return p.Rows[permission]
}

// PermitRow returns a kappa.CodeForbidden Error unless p has a permission for a row. It is the
// one rule about rows: of HTTP, of streams, of tools and of remote sessions, for reading
// and for writing alike.
func (p Principal) PermitRow(permission Permission, row Row) error {
	reach, some := p.Reach(permission), p.Granted(permission)
	switch {
	case reach == ReachAll, reach == ReachOwn && row.Owner == p.User.ID, some.Has(row):
		return nil
	case reach == ReachOwn, !some.Empty():
		return kappa.NewError(kappa.CodeForbidden, "Not authorized to "+rowVerb(permission)+" this "+oneOf(permission.Resource()))
	}
	return p.Permit(permission)
}

// PermitFound is PermitRow for a row that was asked for by its id or name. To whoever may not
// even read it, it does not exist: the error is then missing, with which a row that does not
// exist is answered, so that nobody learns what others have.
func (p Principal) PermitFound(permission Permission, row Row, missing error) error {
	err := p.PermitRow(permission, row)
	if err != nil && p.PermitRow(Permission(permission.Resource()+":read"), row) != nil {
		return missing
	}
	return err
}

// SameRights reports whether p and q may do the same, apart from the scopes of their
// tokens.
func (p Principal) SameRights(q Principal) bool {
	return p.User.Role == q.User.Role && maps.Equal(p.Grants, q.Grants) && maps.EqualFunc(p.Rows, q.Rows, RowSet.equal)
}

// oneOf is the word for one of a kind of things.
func oneOf(resource string) string {
	if many, ok := strings.CutSuffix(resource, "ies"); ok {
		return many + "y"
	}
	return strings.TrimSuffix(resource, "s")
}

// rowVerb is what a permission allows to be done to a row, as a sentence says it.
func rowVerb(p Permission) string {
	if action := p.Action(); action != "read" && action != "write" {
		return action
	}
	if p.Reads() {
		return "view"
	}
	return "change"
}
