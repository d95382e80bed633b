-- +goose Up
-- See 00018: nobody writes the graph meanwhile.
SELECT pg_advisory_xact_lock(100000002);

-- A relationship type that somebody has added by hand: what it means, and who. NULL is
-- a built-in one, or one that an extractor brought in.
ALTER TABLE kg_api.relationship_types
    ADD COLUMN description text,
    ADD COLUMN added_by text;

-- Curves that say how eagerly the vocabulary is merged. The built-in ones are those of
-- the code, for the settings to refer to.
CREATE TABLE kg_api.vocabulary_profiles (
    name        text PRIMARY KEY,
    x1          double precision NOT NULL CONSTRAINT x1_is_0_to_1 CHECK (x1 BETWEEN 0 AND 1),
    y1          double precision NOT NULL,
    x2          double precision NOT NULL CONSTRAINT x2_is_0_to_1 CHECK (x2 BETWEEN 0 AND 1),
    y2          double precision NOT NULL,
    description text NOT NULL,
    is_builtin  boolean NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by  text
);
INSERT INTO kg_api.vocabulary_profiles (name, x1, y1, x2, y2, description, is_builtin) VALUES
    ('aggressive', 0.1, 0, 0.9, 1, 'Waits, and then merges ever more eagerly towards the maximum', true),
    ('ease', 0.25, 0.1, 0.25, 1, 'Is eager early, and levels off', true),
    ('ease-in', 0.42, 0, 1, 1, 'Begins slowly, and ends fast', true),
    ('ease-in-out', 0.42, 0, 0.58, 1, 'Begins and ends slowly', true),
    ('ease-out', 0, 0, 0.58, 1, 'Begins fast, and ends slowly', true),
    ('exponential', 0.7, 0, 0.84, 0, 'Merges next to nothing until close to the maximum', true),
    ('gentle', 0.5, 0.5, 0.5, 0.5, 'Grows evenly around the middle', true),
    ('linear', 0, 0, 1, 1, 'Grows with the number of types', true);

ALTER TABLE kg_api.vocabulary_settings
    ADD COLUMN updated_at timestamptz,
    ADD COLUMN updated_by text,
    ADD CONSTRAINT vocabulary_profile_is_known FOREIGN KEY (profile) REFERENCES kg_api.vocabulary_profiles (name);

-- +goose Down
ALTER TABLE kg_api.vocabulary_settings DROP CONSTRAINT vocabulary_profile_is_known, DROP COLUMN updated_at, DROP COLUMN updated_by;
UPDATE kg_api.vocabulary_settings SET profile = 'aggressive'
WHERE profile IN (SELECT p.name FROM kg_api.vocabulary_profiles p WHERE NOT p.is_builtin);
DROP TABLE kg_api.vocabulary_profiles;
ALTER TABLE kg_api.relationship_types DROP COLUMN description, DROP COLUMN added_by;
