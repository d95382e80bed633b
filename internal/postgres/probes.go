package postgres

import (
	"context"

	"github.com/kappagraph/kappa/work"
)

const stateUndefinedTable = "42P01"

// Schema returns the version of the database's schema, all zero when it has none.
// It is asked on a connection for probes, and so shows whether the database
// answers, too.
func (d *DB) Schema(ctx context.Context) (schema work.Schema, err error) {
	// goose's table is not in queries/, because sqlc does not know it.
	err = d.probes.QueryRow(ctx, `SELECT coalesce(max(m.version_id), 0), (SELECT f.version FROM kg_api.schema_floor f)
		FROM kg_api.schema_migrations m WHERE m.is_applied`).Scan(&schema.Version, &schema.Floor)
	if sqlState(err) == stateUndefinedTable { // older than the floor, or empty
		err = d.probes.QueryRow(ctx, "SELECT coalesce(max(m.version_id), 0) FROM kg_api.schema_migrations m WHERE m.is_applied").Scan(&schema.Version)
		schema.Floor = schema.Version
	}
	if sqlState(err) == stateUndefinedTable {
		return work.Schema{}, nil
	}
	return schema, translate(err, "read the version of the schema")
}

// PoolFigures returns how busy the pools are. It asks nobody.
func (d *DB) PoolFigures() []work.PoolFigures {
	var figures []work.PoolFigures
	for _, p := range []struct {
		name string
		pool *pool
	}{{"jobs", d.jobs}, {"graph", d.graph}, {"auth", d.auth}} {
		stat := p.pool.Stat()
		figures = append(figures, work.PoolFigures{
			Name: p.name, Acquired: int(stat.AcquiredConns()), Idle: int(stat.IdleConns()), Max: int(stat.MaxConns()),
			Waits: stat.EmptyAcquireCount(), Waited: stat.EmptyAcquireWaitTime(), GivenUp: stat.CanceledAcquireCount(),
		})
	}
	return figures
}
