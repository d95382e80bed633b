// Package graphgen makes graphs for tests and benchmarks: the same ones each time
// from the same numbers, with degrees that follow a power law as those of real
// graphs do. Concept n has the id "c_n"; numbers count from 1.
package graphgen
