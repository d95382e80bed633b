// Package projection lays items with embeddings out in two or three dimensions, so that
// what is near in the space of embeddings is near in the picture.
//
// Two algorithms are known: principal components, and t-SNE (van der Maaten and Hinton,
// "Visualizing Data using t-SNE", 2008) in four steps, each with a file of its own. It
// begins with the principal components, or with the layout before; finds the nearest
// neighbours of each item, of many items by a forest and by introducing neighbours to each
// other; draws neighbours together by chance, as LargeVis and UMAP do; and follows the
// gradient, of which a tree says what drives items apart. All of it is done by one
// goroutine, in time that grows a little more than the number of items.
//
// The same input, seed and start give the same layout. A layout ends within a fraction of a
// second when its context ends. It needs 4 bytes for each number of the embeddings, and
// about 600 bytes for each item at 30 neighbours.
package projection
