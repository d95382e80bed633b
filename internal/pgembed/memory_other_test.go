//go:build !linux

package pgembed

// memory is a file system in memory: there is none.
func memory() string { return "" }
