package e2e

// contractSection is a part of the contract.
type contractSection struct {
	name      string
	exchanges []exchange
}

func contractSections() []contractSection {
	return []contractSection{
		{"logging in", loginExchanges()},
		{"users", userExchanges()},
		{"roles", roleExchanges()},
		{"health", healthExchanges()},
		{"ingestion", ingestExchanges()},
		{"jobs", jobExchanges()},
		{"workers and scheduler", workerExchanges()},
		{"search", searchExchanges()},
		{"documents and sources", documentExchanges()},
		{"database", databaseExchanges()},
		{"ontologies", ontologyExchanges()},
		{"vocabulary", vocabularyExchanges()},
		{"polarity", polarityExchanges()},
		{"projection", projectionExchanges()},
		{"artifacts", artifactExchanges()},
		{"editing", editingExchanges()},
		{"agents", agentExchanges()},
		{"backups", backupExchanges()},
		{"what is not built", notBuiltExchanges()},
	}
}

const (
	clientCreated = `{client_id:str client_secret:str client_name:str scopes:[+str] created_at:ts client_type:'confidential' grant_types:[+str]
		redirect_uris:null is_active:bool metadata:{personal:bool user_id:int username:'admin'}}`
	userShape     = `{id:int username:str role:str created_at:ts last_login:ts? disabled:bool}`
	resourceShape = `{resource_type:str description:str? parent_type:str? available_actions:[+str] supports_scoping:bool metadata:obj registered_at:ts registered_by:any}`
	roleShape     = `{role_name:str display_name:str description:str? is_builtin:bool is_active:bool parent_role:str? created_at:ts created_by:any metadata:obj}`
	grantShape    = `{id:int role_name:str resource_type:str action:str scope_type:str scope_id:str? scope_filter:any granted:bool inherited_from:str? created_at:ts created_by:any}`
	problemShape  = `{type:str title:str status:int detail:str instance:str}`
)

func loginExchanges() []exchange {
	login := form{"username": "admin", "password": "{password}", "client_name": "kg CLI (admin)", "scope": "read:* write:*"}
	token := form{"grant_type": "client_credentials", "client_id": "{client}", "client_secret": "{secret}", "scope": "read:* write:*"}
	return []exchange{
		{method: "GET", path: "/", token: "-", shape: `{service:'Kappa' version:str status:'healthy' epoch:null docs:str endpoints:obj queue:null}`},
		{method: "GET", path: "/api", token: "-", shape: `{service:str status:str endpoints:obj}`},
		{method: "POST", path: "/auth/oauth/clients/personal", token: "-", send: login, status: 201, shape: clientCreated, keep: map[string]string{"client": "client_id", "secret": "client_secret"}},
		{method: "POST", path: "/auth/oauth/clients/personal", token: "-", send: form{"username": "admin", "password": "wrong"}, status: 401, shape: `{detail:'Invalid username or password'}`},
		{method: "POST", path: "/auth/oauth/token", token: "-", send: token, shape: `{access_token:str token_type:'Bearer' expires_in:int refresh_token:null scope:'read:* write:*'}`, keep: map[string]string{"token": "access_token"}},
		{method: "POST", path: "/auth/oauth/token", token: "-", send: form{"grant_type": "password"}, status: 400, shape: `{detail:str error:'unsupported_grant_type' error_description:str}`},
		{method: "POST", path: "/auth/oauth/token", token: "-", send: form{"grant_type": "client_credentials", "client_id": "x", "client_secret": "y"}, status: 401, shape: `{detail:str error:'invalid_client'}`},
		{method: "GET", path: "/", shape: `{service:'Kappa' version:str status:'healthy' epoch:int docs:str endpoints:obj
			queue:{type:'postgresql' pending:int awaiting_approval:int approved:int processing:int}}`},
		{method: "GET", path: "/auth/oauth/clients/personal", shape: `{clients:[+{client_id:str client_name:str scopes:[+str] created_at:ts is_active:bool client_type:str grant_types:[+str] last_used_at:ts?}] total:int}`},
		{method: "POST", path: "/auth/oauth/clients/personal/new", send: form{"client_name": "mcp", "scope": "read:*"}, status: 201, shape: clientCreated, keep: map[string]string{"other": "client_id"}},
		{method: "POST", path: "/auth/oauth/clients/personal/{other}/rotate-secret", shape: `{client_id:str client_name:str client_secret:str rotated_at:ts}`},
		{method: "DELETE", path: "/auth/oauth/clients/personal/{other}", status: 204},
		{method: "DELETE", path: "/auth/oauth/clients/personal/{other}", status: 404, shape: problemShape},
		{method: "POST", path: "/auth/oauth/revoke", token: "-", send: form{"token": "none"}},
		{method: "GET", path: "/jobs", token: "-", status: 401, shape: `{detail:'Not authenticated'}`},
		{method: "GET", path: "/jobs", token: "secret", status: 401, shape: `{detail:'Could not validate credentials'}`},
	}
}

func userExchanges() []exchange {
	return []exchange{
		{method: "GET", path: "/users/me", shape: userShape, keep: map[string]string{"me": "id"}},
		{method: "GET", path: "/users/me/permissions", shape: `{role:str permissions:[+{resource:str action:str granted:bool}]}`},
		{method: "GET", path: "/auth/me", shape: userShape},
		{method: "POST", path: "/users", send: `{"username": "ada", "password": "a long password", "role": "contributor"}`, status: 201, shape: userShape, keep: map[string]string{"ada": "id"}},
		{method: "POST", path: "/users", send: `{"username": "ada", "password": "a long password", "role": "contributor"}`, status: 409, shape: problemShape},
		{method: "GET", path: "/users?skip=0&limit=50", shape: `{users:[+` + userShape + `] total:int skip:int limit:int}`},
		{method: "GET", path: "/users?role=contributor", shape: `{users:[+` + userShape + `]}`},
		{method: "GET", path: "/users/{ada}", shape: userShape},
		{method: "PUT", path: "/users/{ada}", send: `{"role": "curator"}`, shape: `{id:int role:'curator'}`},
		{method: "PUT", path: "/users/{ada}", send: `{}`, status: 400, shape: `{detail:'No fields to update'}`},
		{method: "PUT", path: "/users/{ada}", send: `{"disabled": true}`, shape: userShape},
		{method: "POST", path: "/users/{ada}/reset-password", send: `{"new_password": "another long one"}`, shape: `{success:bool message:str}`},
		{method: "DELETE", path: "/users/{me}", status: 400, shape: `{detail:'Cannot delete yourself'}`},
		{method: "GET", path: "/users/999999", status: 404, shape: `{detail:'User not found'}`},
		{method: "POST", path: "/auth/register", token: "-", send: `{"username": "eve", "password": "a long password"}`, status: 403, shape: problemShape},
	}
}

func roleExchanges() []exchange {
	return []exchange{
		{method: "GET", path: "/rbac/resources", shape: `[+` + resourceShape + `]`},
		{method: "POST", path: "/rbac/resources", send: `{"resource_type": "boards", "description": "Boards", "available_actions": ["read", "write"], "supports_scoping": false}`, status: 201, shape: resourceShape},
		{method: "GET", path: "/rbac/roles?include_inactive=false", shape: `[+` + roleShape + `]`},
		{method: "GET", path: "/rbac/roles/curator", shape: roleShape},
		{method: "GET", path: "/rbac/roles/none", status: 404, shape: problemShape},
		{method: "POST", path: "/rbac/roles", send: `{"role_name": "monitor", "display_name": "Monitor", "description": "Looks on", "parent_role": "read_only"}`, status: 201, shape: roleShape},
		{method: "PUT", path: "/rbac/roles/monitor", send: `{"display_name": "Monitors"}`, shape: roleShape},
		{method: "DELETE", path: "/rbac/roles/admin", status: 403, shape: `{detail:'Cannot modify builtin roles'}`},
		{method: "POST", path: "/rbac/permissions", send: `{"role_name": "monitor", "resource_type": "workers", "action": "view", "scope_type": "global", "granted": true}`, status: 201, shape: grantShape, keep: map[string]string{"grant": "id"}},
		{method: "GET", path: "/rbac/permissions?role_name=monitor", shape: `[+` + grantShape + `]`},
		{method: "GET", path: "/rbac/permissions?role_name=curator&resource_type=jobs", shape: `[+` + grantShape + `]`},
		{method: "POST", path: "/rbac/user-roles", send: `{"user_id": {ada}, "role_name": "monitor"}`, status: 201, shape: `{id:int user_id:int role_name:str assigned_at:ts}`, keep: map[string]string{"assignment": "id"}},
		{method: "GET", path: "/rbac/user-roles/{ada}", shape: `[+{id:int user_id:int role_name:str scope_type:str? scope_id:str? assigned_at:ts assigned_by:any expires_at:ts?}]`},
		{method: "POST", path: "/rbac/check-permission", send: `{"user_id": {ada}, "resource_type": "workers", "action": "view"}`, shape: `{allowed:bool reason:str?}`},
		{method: "DELETE", path: "/rbac/user-roles/{assignment}", status: 204},
		{method: "DELETE", path: "/rbac/permissions/{grant}", status: 204},
		{method: "DELETE", path: "/rbac/roles/monitor", status: 204},
		{method: "DELETE", path: "/users/{ada}", status: 204},
	}
}

func healthExchanges() []exchange {
	return []exchange{
		{method: "GET", path: "/health", token: "-", shape: `{status:'healthy' timestamp:ts version:str components:{api:{status:str} database:{status:str} storage:{status:str}}}`},
		{method: "GET", path: "/none", status: 404, shape: problemShape},
		{method: "PATCH", path: "/jobs", status: 405, shape: problemShape},
	}
}
