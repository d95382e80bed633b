package pgembed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// shape is everything that somebody can have made in a cluster, one thing a row, in words
// that are the same in all versions.
const shape = `WITH own AS (SELECT oid, nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%' AND nspname <> 'information_schema')
SELECT 'the role ' || rolname FROM pg_roles WHERE rolname NOT LIKE 'pg\_%'
UNION ALL SELECT 'the database ' || datname FROM pg_database
UNION ALL SELECT 'the tablespace ' || spcname FROM pg_tablespace
UNION ALL SELECT 'the extension ' || extname FROM pg_extension
UNION ALL SELECT 'the schema ' || nspname FROM own
UNION ALL SELECT 'the publication ' || pubname FROM pg_publication
UNION ALL SELECT 'the subscription ' || subname FROM pg_subscription
UNION ALL SELECT 'the large object ' || oid FROM pg_largeobject_metadata
UNION ALL SELECT 'the setting ' || unnest(setconfig) || ' of a role or database' FROM pg_db_role_setting
UNION ALL SELECT 'the event trigger ' || evtname FROM pg_event_trigger
UNION ALL SELECT format('the %s %I.%I', CASE c.relkind WHEN 'i' THEN 'index' WHEN 'S' THEN 'sequence' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' ELSE 'table' END, n.nspname, c.relname)
    FROM pg_class c JOIN own n ON n.oid = c.relnamespace
UNION ALL SELECT format('the column %I.%I.%I, %s', n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod))
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN own n ON n.oid = c.relnamespace
    WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
UNION ALL SELECT format('the trigger %s of %I.%I', t.tgname, n.nspname, c.relname)
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN own n ON n.oid = c.relnamespace WHERE NOT t.tgisinternal
UNION ALL SELECT format('the rule %s of %I.%I', r.rulename, n.nspname, c.relname)
    FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class JOIN own n ON n.oid = c.relnamespace WHERE c.relkind NOT IN ('v', 'm')
UNION ALL SELECT format('the constraint %s of %I.%I', k.conname, n.nspname, c.relname)
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN own n ON n.oid = c.relnamespace WHERE k.contype <> 'n'
UNION ALL SELECT format('the policy %s of %I.%I', p.polname, n.nspname, c.relname)
    FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid JOIN own n ON n.oid = c.relnamespace
UNION ALL SELECT format('the statistics %I.%I', n.nspname, s.stxname) FROM pg_statistic_ext s JOIN own n ON n.oid = s.stxnamespace
UNION ALL SELECT format('the function %I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid))
    FROM pg_proc p JOIN own n ON n.oid = p.pronamespace
UNION ALL SELECT format('the type %I.%I', n.nspname, t.typname) FROM pg_type t JOIN own n ON n.oid = t.typnamespace WHERE t.typtype IN ('d', 'e', 'r')
UNION ALL SELECT format('the text search configuration %I.%I', n.nspname, g.cfgname) FROM pg_ts_config g JOIN own n ON n.oid = g.cfgnamespace`

// sameShape makes sure that two databases hold the same things, whatever is in them. What only
// the old one has would be lost.
func sameShape(ctx context.Context, from, to pgx.Tx) error {
	old, err := list(ctx, from, shape)
	if err != nil {
		return fmt.Errorf("look at what the old cluster holds: %w", err)
	}
	next, err := list(ctx, to, shape)
	if err != nil {
		return fmt.Errorf("look at what the new cluster holds: %w", err)
	}
	if more := without(old, next); len(more) > 0 {
		return fmt.Errorf("the cluster holds what Kappa did not make, and an upgrade would lose it: %s; take it away, and make it anew afterwards, or upgrade with PostgreSQL's own programs (docs/running.md, Another version of PostgreSQL)", some(more))
	}
	if less := without(next, old); len(less) > 0 {
		return errors.New("the cluster lacks what Kappa makes: " + some(less) + "; it was changed by hand")
	}
	return nil
}

// list returns the only column of a query.
func list(ctx context.Context, tx pgx.Tx, sql string) ([]string, error) {
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// without returns what is in all and not in known.
func without(all, known []string) []string {
	there := map[string]bool{}
	for _, one := range known {
		there[one] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return there[one] })
}

// mostNamed is how many things an error names.
const mostNamed = 10

func some(all []string) string {
	slices.Sort(all)
	if len(all) > mostNamed {
		return strings.Join(all[:mostNamed], ", ") + fmt.Sprintf(" and %d more", len(all)-mostNamed)
	}
	return strings.Join(all, ", ")
}
