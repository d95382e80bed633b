-- name: RoleList :many
SELECT r.* FROM kg_api.roles r ORDER BY r.is_builtin DESC, r.created_at, r.name;

-- name: RoleForUpdate :one
SELECT r.* FROM kg_api.roles r WHERE r.name = @name FOR UPDATE;

-- name: RolesLock :exec
-- Two changes of parents wait for each other: together they could make a circle.
SELECT pg_advisory_xact_lock(hashtext('kg_api.roles'));

-- name: RoleInsert :one
INSERT INTO kg_api.roles (name, display_name, description, parent, metadata, created_by)
VALUES (@name, @display_name, sqlc.narg(description), sqlc.narg(parent), @metadata, sqlc.narg(created_by))
RETURNING roles.*;

-- name: RoleUpdate :one
UPDATE kg_api.roles r
SET display_name = @display_name, description = sqlc.narg(description), parent = sqlc.narg(parent), metadata = @metadata, is_active = @is_active
WHERE r.name = @name
RETURNING r.*;

-- name: RoleDelete :execrows
DELETE FROM kg_api.roles r WHERE r.name = @name;

-- name: RoleUsers :one
-- Whether accounts or groups have the role, or other roles have it as their parent.
SELECT (EXISTS (SELECT 1 FROM kg_api.users u WHERE u.role = @name)
    OR EXISTS (SELECT 1 FROM kg_api.role_assignments a WHERE a.role = @name)
    OR EXISTS (SELECT 1 FROM kg_api.resource_grants g WHERE g.role = @name)
    OR EXISTS (SELECT 1 FROM kg_api.roles r WHERE r.parent = @name))::bool AS used;

-- name: GrantList :many
SELECT g.* FROM kg_api.role_grants g ORDER BY g.id;

-- name: GrantInsert :one
INSERT INTO kg_api.role_grants (role, resource, action, scope, scope_id, scope_filter, granted, created_by)
VALUES (@role, @resource, @action, @scope, sqlc.narg(scope_id), sqlc.narg(scope_filter), @granted, sqlc.narg(created_by))
RETURNING role_grants.*;

-- name: GrantDelete :one
DELETE FROM kg_api.role_grants g WHERE g.id = @id
RETURNING g.*;

-- name: AssignmentList :many
SELECT a.* FROM kg_api.role_assignments a ORDER BY a.id;

-- name: AssignmentsOfUser :many
SELECT a.* FROM kg_api.role_assignments a WHERE a.user_id = @user_id ORDER BY a.id;

-- name: AssignmentInsert :one
INSERT INTO kg_api.role_assignments (user_id, role, scope, assigned_by, expires_at)
VALUES (@user_id, @role, @scope, sqlc.narg(assigned_by), sqlc.narg(expires_at))
RETURNING role_assignments.*;

-- name: AssignmentDelete :one
DELETE FROM kg_api.role_assignments a WHERE a.id = @id
RETURNING a.*;

-- name: AssignmentByID :one
SELECT a.* FROM kg_api.role_assignments a WHERE a.id = @id;

-- name: ResourceTypeList :many
SELECT t.* FROM kg_api.resource_types t ORDER BY t.resource;

-- name: ResourceTypeInsert :one
INSERT INTO kg_api.resource_types (resource, description, parent, actions, scoping, metadata, registered_by)
VALUES (@resource, sqlc.narg(description), sqlc.narg(parent), @actions, @scoping, @metadata, sqlc.narg(registered_by))
RETURNING resource_types.*;
