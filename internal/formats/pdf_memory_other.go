//go:build !unix

package formats

// reserve returns memory that the garbage collector frees.
func reserve(size int) []byte { return make([]byte, size) }

func release([]byte) {}
