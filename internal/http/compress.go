package http

import (
	"bytes"
	nethttp "net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// minCompressed is the size in bytes from which an answer is compressed.
const minCompressed = 1024

// compressed returns a handler whose answers are compressed for clients that take gzip or zstd.
// Events are not, since each has to arrive at once; nor is what has a secret in it, whose length
// would tell of it.
func compressed(next nethttp.Handler) (nethttp.Handler, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.ContentTypeFilter(compressible))
	if err != nil {
		return nil, err
	}
	compressing := wrap(next)
	return nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.Method == nethttp.MethodHead || r.Header.Get("Upgrade") != "" || hasSecrets(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		compressing.ServeHTTP(w, r)
	}), nil
}

// hasSecrets reports whether answers below a path may have tokens or keys.
func hasSecrets(path string) bool {
	path = strings.TrimPrefix(path, "/api")
	return path == "/auth" || strings.HasPrefix(path, "/auth/")
}

var compressibleTypes = []string{"application/json", problemType, "application/graphml+xml", "application/gexf+xml", "application/xml", "application/x-ndjson", "application/n-quads"}

// compressible reports whether an answer of a content type gets smaller.
func compressible(contentType string) bool {
	contentType, _, _ = strings.Cut(contentType, ";")
	contentType = strings.ToLower(strings.TrimSpace(contentType))
	return strings.HasPrefix(contentType, "text/") && contentType != EventStreamType || slices.Contains(compressibleTypes, contentType)
}

// SendBytes answers with the bytes of something that does not change, which the tag names: as a
// whole, a range of it, or with 304 for who has it.
func SendBytes(c *gin.Context, tag, contentType string, data []byte) {
	c.Header("Content-Type", contentType)
	c.Header("Cache-Control", "private, no-cache") // who kept it asks whether it may still be read
	c.Header("ETag", `"`+tag+`"`)
	c.Header(gzhttp.HeaderNoCompression, "1") // a range is one of the bytes themselves
	nethttp.ServeContent(c.Writer, c.Request, "", time.Time{}, bytes.NewReader(data))
}
