//go:build cgo

package main

// walls are what keeps the worker from doing harm. Without those of the memory and of the
// parent no query is answered; what else the system offers is set and read back, and what
// it does not offer is said.
type walls struct {
	memory uint64 // bytes of address space
	files  string // the directory that may be read
	parent int    // the process id of the server
}
