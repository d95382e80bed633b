-- name: GroupList :many
-- The groups, or those that one user is in, by name.
SELECT g.id, g.name, g.display_name, g.description, g.is_system, g.created_at, g.created_by,
    (SELECT count(*) FROM kg_api.group_members m WHERE m.group_id = g.id) AS members
FROM kg_api.groups g
WHERE sqlc.narg(member)::int IS NULL OR g.id = 1 OR EXISTS (SELECT FROM kg_api.group_members m WHERE m.group_id = g.id AND m.user_id = sqlc.narg(member))
ORDER BY g.name;

-- name: GroupForUpdate :one
SELECT g.* FROM kg_api.groups g WHERE g.id = @id FOR UPDATE;

-- name: GroupInsert :one
INSERT INTO kg_api.groups (name, display_name, description, created_by)
VALUES (@name, sqlc.narg(display_name), sqlc.narg(description), sqlc.narg(created_by))
RETURNING groups.*;

-- name: GroupUpdate :one
UPDATE kg_api.groups g SET display_name = sqlc.narg(display_name), description = sqlc.narg(description) WHERE g.id = @id
RETURNING g.*;

-- name: GroupDelete :exec
DELETE FROM kg_api.groups g WHERE g.id = @id;

-- name: GroupMembers :many
SELECT m.user_id, u.username, m.added_at, m.added_by
FROM kg_api.group_members m JOIN kg_api.users u ON u.id = m.user_id
WHERE m.group_id = @group_id ORDER BY u.username;

-- name: GroupMemberInsert :one
INSERT INTO kg_api.group_members (group_id, user_id, added_by) VALUES (@group_id, @user_id, sqlc.narg(added_by))
RETURNING group_members.*;

-- name: GroupMemberDelete :execrows
DELETE FROM kg_api.group_members m WHERE m.group_id = @group_id AND m.user_id = @user_id;

-- name: GroupMemberships :many
-- Who is in which group: a part of who may do what.
SELECT m.group_id, m.user_id FROM kg_api.group_members m ORDER BY m.group_id, m.user_id;

-- name: ResourceGrantList :many
-- What is granted to single users and to groups. Everything selects all.
SELECT g.*, coalesce(o.name, '')::text AS ontology, coalesce(u.username, p.name, '')::text AS principal, b.username AS granter
FROM kg_api.resource_grants g
LEFT JOIN kg_api.ontologies o ON o.id = g.ontology_id
LEFT JOIN kg_api.users u ON u.id = g.user_id
LEFT JOIN kg_api.groups p ON p.id = g.group_id
LEFT JOIN kg_api.users b ON b.id = g.granted_by
WHERE (sqlc.narg(ontology_id)::int IS NULL OR g.ontology_id = sqlc.narg(ontology_id))
    AND (sqlc.narg(artifact_id)::bigint IS NULL OR g.artifact_id = sqlc.narg(artifact_id))
    AND (sqlc.narg(role)::text IS NULL OR g.role = sqlc.narg(role))
    AND (sqlc.narg(group_id)::int IS NULL OR g.group_id = sqlc.narg(group_id))
    AND (sqlc.narg(id)::int IS NULL OR g.id = sqlc.narg(id))
ORDER BY g.id;

-- name: ResourceGrantUpsert :one
-- Grants something; what is granted already is granted by whoever did it last.
INSERT INTO kg_api.resource_grants (ontology_id, artifact_id, role, user_id, group_id, permission, granted_by)
VALUES (sqlc.narg(ontology_id), sqlc.narg(artifact_id), sqlc.narg(role), sqlc.narg(user_id), sqlc.narg(group_id), @permission, sqlc.narg(granted_by))
ON CONFLICT ON CONSTRAINT resource_grants_once DO UPDATE SET granted_at = clock_timestamp(), granted_by = excluded.granted_by
RETURNING resource_grants.id;

-- name: ResourceGrantDelete :execrows
DELETE FROM kg_api.resource_grants g WHERE g.id = @id;

-- name: OntologyOfGrant :one
-- An ontology by its number, or by its name where the number is 0.
SELECT o.id, o.name FROM kg_api.ontologies o WHERE o.id = @id::int OR (@id::int = 0 AND o.name = @name::text);

-- name: ArtifactOfGrant :one
SELECT a.id, a.owner_id FROM kg_api.artifacts a WHERE a.id = @id;
