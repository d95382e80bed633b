//go:build cgo && linux

package main

// #include <malloc.h>
//
// static void few_arenas(void) {
// #ifdef M_ARENA_MAX
// 	mallopt(M_ARENA_MAX, 2);
// #endif
// }
// // See mallopt(3).
import "C"

// fewArenas keeps the C library from reserving 64 MiB of address space for each thread:
// of the 2 GiB that a worker has, those and what Go reserves would leave nothing.
func fewArenas() { C.few_arenas() }
