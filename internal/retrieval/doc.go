// Package retrieval finds the passages that answer.
package retrieval
