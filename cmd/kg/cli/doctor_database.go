package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/internal/pgembed"
)

// checkDatabase checks which version of PostgreSQL the server works on, and what is known of
// that one. A login that may not ask is no fault.
func checkDatabase(ctx context.Context, c *client.Client) []finding {
	info, err := c.Storage.Database(ctx)
	if err != nil {
		return nil
	}
	f := finding{Check: "database", Level: levelOK}
	switch {
	case info.Error != nil:
		f.Level, f.Found, f.Remedy = levelFail, show.OneLine(*info.Error), "see whether PostgreSQL runs, and what its log says"
		return []finding{f}
	case info.Version == nil:
		return nil
	}
	f.Found = "PostgreSQL " + show.OneLine(*info.Version)
	digits := strings.IndexFunc(*info.Version, func(r rune) bool { return r < '0' || r > '9' })
	if digits < 0 {
		digits = len(*info.Version)
	}
	switch major, err := strconv.Atoi((*info.Version)[:digits]); {
	case err != nil: // a service that names it otherwise
	case major > pgembed.NewestTested:
		f.Level = levelWarn
		f.Found += fmt.Sprintf("; Kappa was tested up to version %d", pgembed.NewestTested)
		f.Remedy = "see whether a newer version of Kappa was tested on it"
	default:
		f.Found += fmt.Sprintf("; Kappa is tested on %d to %d", pgembed.OldestTested, pgembed.NewestTested)
	}
	return []finding{f}
}
