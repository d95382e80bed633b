package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/internal/sandbox/frame"
)

// checkReading checks whether documents are read, and behind which walls.
func checkReading(ctx context.Context, c *client.Client) finding {
	f := finding{Check: "reading", Level: levelOK}
	status, err := c.Documents.ReadingStatus(ctx)
	var refused *client.Error
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusForbidden:
		f.Found = "shown to administrators"
	case err != nil:
		f.Level, f.Found = levelWarn, err.Error()
	case status.Problem != nil:
		f.Level, f.Found = levelFail, *status.Problem
		f.Remedy = "read the server's log; KG_READ_WORKERS=0 reads documents in the server meanwhile, without walls"
	case status.Workers == 0:
		f.Level, f.Found = levelWarn, "documents are read in the server: a broken one takes its memory. "+strings.Join(status.NotInForce, "; ")
		f.Remedy = "set KG_READ_WORKERS, on Linux"
	case frame.LacksProtection(status.NotInForce):
		f.Level, f.Found = levelWarn, "not in force: "+strings.Join(status.NotInForce, "; ")
		f.Remedy = "docs/security.md says what each protection is for"
	default:
		f.Found = fmt.Sprintf("in up to %d processes; in force: %s", status.Workers, strings.Join(status.InForce, ", "))
		if len(status.NotInForce) > 0 {
			f.Found += "; not in force: " + strings.Join(status.NotInForce, "; ")
		}
	}
	return f
}
