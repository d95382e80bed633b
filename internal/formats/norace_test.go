//go:build !race

package formats

const (
	hostileBytes = 48 << 20 // of a text, below what a server takes
	archiveBytes = 1 << 30  // of the one word of an archive
	sourceBytes  = 3 << 20  // of a program
	growingBytes = 15 << 17 // of a document that is compared with one of twice its size
)
