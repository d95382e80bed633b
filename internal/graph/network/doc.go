// Package network finds out what a graph as a whole is about: which concepts are in
// its centre, and which of them belong together.
//
// It works on rows of numbers and not on maps: PageRank of 50,000 concepts and
// 500,000 relationships takes less than half a second and their communities some
// seconds, where gonum had not found the communities after three minutes. The same graph gives the
// same answer.
package network
