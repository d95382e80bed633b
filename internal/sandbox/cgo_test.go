//go:build cgo

package sandbox

// cgoEnabled says that this test is built as kg is not.
const cgoEnabled = true
