// Package projection has the words of pictures of the graph: items with embeddings, laid out in two or three
// dimensions so that what is similar is close.
//
// A [Query] names an ontology, or [AllOntologies], what of it is laid out, and the algorithm with its
// [Parameters]. What the algorithm works on is an [Input], one [Item] for each concept or chunk; what comes of
// it is a [Projection], in which each item has a [Place].
//
// The same query on the same items gives the same picture, on any machine: it can be kept ([Kept]), and
// is made anew only when its items have changed.
//
// internal/projection has the algorithms.
package projection
