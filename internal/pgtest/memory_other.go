//go:build !linux

package pgtest

// inMemory returns where a cluster may keep its files in memory: nowhere.
func inMemory() string { return "" }
