package serve

import (
	"context"
	"fmt"
	"net"

	"github.com/kappagraph/kappa/work"
)

// witness returns what notifies the datagram socket at path of each step that an
// effect job does: job, step and claim token. A test harness counts them. Without a path it
// returns nil.
func witness(path string) func(context.Context, work.Claim, string) error {
	if path == "" {
		return nil
	}
	return func(ctx context.Context, c work.Claim, step string) error {
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, "unixgram", path)
		if err != nil {
			return err
		}
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "%s %s %d", c.JobID, step, c.Token)
		return err
	}
}
