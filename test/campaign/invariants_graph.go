package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
)

// i31GraphIsSound checks what kg doctor --deep does.
func i31GraphIsSound(ctx context.Context, conn *pgx.Conn, _ *outcome) (found []string, err error) {
	db, err := postgres.Open(ctx, postgres.Config{DSN: conn.Config().ConnString()})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	for _, check := range knowledge.GraphChecks() {
		checked, err := db.Checks().CheckGraph(ctx, check.Name)
		if err != nil {
			return found, err
		}
		for _, example := range checked.Examples {
			found = append(found, fmt.Sprintf("it is not so that %s: %s", check.Rule, example))
		}
	}
	return found, nil
}
