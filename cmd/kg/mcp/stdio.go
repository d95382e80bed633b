package mcp

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa/client"
)

// Serve answers the agent that started this program, over in and out, until in ends
// or ctx does. c makes the calls.
func Serve(ctx context.Context, c *client.Client, version string, in io.Reader, out io.Writer) error {
	err := New(c, version).Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: leftOpen{out}})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// leftOpen is a writer that is somebody else's to close.
type leftOpen struct{ io.Writer }

// Close does nothing.
func (leftOpen) Close() error { return nil }
