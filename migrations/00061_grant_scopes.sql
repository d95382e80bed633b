-- +goose Up
-- A permission may be granted for one row, or for those that are as a filter says.
ALTER TABLE kg_api.role_grants
    ADD COLUMN scope_id text,
    ADD COLUMN scope_filter jsonb,
    DROP CONSTRAINT grant_scope_is_known,
    DROP CONSTRAINT role_grants_once,
    ADD CONSTRAINT grant_scope_is_known CHECK (scope IN ('global', 'own', 'instance', 'filter')),
    ADD CONSTRAINT an_instance_has_an_id CHECK ((scope = 'instance') = (scope_id IS NOT NULL)),
    ADD CONSTRAINT a_filter_filters CHECK ((scope = 'filter') = (scope_filter IS NOT NULL)),
    ADD CONSTRAINT some_rows_are_granted CHECK (granted OR scope IN ('global', 'own')),
    ADD CONSTRAINT role_grants_once UNIQUE NULLS NOT DISTINCT (role, resource, action, scope, scope_id, scope_filter, granted);

-- +goose Down
DELETE FROM kg_api.role_grants g WHERE g.scope IN ('instance', 'filter');
ALTER TABLE kg_api.role_grants
    DROP CONSTRAINT role_grants_once,
    DROP CONSTRAINT grant_scope_is_known,
    DROP COLUMN scope_id,
    DROP COLUMN scope_filter,
    ADD CONSTRAINT grant_scope_is_known CHECK (scope IN ('global', 'own')),
    ADD CONSTRAINT role_grants_once UNIQUE (role, resource, action, scope, granted);
