//go:build race

package formats

// The race detector makes reading ten times as slow: with it the hostile documents are
// smaller.
const (
	hostileBytes = 3 << 20
	archiveBytes = 64 << 20
	sourceBytes  = 32 << 10
	growingBytes = 64 << 10
)
