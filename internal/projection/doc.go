// Package projection lays items with embeddings out in two or three dimensions, so that
// what is near in the space of embeddings is near in the picture.
//
// Two algorithms are known: t-SNE (van der Maaten and Hinton, "Visualizing Data using
// t-SNE", 2008; above exactUpTo items by the Barnes–Hut approximation of van der Maaten,
// "Accelerating t-SNE using Tree-Based Algorithms", 2014) and principal components. The
// same input gives the same layout. Both end within a fraction of a second when their
// context ends.
package projection
