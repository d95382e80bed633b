// Package network finds out what a graph as a whole is about: which concepts are in
// its centre, and which of them belong together.
//
// It works on rows of numbers and not on maps: PageRank of 50,000 concepts and
// 500,000 relationships takes less than half a second and their communities some
// seconds, where gonum's Louvain had not ended after three minutes. The tests hold it to gonum
// on small graphs: the same ranks, the same modularity of the same partition, and
// communities whose modularity is on average as high. The same graph gives the same answer.
package network
