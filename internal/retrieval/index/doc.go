// Package index finds the passages that may answer: it holds what ranking needs of every
// passage, and returns those whose words weigh most.
package index
