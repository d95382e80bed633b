package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/internal/sandbox/frame"
)

// checkDatasets checks whether questions to datasets are answered, by having the server ask
// one, and behind which walls.
func checkDatasets(ctx context.Context, c *client.Client) finding {
	f := finding{Check: "datasets", Level: levelOK}
	status, err := c.Datasets.Status(ctx)
	switch {
	case err != nil:
		f.Level, f.Found = levelWarn, err.Error()
	case status.Workers == 0:
		f.Found = "switched off (KG_DATASET_WORKERS=0)"
	case status.Problem != nil:
		f.Level, f.Found = levelWarn, *status.Problem
		f.Remedy = "docs/datasets.md says what workers need; kg-data is built with make build, which takes a C compiler"
	case frame.LacksProtection(status.NotInForce):
		f.Level, f.Found = levelWarn, "not in force: "+strings.Join(status.NotInForce, "; ")
		f.Remedy = "docs/datasets.md says what each protection is for"
	default:
		f.Found = fmt.Sprintf("DuckDB %s in up to %d processes; in force: %s", status.Version, status.Workers, strings.Join(status.InForce, ", "))
		if len(status.NotInForce) > 0 {
			f.Found += "; not in force: " + strings.Join(status.NotInForce, "; ")
		}
	}
	return f
}
