package serve

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/cmd/kg/local"
)

// A first announcement waits until the parts of the server, which log that they start,
// have logged nothing for quietTime, so that they do not push it up the screen; no longer
// than settleTime.
const (
	quietTime  = 300 * time.Millisecond
	settleTime = 5 * time.Second
)

// announce announces that the server is ready: on out, and in the data directory
// for the client commands of the same user, until ctx ends. What a first start says, the
// password among it, is the last that it prints.
func (s *server) announce(ctx context.Context, self local.Server, out io.Writer, password string, log *spinner) error {
	if password != "" {
		settle(ctx, log)
	}
	log.stop()
	if password != "" {
		fmt.Fprintf(out, "kg: created the account admin with the password %s\nkg: it is shown only now; log in with: kg login -u admin\n"+
			"kg: and then read a document: kg ingest file FILE --ontology NAME --wait\n", password)
	}
	fmt.Fprintf(out, "kg: serving on %s\n", self.URL)
	if err := self.Write(s.settings.DataDir); err != nil {
		s.log.WarnContext(ctx, "client commands do not find this server by themselves; name it with KG_API_URL", "err", err)
	} else {
		defer self.Remove(s.settings.DataDir)
	}
	<-ctx.Done()
	return nil
}

// settle waits until the log is quiet.
func settle(ctx context.Context, log *spinner) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	for rest := quietTime; rest > 0 && kappa.Sleep(ctx, rest); {
		rest = quietTime - log.quiet()
	}
}
