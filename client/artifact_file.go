package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// downloadTimeout is for the largest file over a slow line.
const downloadTimeout = time.Hour

// DownloadArtifact writes the file of an artifact to w, and returns how many bytes it has.
// A file that ends early is an error.
func (c *Client) DownloadArtifact(ctx context.Context, id int, w io.Writer) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadTimeout)
	defer cancel()
	resp, err := c.send(ctx, call{method: http.MethodGet, path: "/artifacts/" + strconv.Itoa(id) + "/download"})
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	n, err := io.Copy(w, resp.Body)
	if err != nil {
		return n, fmt.Errorf("download the artifact: %w", err)
	}
	return n, nil
}
